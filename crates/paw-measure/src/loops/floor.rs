//! Regions long enough to trust: up from one iteration to the floor, then a check that time grows with iterations.

use paw_data::run::Instrument;

use super::{Calibrated, LadderState, Probe, Region};
use crate::caveat;
use crate::fault::Fault;

/// Growth aims past the floor, so that a slightly faster region still reaches it.
const AIM: f64 = 1.2;

/// A step grows by half at least, so that it ends, and tenfold at most, so that one misread region cannot start an hour's.
const GROWTH_MIN: f64 = 1.5;
const GROWTH_MAX: f64 = 10.0;

/// An undisturbed region this many floors long at one iteration needs no second opinion.
const CLEARLY_LONG: f64 = 100.0;

/// One iteration this many floors long is not checked for linearity: a fixed cost that shows there is part of the operation.
const LONG: f64 = 10.0;

/// 0.05 ns is a quarter of a cycle at 5 GHz: no iteration that does anything is shorter.
const ITERATION_MIN_S: f64 = 0.05e-9;

/// A fixed cost of half a per cent of the region is what the default method must not miss.
const LINEAR_WITHIN: f64 = 0.005;

/// Beyond half, the time does not depend on the iterations.
const LINEAR_BROKEN: f64 = 0.5;

/// Doublings tried before a region that is not linear is accepted as it is.
const DOUBLINGS: u32 = 6;

/// Doublings tried before iterations whose number seems to change nothing are given up: a fixed cost of 65,000 iterations would show.
const DOUBLINGS_OF_NOTHING: u32 = 16;

/// Regions of each length; the fastest counts, which is the one least disturbed.
const REGIONS: usize = 3;

/// Regions are not doubled past this, in seconds: a cost that shows there is not the clock's.
const CEILING_S: f64 = 0.1;

/// Seconds a region must last: `overheads` × max(resolution, overhead), and at least `floor_s`.
pub fn target_s(overheads: f64, floor_s: f64, instrument: &Instrument) -> f64 {
    (overheads * instrument.resolution_s.max(instrument.overhead_s)).max(floor_s)
}

/// Iterations whose region lasts `target_s` and is linear. Always starts at one iteration, so that a ladder may jump
/// to a far longer one; a ladder state only lets it grow faster.
pub fn calibrate(target_s: f64, ladder: Option<LadderState>, region: &mut Region<'_>) -> Result<Calibrated, Fault> {
    let (loops, elapsed_s) = grow(target_s, ladder, region)?;
    if loops == 1 && elapsed_s >= LONG * target_s {
        return Ok(Calibrated::plain(1));
    }
    linear(loops, target_s, region)
}

/// The first iterations found whose region lasts `target_s` twice in a row, and the seconds it lasts.
fn grow(target_s: f64, ladder: Option<LadderState>, region: &mut Region<'_>) -> Result<(u64, f64), Fault> {
    let known = ladder.map_or(0, |ladder| ladder.loops);
    let mut loops = 1_u64;
    loop {
        let first = region(loops)?;
        let mut elapsed_s = first.elapsed_s;
        let clear = loops == 1 && !first.disturbed && elapsed_s >= CLEARLY_LONG * target_s;
        if elapsed_s >= target_s && !clear {
            elapsed_s = elapsed_s.min(region(loops)?.elapsed_s);
        }
        if elapsed_s >= target_s {
            return Ok((loops, elapsed_s));
        }
        if loops as f64 * ITERATION_MIN_S > target_s {
            return Err(optimised_away(loops, elapsed_s));
        }
        loops = longer(loops, AIM * target_s / elapsed_s, known);
    }
}

/// `loops` grown by `factor`, within the limits of a step; up to `known` iterations, the limit above does not hold.
fn longer(loops: u64, factor: f64, known: u64) -> u64 {
    let step = |factor: f64| (loops as f64 * factor).ceil() as u64;
    let free = step(factor.max(GROWTH_MIN)).min(known);
    step(factor.clamp(GROWTH_MIN, GROWTH_MAX)).max(free)
}

/// Doubles `loops` until twice the iterations take twice the time, within half a per cent or what the regions' own noise hides.
fn linear(mut loops: u64, target_s: f64, region: &mut Region<'_>) -> Result<Calibrated, Fault> {
    let mut short = Fastest::of(loops, region)?;
    let (mut doublings, mut of_nothing) = (0, 0);
    loop {
        let long = Fastest::of(2 * loops, region)?;
        let fixed_s = 2.0 * short.elapsed_s - long.elapsed_s;
        let per_loop_s = (long.elapsed_s - short.elapsed_s) / loops as f64;
        let curvature = fixed_s.abs() / long.elapsed_s;
        let alive = per_loop_s >= ITERATION_MIN_S;
        let noise = short.spread.max(long.spread);
        let settled = alive && curvature <= LINEAR_WITHIN.max(noise) && short.elapsed_s >= target_s;
        if settled {
            return Ok(Calibrated::plain(loops));
        }
        let exhausted = doublings == DOUBLINGS || of_nothing == DOUBLINGS_OF_NOTHING;
        if exhausted || (alive && long.elapsed_s > CEILING_S.max(target_s)) {
            return verdict(loops, fixed_s, per_loop_s, noise, &long);
        }
        if fixed_s > LINEAR_BROKEN * long.elapsed_s {
            of_nothing += 1;
        } else {
            doublings += 1;
        }
        loops *= 2;
        short = long;
    }
}

/// What is said of iterations that never became linear.
fn verdict(loops: u64, fixed_s: f64, per_loop_s: f64, noise: f64, long: &Fastest) -> Result<Calibrated, Fault> {
    let share = fixed_s / long.elapsed_s;
    // Regions that differ among themselves by as much prove nothing: a busy machine takes ranks off their processors.
    let is_proof = noise < LINEAR_BROKEN;
    if is_proof && (per_loop_s < ITERATION_MIN_S || share > LINEAR_BROKEN) {
        return Err(optimised_away(2 * loops, long.elapsed_s));
    }
    let caveats = vec![caveat::not_linear(loops, share)];
    Ok(Calibrated { loops, caveats })
}

fn optimised_away(loops: u64, elapsed_s: f64) -> Fault {
    Fault::Broken(format!(
        "{loops} iterations took {elapsed_s:.3e} s whatever their number: the operation was optimised away or its time is not linear; \
         make the result used (std::hint::black_box)"
    ))
}

/// The fastest of a few regions of one length.
struct Fastest {
    elapsed_s: f64,
    /// How far the middle one lies above it, relative to it.
    spread: f64,
}

impl Fastest {
    fn of(loops: u64, region: &mut Region<'_>) -> Result<Self, Fault> {
        let mut times = [0.0; REGIONS];
        for time in &mut times {
            let Probe { elapsed_s, .. } = region(loops)?;
            *time = elapsed_s;
        }
        times.sort_by(f64::total_cmp);
        Ok(Self { elapsed_s: times[0], spread: times[REGIONS / 2] / times[0] - 1.0 })
    }
}
