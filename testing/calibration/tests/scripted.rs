//! The claims that METHOD.md makes, on machines of scripted time: seeded, so that they hold or fail on every machine alike.

use calibration::experiment::{Finding, Goal};
use calibration::pairs::Verdicts;
use calibration::proportion::Proportion;
use calibration::simulation::{IDLE, Interference, LOADED, repeats, verdicts};
use paw_data::trust::Trust;
use paw_stats::population::{POPULATIONS, Population};

/// Machines whose speed does not wander: of one that drifts an interval describes the time it was measured in, and METHOD.md says so.
fn steady() -> impl Iterator<Item = &'static Population> {
    POPULATIONS.iter().filter(|population| population.drift == 0.0)
}

fn sum(a: Proportion, b: Proportion) -> Proportion {
    Proportion { count: a.count + b.count, of: a.of + b.of }
}

/// What these machines together make of pairs that differ by `factor`.
fn all(
    populations: impl Iterator<Item = &'static Population>,
    interference: Interference,
    factor: f64,
    each: u64,
) -> Verdicts {
    let mut all = Verdicts::default();
    for population in populations {
        let found = verdicts(population, interference, factor, each);
        all.claims = sum(all.claims, found.claims);
        all.slower = sum(all.slower, found.slower);
        println!("{} x {factor}: {:?} {}", population.name, found.claims, found.note());
    }
    all
}

/// The shares of intervals that hold, of all and by word, over these machines.
fn held(populations: impl Iterator<Item = &'static Population>, interference: Interference) -> [Proportion; 4] {
    let mut held = [Proportion::default(); 4];
    for population in populations {
        let findings: Vec<Finding> = repeats(population, interference, 60).findings(Goal::None);
        for (total, finding) in held.iter_mut().zip(&findings) {
            *total = sum(*total, finding.share);
            println!("{}: {}: {:?} {}", population.name, finding.what, finding.share, finding.note);
        }
    }
    held
}

#[test]
fn equal_programs_are_not_told_apart() {
    let [idle, loaded] = [IDLE, LOADED].map(|interference| all(POPULATIONS.iter(), interference, 1.0, 67).claims);
    assert!(idle.of >= 400 && loaded.of >= 400, "{idle:?}, {loaded:?}");
    assert!(sum(idle, loaded).share() <= Some(0.01), "{idle:?}, {loaded:?}");
}

#[test]
fn a_program_that_is_five_percent_slower_is_found() {
    let found = all(POPULATIONS.iter().filter(|p| p.spikes == 0.0 && p.slow == 0.0), IDLE, 1.05, 30);
    assert!(found.slower.share() >= Some(0.95), "{:?}", found.slower);
}

#[test]
fn intervals_hold_what_fresh_runs_agree_on() {
    for interference in [IDLE, LOADED] {
        let [all, ..] = held(steady(), interference);
        assert!(all.share() >= Some(0.85), "{interference:?}: {all:?}");
    }
}

#[test]
fn a_good_row_is_nearer_to_the_truth_than_a_poor_one() {
    let spiky = paw_stats::population::named("spiky").expect("it is among the models");
    let repeats = repeats(spiky, IDLE, 60);
    let [good, poor] = [Trust::Good, Trust::Poor].map(|word| repeats.deviation(word, 0.9));
    assert!(good.is_some_and(|good| good < 0.01) && poor > good.map(|good| 3.0 * good), "{good:?}, {poor:?}");
}

#[test]
fn a_good_row_holds_what_fresh_runs_agree_on() {
    let [_, good, fair, poor] = held(steady(), IDLE);
    assert!(good.share() >= Some(0.9), "{good:?}, {fair:?}, {poor:?}");
    assert!(good.of > 0 && fair.of + poor.of > 0, "{good:?}, {fair:?}, {poor:?}");
}
