//! What thousands of ranks send each other to start in step and to agree: counted, up to 4096 ranks in one process.

use std::rc::Rc;

use paw_data::cell::Combine;
use paw_measure::channel::Channel;
use paw_measure::clock::Clock;
use paw_measure::in_step::InStep;
use paw_measure::ranks::Ranks;
use paw_measure::starter::Starter;
use paw_measure::team::{Decision, Team};
use paw_measure::workload::Workload;

use crate::bench::{Bench, instrument};
use crate::threads::{Calls, on_wire};

/// A link so slow that the fewest questions are asked.
fn far(_from: usize, _to: usize) -> f64 {
    20e-3
}

/// Single messages of a step of a synchronisation over such a link: ten questions and two to check, each with its answer.
const OF_A_STEP: usize = 24;

/// What a rank calls for a first sample, which synchronises clocks, and for a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Costs {
    first: Calls,
    second: Calls,
}

fn costs(size: usize) -> Vec<Costs> {
    on_wire(size, far, |channel| {
        let (script, calls, channel) = (channel.script(), channel.calls(), Rc::new(channel));
        let ranks = Ranks::new(Rc::clone(&channel));
        let clock = Clock::Scripted(script.skewed(channel.rank() as f64, 0.0));
        let starter = Rc::new(Starter::new(channel as Rc<dyn Channel>, clock));
        let mut workload = InStep::new(Bench::costing(1e-6, &script), instrument(), starter);
        let mut sample = || {
            let before = *calls.lock().expect("counting does not panic");
            ranks.decide(Decision::Go).expect("nobody is gone");
            let mine = workload.sample(100);
            let reading = ranks.combine(mine, Combine::Slowest).expect("nobody broke");
            assert!((reading.elapsed_s - 100e-6).abs() < 1e-9, "{} s", reading.elapsed_s);
            let after = *calls.lock().expect("counting does not panic");
            Calls { collective: after.collective - before.collective, messages: after.messages - before.messages }
        };
        Costs { first: sample(), second: sample() }
    })
}

#[test]
fn rank_0s_messages_grow_with_the_logarithm_up_to_4096_ranks() {
    for size in [4, 16, 64, 256, 1024, 4096] {
        let costs = costs(size);
        let steps = size.ilog2() as usize;
        assert_eq!(costs[0].first.messages, OF_A_STEP * steps, "{size} ranks");
        assert!(costs.iter().all(|rank| rank.first.messages <= costs[0].first.messages), "{size} ranks");
        // Go on, start, and three reductions; the first sample also times announcements.
        let second = Calls { collective: 5, messages: 0 };
        assert!(costs.iter().all(|rank| rank.second == second), "{size} ranks: {:?}", costs[0]);
        assert_eq!(costs[0].first.collective, 5 + 1 + 2 * 3 + 1, "{size} ranks");
    }
}
