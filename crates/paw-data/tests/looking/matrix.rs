//! What a kernel's run says about its builds.

use paw_data::build::Build;
use paw_data::cell::Role;
use paw_data::kernel::Question;
use paw_data::matrix::{Matrix, MatrixRow, Panel, RankedBy, RowStatus};
use paw_data::outcome::{Caveat, Status};
use paw_data::point::Point;
use paw_data::run::{Record, Run};
use paw_data::secondary::SecondaryMetric;
use paw_data::store::csv;
use paw_stats::stability::Grade;

use crate::kernels::{Answer, answered, build, cell, check, kernel, matrix, run, search, sensitivity, timed};
use crate::records;

fn row<'p, 'r>(panel: &'p Panel<'r>, name: &str) -> &'p MatrixRow<'r> {
    panel.rows.iter().find(|row| row.name() == name).unwrap_or_else(|| panic!("{name}"))
}

/// A row of one level with so many iterations a call, answered.
fn one(flags: &str, role: Role, ticks: f64, answer: Answer) -> Record {
    let point = Point::new().with("level", "L1").with("n", 10);
    answered(timed(cell(build("gcc", flags, "", "aa"), role, 0, point, 100.0), ticks, 0.002), answer, 10)
}

fn of(records: Vec<Record>) -> Run {
    run(kernel(Question::Matrix), records)
}

#[test]
fn a_run_that_asks_something_else_has_no_matrix() {
    assert_eq!(Matrix::of(&records::run(vec![records::record(&[1.0])])), None);
    assert_eq!(Matrix::of(&sensitivity()), None);
}

#[test]
fn ticks_and_core_cycles_are_of_one_iteration() {
    let run = matrix();
    let matrix = Matrix::of(&run).unwrap();
    let labels: Vec<String> = matrix.panels.iter().map(Panel::label).collect();
    assert_eq!(labels, ["L1, n = 84", "L2, n = 220"]);
    let timing = row(&matrix.panels[0], "gcc -O2 [plain]").timing.unwrap();
    let ticks = timing.ticks().unwrap();
    assert!((ticks.value / 22.90 - 1.0).abs() < 0.01, "{ticks:?}");
    assert!(ticks.low.unwrap() <= ticks.value && ticks.value <= ticks.high.unwrap());
    let (low, high) = (timing.median_s.low.unwrap(), timing.median_s.high.unwrap());
    assert_eq!(timing.half_width(), Some((high - low) / 2.0 / timing.median_s.value));
    let cycles = timing.cycles.unwrap().median.value;
    assert!((cycles / ticks.value / (4.06e9 / 2.59612e9) - 1.0).abs() < 0.01, "{cycles}");
    assert!(timing.min_s <= timing.median_s.value && timing.median_s.value <= timing.slow_s);
    let (low, high) = timing.median_s.low.zip(timing.median_s.high).unwrap();
    let width = 2.0 * timing.half_width().unwrap() * timing.median_s.value;
    assert!(low < high && (low + width - high).abs() < 1e-12 * high, "{low} {high} {width}");
    assert_eq!((timing.taken, timing.stability.unwrap().grade), (31, Grade::Good));
}

#[test]
fn the_fastest_right_row_is_first_and_what_is_wrong_or_broken_last() {
    let run = matrix();
    let panel = &Matrix::of(&run).unwrap().panels[0];
    assert_eq!(panel.rows[0].name(), "gcc -Ofast -march=native [expf]");
    let standings: Vec<RowStatus> = panel.rows.iter().map(|row| row.standing).collect();
    assert!(standings.is_sorted(), "{standings:?}");
    assert_eq!(&standings[9..], [RowStatus::Wrong, RowStatus::Failed, RowStatus::Skipped]);
    assert_eq!(panel.residency.len(), 1);
    assert!(panel.residency[0].letters.is_empty() && panel.residency[0].speedup.is_none());
    let wrong = row(panel, "gcc -Ofast -march=native [power]");
    assert!(wrong.timing.unwrap().median_s.value < panel.rows[0].timing.unwrap().median_s.value, "it is the fastest");
    assert!(wrong.letters.is_empty() && wrong.speedup.is_none() && !wrong.is_ranked());
    assert_eq!(wrong.absence().unwrap().0, Status::Failed);
    assert_eq!(row(panel, "gcc -O3 [hoisted]").absence().unwrap().1.split(':').next(), Some("did not build"));
}

#[test]
fn the_table_of_values_has_the_interval_of_every_speed_up() {
    let run = matrix();
    let mut out = Vec::new();
    csv::write(&run, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    let panels = Matrix::of(&run).unwrap().panels;
    let speedups = panels.iter().flat_map(|panel| &panel.rows).filter_map(|row| row.speedup);
    let with_interval: Vec<_> = speedups.filter_map(|speedup| Some((speedup.value, speedup.interval?))).collect();
    assert!(!with_interval.is_empty());
    for (value, bounds) in with_interval {
        assert!(
            text.contains(&format!("speedup,,median,{value},{},{},", bounds.low, bounds.high)),
            "{value} {bounds:?}"
        );
    }
}

#[test]
fn two_builds_that_nothing_separates_share_a_letter() {
    let run = matrix();
    let panel = &Matrix::of(&run).unwrap().panels[0];
    let tied = ["gcc -Ofast -march=native [plain]", "gcc -Ofast -march=native -funroll-loops [plain]"];
    assert_eq!(row(panel, tied[0]).letters, row(panel, tied[1]).letters);
    assert_ne!(row(panel, tied[0]).letters, panel.rows[0].letters);
    assert_eq!(panel.leaders().len(), 1);
    assert!(panel.is_told() && panel.rounds > 20, "{}", panel.rounds);
}

#[test]
fn a_speed_up_is_the_ratio_of_medians_and_lies_in_its_interval() {
    let run = matrix();
    let panel = &Matrix::of(&run).unwrap().panels[0];
    let (base, fast) = (panel.base().unwrap(), row(panel, "gcc -Ofast [plain]"));
    let speedup = fast.speedup.unwrap();
    let median = |row: &MatrixRow<'_>| panel.by.median(&row.timing.unwrap()).unwrap().value;
    let medians = median(base) / median(fast);
    assert_eq!(speedup.value, medians);
    let interval = speedup.interval.unwrap();
    assert!(interval.hold(medians) && interval.high - interval.low < 0.05, "{interval:?}");
    assert_eq!(base.speedup.unwrap().value, 1.0);
}

#[test]
fn identical_code_is_told_once() {
    let run = matrix();
    let identical = Matrix::of(&run).unwrap().identical();
    assert_eq!(identical, [["clang-19 -O3 [plain]", "clang-19 -O3 -funroll-all-loops [plain]"]]);
}

#[test]
fn nothing_is_held_against_a_wrong_reference() {
    let run = of(vec![
        one("-O2", Role::Base, 20.0, Answer::Off(0.5, 999_999)),
        one("-O3", Role::Subject, 10.0, Answer::Exact),
    ]);
    let panel = &Matrix::of(&run).unwrap().panels[0];
    assert!(panel.rows.iter().all(|row| row.speedup.is_none()));
    let problem = "Nothing is held against the reference gcc -O2 at L1, n = 10: its own answer is wrong.";
    assert_eq!(panel.problem().as_deref(), Some(problem));
    assert_eq!(panel.leaders()[0].name(), "gcc -O3");
}

#[test]
fn a_level_of_failures_has_no_leader() {
    let broken = Answer::Broken("did not build: no");
    let run =
        of(vec![one("-O2", Role::Base, 20.0, broken), one("-O3", Role::Subject, 10.0, Answer::Off(1.0, 1 << 40))]);
    let panel = &Matrix::of(&run).unwrap().panels[0];
    assert!(panel.leaders().is_empty() && panel.wrong().count() == 1);
}

#[test]
fn few_rounds_are_not_told_apart_and_cut_off_rows_are_not_ranked() {
    let mut records =
        vec![one("-O2", Role::Base, 20.0, Answer::Reference), one("-O3", Role::Subject, 10.0, Answer::Exact)];
    for record in &mut records {
        let whole = std::mem::take(&mut record.samples);
        let short = |i: usize| paw_data::sample::Sample {
            round: whole.round[i],
            loops: whole.loops[i],
            elapsed_s: whole.elapsed_s[i],
            ..Default::default()
        };
        (0..5).for_each(|i| record.samples.push(short(i)));
    }
    let mut cut = records.clone();
    cut[1].outcome = None;
    let mut unchecked = records.clone();
    let ended = unchecked[1].outcome.as_mut().unwrap();
    (ended.check, ended.caveats) = (None, vec![Caveat::new("unchecked", "the run was interrupted", "let it finish")]);
    let (few, cut, unchecked) = (of(records), of(cut), of(unchecked));
    let panel = &Matrix::of(&few).unwrap().panels[0];
    assert!(!panel.is_told() && panel.leaders().len() == 1);
    assert!(panel.leaders()[0].speedup.is_some_and(|s| s.interval.is_none()));
    let panel = &Matrix::of(&cut).unwrap().panels[0];
    assert_eq!(panel.leaders()[0].name(), "gcc -O2");
    assert_eq!(panel.rows[1].standing, RowStatus::Unfinished);
    let panel = &Matrix::of(&unchecked).unwrap().panels[0];
    assert_eq!(panel.leaders()[0].name(), "gcc -O2", "nobody looked at the other's answer");
    assert_eq!(panel.rows[1].standing, RowStatus::Unfinished);
}

#[test]
fn builds_far_apart_are_not_tied_by_too_few_rounds() {
    let with = |rounds: usize| {
        let ticks = |i: i32| 10.0 * 3_f64.powi(i);
        let mut records: Vec<Record> =
            (0..13).map(|i| one(&format!("-O{i}"), Role::Subject, ticks(i), Answer::Exact)).collect();
        for record in &mut records {
            record.samples.disturbed[..rounds].fill(false);
            record.samples.disturbed[rounds..].fill(true);
        }
        of(records)
    };
    let (few, enough) = (with(8), with(9));
    let panel = &Matrix::of(&few).unwrap().panels[0];
    assert_eq!((panel.rounds, panel.needed, panel.is_told()), (8, 9, false));
    assert!(panel.leaders().len() == 1 && panel.rows.iter().all(|row| row.letters.is_empty()));
    let panel = &Matrix::of(&enough).unwrap().panels[0];
    assert!(panel.is_told() && panel.leaders().len() == 1 && panel.rows[12].letters == "m");
}

/// A record whose cycles an iteration are `cycles` while the core's clock moves from sample to sample by a third.
fn clocked(flags: &str, cycles: f64, drift: f64) -> Record {
    let mut record = one(flags, Role::Subject, cycles, Answer::Exact);
    let samples = &mut record.samples;
    samples.disturbed.fill(false);
    for i in 0..samples.len() {
        let clock = 3e9 * (1.0 + 0.05 * ((i * 5 + cycles as usize) % 7) as f64);
        samples.extra.get_mut(&SecondaryMetric::CoreClock.into()).unwrap()[i] = clock;
        samples.extra.get_mut(&SecondaryMetric::CoreDrift.into()).unwrap()[i] = drift;
        samples.elapsed_s[i] = samples.loops[i] as f64 * 100.0 * cycles * (1.0 + 1e-3 * (i % 3) as f64) / clock;
    }
    record
}

#[test]
fn builds_are_ranked_by_the_quantity_that_is_known_better() {
    let run = of(vec![clocked("-O2", 22.0, 1e-4), clocked("-O3", 20.0, 1e-4)]);
    let panel = &Matrix::of(&run).unwrap().panels[0];
    assert_eq!((panel.by, panel.leaders().len()), (RankedBy::Cycles, 1));
    let timing = panel.rows[0].timing.unwrap();
    assert!((timing.cycles.unwrap().median.value / 20.0 - 1.0).abs() < 2e-3);
    assert_eq!(timing.cycles.unwrap().stability.unwrap().grade, Grade::Good);
    assert_ne!(timing.stability.unwrap().grade, Grade::Good, "the same samples by ticks");
    // A clock that moves during the samples leaves cycles unknown.
    let run = of(vec![clocked("-O2", 22.0, 1e-4), clocked("-O3", 20.0, 0.05)]);
    let panel = &Matrix::of(&run).unwrap().panels[0];
    assert_eq!(
        (panel.by, panel.rows.iter().filter(|row| row.timing.unwrap().cycles.is_none()).count()),
        (RankedBy::Time, 1)
    );
    // A clock that is read wrongly makes cycles scatter more than time.
    let mut wrong = vec![clocked("-O2", 22.0, 1e-4), clocked("-O3", 20.0, 1e-4)];
    for record in &mut wrong {
        let (loops, cycles) =
            (record.samples.loops.clone(), if record.cell.provider.contains("O3") { 20.0 } else { 22.0 });
        let steady = |loops: &u64| *loops as f64 * 100.0 * cycles / 3e9;
        record.samples.elapsed_s = loops.iter().map(steady).collect();
    }
    assert_eq!(Matrix::of(&of(wrong)).unwrap().panels[0].by, RankedBy::Time);
}

#[test]
fn a_check_has_verdicts_and_no_times() {
    let run = check();
    let matrix = Matrix::of(&run).unwrap();
    let rows = &matrix.panels[0].rows;
    assert!(rows.iter().all(|row| row.timing.is_none()));
    assert_eq!(rows.iter().filter(|row| row.standing == RowStatus::Right).count(), 9);
    assert!(
        rows.iter()
            .filter(|row| row.standing == RowStatus::Right && row.check().is_some())
            .all(|r| r.absence().is_none())
    );
    assert_eq!(matrix.panels[0].problem(), None);
}

#[test]
fn a_cell_without_a_build_has_its_providers_name() {
    let mut record = one("-O2", Role::Subject, 20.0, Answer::Exact);
    record.cell.build = None;
    let run = of(vec![record]);
    let matrix = Matrix::of(&run).unwrap();
    assert_eq!(matrix.panels[0].rows[0].name(), "gcc -O2");
    assert_eq!(matrix.builds(), Vec::<&Build>::new());
}

#[test]
fn the_table_in_csv_has_what_is_derived() {
    let run = matrix();
    let mut out = Vec::new();
    csv::write(&run, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    let rows = |provider: &str, quantity: &str| -> Vec<Vec<String>> {
        let fields = text.lines().map(|l| l.split(',').map(str::to_owned).collect::<Vec<_>>());
        fields.filter(|f| f[1] == provider && f[3] == quantity && f[2].contains("n=84 variant=plain")).collect()
    };
    let fast = "gcc -Ofast -march=native";
    let ticks = &rows(fast, "ticks_per_iteration")[0];
    assert!((ticks[6].parse::<f64>().unwrap() / 4.66 - 1.0).abs() < 0.01 && ticks[4] == "TSC ticks", "{ticks:?}");
    for quantity in ["core_cycles_per_iteration", "speedup", "relative_error", "ulp", "stability", "tie_group"] {
        assert!(!rows(fast, quantity).is_empty(), "{quantity}");
    }
    assert_eq!(rows(fast, "ulp")[0][6].parse(), Ok(3.0));
    assert_eq!(rows(fast, "tie_group")[0][6], rows("gcc -Ofast -march=native -funroll-loops", "tie_group")[0][6]);
    assert_eq!(rows("icx -Ofast -xHost", "speedup").len(), 0);
}

#[test]
fn each_step_of_a_search_is_held_against_its_own_base() {
    let run = search();
    let matrix = Matrix::of(&run).unwrap();
    let labels: Vec<String> = matrix.panels.iter().map(Panel::label).collect();
    assert_eq!(labels, ["L1, n = 84, step 1", "L1, n = 84, step 2"]);
    let bases: Vec<String> = matrix.panels.iter().filter_map(|panel| Some(panel.base()?.name())).collect();
    assert_eq!(bases, ["gcc -O3", "gcc -O3 -funsafe-math-optimizations"]);
    let gained = row(&matrix.panels[0], &bases[1]).speedup.unwrap().value;
    assert!((gained / (22.6 / 16.4) - 1.0).abs() < 0.01, "{gained}");
    assert_eq!(matrix.panels[1].leaders().len(), 2, "the second step finds nothing");
}
