//! Builds of a kernel against each other, as a matrix ranks them: equal ones share a letter, and 4 % are found.

use paw_data::method::{EndRule, LoopRule, Memory, Method};
use paw_data::rounds::complete;
use paw_measure::clock::scripted::Script;
use paw_measure::fault::Fault;
use paw_measure::measure::measure;
use paw_measure::prepared_cell::PreparedCell;
use paw_stats::rng::Rng;
use paw_stats::ties::{Ranking, ranking};

use crate::bench::{Bench, entry, free_clock, plan, preset, session};
use crate::diary::Diary;

const TRIALS: u64 = 20;
const ROUNDS: u32 = 31;

/// A millisecond on a machine that becomes a tenth slower and faster again in waves of two seconds, where every twentieth sample
/// meets something that makes it longer by half, and every sample has its own per cent.
fn factor(now_s: f64, random: &mut Rng) -> f64 {
    let own = (0.01 * random.normal()).exp();
    let spike = if random.uniform() < 0.05 { 1.5 } else { 1.0 };
    let drift = 1.0 + 0.1 * (std::f64::consts::TAU * now_s / 2.0).sin().powi(2);
    own * spike * drift
}

/// A build whose sample lasts `time_s` on a machine that does nothing else.
fn build(id: u32, time_s: f64, seed: u64, script: &Script) -> PreparedCell {
    let mut random = Rng::new(seed);
    let region = move |script: &Script, _: u64| -> Result<(), Fault> {
        script.advance(time_s * factor(script.now_s(), &mut random));
        Ok(())
    };
    let ending = EndRule::Fixed { samples: ROUNDS };
    let method = Method { loops: LoopRule::Fixed(1), ending, memory: Memory::Fresh, ..preset("meta31") };
    entry(id, method, script, Bench::new(script, region))
}

/// How builds that last so long are ranked.
fn ranked(times_s: &[f64], seed: u64) -> Ranking {
    let script = free_clock();
    let mut diary = Diary::default();
    let mut group: Vec<PreparedCell> =
        times_s.iter().zip(1..).map(|(time_s, id)| build(id, *time_s, 1000 * seed + u64::from(id), &script)).collect();
    measure(&mut group, &plan(seed), &session(&script), &mut diary);
    let samples: Vec<_> = group.iter().map(|entry| &diary.samples[&entry.cell.id]).collect();
    let rounds = complete(&samples);
    assert_eq!(rounds[0].len(), ROUNDS as usize);
    let slices: Vec<&[f64]> = rounds.iter().map(Vec::as_slice).collect();
    ranking(&slices, 0.95, 0.01).expect("all were measured in the same rounds")
}

#[test]
fn three_equal_builds_are_one_tie() {
    let tied = (0..TRIALS).filter(|seed| ranked(&[1e-3; 3], *seed).letters == ["a", "a", "a"]).count();
    assert!(tied >= 19, "{tied} of {TRIALS}");
}

#[test]
fn a_build_slower_by_four_per_cent_shares_no_letter() {
    let found = |seed: &u64| ranked(&[1.04e-3, 1e-3, 1e-3], *seed).letters == ["b", "a", "a"];
    let found = (0..TRIALS).filter(found).count();
    assert!(found >= 19, "{found} of {TRIALS}");
}
