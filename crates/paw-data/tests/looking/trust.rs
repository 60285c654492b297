//! The word for how far a number may be trusted, and the reasons.

use paw_data::machine::{Identity, Machine};
use paw_data::method::{Estimator, Method};
use paw_data::outcome::{Caveat, Check, CheckVerdict, Outcome, Status};
use paw_data::run::Record;
use paw_data::summary::Summary;
use paw_data::trust::{Process, Reason, Trust, Trusted, word};

use crate::records::{csapp, disturbed, measured, method, record, steady};

/// The record with its samples taken by this many processes in turn.
fn of(processes: u32, mut record: Record) -> Record {
    let n = record.samples.len() as u32;
    record.samples.invocation = (0..n).map(|at| at % processes).collect();
    record
}

/// These times, taken by four processes in turn.
fn taken(times_s: &[f64]) -> Record {
    of(4, record(times_s))
}

fn trust(record: &Record, method: &Method) -> Trusted {
    Summary::of(record, method).unwrap().trust(record)
}

/// The word and the first reason as text.
fn check(record: &Record, method: &Method, word: &str, reason: &str) {
    let found = trust(record, method);
    assert_eq!(found.trust.word(), word, "{found:?}");
    let first = found.reasons.first().map(Reason::to_string).unwrap_or_default();
    assert_eq!(first, reason);
}

/// The record with this caveat.
fn stating(id: &str, mut record: Record) -> Record {
    let outcome = Outcome { caveats: vec![Caveat::new(id, format!("the cause of {id}"), "do this")], ..measured() };
    record.outcome = Some(outcome);
    record
}

#[test]
fn a_steady_series_of_several_processes_is_good_and_has_nothing_to_read() {
    let three = of(3, record(&steady(1e-3)));
    assert_eq!(trust(&three, &method(Estimator::Median)), Trusted { trust: Trust::Good, reasons: vec![] });
    let mut steady = taken(&steady(1e-3));
    steady.outcome = Some(measured());
    for method in [method(Estimator::Median), csapp()] {
        assert_eq!(trust(&steady, &method), Trusted { trust: Trust::Good, reasons: vec![] });
    }
}

#[test]
fn what_moves_between_runs_widens_the_interval_and_leaves_the_word() {
    // Processes up to 9 % apart: their own half width lies under the limit of 5 %.
    let record = of(6, record(&[1.0, 1.072, 1.036, 1.018, 1.09, 1.054].repeat(6)));
    let own = Summary::of(&record, &method(Estimator::Median)).unwrap();
    let identity = Identity { cpu: "a processor".into(), hypervisor: "KVM".into(), ..Identity::default() };
    let virtual_machine = own.clone().on(&Machine { identity, ..Machine::default() });
    assert_eq!(own.trust(&record), virtual_machine.trust(&record));
    assert_eq!(own.trust(&record).trust, Trust::Good);
    let half = |summary: &Summary| {
        let (low, high) = summary.median_interval_s().unwrap();
        (high / low).ln() / 2.0
    };
    assert!((half(&virtual_machine) / half(&own).hypot(0.049) - 1.0).abs() < 0.02);
}

#[test]
fn one_process_or_two_are_fair_however_steady() {
    let cause = |n: &str| format!("all samples come from {n}, and the next may lie elsewhere by more than ±");
    for (n, words) in [(1, "1 process"), (2, "2 processes")] {
        check(&of(n, record(&steady(1e-3))), &method(Estimator::Median), "fair", &cause(words));
    }
    let mut job = record(&steady(1e-3));
    job.cell.team = Some(0);
    check(&job, &method(Estimator::Median), "fair", &cause("1 job"));
}

#[test]
fn each_run_of_a_program_is_a_process() {
    let mut program = record(&steady(1.0));
    program.cell.suite = "app".into();
    assert_eq!(trust(&program, &method(Estimator::Median)).trust, Trust::Good);
    program.samples = record(&[1.0, 1.0]).samples;
    let reasons = trust(&program, &method(Estimator::Median)).reasons;
    assert_eq!(reasons.last(), Some(&Reason::FewInvocations { n: 2, of: Process::Program }));
}

#[test]
fn only_processes_with_samples_that_count_are_counted() {
    // The third and fourth process have no clean sample.
    let places: Vec<usize> = (0..16).filter(|at| at % 4 > 1).collect();
    let found = trust(&disturbed(taken(&steady(1.0)), &places), &method(Estimator::Median));
    assert!(found.reasons.contains(&Reason::FewInvocations { n: 2, of: Process::Worker }), "{found:?}");
}

#[test]
fn a_mean_has_no_interval_and_is_fair() {
    check(&taken(&steady(1.0)), &method(Estimator::Mean), "fair", "a mean has no ±");
}

#[test]
fn the_width_of_the_interval_decides() {
    // Sixteen processes with a sample each: the ends lie a little within ranks 4 and 13 of 16.
    let spread =
        |share: f64| -> Vec<f64> { (0..16).map(|i| 1.0 + share * (f64::from(i * 5 % 16) - 7.5) / 4.5).collect() };
    let median = method(Estimator::Median);
    assert_eq!(trust(&of(16, record(&spread(0.04))), &median).trust, Trust::Good);
    check(&of(16, record(&spread(0.07))), &median, "fair", "the median is known to ±5.8 % only");
    check(&of(16, record(&spread(0.2))), &median, "poor", "the median is known to ±17.1 % only");
}

#[test]
fn few_samples_are_fair_and_two_are_poor() {
    let median = method(Estimator::Median);
    check(&of(1, record(&[1.0; 5])), &median, "fair", "5 samples are too few for an interval");
    check(&of(1, record(&[1.0; 2])), &median, "poor", "2 samples are too few for an interval");
    check(&taken(&[1.0; 2]), &csapp(), "poor", "only 2 samples agree with the best");
}

#[test]
fn what_the_record_says_of_itself_counts() {
    let median = method(Estimator::Median);
    let mut told = taken(&steady(1.0));
    told.outcome = None;
    check(&told, &median, "fair", "the run was cut off before the answer was checked");
    let mut outcome = measured();
    outcome.caveats.push(Caveat::new("misplaced", "threads ran elsewhere", "take the binding away"));
    told.outcome = Some(outcome.clone());
    check(&told, &median, "fair", "threads ran elsewhere");

    let check_of = |verdict| Check {
        method: "Freivalds".into(),
        error: 9.0,
        bound: 1.0,
        verdict,
        note: String::new(),
        accuracy: None,
    };
    outcome.check = Some(check_of(CheckVerdict::Warn));
    told.outcome = Some(outcome.clone());
    check(&told, &median, "fair", "the answer is less precise than it should be");
    outcome.check = Some(check_of(CheckVerdict::Fail));
    outcome.status = Status::Failed;
    told.outcome = Some(outcome);
    check(&told, &median, "poor", "the answer is wrong");
    assert_eq!(trust(&told, &median).reasons.len(), 3, "the caveat is kept, behind the graver reasons");
}

#[test]
fn a_contended_machine_is_fair_and_one_without_clean_samples_poor() {
    let median = method(Estimator::Median);
    let places: Vec<usize> = (0..5).collect();
    check(&disturbed(taken(&steady(1.0)), &places), &median, "fair", "31 % of the samples were disturbed");
    let places: Vec<usize> = (0..14).collect();
    let expected = "88 % of the samples were disturbed, too many to leave out";
    check(&disturbed(taken(&steady(1.0)), &places), &median, "poor", expected);
    assert_eq!(trust(&disturbed(taken(&steady(1.0)), &[3]), &median).trust, Trust::Good);
}

#[test]
fn drift_matters_where_it_passes_the_interval() {
    let median = method(Estimator::Median);
    let growing = |by: f64| taken(&(0..32).map(|i| 1.0 + by * f64::from(i) / 31.0).collect::<Vec<_>>());
    assert_eq!(trust(&growing(0.005), &median).trust, Trust::Good, "less than the method resolves");
    check(&growing(0.08), &median, "fair", "times drifted by +4.1 % in the series");
    check(&growing(0.3), &median, "poor", "times drifted by +14.4 % in the series");
}

#[test]
fn neighbours_that_resemble_each_other_count_as_fewer_where_one_process_took_them() {
    let wave = [0.0, 1.0, 2.0, 3.0, 2.0, 1.0, 0.0, -1.0, -2.0, -3.0, -2.0, -1.0];
    let slow: Vec<f64> = (0..36).map(|i| 2.0 + 0.1 * wave[i % 12]).collect();
    let half_width = |record: &Record| {
        let reasons = trust(record, &method(Estimator::Median)).reasons;
        reasons.iter().find_map(|r| if let Reason::WideInterval { half_width } = r { Some(*half_width) } else { None })
    };
    let (one, several) = (half_width(&record(&slow)).unwrap(), half_width(&of(4, record(&slow))));
    assert!(several.is_none_or(|several| several < one), "{one} {several:?}");
}

#[test]
fn two_modes_are_a_reason_where_the_median_may_flip() {
    let times = |slow: i32| -> Vec<f64> { (0..32).map(|i| if i * 7 % 16 < slow { 4.8e-3 } else { 0.75e-3 }).collect() };
    let modes = |slow| {
        let reasons = trust(&taken(&times(slow)), &method(Estimator::Median)).reasons;
        reasons.into_iter().find(|reason| matches!(reason, Reason::TwoModes { .. })).map(|reason| reason.to_string())
    };
    assert_eq!(modes(3), None, "6 of 32");
    assert_eq!(modes(5).unwrap(), "times fall into two modes: 7.5000e-4 s x 22, 4.8000e-3 s x 10");
}

#[test]
fn a_minimum_is_judged_by_the_samples_that_agree_with_it() {
    let wide = Method { ending: method(Estimator::Min).ending, ..csapp() };
    check(&taken(&[100.0, 103.0, 104.0, 104.5, 140.0]), &wide, "fair", "the best samples lie 4.5 % apart");
    check(&taken(&[100.0, 103.0, 104.0, 120.0]), &wide, "poor", "only 3 samples agree with the best");
    let lone = trust(&taken(&[90.0, 100.0, 100.0, 100.0, 100.0]), &wide);
    assert_eq!(lone.reasons, [Reason::Unconverged { agreeing: 1 }, Reason::LoneMinimum]);
}

#[test]
fn a_slow_start_is_a_reason_where_the_headline_holds_it() {
    let slow = |n: usize, by: f64| {
        let mut times: Vec<f64> = steady(1.0).repeat(8);
        times[..n].fill(by);
        taken(&times)
    };
    let says = |record: &Record, method: &Method| {
        let reasons = trust(record, method).reasons;
        reasons.into_iter().any(|reason| matches!(reason, Reason::SlowStart { .. }))
    };
    assert!(!says(&slow(2, 1.5), &method(Estimator::Median)), "2 of 128");
    assert!(!says(&slow(2, 1.5), &method(Estimator::Mean)), "0.8 % of the mean");
    assert!(says(&slow(2, 3.0), &method(Estimator::Mean)), "3 % of the mean");
}

/// Each caveat that can be recorded, with the word that it leaves to a good number and whether a row shows it.
const RECORDED: &[(&str, &str, &[&str])] = &[
    (
        "judged by the samples themselves",
        "good",
        &[
            "unconverged",
            "few-samples",
            "budget",
            "noisy",
            "contended",
            "disturbed",
            "drift",
            "autocorrelated",
            "bimodal",
            "lucky-minimum",
            "warm-up",
            "reduced-precision",
        ],
    ),
    (
        "an error that ± does not hold",
        "fair",
        &[
            "too-short",
            "paw-floor",
            "not-linear",
            "unverified-loops",
            "waited",
            "left-behind",
            "misplaced",
            "threads-unheeded",
            "unpinned",
            "unwatched",
            "late-starts",
            "clock-bound",
            "fastest-rank",
            "oversubscribed",
            "shared-device",
            "throttled",
            "little-overlap",
            "unchecked",
            "mean-of-rates",
            "mixed-pages",
            "untold-pages",
            "unheard-of",
        ],
    ),
    (
        "another meaning",
        "good",
        &[
            "small-arrays",
            "capped-isa",
            "capped-threads",
            "blas-env-cap",
            "blas-fewer-threads",
            "blas-generic-kernels",
            "blas-narrow-kernels",
            "blas-reference",
            "blas-far-below-peak",
            "unified-memory",
            "device-environment",
            "narrow-link",
            "far-from-device",
            "untrusted-events",
            "gate-hangs",
            "gate-timed-out",
            "core-clock-moved",
            "no-tsc",
            "string-moves",
        ],
    ),
];

#[test]
fn every_caveat_lowers_the_word_or_explains_the_number_or_is_judged_by_the_samples() {
    for (kind, expected, ids) in RECORDED {
        for id in *ids {
            let found = trust(&stating(id, taken(&steady(1.0))), &method(Estimator::Median));
            assert_eq!(found.trust.word(), *expected, "{id}");
            let is_shown = found.reasons.iter().any(|reason| reason.code() == *id && word(reason) == found.trust);
            assert_eq!(is_shown, *kind != "judged by the samples themselves", "{id}");
        }
    }
}
