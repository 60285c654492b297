//! What an application's run says about scaling.

use paw_data::application::{Application, WorkFormula};
use paw_data::cell::Cell;
use paw_data::method::EndRule;
use paw_data::outcome::{Caveat, Ending, Outcome, Status};
use paw_data::point::Point;
use paw_data::run::{Record, Run};
use paw_data::scaling::{
    BaseKind, BestFigure, FittedPeak, Indecision, RunAgreement, RunTiming, Scaling, ScalingEnd, Sweep, SweepKind,
    ThreadPlateau, Yardstick,
};

use crate::application::{cell, failed, kbest, kinfit, run, steady, threads, timed};
use crate::records;

/// The cell of a thread count.
pub fn at(threads: i64) -> Cell {
    cell("command", Point::new().with("threads", threads))
}

/// A program on four cores of which a part is serial, one of these threads a core.
pub fn amdahl(counts: &[i64], time: impl Fn(f64) -> f64) -> Run {
    let app = Application {
        threads: threads(&counts.iter().map(|n| *n as u32).collect::<Vec<_>>(), 8),
        ..Application::default()
    };
    run(app, counts.iter().map(|n| steady(at(*n), time(*n as f64))).collect())
}

/// The row of a thread count.
pub fn row<'s, 'r>(sweep: &'s Sweep<'r>, threads: u32) -> &'s paw_data::scaling::ScalingRow<'r> {
    sweep.rows.iter().find(|row| row.threads == threads).unwrap()
}

#[test]
fn a_run_is_delayed_from_a_hundredth_of_its_own_time_on() {
    let mut record = steady(at(1), 0.5);
    record.samples.run_delay_s[..2].copy_from_slice(&[0.006, 0.004]);
    let rule = EndRule::KBest { k: 3, within: 0.05, min: 3, max: 8, best_counts: true };
    assert_eq!(RunTiming::of(&record, &rule, Yardstick::WallTime).unwrap().delayed, 1);
    let figure = BestFigure::of(&[8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0], &rule, None).unwrap();
    assert_eq!((figure.best, figure.median, figure.interval), (1.0, 4.5, Some((1.0, 8.0))));
}

#[test]
fn a_run_without_an_application_has_no_scaling() {
    assert_eq!(Scaling::of(&records::run(vec![records::record(&[1.0])])), None);
}

#[test]
fn the_measured_program_has_the_speed_ups_of_its_raw_times() {
    let run = kinfit();
    let scaling = Scaling::of(&run).unwrap();
    assert_eq!(scaling.base.words(), "the original program");
    assert!(matches!(scaling.base.kind, BaseKind::Program([first, ..]) if first == "./original"));
    assert_eq!(scaling.sweeps.len(), 10);
    let last = scaling.sweeps.last().unwrap();
    assert_eq!(last.label(), "v=512");
    for (threads, expected) in [(16, 6.753), (32, 7.119)] {
        let speedup = row(last, threads).speedup.unwrap();
        assert!((speedup.value - expected).abs() < 5e-4, "{threads}: {}", speedup.value);
        assert!(speedup.interval.unwrap().hold(speedup.value));
    }
    assert!((last.smt_gain.unwrap() - 145.214188 / 137.736146).abs() < 1e-9);
    assert_eq!(row(last, 32).effective_threads(), 32);
    assert!(scaling.problems.is_empty(), "{:?}", scaling.problems);
}

#[test]
fn throughput_is_work_over_the_best_time() {
    let run = kinfit();
    let scaling = Scaling::of(&run).unwrap();
    let last = scaling.sweeps.last().unwrap();
    assert_eq!(row(last, 32).throughput().unwrap().round(), 6982.0);
    assert_eq!(scaling.throughput_unit().as_deref(), Some("events/s"));
}

#[test]
fn a_point_without_other_thread_counts_has_its_throughput() {
    let work = WorkFormula { formula: "5738 + 1867*v".into(), unit: "events".into() };
    let app = Application { axes: vec!["v".into()], work: Some(work), ..Application::default() };
    let run = run(app, vec![steady(cell("command", Point::new().with("v", 512).with("threads", 1)), 67.163)]);
    let throughput = Scaling::of(&run).unwrap().sweeps[0].rows[0].throughput().unwrap();
    assert_eq!(throughput.round(), 14318.0);
}

#[test]
fn a_formula_that_cannot_be_read_is_told_and_the_rest_stays() {
    let work = WorkFormula { formula: "5738 +".into(), unit: "events".into() };
    let run = run(Application { work: Some(work), ..Application::default() }, vec![steady(at(1), 2.0)]);
    let scaling = Scaling::of(&run).unwrap();
    assert!(scaling.problems[0].contains("cannot be read"), "{:?}", scaling.problems);
    assert_eq!(scaling.sweeps[0].rows[0].best(), Some(2.0));
}

#[test]
fn without_another_program_one_thread_is_the_base() {
    let run = amdahl(&[1, 2, 4, 8], |p| 10.0 * (0.1 + 0.9 / p));
    let scaling = Scaling::of(&run).unwrap();
    assert_eq!(scaling.base.words(), "1 thread of the parallel program");
    let sweep = &scaling.sweeps[0];
    let one = row(sweep, 1);
    assert_eq!((one.speedup.unwrap().value, one.efficiency, one.overhead), (1.0, Some(1.0), None));
    let four = row(sweep, 4);
    assert!((four.speedup.unwrap().value - 1.0 / 0.325).abs() < 1e-9);
    assert!((four.efficiency.unwrap() - 1.0 / 1.3).abs() < 1e-9);
    assert!((four.karp_flatt.unwrap() - 0.1).abs() < 1e-9);
}

#[test]
fn a_serial_part_is_found_and_told_from_overhead() {
    let serial = amdahl(&[1, 2, 4, 8], |p| 10.0 * (0.1 + 0.9 / p));
    let overhead = amdahl(&[1, 2, 4, 8], |p| 10.0 / p + 0.2 * p);
    let scaling = Scaling::of(&serial).unwrap();
    let fitted = scaling.sweeps[0].amdahl.unwrap();
    assert!((fitted.serial - 0.1).abs() < 1e-6 && fitted.interval.unwrap().hold(0.1), "{fitted:?}");
    assert_eq!(scaling.sweeps[0].overhead_grows, Some(false));
    assert_eq!(scaling.sweeps[0].peak(), Some(FittedPeak::NotDetermined));
    let scaling = Scaling::of(&overhead).unwrap();
    assert_eq!(scaling.sweeps[0].overhead_grows, Some(true));
    assert!(matches!(scaling.sweeps[0].peak(), Some(FittedPeak::At(peak)) if (6.0..9.0).contains(&peak)));
}

#[test]
fn oversubscribed_rows_are_marked_held_against_hardware_threads_and_left_out_of_fits() {
    let counts = [1, 2, 4, 8, 16, 32];
    let honest = amdahl(&counts[..5], |p| 10.0 * (0.1 + 0.9 / p));
    let run = amdahl(&counts, |p| if p > 16.0 { 7.0 } else { 10.0 * (0.1 + 0.9 / p) });
    let (honest, scaling) = (Scaling::of(&honest).unwrap(), Scaling::of(&run).unwrap());
    let sweep = &scaling.sweeps[0];
    let last = row(sweep, 32);
    assert!(last.oversubscribed() && !row(sweep, 16).oversubscribed());
    assert!((last.efficiency.unwrap() - 10.0 / 7.0 / 16.0).abs() < 1e-9);
    assert_eq!(last.karp_flatt, None);
    assert_eq!(sweep.amdahl, honest.sweeps[0].amdahl);
    assert!((sweep.smt_gain.unwrap() - (0.1 + 0.9 / 8.0) / (0.1 + 0.9 / 16.0)).abs() < 1e-9);
}

/// Where the only sweep of `run` stops scaling.
fn plateau(run: &Run) -> ThreadPlateau {
    match Scaling::of(run).unwrap().sweeps[0].end() {
        Some(ScalingEnd::At(plateau)) => plateau,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_curve_that_stops_at_once_is_no_curve_of_a_law() {
    for counts in [&[1, 2, 4, 8][..], &[1, 2, 3, 4, 5, 6, 7, 8], &[1, 2, 4, 8, 16]] {
        let run = amdahl(counts, |p| 10.0 / p.min(4.0));
        let scaling = Scaling::of(&run).unwrap();
        let sweep = &scaling.sweeps[0];
        assert!(matches!(sweep.peak(), Some(FittedPeak::Misfit(_))), "{counts:?}: {:?}", sweep.usl);
        assert!(sweep.amdahl_misfit().is_some(), "{counts:?}: {:?}", sweep.amdahl);
        assert_eq!(plateau(&run).threads, 4);
    }
}

#[test]
fn a_law_describes_its_own_curve_and_a_peak_beyond_the_points_says_so() {
    let usl = |p: f64| 10.0 * (1.0 + 0.02 * (p - 1.0) + 0.01 * p * (p - 1.0)) / p;
    let run = amdahl(&[1, 2, 3, 4, 5, 6, 7, 8], usl);
    let scaling = Scaling::of(&run).unwrap();
    let peak = scaling.sweeps[0].peak();
    assert!(matches!(peak, Some(FittedPeak::Beyond(peak, 8)) if (9.0..11.0).contains(&peak)), "{peak:?}");
    let run = amdahl(&[1, 2, 4, 8, 16], |p| 10.0 * (0.1 + 0.9 / p));
    assert_eq!(Scaling::of(&run).unwrap().sweeps[0].amdahl_misfit(), None);
}

#[test]
fn runs_that_do_not_agree_carry_no_end_of_scaling() {
    let wild = |p: u32, best_s: f64| {
        let times: Vec<f64> = (0..32).map(|i| best_s * if i == 0 { 1.0 } else { 2.33 + f64::from(i) * 0.01 }).collect();
        timed(at(i64::from(p)), &times, Ending::Timeout)
    };
    let app = Application { threads: threads(&[1, 2, 4], 4), ..Application::default() };
    let run = run(app, vec![wild(1, 1.0), wild(2, 0.9), wild(4, 0.8)]);
    let end = Scaling::of(&run).unwrap().sweeps[0].end();
    assert!(matches!(end, Some(ScalingEnd::NotDetermined(Indecision::Spread(spread))) if spread > 1.0), "{end:?}");
}

#[test]
fn a_larger_count_that_other_work_slowed_leaves_the_end_of_scaling_open() {
    let app = Application { threads: threads(&[1, 2], 2), ..Application::default() };
    let mut records: Vec<Record> = [1, 2].iter().map(|p| steady(at(*p), 1.0 + 0.2 * *p as f64)).collect();
    assert_eq!(plateau(&run(app.clone(), records.clone())).threads, 1);
    let caveat = Caveat::new("other-work", "other work ran on the program's processors", "stop other work");
    records[1].outcome.as_mut().unwrap().caveats.push(caveat);
    let run = run(app, records);
    let end = Scaling::of(&run).unwrap().sweeps[0].end();
    assert_eq!(end, Some(ScalingEnd::NotDetermined(Indecision::Contended(2))));
}

#[test]
fn scaling_stops_where_more_threads_are_within_the_spread_of_the_best() {
    let times = |p: f64| if p > 3.0 { 3.0 + 0.01 * (8.0 - p) } else { 10.0 / p };
    let run = amdahl(&[1, 2, 4, 8], times);
    let stops = plateau(&run);
    assert_eq!((stops.threads, stops.fastest, stops.most), (8, 8, 8), "1.3 % apart, the margin is 1 %");
    let run = amdahl(&[1, 2, 4, 8], |p| if p > 3.0 { 3.0 + 0.002 * (8.0 - p) } else { 10.0 / p });
    let stops = plateau(&run);
    assert_eq!((stops.threads, stops.fastest), (4, 8));
    let run = amdahl(&[4], times);
    assert_eq!(Scaling::of(&run).unwrap().sweeps[0].end(), None, "one count tells nothing");
}

#[test]
fn one_thread_beside_the_original_program_tells_what_parallelisation_costs() {
    let base = steady(cell("base", Point::new()), 10.0);
    let app = Application { base: Some(vec!["./old".into()]), threads: threads(&[1, 2], 2), ..Default::default() };
    let run = run(app, vec![base, steady(at(1), 11.0), steady(at(2), 6.0)]);
    let scaling = Scaling::of(&run).unwrap();
    let one = row(&scaling.sweeps[0], 1);
    assert!((one.overhead.unwrap() - 0.1).abs() < 1e-9);
    assert!((one.speedup.unwrap().value - 10.0 / 11.0).abs() < 1e-9);
}

#[test]
fn what_the_k_best_rule_says_and_what_disturbed_stand_beside_the_best() {
    let times = [5.0, 9.0, 5.5, 8.0, 7.0];
    let mut record = timed(at(1), &times, Ending::Timeout);
    record.samples.run_delay_s[1] = 1.0;
    record.samples.disturbed[1] = true;
    let run = run(Application::default(), vec![record]);
    let timing = Scaling::of(&run).unwrap().sweeps[0].rows[0].timing.unwrap();
    assert_eq!((timing.best(), timing.agreed(), timing.delayed), (5.0, RunAgreement::Timeout, 1));
    assert_eq!(timing.cost.n, 5, "a disturbed run of an application counts");
    assert!((timing.cost.spread_k.unwrap() - 0.6).abs() < 1e-9);
    assert!((timing.cpu_s().unwrap() - 0.95 * 5.0).abs() < 1e-9, "of the fastest run");
    assert_eq!(timing.rss_bytes, Some(1e6 + 4.0), "of all runs");
    assert_eq!(timing.cost.interval, None);
}

#[test]
fn a_series_that_was_cut_off_is_neither_valid_nor_a_timeout() {
    let mut record = timed(at(1), &[5.0, 9.0], Ending::Interrupted);
    record.outcome = None;
    let run = run(Application::default(), vec![record]);
    assert_eq!(Scaling::of(&run).unwrap().sweeps[0].rows[0].timing.unwrap().agreed(), RunAgreement::Open);
}

/// The word for `values` under `rule` of a series that stopped for `ending`.
fn word(rule: &EndRule, values: &[f64], ending: Ending) -> &'static str {
    let outcome = Outcome { ending: Some(ending), ..records::measured() };
    BestFigure::of(values, rule, Some(&outcome)).unwrap().agreed.word()
}

#[test]
fn the_word_is_true_of_the_values_beside_it() {
    let kbest = kbest().ending;
    let agreeing = [1.0; 32];
    assert_eq!(word(&kbest, &agreeing[..16], Ending::Valid), "valid");
    assert_eq!(word(&kbest, &agreeing[..6], Ending::Interrupted), "unfinished", "agreement before the fewest runs");
    assert_eq!(word(&kbest, &agreeing[..6], Ending::Budget), "unfinished");
    let mut lucky = agreeing;
    lucky[20] = 0.7;
    assert_eq!(word(&kbest, &lucky, Ending::Valid), "timeout", "accepted after 16 runs, and run on for others");
    assert_eq!(word(&kbest, &lucky[..22], Ending::Valid), "timeout");
    assert_eq!(word(&kbest, &lucky[..22], Ending::Interrupted), "unfinished");
    let fixed = EndRule::Fixed { samples: 6 };
    assert_eq!(word(&fixed, &agreeing[..6], Ending::Complete), "complete", "no rule judged them");
    assert_eq!(word(&fixed, &agreeing[..5], Ending::Interrupted), "unfinished");
    let interval = EndRule::Interval { within: 0.01, min: 16, max: 64, min_long: 6 };
    let wide: Vec<f64> = (0..64).map(|i| if i % 2 == 0 { 1.0 } else { 1.1 }).collect();
    assert_eq!(word(&interval, &agreeing[..16], Ending::Converged), "converged");
    assert_eq!(word(&interval, &wide, Ending::MaxSamples), "unconverged");
    assert_eq!(word(&interval, &wide[..32], Ending::NoisyStable), "unconverged");
    assert_eq!(word(&interval, &wide[..32], Ending::Interrupted), "unfinished");
}

#[test]
fn a_best_beside_other_work_is_contended_whatever_its_rule_says() {
    let mut record = steady(at(1), 1.0);
    let caveat = Caveat::new("other-work", "other work ran there", "stop it");
    record.outcome.as_mut().unwrap().caveats.push(caveat);
    let run = run(Application::default(), vec![record]);
    let timing = Scaling::of(&run).unwrap().sweeps[0].rows[0].timing.unwrap();
    assert_eq!((timing.agreed(), timing.agreed().mark()), (RunAgreement::Contended, "?"));
}

#[test]
fn a_time_grows_with_the_size_by_a_model() {
    let run = kinfit();
    let scaling = Scaling::of(&run).unwrap();
    assert_eq!(scaling.growths.iter().map(|g| (g.threads, g.points.len())).collect::<Vec<_>>(), [(16, 10), (32, 10)]);
    let model = scaling.growths[0].model.unwrap();
    assert_eq!((model.term.i, model.term.j), (1.0, 0), "{model:?}");
}

#[test]
fn weak_scaling_is_the_time_of_one_thread_over_the_time_of_many() {
    let point = |threads: i64| Point::new().with("n", 1000 * threads).with("threads", threads);
    let app = Application {
        axes: vec!["n".into()],
        weak: Some("n".into()),
        threads: threads(&[1, 2, 4], 4),
        ..Application::default()
    };
    let records = [(1, 2.0), (2, 2.1), (4, 2.5)].map(|(p, time)| steady(cell("command", point(p)), time));
    let run = run(app, records.to_vec());
    let scaling = Scaling::of(&run).unwrap();
    let [sweep] = scaling.sweeps.as_slice() else { panic!("{:?}", scaling.sweeps) };
    assert_eq!((&sweep.kind, sweep.label().as_str()), (&SweepKind::Weak("n".into()), "n/threads=1000"));
    assert_eq!(row(sweep, 4).efficiency, Some(0.8));
    assert_eq!((row(sweep, 4).speedup, sweep.amdahl, sweep.end()), (None, None, None));
}

#[test]
fn copies_get_more_done_and_each_is_slower() {
    let point = |copies: i64| Point::new().with("threads", 1).with("copies", copies);
    let app = Application { threads: threads(&[1], 2), ..Application::default() };
    let run = run(app, [(1, 4.0), (2, 5.0)].map(|(n, time)| steady(cell("command", point(n)), time)).to_vec());
    let scaling = Scaling::of(&run).unwrap();
    assert_eq!(scaling.sweeps.iter().map(|s| s.rows.len()).collect::<Vec<_>>(), [1], "copies are no sweep of threads");
    let two = &scaling.copy_sweeps[0].rows[1];
    assert_eq!((two.copies, two.throughput, two.slowdown, two.gain), (2, Some(0.4), Some(1.25), Some(1.6)));
}

#[test]
fn one_run_of_each_point_does_not_tell_where_scaling_stops() {
    let one = |p: i64| timed(at(p), &[10.0 / p as f64], Ending::Complete);
    let app = Application { threads: threads(&[1, 2], 2), ..Application::default() };
    let run = run(app, vec![one(1), one(2)]);
    let end = Scaling::of(&run).unwrap().sweeps[0].end();
    assert_eq!(end, Some(ScalingEnd::NotDetermined(Indecision::FewRuns(1))));
}

#[test]
fn laws_and_rankings_are_exported() {
    let run = amdahl(&[1, 2, 4, 8], |p| 0.1 + 0.9 / p);
    let mut out = Vec::new();
    paw_data::store::csv::write(&run, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    let row = text.lines().find(|line| line.contains(",serial_part,")).expect("a row");
    let fields: Vec<&str> = row.split(',').collect();
    assert_eq!((fields[2], fields[5], fields[9]), ("threads=1", "amdahl", "4"));
    assert!((fields[6].parse::<f64>().unwrap() - 0.1).abs() < 1e-6, "{row}");
    let mut out = Vec::new();
    paw_data::store::json::write(&run, &mut out).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&out).unwrap();
    assert!((json["laws"][0]["amdahl"]["serial"].as_f64().unwrap() - 0.1).abs() < 1e-6);
    assert!(json.get("rankings").is_none(), "one command has none");
}

#[test]
fn cells_without_a_number_stay_rows_and_say_why() {
    let app = Application { threads: threads(&[1, 2, 4], 4), ..Application::default() };
    let records = vec![failed(at(1), "exit code 3"), Record::new(at(2)), steady(at(4), 1.0)];
    let run = run(app, records);
    let scaling = Scaling::of(&run).unwrap();
    let rows = &scaling.sweeps[0].rows;
    assert_eq!(rows[0].absence(), Some((Status::Failed, "exit code 3")));
    assert!(rows[1].absence().unwrap().1.contains("not finished"));
    assert_eq!((rows[2].absence(), rows[2].speedup), (None, None));
    assert!(scaling.problems[0].contains("one thread was not measured"), "{:?}", scaling.problems);
}

#[test]
fn a_run_of_nothing_derives_to_nothing() {
    let empty = run(Application::default(), vec![]);
    let scaling = Scaling::of(&empty).unwrap();
    assert!(scaling.sweeps.is_empty() && scaling.headline().is_none() && scaling.problems.is_empty());
    let zero = run(Application::default(), vec![timed(at(1), &[0.0; 4], Ending::Valid), steady(at(2), 1.0)]);
    assert!(Scaling::of(&zero).unwrap().sweeps[0].rows.iter().all(|row| row.speedup.is_none()));
}

#[test]
fn the_table_of_statistics_has_what_is_derived() {
    let mut out = Vec::new();
    paw_data::store::csv::write(&kinfit(), &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    let of = |quantity: &str| -> Vec<&str> {
        let last = text.lines().filter(|line| line.starts_with("fit,command,v=512 threads=32,"));
        let fields = last.map(|line| line.split(',').collect::<Vec<_>>());
        fields.filter(|f| f[3] == quantity).flatten().collect()
    };
    let speedup = of("speedup");
    assert_eq!((&speedup[5], &speedup[6][..5], speedup[9]), (&"best", "7.119", "16"));
    assert!(speedup[7].parse::<f64>().unwrap() < speedup[8].parse::<f64>().unwrap());
    assert_eq!((of("throughput")[4], &of("throughput")[6][..4]), ("events/s", "6981"));
    assert_eq!(of("rss_bytes")[5], "max");
    let model = |part: &str| of(part)[6].parse::<f64>().unwrap();
    assert_eq!((model("growth_power"), model("growth_log_power"), of("growth_c1")[9]), (1.0, 0.0, "10"));
    assert_eq!(text.lines().filter(|line| line.contains(",base,") && line.contains(",user_s,")).count(), 10);
}
