//! Loops of the floor rule: they grow from one iteration until a region is long enough, and then until its time is linear in them.

use paw_data::run::Instrument;
use paw_sort::SortNumbers;

use super::{Calibrated, LadderState, Probe, RETAKE_MAX_S, Region};
use crate::caveat;
use crate::fault::Fault;

/// Growth aims past the floor, so that a slightly faster region still reaches it.
const AIM: f64 = 1.2;

/// A step grows by half at least, so that growth ends, and tenfold at most, so that one misread region cannot start one of an hour.
const GROWTH_MIN: f64 = 1.5;
const GROWTH_MAX: f64 = 10.0;

/// An undisturbed region this many floors long at one iteration is not timed twice.
const CLEARLY_LONG: f64 = 100.0;

/// One iteration this many floors long is not checked for linearity: a fixed cost that shows there is part of the operation.
const LONG: f64 = 10.0;

/// 0.05 ns is a quarter of a cycle at 5 GHz: no iteration that does anything is shorter.
const ITERATION_MIN_S: f64 = 0.05e-9;

/// A fixed cost of half a per cent of the region is what the default method must not miss.
const LINEAR_WITHIN: f64 = 0.005;

/// A fixed cost of less than this share changes no number by more than the default method resolves.
const NOTABLE: f64 = 0.01;

/// Fixed share of a region from which its time does not depend on the iterations.
const LINEAR_BROKEN: f64 = 0.5;

/// Doublings tried before a region that is not linear is accepted as it is.
const DOUBLINGS: u32 = 6;

/// Doublings tried while the time does not grow: enough for a fixed cost as long as 65,000 iterations.
const DOUBLINGS_OF_NOTHING: u32 = 16;

/// Regions of each length; the fastest counts, which is the one least disturbed.
const REGIONS: usize = 3;

/// Fewest undisturbed regions of a length: one alone has no spread to judge by.
const REGIONS_CLEAN: usize = 2;

/// Seconds of a region past which loops are not doubled: a fixed cost that shows there is not the clock's.
const CEILING_S: f64 = 0.1;

/// Seconds a region must last: `overheads` × max(resolution, overhead), and at least `floor_s`.
pub fn target_s(overheads: f64, floor_s: f64, instrument: &Instrument) -> f64 {
    (overheads * instrument.resolution_s.max(instrument.overhead_s)).max(floor_s)
}

/// Iterations whose region lasts `target_s` and is linear. Always starts at one iteration, so that a ladder may jump
/// to a far longer one; a ladder state only lets it grow faster.
pub fn calibrate(target_s: f64, ladder: Option<LadderState>, region: &mut Region<'_>) -> Result<Calibrated, Fault> {
    let (loops, reached) = grow(target_s, ladder, region)?;
    let long = reached.elapsed_s >= LONG * target_s && (!reached.disturbed || reached.elapsed_s >= RETAKE_MAX_S);
    if loops == 1 && long {
        return Ok(Calibrated::plain(1));
    }
    linear(loops, target_s, region)
}

/// The first iterations found whose region lasts `target_s` twice in a row, and the shorter of the two regions.
fn grow(target_s: f64, ladder: Option<LadderState>, region: &mut Region<'_>) -> Result<(u64, Probe), Fault> {
    let known = ladder.map_or(0, |ladder| ladder.loops);
    let mut loops = 1_u64;
    loop {
        let mut probe = region(loops)?;
        let clear = loops == 1 && !probe.disturbed && probe.elapsed_s >= CLEARLY_LONG * target_s;
        if probe.elapsed_s >= target_s && !clear {
            let again = region(loops)?;
            probe = if again.elapsed_s < probe.elapsed_s { again } else { probe };
        }
        if probe.elapsed_s >= target_s {
            return Ok((loops, probe));
        }
        if loops as f64 * ITERATION_MIN_S > target_s {
            return Err(optimised_away(loops, probe.elapsed_s));
        }
        loops = longer(loops, AIM * target_s / probe.elapsed_s, known);
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
        let pair = DoubledRegions { loops, short, long: Fastest::of(2 * loops, region)? };
        if pair.clean() < REGIONS_CLEAN {
            return Ok(Calibrated { loops, caveats: vec![caveat::unverified_loops(loops)] });
        }
        if pair.is_linear() && pair.short.elapsed_s >= target_s {
            return Ok(Calibrated::plain(loops));
        }
        if pair.long.is_late {
            return Ok(Calibrated { loops, caveats: vec![caveat::untried_loops(loops)] });
        }
        let exhausted = doublings == DOUBLINGS || of_nothing == DOUBLINGS_OF_NOTHING;
        if exhausted || (pair.grows() && pair.long.elapsed_s > CEILING_S.max(target_s)) {
            return pair.verdict(of_nothing);
        }
        if pair.fixed_s() > LINEAR_BROKEN * pair.long.elapsed_s {
            of_nothing += 1;
        } else {
            doublings += 1;
        }
        loops *= 2;
        short = pair.long;
    }
}

/// The regions of `loops` iterations and those of twice `loops`.
struct DoubledRegions {
    loops: u64,
    short: Fastest,
    long: Fastest,
}

impl DoubledRegions {
    /// Undisturbed regions of the length that has fewer.
    fn clean(&self) -> usize {
        self.short.clean.min(self.long.clean)
    }

    /// Seconds that do not depend on the iterations.
    fn fixed_s(&self) -> f64 {
        2.0 * self.short.elapsed_s - self.long.elapsed_s
    }

    /// Seconds of one further iteration.
    fn per_loop_s(&self) -> f64 {
        (self.long.elapsed_s - self.short.elapsed_s) / self.loops as f64
    }

    /// How far regions of one length differ among themselves, relative to the fastest.
    fn noise(&self) -> f64 {
        self.short.spread.max(self.long.spread)
    }

    fn is_linear(&self) -> bool {
        let curvature = self.fixed_s().abs() / self.long.elapsed_s;
        self.per_loop_s() >= ITERATION_MIN_S && curvature <= LINEAR_WITHIN.max(self.noise())
    }

    /// Whether more iterations take longer, by more than noise; noise of half a region proves nothing, and counts as growth.
    fn grows(&self) -> bool {
        let noise = self.noise();
        let gain_s = self.long.elapsed_s - self.short.elapsed_s;
        self.per_loop_s() >= ITERATION_MIN_S && (gain_s > noise * self.long.elapsed_s || noise >= LINEAR_BROKEN)
    }

    /// The loops of a pair that never became linear, with a caveat; a fault if `of_nothing` doublings did not lengthen the region,
    /// or an iteration is too short to do any work.
    fn verdict(&self, of_nothing: u32) -> Result<Calibrated, Fault> {
        let share = self.fixed_s() / self.long.elapsed_s;
        // A busy machine takes ranks off their processors: regions that differ among themselves by half prove nothing.
        let is_proof = of_nothing == DOUBLINGS_OF_NOTHING && self.noise() < LINEAR_BROKEN;
        let impossible = self.long.elapsed_s < 2.0 * self.loops as f64 * ITERATION_MIN_S;
        if impossible || (is_proof && (self.per_loop_s() < ITERATION_MIN_S || share > LINEAR_BROKEN)) {
            return Err(optimised_away(2 * self.loops, self.long.elapsed_s));
        }
        let caveat = (share.abs() > NOTABLE).then(|| caveat::not_linear(self.loops, share));
        Ok(Calibrated { loops: self.loops, caveats: caveat.into_iter().collect() })
    }
}

fn optimised_away(loops: u64, elapsed_s: f64) -> Fault {
    Fault::Broken(format!(
        "{loops} iterations took {elapsed_s:.3e} s whatever their number: the operation was optimised away or its time is not linear; \
         make the result used (std::hint::black_box)"
    ))
}

/// The fastest of a few undisturbed regions of one length; of all of them where none was undisturbed.
struct Fastest {
    elapsed_s: f64,
    /// How far the middle one lies above it, relative to it.
    spread: f64,
    /// Undisturbed regions.
    clean: usize,
    /// Whether no time is left for further ones.
    is_late: bool,
}

impl Fastest {
    fn of(loops: u64, region: &mut Region<'_>) -> Result<Self, Fault> {
        let probes = (0..REGIONS).map(|_| region(loops)).collect::<Result<Vec<Probe>, Fault>>()?;
        let clean = probes.iter().filter(|probe| !probe.disturbed).count();
        let counts = |probe: &&Probe| !probe.disturbed || clean == 0;
        let mut times: Vec<f64> = probes.iter().filter(counts).map(|probe| probe.elapsed_s).collect();
        times.sort_numbers();
        let is_late = probes.iter().any(|probe| probe.is_late);
        Ok(Self { elapsed_s: times[0], spread: times[times.len() / 2] / times[0] - 1.0, clean, is_late })
    }
}
