//! Two equal programs under drift: the same when interleaved, different when measured one after the other.

use paw_data::sample::Samples;
use paw_measure::clock::scripted::Script;
use paw_measure::fault::Fault;
use paw_measure::measure::measure;
use paw_measure::prepared_cell::PreparedCell;
use paw_stats::comparison::{Ratio, paired};
use paw_stats::verdict::Verdict;

use crate::bench::{Bench, entry, free_clock, plan, preset, session};
use crate::diary::Diary;

/// A machine that slows down by three tenths in a second, whatever runs on it.
fn slowing(script: &Script, loops: u64) -> Result<(), Fault> {
    let per_loop_s = 2e-3 * (1.0 + 0.3 * script.now_s());
    script.advance(loops as f64 * per_loop_s);
    Ok(())
}

fn equal(id: u32, script: &Script) -> PreparedCell {
    entry(id, preset("meta31"), script, Bench::new(script, slowing))
}

/// B ÷ A, sample by sample.
fn ratio(a: &Samples, b: &Samples) -> Ratio {
    paired(&a.clean_per_loop_s(), &b.clean_per_loop_s(), 0.95).expect("both have positive times")
}

#[test]
fn equal_programs_are_the_same_when_interleaved() {
    for seed in 0..20 {
        let script = free_clock();
        let mut diary = Diary::default();
        measure(&mut [equal(1, &script), equal(2, &script)], &plan(seed), &session(&script), &mut diary);
        let ratio = ratio(&diary.samples[&1], &diary.samples[&2]);
        assert_eq!(ratio.verdict(0.01), Verdict::Same, "seed {seed}: {ratio:?}");
    }
}

#[test]
fn equal_programs_differ_when_measured_one_after_the_other() {
    let script = free_clock();
    let mut diary = Diary::default();
    for id in 1..=2 {
        measure(&mut [equal(id, &script)], &plan(1), &session(&script), &mut diary);
    }
    let ratio = ratio(&diary.samples[&1], &diary.samples[&2]);
    assert!(matches!(ratio.verdict(0.01), Verdict::Slower(_)), "{ratio:?}");
}
