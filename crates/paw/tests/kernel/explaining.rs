//! `paw kernel explain`: what it says, and what it leaves behind.

use paw_data::explained::Explained;
use paw_data::explanation::Ablation;
use paw_data::outcome::Status;

use crate::place::{ended, examples, kernel, run};

/// One size, few samples.
const FEW: &str = "--out r --metas 3 --region 1ms --quiet";

fn left_out() -> bool {
    let other = cfg!(not(target_arch = "x86_64"));
    if other {
        eprintln!("left out: loops are taken apart on x86-64 alone");
    }
    other
}

#[test]
fn a_loop_is_taken_apart_and_the_run_keeps_how() {
    if left_out() {
        return;
    }
    let place = examples();
    let ran =
        kernel(&place, &format!("explain dot.toml --n 2000 --variants ordered --compilers gcc --flags -O2 {FEW}"));
    assert_eq!(ran.code, 0, "{}{}", ran.err, ran.out);
    assert!(ran.out.contains("The hot loop") && ran.out.contains("chain cut"), "{}", ran.out);
    let run = run(&place);
    assert!(run.records.iter().all(|record| ended(record).0 == Status::Measured), "{}", ran.out);
    let [explanation] = run.explanations.as_slice() else { panic!("{:?}", run.explanations) };
    let hot = explanation.hot.as_ref().expect("a hot loop");
    assert_eq!((hot.trips, hot.iterations, hot.share), (2000.0, 1.0, 1.0));
    assert_eq!(explanation.recurrence.as_ref().expect("a chain").made_of, "additions");
    let explained = Explained::of(explanation);
    let [level] = explained.levels.as_slice() else { panic!("{explained:?}") };
    let cut = level.reduced.iter().find(|reduced| reduced.ablation == Ablation::NoChain).expect("it was cut");
    assert!(cut.cycles > 0.0 && level.cycles > 0.0, "{level:?}");
}

#[test]
fn a_loop_that_calls_has_no_bound_and_says_so() {
    if left_out() {
        return;
    }
    let place = examples();
    std::fs::write(
        place.path("sine.c"),
        "double sin(double); void sine(long n, double *restrict a, const double *restrict b) { for (long i = 0; i < n; i++) a[i] = sin(b[i]); }",
    )
    .unwrap();
    std::fs::write(
        place.path("sine.toml"),
        "paw = \"kernel/1\"\nsources = [\"sine.c\"]\nsignature = \"void sine(long n, double *a, const double *b)\"\n\
         iterations = \"n\"\n[arrays]\na = { type = \"f64[n]\", output = true }\nb = { type = \"f64[n]\", fill = \"uniform(0, 1)\" }\n",
    )
    .unwrap();
    let ran = kernel(&place, &format!("explain sine.toml --n 500 --compilers gcc --flags -O2 {FEW}"));
    assert_eq!(ran.code, 0, "{}{}", ran.err, ran.out);
    let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("it calls sin") && words.contains("the loop has no bound"), "{}", ran.out);
}

#[test]
fn a_function_without_a_loop_is_measured_and_not_explained() {
    if left_out() {
        return;
    }
    let place = examples();
    std::fs::write(place.path("one.c"), "double one(double x) { return x * x + 1.0; }").unwrap();
    let spec = "paw = \"kernel/1\"\nsources = [\"one.c\"]\nsignature = \"double one(double x)\"\niterations = \"1\"\n[scalars]\nx = 2.0\n";
    std::fs::write(place.path("one.toml"), spec).unwrap();
    let ran = kernel(&place, &format!("explain one.toml --n 1 --compilers gcc --flags -O2 {FEW}"));
    assert_eq!(ran.code, 0, "{}{}", ran.err, ran.out);
    assert!(ran.out.contains("`one` has no loop"), "{}", ran.out);
}
