//! Arguments arrive in their places, and results come back.

use paw_data::kernel::{Cache, Calls};
use paw_data::outcome::CheckVerdict;
use paw_data::run::ClockKind;
use paw_data::secondary::SecondaryMetric;
use paw_kernels::element::Element;
use paw_kernels::job::{Answers, Argument, CallJob};
use paw_kernels::spec::Fill;
use paw_measure::workload::Workload;

use crate::workbench::{Workbench, check, input, job, open, output};

/// The answers of `job` are `numbers`.
fn gives(bench: &Workbench, job: &mut CallJob, numbers: &str) {
    job.answers = Answers::AgainstNumbers(bench.file("numbers.txt", numbers));
    job.tolerance.relative = 0.0;
    job.tolerance.ulp = 0;
    let check = check(job).expect("it is called");
    assert_eq!((check.note.as_str(), check.verdict), ("", CheckVerdict::Pass));
}

#[test]
fn a_sum_is_right() {
    let bench = Workbench::new();
    let source =
        "double sum(int n, const double *a) { double s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }";
    let mut job = job(&bench.built("gcc", "sum.c", source, &["-O2"]), "sum");
    job.arguments = vec![Argument::Whole(100), input("a", Element::F64, 100, Fill::Index)];
    job.result = Some(Element::F64);
    gives(&bench, &mut job, "4950");
}

#[test]
fn every_type_of_result_comes_back() {
    let bench = Workbench::new();
    let source = "
        int whole(void) { return -7; }
        unsigned char narrow(void) { return 200; }
        long wide(void) { return -9000000000; }
        float single_(void) { return 0.1f; }
        double double_(void) { return 0.1; }";
    let library = bench.built("gcc", "results.c", source, &["-O2"]);
    let results = [
        ("whole", Element::I32, "-7"),
        ("narrow", Element::U8, "200"),
        ("wide", Element::I64, "-9000000000"),
        ("single_", Element::F32, "0.1"),
        ("double_", Element::F64, "0.1"),
    ];
    for (function, element, number) in results {
        let mut job = job(&library, function);
        job.result = Some(element);
        gives(&bench, &mut job, number);
    }
}

/// Six whole numbers and addresses, and eight floating-point numbers, in turns.
fn fourteen() -> (&'static str, Vec<Argument>) {
    let source = "
        void place(double a, signed char i, float b, short j, double c, int k, float d, double e, unsigned char l, long m,
                   double f, float g, double h, double *out) {
            double all[] = {a, i, b, j, c, k, d, e, l, m, f, g, h};
            for (int at = 0; at < 13; at++) out[at] = all[at];
        }";
    let arguments = vec![
        Argument::Double(0.5),
        Argument::Whole(-1),
        Argument::Single(1.5),
        Argument::Whole(-2),
        Argument::Double(2.5),
        Argument::Whole(-3),
        Argument::Single(3.5),
        Argument::Double(4.5),
        Argument::Whole(250),
        Argument::Whole(-5_000_000_000),
        Argument::Double(5.5),
        Argument::Single(6.5),
        Argument::Double(7.5),
        output("out", Element::F64, 13, Fill::Zero),
    ];
    (source, arguments)
}

#[test]
fn six_whole_and_eight_floating_arguments_arrive_in_their_places() {
    ::workplace::needs!(CLANG);
    let bench = Workbench::new();
    let (source, arguments) = fourteen();
    for (compiler, flags) in [("gcc", ["-O2"]), ("clang-19", ["-O0"])] {
        let mut job = job(&bench.built(compiler, "place.c", source, &flags), "place");
        job.arguments = arguments.clone();
        gives(&bench, &mut job, "0.5 -1 1.5 -2 2.5 -3 3.5 4.5 250 -5e9 5.5 6.5 7.5");
    }
}

#[test]
fn more_arguments_than_fit_into_registers_are_refused() {
    let bench = Workbench::new();
    let mut job = bench.kernel("", 1);
    job.arguments = vec![Argument::Whole(1); 7];
    let said = check(&job).expect_err("too many").to_string();
    assert!(said.starts_with("the kernel takes more than 6 whole numbers and addresses, which"), "{said}");
    job.arguments = vec![Argument::Single(1.0); 9];
    let said = check(&job).expect_err("too many").to_string();
    assert!(said.starts_with("the kernel takes more than 8 floating-point numbers, which"), "{said}");
}

#[test]
fn fortran_takes_everything_by_its_address() {
    ::workplace::needs!(GFORTRAN);
    let bench = Workbench::new();
    let source = "
        subroutine axpy(n, alpha, x, y) bind(C)
          use iso_c_binding
          integer(c_int), intent(in) :: n
          real(c_float), intent(in) :: alpha
          real(c_double), intent(in) :: x(n)
          real(c_double), intent(inout) :: y(n)
          y = y + alpha * x
        end subroutine";
    let mut job = job(&bench.built("gfortran", "axpy.f90", source, &["-O2"]), "axpy");
    job.arguments = vec![
        Argument::Address(Element::I32, 4.0),
        Argument::Address(Element::F32, 0.5),
        input("x", Element::F64, 4, Fill::Index),
        output("y", Element::F64, 4, Fill::Constant(1.0)),
    ];
    gives(&bench, &mut job, "1 1.5 2 2.5");
}

#[test]
fn every_cadence_is_timed() {
    let bench = Workbench::new();
    let mut whole = bench.kernel("for (long i = 0; i < n; i++) b[i] = i + 1;", 1000);
    let (source, arguments) = fourteen();
    let mut all = job(&bench.built("gcc", "place.c", source, &["-O2"]), "place");
    all.arguments = arguments;
    for job in [&mut whole, &mut all] {
        for (calls, cache) in
            [(Calls::Throughput, Cache::Warm), (Calls::Fenced, Cache::Warm), (Calls::Throughput, Cache::Cold)]
        {
            (job.calls, job.cache) = (calls, cache);
            let mut workload = open(job).expect("it opens");
            workload.resume().expect("it resumes");
            let reading = workload.sample(100).expect("it is timed").expect("it is not idle");
            assert!(reading.elapsed_s > 0.0, "{calls:?} {cache:?}");
            let extra = |metric| reading.secondary(metric);
            assert!(
                extra(SecondaryMetric::CoreClock) > Some(0.0) && extra(SecondaryMetric::CoreDrift) >= Some(0.0),
                "{:?}",
                reading.extra
            );
            assert_eq!(extra(SecondaryMetric::Ticks), None);
            assert_eq!(workload.verify().expect("it is checked").verdict, CheckVerdict::Pass);
        }
    }
}

#[test]
fn the_counter_of_the_parent_is_the_childs() {
    let bench = Workbench::new();
    let mut job = bench.kernel("for (long i = 0; i < n; i++) b[i] = i + 1;", 1000);
    job.instrument.clock = ClockKind::Tsc;
    job.instrument.hz = Some(1e6);
    let mut workload = open(&job).expect("it opens");
    let reading = workload.sample(50).expect("it is timed").expect("it is not idle");
    let ticks = reading.secondary(SecondaryMetric::Ticks);
    assert_eq!(ticks.map(|ticks| ticks / 1e6), Some(reading.elapsed_s));
}

#[test]
fn a_warm_up_of_calls_without_number_ends_when_its_time_is_over() {
    let bench = Workbench::new();
    let source =
        "double sum(int n, const double *a) { double s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }";
    let mut job = job(&bench.built("gcc", "sum.c", source, &["-O2"]), "sum");
    job.arguments = vec![Argument::Whole(100), input("a", Element::F64, 100, Fill::Index)];
    (job.warmup, job.warmup_s) = (u64::MAX, Some(1e-3));
    let mut workload = open(&job).expect("it opens");
    workload.resume().expect("it begins");
    let reading = workload.sample(1000).expect("it runs").expect("a reading");
    assert!(reading.elapsed_s > 0.0);
}
