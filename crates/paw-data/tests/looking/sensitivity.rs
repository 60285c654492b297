//! What a kernel's run says about its own protocol.

use paw_data::kernel::Question;
use paw_data::run::{Record, Run};
use paw_data::sensitivity::{Curve, Factor, Sensitivity};
use paw_stats::plateau::Unsettled;
use paw_stats::speedup::Sampling;

use crate::kernels::{matrix, residency, sensitivity};

fn of<'s, 'r>(found: &'s Sensitivity<'r>, factor: Factor) -> &'s Curve<'r> {
    found.curves.iter().find(|curve| curve.factor == factor).unwrap()
}

#[test]
fn a_matrix_has_no_curves() {
    assert_eq!(Sensitivity::of(&matrix()), None);
}

#[test]
fn each_factor_has_its_curve_in_order() {
    let run = sensitivity();
    let found = Sensitivity::of(&run).unwrap();
    let factors: Vec<Factor> = found.curves.iter().map(|curve| curve.factor).collect();
    assert_eq!(factors, Factor::ALL);
    let warmup = of(&found, Factor::Warmup);
    assert_eq!(warmup.rest, "level=L1 n=84 reps=1200");
    assert_eq!(warmup.name(), "gcc -O2 [load]");
    assert!(warmup.spots.is_sorted_by(|a, b| a.x < b.x) && warmup.spots.len() == 9);
}

#[test]
fn a_level_curve_has_a_knee_and_one_that_falls_says_so() {
    let run = sensitivity();
    let found = Sensitivity::of(&run).unwrap();
    let plateau = of(&found, Factor::Warmup).plateau.unwrap().unwrap();
    assert_eq!((plateau.knee, plateau.recommended), (10.0, 15.0));
    let last = of(&found, Factor::Reps).plateau.unwrap();
    assert!(matches!(last, Err(Unsettled::Moving { change }) if (change + 0.038).abs() < 0.004), "{last:?}");
    assert_eq!(of(&found, Factor::Size).plateau, None, "of sizes none is asked for");
}

#[test]
fn the_ends_of_caches_are_sizes_with_a_jump() {
    for run in [sensitivity(), residency()] {
        let found = Sensitivity::of(&run).unwrap();
        let names: Vec<(&str, u64)> = found.boundaries.iter().map(|b| (b.name, b.n)).collect();
        assert_eq!(names, [("L1", 89), ("L2", 255)]);
        let sizes: Vec<f64> = found.steps.iter().map(|step| step.above.x).collect();
        let next = if run.header.kernel.as_ref().unwrap().question == Question::Residency { 90.0 } else { 94.0 };
        assert_eq!(
            (sizes[0], sizes[1], sizes.len()),
            (next, 100.0, 4),
            "the next size, and one past the end by a quarter"
        );
        let first = &found.steps[1];
        assert_eq!(first.below.x, 89.0);
        let ratio = first.ratio.unwrap();
        let expected = if next == 94.0 { 1.48 / 0.95 } else { 1.48 / 0.93 };
        assert!((ratio.value / expected - 1.0).abs() < 0.01, "{ratio:?}: of one iteration, not of one call");
        assert!(ratio.interval.unwrap().low > 1.3);
    }
}

#[test]
fn a_point_that_failed_is_no_part_of_the_plateau() {
    let mut run = sensitivity();
    let why = Some("the child died".to_owned());
    run.records[8].samples = Default::default();
    run.records[8].outcome.iter_mut().for_each(|o| {
        o.status = paw_data::outcome::Status::Failed;
        o.why = why.clone();
    });
    let found = Sensitivity::of(&run).unwrap();
    let warmup = of(&found, Factor::Warmup);
    assert_eq!(warmup.spots.last().unwrap().absence().unwrap().1, "the child died");
    assert!(warmup.plateau.unwrap().is_ok());
}

#[test]
fn a_footprint_over_further_names_leaves_the_levels_own_sizes() {
    let mut run = sensitivity();
    run.header.kernel.as_mut().unwrap().footprint = "4*n*m".to_owned();
    let found = Sensitivity::of(&run).unwrap();
    let names: Vec<(&str, u64)> = found.boundaries.iter().map(|b| (b.name, b.n)).collect();
    assert_eq!(names, [("L1", 84), ("L2", 241)]);
    assert_eq!(found.steps.len(), 2, "only the next size is known");
}

#[test]
fn a_step_pairs_the_sizes_of_one_group_and_marks_those_of_two() {
    let mut run = residency();
    let first = |run: &Run| Sensitivity::of(run).unwrap().steps[1].ratio.unwrap();
    let paired = first(&run);
    assert!(paired.taken == Sampling::Interleaved && paired.interval.is_some());
    let above = Sensitivity::of(&run).unwrap().steps[1].above.record.cell.id;
    let of = |run: &mut Run, change: &dyn Fn(&mut Record)| {
        run.records.iter_mut().filter(|record| record.cell.id == above).for_each(change);
    };
    of(&mut run, &|record| record.samples.round.iter_mut().for_each(|round| *round += 1000));
    let found = first(&run);
    assert_eq!((found.taken, found.interval), (Sampling::Interleaved, None), "no round in common");
    of(&mut run, &|record| record.cell.group += 1000);
    let found = first(&run);
    assert!(found.taken == Sampling::Apart, "{found:?}");
    assert_eq!(found.value, paired.value);
}
