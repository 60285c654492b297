//! Side effects beyond a function's answers are found, and inputs that it changes are restored or refused.

use paw_data::kernel::Restore;
use paw_data::outcome::CheckVerdict;
use paw_data::secondary::SecondaryMetric;
use paw_kernels::element::Element;
use paw_kernels::job::{Answers, CallJob};
use paw_kernels::spec::Fill;
use paw_measure::workload::Workload;

use crate::workbench::{Workbench, check, input, job, open, output};

/// The ids of what a check of `job` finds beside its answers.
fn findings(job: &CallJob) -> Vec<String> {
    let mut workload = open(job).expect("it is opened");
    workload.verify().expect("it is called");
    workload.caveats().into_iter().map(|caveat| caveat.id).collect()
}

/// A C kernel `k` of `n` doubles that are its answer and begin with `fill`.
fn kernel(bench: &Workbench, body: &str, fill: Fill) -> CallJob {
    let mut job = bench.kernel(body, 64);
    job.arguments[1] = output("b", Element::F64, 64, fill);
    job
}

const SORT: &str = "for (long i = 1; i < n; i++) {
    double x = b[i]; long j = i;
    while (j > 0 && b[j - 1] > x) { b[j] = b[j - 1]; j--; }
    b[j] = x;
}";

#[test]
fn a_function_that_changes_its_input_is_refused_with_the_way_out() {
    let bench = Workbench::new();
    let job = kernel(&bench, SORT, Fill::Uniform(0.0, 1.0));
    assert_eq!(findings(&job), ["input-changed"], "a check finds it");
    let why = open(&job).unwrap().sample(1).expect_err("it is not timed").to_string();
    assert!(
        why.contains("it changes its input `b`") && why.contains("\"call\"") && why.contains("\"sample\""),
        "{why}"
    );
    let restored = CallJob { restore: Some(Restore::Sample), ..job };
    assert_eq!(findings(&restored), Vec::<String>::new());
    open(&restored).unwrap().sample(1).expect("it is timed");
}

#[test]
fn an_answer_that_is_only_written_is_no_input() {
    let bench = Workbench::new();
    let only_written = ["for (long i = 0; i < n; i++) b[i] = i;", "for (long i = 1; i < n - 1; i++) b[i] = 2;"];
    for (body, fill) in only_written.into_iter().flat_map(|body| [(body, Fill::Zero), (body, Fill::Index)]) {
        assert_eq!(findings(&kernel(&bench, body, fill)), Vec::<String>::new(), "{body}");
    }
    let sum = kernel(&bench, "for (long i = 0; i < n; i++) b[i] += 1;", Fill::Zero);
    assert_eq!(findings(&sum), ["input-changed"], "zeros are read too");
}

#[test]
fn an_input_is_restored_before_each_sample_or_each_call() {
    let bench = Workbench::new();
    // Ends the process on the second call, or the fifth, that finds what the calls before it left.
    let once = kernel(&bench, "if (b[0] == 2) __builtin_trap(); b[0] += 1;", Fill::Constant(1.0));
    let mut workload = open(&CallJob { restore: Some(Restore::Call), warmup: 3, ..once }).unwrap();
    workload.sample(5).expect("every call finds the initial contents");
    let four = kernel(&bench, "if (b[0] > 4) __builtin_trap(); b[0] += 1;", Fill::Constant(1.0));
    let mut workload = open(&CallJob { restore: Some(Restore::Sample), ..four }).unwrap();
    for _ in 0..3 {
        workload.sample(3).expect("every sample begins with the initial contents");
    }
}

#[test]
fn a_call_that_is_timed_alone_is_long_enough_for_the_clock_by_itself() {
    let bench = Workbench::new();
    let job = CallJob { restore: Some(Restore::Call), ..kernel(&bench, "b[0] += 1;", Fill::Constant(1.0)) };
    let mut workload = open(&job).unwrap();
    workload.renew().unwrap();
    let why = workload.sample(100_000).expect_err("a call takes nanoseconds").to_string();
    assert!(why.contains("a call lasted") && why.contains("timed alone"), "{why}");
}

#[test]
fn a_write_to_a_const_array_a_leak_and_a_changed_mode_are_findings() {
    let bench = Workbench::new();
    let with = |body: &str| {
        let source = format!(
            "#include <stdlib.h>\nvoid *volatile kept; void k(const double *a, double *b) {{ {body}; b[0] = a[0]; }}"
        );
        let mut job = job(&bench.built("gcc", "k.c", &source, &["-O1"]), "k");
        job.arguments =
            vec![input("a", Element::F64, 8, Fill::Constant(3.0)), output("b", Element::F64, 8, Fill::Zero)];
        job
    };
    assert_eq!(findings(&with("")), Vec::<String>::new());
    assert_eq!(findings(&with("((double *)a)[1] = 4")), ["const-written"]);
    assert_eq!(findings(&with("kept = malloc(1000)")), ["memory-grows"]);
    assert_eq!(findings(&with("kept = malloc(1000); free(kept)")), Vec::<String>::new());
    if cfg!(target_arch = "x86_64") {
        let flush = "__builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040)";
        assert_eq!(findings(&with(flush)), ["float-mode-changed"]);
    }
}

#[test]
fn an_answer_that_no_call_writes_or_that_is_nan_throughout_is_a_finding() {
    let bench = Workbench::new();
    assert_eq!(findings(&kernel(&bench, "(void)b;", Fill::Zero)), ["answer-unwritten"]);
    assert_eq!(
        findings(&kernel(&bench, "b[0] = 0;", Fill::Zero)),
        Vec::<String>::new(),
        "a zero over a zero is written"
    );
    let nan = |n: &str| format!("for (long i = 0; i < {n}; i++) b[i] = __builtin_nan(\"\");");
    assert_eq!(findings(&kernel(&bench, &nan("n"), Fill::Zero)), ["answer-nan"]);
    assert_eq!(findings(&kernel(&bench, &nan("n - 1"), Fill::Zero)), Vec::<String>::new(), "one number remains");
    let source = "double k(const double *a) { return __builtin_nan(\"\") * a[0]; }";
    let mut result = job(&bench.built("gcc", "k.c", source, &["-O1"]), "k");
    result.arguments = vec![input("a", Element::F64, 8, Fill::Constant(3.0))];
    result.result = Some(Element::F64);
    assert_eq!(findings(&result), ["answer-nan"]);
}

#[test]
fn answers_that_differ_in_one_of_many_calls_are_wrong() {
    let bench = Workbench::new();
    let body = "static int calls; for (long i = 0; i < n; i++) b[i] = i + (++calls == 64 * 9);";
    let mut job = kernel(&bench, body, Fill::Zero);
    let numbers: Vec<String> = (0..64).map(|i| i.to_string()).collect();
    job.answers = Answers::AgainstNumbers(bench.file("numbers.txt", &numbers.join(" ")));
    assert_eq!(check(&job).unwrap().verdict, CheckVerdict::Pass);
    let check = check(&CallJob { repeats: 20, ..job }).unwrap();
    assert_eq!(check.verdict, CheckVerdict::Fail);
    assert!(check.note.contains("of 20, by several threads"), "{}", check.note);
}

#[test]
fn threads_that_a_function_starts_are_counted() {
    let bench = Workbench::new();
    let source = "#include <pthread.h>\n#include <unistd.h>
        static void *rest(void *p) { pause(); return p; }
        void k(double *b) {
            static int started; pthread_t t;
            if (!started++) pthread_create(&t, 0, rest, 0);
            b[0] = 1;
        }";
    let mut job = job(&bench.built("gcc", "threads.c", source, &["-O1", "-pthread"]), "k");
    job.arguments = vec![output("b", Element::F64, 1, Fill::Zero)];
    let reading = open(&job).unwrap().sample(1).unwrap().unwrap();
    assert!(reading.secondary(SecondaryMetric::KernelThreads) == Some(2.0), "{:?}", reading.extra);
}
