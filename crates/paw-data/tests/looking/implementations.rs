//! Several implementations of one program: one base for all, and one that has no number of threads.

use paw_data::application::{Application, NamedCommand, Reference};
use paw_data::cell::Cell;
use paw_data::point::Point;
use paw_data::run::{Record, Run};
use paw_data::scaling::{BaseKind, Scaling, Sweep};

use crate::application::{cell, run, steady, threads};

fn at(program: &str, n: i64, threads: Option<i64>) -> Cell {
    let point = Point::new().with("n", n);
    cell(program, threads.map_or(point.clone(), |threads| point.with("threads", threads)))
}

fn against(base: Option<&str>, records: Vec<Record>) -> Run {
    let named = |name: &str| NamedCommand { name: name.into(), command: vec![format!("./{name}")] };
    let app = Application {
        name: "original".into(),
        others: vec![named("openmp"), named("device")],
        axes: vec!["n".into()],
        against: base.map(|name| Reference::Command(name.into())),
        threads: threads(&[1, 2], 4),
        ..Application::default()
    };
    run(app, records)
}

/// At n=1 and 4: the original takes n seconds, OpenMP 1.25 times that by its threads, the device a second and a tenth of n.
fn study(base: Option<&str>) -> Run {
    let of = |n: i64| {
        let size = n as f64;
        [
            steady(at("original", n, None), size),
            steady(at("openmp", n, Some(1)), 1.25 * size),
            steady(at("openmp", n, Some(2)), 0.625 * size),
            steady(at("device", n, None), 1.0 + 0.1 * size),
        ]
    };
    against(base, [of(1), of(4)].into_iter().flatten().collect())
}

fn sweep<'s, 'r>(scaling: &'s Scaling<'r>, program: &str, n: i64) -> &'s Sweep<'r> {
    scaling.sweeps.iter().find(|s| s.provider == program && s.size.int("n") == Some(n)).unwrap()
}

fn gains(scaling: &Scaling<'_>, program: &str, n: i64) -> Vec<f64> {
    sweep(scaling, program, n).rows.iter().filter_map(|row| Some((row.speedup?.value * 1e4).round() / 1e4)).collect()
}

#[test]
fn speed_ups_of_all_programs_are_over_the_one_that_is_named() {
    let run = study(Some("original"));
    let scaling = Scaling::of(&run).unwrap();
    assert_eq!((scaling.base.kind, &*scaling.base.words()), (BaseKind::Command("original"), "original"));
    assert_eq!(gains(&scaling, "openmp", 4), [0.8, 1.6]);
    assert_eq!(gains(&scaling, "device", 1), [0.9091]);
    assert_eq!(gains(&scaling, "device", 4), [2.8571]);
    assert_eq!(gains(&scaling, "original", 4), [1.0]);
    let of_two = &sweep(&scaling, "openmp", 4).rows[1];
    assert!((of_two.efficiency.unwrap() - 1.0).abs() < 1e-9, "over its own one thread");
    assert!((sweep(&scaling, "openmp", 4).rows[0].overhead.unwrap() - 0.25).abs() < 1e-9);
    assert_eq!(sweep(&scaling, "device", 4).rows[0].efficiency, None, "it was told no threads");
}

#[test]
fn a_base_that_is_told_its_threads_has_one() {
    let run = study(Some("openmp"));
    let scaling = Scaling::of(&run).unwrap();
    assert_eq!(scaling.base.words(), "openmp with 1 thread");
    assert_eq!(gains(&scaling, "original", 4), [1.25]);
    assert_eq!(gains(&scaling, "openmp", 4), [1.0, 2.0]);
}

#[test]
fn without_a_name_each_is_held_against_its_own_thread() {
    let run = study(None);
    let scaling = Scaling::of(&run).unwrap();
    assert_eq!((scaling.base.kind, scaling.base.is_common()), (BaseKind::OneThread, false));
    assert_eq!(gains(&scaling, "openmp", 4), [1.0, 2.0]);
    assert_eq!(gains(&scaling, "device", 4), [0.0; 0]);
}

#[test]
fn what_is_told_no_threads_stands_beside_every_number_of_them() {
    let run = study(Some("original"));
    let scaling = Scaling::of(&run).unwrap();
    let names: Vec<Vec<&str>> =
        scaling.rankings.iter().map(|found| found.rows.iter().map(|row| row.name.as_str()).collect()).collect();
    let at_one = ["original", "device", "openmp"];
    assert_eq!(
        names,
        [at_one, ["openmp", "original", "device"], ["device", "original", "openmp"], ["device", "openmp", "original"]]
    );
    assert_eq!(scaling.headline().map(|(sweep, _)| sweep.provider), Some("device"));
    let ratio = scaling.rankings[3].rows[0].comparison.unwrap();
    assert!((ratio.ratio - 0.35).abs() < 1e-9 && scaling.rankings[3].rows[0].against.as_deref() == Some("original"));
}
