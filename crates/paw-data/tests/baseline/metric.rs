//! References of numbers that programs print.

use paw_data::application::{Application, Better, MetricFact, SUITE};
use paw_data::baseline::Statistic;
use paw_data::baseline::bounds::{Candidates, Rule};
use paw_data::baseline::judgement::Verdict;
use paw_data::history::RunDigest;
use paw_data::run::Run;
use paw_data::secondary::MetricName;

use crate::constructed::{only, run, steady};

const RATE: &str = "[[reference]]\nbenchmark = \"read\"\nmetric = \"rate\"\nbetter = \"higher\"\nvalue = 200.0\nunit = \"sweeps/s\"\n\
    lower = -0.05\nupper = \"220 sweeps/s\"\n";

/// A run of a program that does 200 sweeps in each second of its times, whatever its wall time: it prints how many a second.
fn printing(id: &str, time_s: f64) -> Run {
    let mut run = run(id, &steady(1.0));
    let metrics = vec![MetricFact { name: "rate".into(), unit: "sweeps/s".into(), better: Better::Higher }];
    run.header.app = Some(Application { metrics, ..Application::default() });
    let record = &mut run.records[0];
    record.cell.suite = SUITE.into();
    let printed = record.samples.elapsed_s.iter().map(|own| 200.0 / (own * time_s)).collect();
    record.samples.extra.insert(MetricName::of_program("rate"), printed);
    run
}

#[test]
fn what_a_program_prints_is_judged_and_not_its_time() {
    for (time_s, verdict) in [
        (1.0, Verdict::Pass),
        (1.03, Verdict::Pass),
        (1.05, Verdict::Inconclusive),
        (1.10, Verdict::Regression),
        (0.85, Verdict::Suspicious),
    ] {
        only(RATE, &[printing("a", time_s)], |judgement| {
            assert_eq!(judgement.verdict, verdict, "{time_s}: {judgement:?}");
            let figure = judgement.figure.unwrap();
            assert!((figure.value * time_s / 200.0 - 1.0).abs() < 0.01, "{figure:?}");
            assert!(figure.low.unwrap() < figure.value && figure.value < figure.high.unwrap(), "{figure:?}");
        });
    }
    // The run says that more is better.
    let time = RATE.replace("\"higher\"", "\"lower\"");
    only(&time, &[printing("a", 1.0)], |judgement| {
        assert_eq!(judgement.verdict, Verdict::OtherUnit);
        assert!(judgement.why.contains("disagree whether less or more is better"), "{}", judgement.why);
    });
}

#[test]
fn a_history_keeps_what_a_program_prints_beside_its_time() {
    let figures = RunDigest::of(&printing("a", 2.0), String::new()).figures;
    let [time, rate] = figures.as_slice() else { panic!("{figures:?}") };
    assert_eq!((time.measure.metric(), rate.measure.metric(), rate.measure.unit()), ("", "rate", "sweeps/s"));
    assert!((rate.value / 100.0 - 1.0).abs() < 0.01 && rate.low.unwrap() < rate.value, "{rate:?}");
    assert!(rate.value < rate.high.unwrap() && rate.samples == time.samples, "{rate:?}");
}

#[test]
fn a_metric_that_is_not_there_or_has_another_unit_is_named() {
    for (was, becomes, verdict, why) in [
        ("\"rate\"", "\"pace\"", Verdict::Missing, "the run has no metric `pace` (it has rate): --metric reads one"),
        ("sweeps/s", "1/s", Verdict::OtherUnit, "`rate` is in sweeps/s, and the reference in 1/s"),
    ] {
        only(&RATE.replace(was, becomes), &[printing("a", 1.0)], |judgement| {
            assert_eq!((judgement.verdict, judgement.why.as_str()), (verdict, why));
        });
    }
    let mut silent = printing("a", 1.0);
    silent.records[0].samples.extra.clear();
    only(RATE, &[silent], |judgement| {
        assert_eq!(judgement.verdict, Verdict::Missing);
        assert_eq!(judgement.why, "no run of the program printed `rate`");
    });
}

#[test]
fn every_number_of_a_program_becomes_a_reference() {
    let runs: Vec<Run> = ["a", "b", "c"].map(|id| printing(id, 1.0)).into();
    let rule = Rule { statistic: Statistic::Median, share: 0.05 };
    let found = Candidates::of(&runs, rule).all;
    let [time, rate] = &found[..] else { panic!("{found:?}") };
    assert_eq!((time.metric.as_deref(), rate.metric.as_deref()), (None, Some("rate")));
    assert_eq!((rate.unit.text.as_str(), rate.unit.counted.more_is_better()), ("sweeps/s", true));
    assert!((rate.value / 200.0 - 1.0).abs() < 0.01 && rate.lower < 0.0 && rate.upper > 0.0, "{rate:?}");
}
