//! PAW's variables: read strictly, clamped where PAW overran its buffers, said where they do nothing.

use crate::workplace::{TINY, Workplace};
use crate::wrong_library::mock;

const PLAN: &str = "run dgemm --provider embedded --threads 1 --dry-run --format csv";

#[test]
fn a_variable_that_is_no_positive_number_is_refused_by_name() {
    for (name, value, why) in [
        ("MAX_BLAS_SIZE", "big", "MAX_BLAS_SIZE: `big` is not a whole number"),
        ("NREPS", "0", "NREPS: `0` is zero: at least 1 is needed"),
        ("WINDOW_SIZE", "-4", "WINDOW_SIZE: `-4` is negative: at least 1 is needed"),
        ("MAX_BLAS_SIZE", "4", "MAX_BLAS_SIZE is 4, below MIN_BLAS_SIZE, which is 8"),
    ] {
        let ran = Workplace::new().paw_with(&[(name, value)], PLAN);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{name}={value}");
        assert!(ran.err.contains(why), "{name}={value}: {}", ran.err);
    }
}

#[test]
fn a_count_of_threads_that_a_library_would_obey_is_bounded_by_name() {
    let absurd = ["2147483648", "100000", "99999999999999999999"];
    for name in ["BLIS_JC_NT", "BLIS_IR_NT", "MKL_DOMAIN_NUM_THREADS"] {
        for value in absurd {
            let ran = Workplace::new().paw_with(&[(name, value)], TINY);
            assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{name}={value}: {}", ran.err);
            assert!(ran.sentence().starts_with(&format!("{name}: ")), "{name}={value}: {}", ran.err);
            assert!(ran.err.contains(&format!("hint: `unset {name}`, or use --clean-env")), "{}", ran.err);
            let clean = Workplace::new().paw_with(&[(name, value)], &format!("{TINY} --clean-env"));
            assert_eq!(clean.code, 0, "{name}={value}: {}", clean.err);
        }
    }
    assert_eq!(Workplace::new().paw_with(&[("MKL_DOMAIN_NUM_THREADS", "MKL_DOMAIN_BLAS=2")], TINY).code, 0);
}

#[test]
fn a_count_of_threads_that_paw_sets_itself_reaches_no_library() {
    for name in ["OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "BLIS_NUM_THREADS", "OMP_NUM_THREADS"] {
        for value in ["2147483648", "100000"] {
            let workplace = Workplace::new();
            let library = mock(&workplace, "correct");
            let line = "run dgemm --set n=8 --threads 1 --reps 6 --loops 10 --quiet --provider";
            let ran = workplace.paw_with(&[(name, value)], &format!("{line} {}", library.display()));
            assert_eq!(ran.code, 0, "{name}={value}: {}{}", ran.out, ran.err);
            assert!(ran.out.contains("1 thread)"), "{name}={value}: {}", ran.out);
        }
    }
}

#[test]
fn max_below_med_runs_with_med_clamped_and_says_so() {
    let ran = Workplace::new().paw_with(&[("MAX_BLAS_SIZE", "100")], PLAN);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("MED_BLAS_SIZE is 1024, above MAX_BLAS_SIZE: the warm-up uses 100"), "{}", ran.err);
    let sizes: Vec<_> =
        ran.out.lines().filter_map(|line| line.split_once("n=")?.1.split_once(' ')).map(|(n, _)| n).collect();
    assert_eq!(sizes, ["8", "16", "32", "64", "100"]);
}

#[test]
fn paw_s_methods_have_paw_s_points_and_no_other() {
    let plan = |names: &str| {
        let ran =
            Workplace::new().paw_with(&[], &format!("run {names} --method paw --threads 1 --dry-run --format csv"));
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran.out
    };
    // PAW doubles from 8 as long as it does not pass 10000.
    let sizes = plan("dgemm --provider embedded");
    assert!(sizes.contains("n=8192 ") && !sizes.contains("n=10000"), "{sizes}");
    // It calls collectives back to back, and sends the one-way message forward.
    let messages = plan("allreduce p2p_isend_ping");
    assert!(messages.contains("cadence=streaming") && messages.contains("direction=forward"), "{messages}");
    assert!(!messages.contains("cadence=isolated") && !messages.contains("direction=backward"), "{messages}");
}

#[test]
fn set_comes_before_variables() {
    let ran = Workplace::new().paw_with(&[("MAX_BLAS_SIZE", "64")], &format!("{PLAN} --set n=32"));
    assert!(ran.err.contains("MAX_BLAS_SIZE: --set n comes first"), "{}", ran.err);
    assert_eq!(ran.out.matches("n=").count(), 1, "{}", ran.out);
}

#[test]
fn a_variable_that_does_nothing_is_said_to() {
    let ran = Workplace::new().paw_with(&[("NREPS", "5")], PLAN);
    assert!(ran.err.contains("NREPS: used by --method paw and paw16 only, not by adaptive"), "{}", ran.err);
    let ran = Workplace::new().paw_with(&[("NREPS", "5")], &format!("{PLAN} --method paw"));
    assert_eq!(ran.err, "");
}

#[test]
fn med_sizes_the_warm_up_of_paw_s_methods_only() {
    let workplace = Workplace::new();
    // A warm-up that no memory holds tells where it is tried.
    let variables = [("MED_BLAS_SIZE", "1000000"), ("MAX_BLAS_SIZE", "1000000")];
    let run = "run dgemm --set n=8 --provider embedded --threads 1 --reps 6 --loops 10 --quiet";
    let paws = workplace.paw_with(&variables, &format!("{run} --method paw --require --out a"));
    assert_eq!(paws.code, 4, "{}", paws.err);
    assert!(paws.out.contains("n=1000000 threads=1, embedded needs"), "{}", paws.out);
    let ours = workplace.paw_with(&variables, &format!("{run} --require --out b"));
    assert_eq!(ours.code, 0, "{}{}", ours.out, ours.err);
}
