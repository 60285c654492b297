//! Answers held against those of another process, of a user, of another function, and of themselves.

use paw_data::kernel::Tolerance;
use paw_data::outcome::{Accuracy, Check, CheckVerdict};
use paw_kernels::answers;
use paw_kernels::element::Element;
use paw_kernels::job::{Answers, Argument, CallJob};
use paw_kernels::spec::Fill;
use paw_measure::workload::Workload;

use crate::workbench::{Workbench, check, child, job, open, open_in, output};

/// A kernel that scales random numbers by `factor`, and returns how many they are.
fn scale(bench: &Workbench, factor: &str) -> CallJob {
    let body = format!("for (int i = 0; i < n; i++) b[i] *= {factor};");
    let source =
        format!("int scale(int n, float *b) {{ {body} return n; }} int same(int n, float *b) {{ {body} return n; }}");
    let mut job = job(&bench.built("gcc", "scale.c", &source, &["-O2"]), "scale");
    job.arguments = vec![Argument::Whole(88), output("b", Element::F32, 88, Fill::Uniform(1.0, 2.0))];
    job.result = Some(Element::I32);
    job
}

/// Writes the answers of scaling by 1, and checks those of scaling by `factor` against them.
fn against(factor: &str, tolerance: Tolerance) -> Check {
    let bench = Workbench::new();
    let path = bench.path("answers");
    let reference = CallJob { answers: Answers::Write(path.clone()), ..scale(&bench, "1.0f") };
    let written = check(&reference).expect("it is written");
    assert_eq!((written.verdict, written.accuracy), (CheckVerdict::Pass, None));
    check(&CallJob { answers: Answers::Against(path), tolerance, ..scale(&bench, factor) }).expect("it is checked")
}

#[test]
fn answers_of_one_child_are_checked_by_another() {
    let same = against("1.0f", Tolerance::default());
    let equal = Accuracy { elements: 89, ..Accuracy::default() };
    assert_eq!((same.verdict, same.error, same.accuracy), (CheckVerdict::Pass, 0.0, Some(Box::new(equal))));
    assert_eq!((same.method.as_str(), same.note.as_str()), ("comparison with the reference build", ""));
}

#[test]
fn small_differences_pass_and_are_counted() {
    let near = against("1.000001f", Tolerance { relative: 1e-5, ulp: 0 });
    assert_eq!((near.verdict, near.note.as_str(), near.bound), (CheckVerdict::Pass, "", 1e-5));
    let accuracy = near.accuracy.expect("numbers were compared");
    assert_eq!((accuracy.elements, accuracy.differing, accuracy.wrong), (89, 88, 0));
    assert!(accuracy.relative_max > 5e-7 && accuracy.relative_max < 2e-6, "{accuracy:?}");
    assert_eq!((accuracy.relative_max, accuracy.first.as_str()), (near.error, "b[0]"));
}

#[test]
fn large_differences_fail_with_the_first_place() {
    let far = against("1.5f", Tolerance { relative: 1e-5, ulp: 16 });
    assert_eq!(far.verdict, CheckVerdict::Fail);
    assert!(far.note.starts_with("`b[0]` is "), "{}", far.note);
    assert!(
        far.note.contains(" (relative error 5.0e-1, ") && far.note.ends_with("; 88 of 89 elements are wrong"),
        "{}",
        far.note
    );
    let accuracy = far.accuracy.expect("numbers were compared");
    assert_eq!((accuracy.wrong, far.error), (88, accuracy.relative_max));
}

#[test]
fn data_are_the_same_in_every_process() {
    let bench = Workbench::new();
    let mut written = Vec::new();
    for name in ["one", "two"] {
        let path = bench.path(name);
        check(&CallJob { answers: Answers::Write(path.clone()), ..scale(&bench, "1.0f") }).expect("it is written");
        written.push(answers::read(&path).expect("it is read"));
    }
    assert_eq!(written[0], written[1]);
    let names: Vec<&str> = written[0].iter().map(|answer| &*answer.name).collect();
    assert_eq!(names, ["b", "return"]);
    assert_eq!(*written[0][1].bytes, 88_i32.to_ne_bytes());
}

#[test]
fn answers_of_another_shape_fail_with_both() {
    let bench = Workbench::new();
    let path = bench.path("answers");
    let reference = CallJob { answers: Answers::Write(path.clone()), ..scale(&bench, "1.0f") };
    check(&reference).expect("it is written");
    let mut other = CallJob { answers: Answers::Against(path), ..reference };
    other.arguments[1] = output("b", Element::F32, 89, Fill::Zero);
    let found = check(&other).expect("it is checked");
    let note = "`b` holds 89 numbers of type f32, and in the reference 88 numbers of type f32";
    assert_eq!((found.verdict, found.note.as_str(), found.accuracy), (CheckVerdict::Fail, note, None));
    other.result = None;
    let note = check(&other).expect("it is checked").note;
    assert_eq!(note, "the kernel's answers are `b`, and those of the reference `b`, `return`");
}

#[test]
fn a_nan_is_reported() {
    let bench = Workbench::new();
    let numbers = bench.file("numbers.txt", "0 1 2 3");
    let mut job = bench.kernel("b[2] = 0.0 / 0.0;", 4);
    job.answers = Answers::AgainstNumbers(numbers);
    let found = check(&job).expect("it is checked");
    assert_eq!(
        (found.verdict, found.note.as_str()),
        (CheckVerdict::Fail, "`b[2]` is NaN, not 2.0; 1 of 4 elements is wrong")
    );
    assert_eq!(found.accuracy.map(|accuracy| (accuracy.nan, accuracy.relative_max)), Some((1, f64::INFINITY)));
}

#[test]
fn numbers_of_another_count_fail_with_both() {
    let bench = Workbench::new();
    let path = bench.file("numbers.txt", "0, 1, 2");
    let mut job = bench.kernel("", 4);
    job.answers = Answers::AgainstNumbers(path.clone());
    let found = check(&job).expect("it is checked");
    let note = format!("the kernel gives 4 numbers, and {} holds 3", path.display());
    assert_eq!((found.verdict, found.note), (CheckVerdict::Fail, note));
}

#[test]
fn another_function_sees_the_same_data() {
    let bench = Workbench::new();
    let job = CallJob { answers: Answers::AgainstFunction("same".to_owned()), ..scale(&bench, "1.1f") };
    let found = check(&job).expect("it is checked");
    let equal = Accuracy { elements: 89, ..Accuracy::default() };
    assert_eq!((found.verdict, found.method.as_str()), (CheckVerdict::Pass, "comparison with the function `same`"));
    assert_eq!(found.accuracy, Some(Box::new(equal)));
    let missing = CallJob { answers: Answers::AgainstFunction("none".to_owned()), ..job };
    assert!(check(&missing).is_err());
}

#[test]
fn answers_that_change_from_call_to_call_are_not_repeatable() {
    let bench = Workbench::new();
    let steady = bench.kernel("for (long i = 0; i < n; i++) b[i] += 1;", 4);
    assert_eq!(check(&steady).expect("it is checked").verdict, CheckVerdict::Pass);
    let fickle = bench.kernel("static int calls; b[1] += calls++;", 4);
    let found = check(&fickle).expect("it is checked");
    assert_eq!(found.verdict, CheckVerdict::Fail);
    let note = "two calls on equal data do not agree: `b[1]` is 2.0, not 1.0 (relative error 1.0e0, ";
    assert!(found.note.starts_with(note), "{}", found.note);
}

#[test]
fn a_kernel_without_an_answer_cannot_be_checked() {
    let bench = Workbench::new();
    let mut job = bench.kernel("", 4);
    job.arguments.pop();
    let found = check(&job).expect("it is checked");
    assert_eq!(found.verdict, CheckVerdict::Fail);
    assert!(found.note.starts_with("the kernel has no answer to check: "), "{}", found.note);
}

#[test]
fn a_missing_reference_is_named() {
    let bench = Workbench::new();
    let path = bench.path("none");
    let job = CallJob { answers: Answers::Against(path.clone()), ..bench.kernel("", 4) };
    let said = open(&job).expect("it opens").verify().expect_err("there is no reference").to_string();
    assert!(
        said.starts_with(&format!("{}, which the answers are held against, cannot be read: ", path.display())),
        "{said}"
    );
    // The child lives on.
    let child = child();
    let (mut workload, _) = open_in(&child, &job).expect("it opens");
    assert!(workload.verify().is_err() && workload.renew().is_ok());
}
