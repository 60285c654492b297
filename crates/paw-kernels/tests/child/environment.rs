//! Subnormal numbers: what linking with fast mathematics does to a process, and how it is undone.

use paw_data::kernel::Float;
use paw_data::outcome::CheckVerdict;
use paw_kernels::element::Element;
use paw_kernels::job::{Answers, Argument, CallJob};
use paw_kernels::spec::Fill;
use paw_measure::workload::Workload;

use crate::workbench::{Workbench, child, job, open_in, output};

/// Halves the smallest normal number: a subnormal number, or zero.
const HALVE: &str = "void halve(int n, double *a) { for (int i = 0; i < n; i++) a[i] *= 0.5; }";
const SUBNORMAL: &str = "1.1125369292536007e-308";

fn halve(bench: &Workbench, flags: &[&str]) -> CallJob {
    let mut job = job(&bench.built("gcc", "halve.c", HALVE, flags), "halve");
    job.arguments = vec![Argument::Whole(4), output("a", Element::F64, 4, Fill::Constant(f64::MIN_POSITIVE))];
    job
}

/// Checks the note of `job` under `float`, and that halving gives `number`.
fn check(bench: &Workbench, job: &CallJob, float: Float, told: &str, number: &str) {
    let numbers = bench.file("numbers.txt", &format!("{number} ").repeat(4));
    let job = CallJob { float, answers: Answers::AgainstNumbers(numbers), ..job.clone() };
    let child = child();
    // The second one is loaded already, and finds what the first one found.
    for _ in 0..2 {
        let (mut workload, opened) = open_in(&child, &job).expect("it opens");
        assert_eq!(opened, told);
        let check = workload.verify().expect("it is called");
        assert_eq!((check.note.as_str(), check.verdict), ("", CheckVerdict::Pass), "{float:?}");
    }
}

#[test]
fn plain_code_runs_in_the_environment_that_is_asked_for() {
    let bench = Workbench::new();
    let job = halve(&bench, &["-O2"]);
    check(&bench, &job, Float::AsLinked, "ieee", SUBNORMAL);
    check(&bench, &job, Float::Ieee, "ieee", SUBNORMAL);
    check(&bench, &job, Float::Ftz, "ftz", "0");
}

/// Start-up code as `crtfastmath.o` has it, which gcc links into shared objects up to version 12 only.
const FAST: &str = "
    #if defined(__x86_64__)
    __attribute__((constructor)) static void fast(void) { __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040); }
    #elif defined(__aarch64__)
    __attribute__((constructor)) static void fast(void) { __asm__ volatile(\"msr fpcr, %0\" : : \"r\"(1UL << 24)); }
    #endif
    ";

#[test]
fn what_loading_set_is_reported_and_can_be_taken_back() {
    let bench = Workbench::new();
    let library = bench.built("gcc", "fast.c", &format!("{FAST}{HALVE}"), &["-O2"]);
    let job = CallJob { library, ..halve(&bench, &["-O2"]) };
    check(&bench, &job, Float::AsLinked, "ftz (set when it was loaded)", "0");
    check(&bench, &job, Float::Ieee, "ieee (ftz was set when it was loaded, and taken back)", SUBNORMAL);
    check(&bench, &job, Float::Ftz, "ftz", "0");
}

#[test]
fn linking_with_fast_mathematics_is_seen_where_the_compiler_makes_it_matter() {
    let bench = Workbench::new();
    let job = halve(&bench, &["-Ofast"]);
    let (_workload, told) = open_in(&child(), &job).expect("it opens");
    let bytes = std::fs::read(&job.library).expect("it was built");
    let has_fast_start = bytes.windows(13).any(|window| window == b"set_fast_math");
    assert_eq!(told, if has_fast_start { "ftz (set when it was loaded)" } else { "ieee" });
}

#[test]
fn one_object_does_not_change_the_environment_of_another() {
    let bench = Workbench::new();
    let fast = bench.built("gcc", "fast.c", &format!("{FAST}{HALVE}"), &["-O2"]);
    let plain = halve(&bench, &["-O2"]);
    let child = child();
    let fast = open_in(&child, &CallJob { library: fast, ..plain.clone() }).expect("it opens");
    let (_, told) = open_in(&child, &plain).expect("it opens");
    assert_eq!((fast.1.as_str(), told.as_str()), ("ftz (set when it was loaded)", "ieee"));
}
