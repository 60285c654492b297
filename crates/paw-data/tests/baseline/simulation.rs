//! How often a gate is wrong, on runs from a seeded generator: METHOD.md quotes the numbers.

use paw_data::baseline::Statistic;
use paw_data::baseline::bounds::{Candidates, Rule};
use paw_data::baseline::judgement::{Verdict, judge};
use paw_data::machine::Machine;
use paw_data::run::Run;
use paw_stats::rng::Rng;

use crate::constructed::{empty, machine, record, stored};

const RULE: Rule = Rule { statistic: Statistic::Median, share: 0.05 };

/// Deviation from process to process of one run, and from sample to sample of one process.
const WITHIN: (f64, f64) = (0.008, 0.01);

struct World {
    rng: Rng,
    machine: Machine,
    /// Deviation from run to run.
    spread: f64,
}

impl World {
    fn new(spread: f64, hypervisor: &str) -> Self {
        let mut machine = machine(hypervisor);
        if spread >= 0.01 {
            machine.state.clear();
        }
        Self { rng: Rng::new(11), machine, spread }
    }

    /// One run of a program that takes `time_s` on the average.
    fn run(&mut self, number: usize, days: usize, time_s: f64) -> Run {
        let level = time_s.ln() + self.spread * self.rng.normal();
        let mut process = || -> Vec<f64> {
            let own = level + WITHIN.0 * self.rng.normal();
            (0..8).map(|_| (own + WITHIN.1 * self.rng.normal()).exp()).collect()
        };
        let processes: Vec<Vec<f64>> = (0..3).map(|_| process()).collect();
        Run { records: vec![record(&processes)], ..empty(&number.to_string(), number % days, self.machine.clone()) }
    }

    /// Shares of regression, pass and all other verdicts on runs that take `slowdown` times as long as the reference's.
    fn shares(&mut self, (of, days): (usize, usize), judged: usize, slowdown: f64) -> [f64; 3] {
        const TRIALS: usize = 400;
        let mut counts = [0; 3];
        for _ in 0..TRIALS {
            let base: Vec<Run> = (0..of).map(|number| self.run(number, days, 1.0)).collect();
            let baseline = [stored(&Candidates::of(&base, RULE).all[0])];
            let runs: Vec<Run> = (0..judged).map(|number| self.run(100 + number, 1, slowdown)).collect();
            let verdict = judge(&baseline, &runs)[0].verdict;
            counts[match verdict {
                Verdict::Regression => 0,
                Verdict::Pass => 1,
                _ => 2,
            }] += 1;
        }
        counts.map(|count| f64::from(count) / TRIALS as f64)
    }
}

#[test]
fn equal_programs_fail_at_most_once_in_a_hundred() {
    for (spread, hypervisor) in [(0.005, ""), (0.01, ""), (0.025, "KVM")] {
        for reference in [(1, 1), (3, 1), (3, 3), (10, 5), (20, 5)] {
            for judged in [1, 3] {
                let [fail, pass, _] = World::new(spread, hypervisor).shares(reference, judged, 1.0);
                let case = format!("spread {spread}, {reference:?} runs and days, {judged} judged: {fail} {pass}");
                println!("equal: {case}");
                assert!(fail <= 0.01, "{case}");
                assert!(pass >= 0.75, "{case}");
            }
        }
    }
}

#[test]
fn a_slowdown_of_a_tenth_is_found_and_seldom_passes() {
    for (spread, hypervisor, reference, judged, found) in [
        (0.005, "", (1, 1), 1, 0.9),
        (0.005, "", (20, 5), 1, 0.99),
        (0.01, "", (1, 1), 1, 0.8),
        (0.01, "", (20, 5), 1, 0.95),
        (0.025, "KVM", (20, 5), 3, 0.5),
        (0.025, "KVM", (20, 5), 5, 0.7),
    ] {
        let [fail, pass, _] = World::new(spread, hypervisor).shares(reference, judged, 1.10);
        let case = format!("spread {spread}, {reference:?} runs and days, {judged} judged: {fail} {pass}");
        println!("10 % slower: {case}");
        assert!(fail >= found, "{case}");
        assert!(pass <= 0.03, "{case}");
    }
}
