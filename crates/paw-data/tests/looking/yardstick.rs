//! An application by the numbers that it prints.

use paw_data::application::{Application, Better, MetricFact};
use paw_data::outcome::Ending;
use paw_data::run::Run;
use paw_data::scaling::{Scaling, TimeShare};
use paw_data::secondary::MetricName;

use crate::application::{kinfit, run, steady, threads, timed};
use crate::scaling::{amdahl, at, row};

#[test]
fn a_printed_rate_is_best_where_it_is_largest() {
    let with = |threads: i64, rates: [f64; 5]| {
        let mut record = timed(at(threads), &[1.0; 5], Ending::Valid);
        record.samples.extra.insert(MetricName::of_program("rate"), rates.to_vec());
        record
    };
    let facts = vec![MetricFact { name: "rate".into(), unit: "1/s".into(), better: Better::Higher }];
    let app = Application { metrics: facts, threads: threads(&[1, 2], 2), ..Application::default() };
    let records = vec![with(1, [100.0, 98.0, 99.0, 97.0, 50.0]), with(2, [180.0, f64::NAN, 190.0, 185.0, 188.0])];
    let run = run(app, records);
    let others = Scaling::others(&run);
    let [rate] = others.as_slice() else { panic!("{others:?}") };
    let sweep = &rate.sweeps[0];
    let timing = row(sweep, 1).timing.unwrap();
    assert_eq!((timing.value().round(), timing.median().round(), timing.cost.n), (100.0, 98.0, 5));
    assert!((timing.cost.spread_k.unwrap() - (100.0 / 97.0 - 1.0)).abs() < 1e-9);
    let two = row(sweep, 2);
    assert!((two.speedup.unwrap().value - 1.9).abs() < 1e-9);
    assert!((two.efficiency.unwrap() - 0.95).abs() < 1e-9);
    assert_eq!(two.timing.unwrap().cost.n, 4, "a run that printed nothing has no value");
}

/// Runs of the thesis, in which the wall time is as short as a shell's and the time of the fit is printed in microseconds.
fn printed() -> Run {
    let mut run = kinfit();
    let app = run.header.app.as_mut().unwrap();
    app.metrics = vec![MetricFact { name: "fit".into(), unit: "us".into(), better: Better::Lower }];
    app.headline = Some("fit".into());
    for record in &mut run.records {
        let printed = record.samples.elapsed_s.iter().map(|s| s * 1e6).collect();
        record.samples.extra.insert(MetricName::of_program("fit"), printed);
        record.samples.elapsed_s.iter_mut().for_each(|s| *s = 2e-3);
    }
    run
}

#[test]
fn a_printed_time_has_all_that_wall_time_has() {
    let (by_wall, by_fit) = (kinfit(), printed());
    let (wall, fit) = (Scaling::of(&by_wall).unwrap(), Scaling::of(&by_fit).unwrap());
    assert_eq!((fit.yardstick.name(), fit.is_headline()), ("fit", true));
    for (wall, fit) in wall.sweeps.iter().zip(&fit.sweeps) {
        for (wall, fit) in wall.rows.iter().zip(&fit.rows) {
            let (a, b) = (wall.speedup.unwrap(), fit.speedup.unwrap());
            assert!((a.value / b.value - 1.0).abs() < 1e-9);
            assert!((a.interval.unwrap().low / b.interval.unwrap().low - 1.0).abs() < 1e-9);
            assert!((wall.throughput().unwrap() / fit.throughput().unwrap() - 1.0).abs() < 1e-9);
            assert!((wall.best().unwrap() / fit.timing.unwrap().value() - 1.0).abs() < 1e-9, "both are seconds");
        }
        assert!((wall.smt_gain.unwrap_or(1.0) / fit.smt_gain.unwrap_or(1.0) - 1.0).abs() < 1e-9);
    }
    let model = |own: &Scaling<'_>| own.growths[0].model.unwrap();
    assert!((model(&wall).c1 / model(&fit).c1 - 1.0).abs() < 1e-6);
    let by_fit = Scaling::others(&by_fit);
    assert_eq!(by_fit.iter().map(|own| own.yardstick.name()).collect::<Vec<_>>(), ["wall time"]);
}

#[test]
fn a_number_that_is_no_pace_has_ratios_and_no_laws() {
    let app = Application {
        metrics: vec![MetricFact { name: "accuracy".into(), unit: "%".into(), better: Better::Higher }],
        headline: Some("accuracy".into()),
        threads: threads(&[1, 2, 4], 4),
        ..Application::default()
    };
    let record = |(p, accuracy): (i64, f64)| {
        let mut record = steady(at(p), 1.0 / p as f64);
        record.samples.extra.insert(MetricName::of_program("accuracy"), vec![accuracy; 16]);
        record
    };
    let run = run(app, [(1, 50.0), (2, 60.0), (4, 75.0)].map(record).to_vec());
    let scaling = Scaling::of(&run).unwrap();
    let sweep = &scaling.sweeps[0];
    let four = row(sweep, 4);
    assert!((four.speedup.unwrap().value - 1.5).abs() < 1e-12 && four.timing.unwrap().cost.is_constant);
    assert_eq!(
        (four.efficiency, four.karp_flatt, sweep.amdahl, sweep.usl, sweep.end()),
        (None, None, None, None, None)
    );
    assert!(Scaling::others(&run)[0].sweeps[0].amdahl.is_some(), "wall time has them");
}

#[test]
fn a_printed_time_is_a_share_of_the_wall_time_unless_it_is_longer() {
    let with = |name: &str, factor: f64| {
        let mut run = amdahl(&[1, 2], |p| 10.0 / p);
        let app = run.header.app.as_mut().unwrap();
        app.metrics = vec![MetricFact { name: name.into(), unit: "ms".into(), better: Better::Lower }];
        for record in &mut run.records {
            let threads = record.cell.point.float("threads").unwrap();
            let printed = record.samples.elapsed_s.iter().map(|s| 1e3 * s * factor * threads).collect();
            record.samples.extra.insert(MetricName::of_program(name), printed);
        }
        run
    };
    let run = with("fit", 0.469);
    let [fit] = &TimeShare::all(&run)[..] else { panic!("one") };
    let shares: Vec<_> = fit.rows.iter().map(|row| (row.threads, (row.share * 1e9).round(), row.n)).collect();
    assert_eq!((shares, fit.excess()), (vec![(1, 469e6, 16), (2, 938e6, 16)], None));
    let run = with("sum", 0.9);
    assert_eq!(TimeShare::all(&run)[0].excess().map(|row| row.threads), Some(2), "a sum over threads");
}
