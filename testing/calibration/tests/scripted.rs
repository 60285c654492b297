//! The claims that METHOD.md makes, on machines of scripted time: seeded, so that they hold or fail on every machine alike.

use calibration::experiment::Goal;
use calibration::pairs::Verdicts;
use calibration::proportion::Proportion;
use calibration::simulation::{IDLE, Interference, LOADED, repeats, verdicts};
use paw_stats::population::{POPULATIONS, Population};

/// Machines on which a fresh process is like the last: what one process shows is all there is.
fn alike() -> impl Iterator<Item = &'static Population> {
    POPULATIONS.iter().filter(|population| population.process == 0.0)
}

/// What all machines together make of pairs that differ by `factor`.
fn all(interference: Interference, factor: f64, each: u64) -> Verdicts {
    let mut all = Verdicts::default();
    for population in alike() {
        let found = verdicts(population, interference, factor, each);
        let sum = |a: Proportion, b: Proportion| Proportion { count: a.count + b.count, of: a.of + b.of };
        all.claims = sum(all.claims, found.claims);
        all.slower = sum(all.slower, found.slower);
        println!("{} x {factor}: {:?} {}", population.name, found.claims, found.note());
    }
    all
}

/// The share of a finding over all machines whose name begins with `what`.
fn share(population: &'static Population, interference: Interference, what: &str) -> Proportion {
    let findings = repeats(population, interference, 60).findings(Goal::None);
    let finding = findings.iter().find(|finding| finding.what.starts_with(what)).expect("it is among the findings");
    println!("{} {}: {:?} {}", population.name, finding.what, finding.share, finding.note);
    finding.share
}

#[test]
fn equal_programs_are_not_told_apart() {
    for interference in [IDLE, LOADED] {
        let found = all(interference, 1.0, 134);
        assert!(found.claims.of >= 400, "{:?}", found.claims);
        assert!(found.claims.share() <= Some(0.01), "{interference:?}: {:?}", found.claims);
    }
}

#[test]
fn a_program_that_is_ten_percent_slower_is_found_with_one_process_a_side() {
    let found = all(IDLE, 1.10, 30);
    assert!(found.slower.share() >= Some(0.85), "{:?}", found.slower);
}

/// Of a machine that drifts an interval describes the time it was measured in, and METHOD.md says so.
#[test]
fn intervals_hold_what_fresh_runs_agree_on() {
    for population in alike().filter(|population| population.drift == 0.0) {
        let held = share(population, IDLE, "interval holds");
        assert!(held.share() >= Some(0.85), "{}: {held:?}", population.name);
    }
}
