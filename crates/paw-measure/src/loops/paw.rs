//! NLOOP as PAW has it: from NLOOP_MAX at the first size, shrinking as sizes grow.
//!
//! The guide asks for regions of at least ten clock overheads; the code of releases 1.0 to 1.6 steers between 100 and 1000 of them.

use paw_data::method::LoopRule;

use super::{LadderState, Region};
use crate::fault::Fault;

/// A first size whose NLOOP_MAX iterations would pass a second is not where PAW's ladders begin (at the smallest);
/// there NLOOP shrinks before the first repetition instead of after the last.
const FIRST_REGION_MAX_S: f64 = 1.0;

/// Only a probe of this many seconds says that iterations are so slow: a few of them may begin with cold caches, a connection that is made,
/// or a time slice of somebody else, and NLOOP never rises again.
const TELLING_S: f64 = 0.1;

/// How much longer each probe is than the last.
const PROBE_GROWTH: u64 = 8;

/// Steps of raising; each reaches the threshold on a linear workload, the rest is for coarse clocks.
const RAISES: u32 = 16;

/// The limits NLOOP moves in.
#[derive(Debug, Clone, Copy)]
pub struct LoopBounds {
    loops_max: u64,
    loops_min: u64,
    /// Regions shorter than this raise NLOOP, in seconds.
    low_s: f64,
    /// Regions longer than this shrink NLOOP for the next size, in seconds.
    high_s: f64,
    raise: Raise,
    round: fn(f64) -> f64,
}

/// When a short region raises NLOOP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Raise {
    /// At every size, until the region is long enough.
    UntilLong,
    /// At the first size, once, in proportion.
    OnceAtFirst,
}

impl LoopBounds {
    /// The guide's: a region lasts at least `low_s` seconds (ten overheads) at every size; after each size it is cut to `high_s`.
    /// Iterations are rounded up, so that a region is never under the threshold.
    pub fn guide(loops_max: u64, loops_min: u64, low_s: f64, high_s: f64) -> Self {
        Self { loops_max, loops_min, low_s, high_s: high_s.max(low_s), raise: Raise::UntilLong, round: f64::ceil }
    }

    /// The code's: at the first size NLOOP is raised to reach `low_s` seconds (100 overheads), after each size it is cut to `high_s` (1000).
    /// Iterations are truncated, as the code's conversion to an integer does.
    pub fn code(loops_max: u64, loops_min: u64, low_s: f64, high_s: f64) -> Self {
        Self { loops_max, loops_min, low_s, high_s, raise: Raise::OnceAtFirst, round: f64::trunc }
    }

    /// NLOOP for the size after one whose fastest iteration took `ladder.per_loop_s`: only ever fewer, never under NLOOP_MIN.
    fn shrunk(&self, ladder: LadderState) -> u64 {
        let region_s = ladder.loops as f64 * ladder.per_loop_s;
        if region_s <= self.high_s {
            return ladder.loops.max(self.loops_min);
        }
        let enough = (self.round)(self.high_s / ladder.per_loop_s) as u64;
        enough.min(ladder.loops).max(self.loops_min)
    }
}

/// NLOOP for this size.
pub fn calibrate(bounds: &LoopBounds, ladder: Option<LadderState>, region: &mut Region<'_>) -> Result<u64, Fault> {
    let loops = match ladder {
        Some(ladder) => bounds.shrunk(ladder),
        None => first(bounds, region)?,
    };
    match (bounds.raise, ladder) {
        (Raise::UntilLong, _) => raised(bounds, loops, RAISES, region),
        (Raise::OnceAtFirst, None) => raised(bounds, loops, 1, region),
        (Raise::OnceAtFirst, Some(_)) => Ok(loops),
    }
}

/// NLOOP_MAX, unless its region would be absurdly long.
fn first(bounds: &LoopBounds, region: &mut Region<'_>) -> Result<u64, Fault> {
    let loops = bounds.loops_max;
    let mut probed = bounds.loops_min;
    loop {
        let elapsed_s = region(probed)?.elapsed_s;
        let per_loop_s = elapsed_s / probed as f64;
        if probed >= loops || loops as f64 * per_loop_s <= FIRST_REGION_MAX_S {
            return Ok(loops);
        }
        if elapsed_s >= TELLING_S {
            return Ok(bounds.shrunk(LadderState { loops, per_loop_s }));
        }
        probed = probed.saturating_mul(PROBE_GROWTH).min(loops);
    }
}

/// `rule` where PAW halves the time of an iteration, or takes another part of it (`share`), before it holds the time against its
/// ceiling: of a ping-pong it counts one way. A region is then longer by as much.
pub fn of_share(rule: LoopRule, share: f64) -> LoopRule {
    match rule {
        LoopRule::Guide { loops_max, loops_min, overheads, overheads_high } => {
            let overheads_high = overheads_high.map(|most| most / share);
            LoopRule::Guide { loops_max, loops_min, overheads, overheads_high }
        }
        LoopRule::Code { loops_max, loops_min, overheads_low, overheads_high } => {
            LoopRule::Code { loops_max, loops_min, overheads_low, overheads_high: overheads_high / share }
        }
        LoopRule::Fixed(_) | LoopRule::Floor { .. } => rule,
    }
}

/// Raises `loops` until a region lasts the lower threshold, in a limited number of steps.
fn raised(bounds: &LoopBounds, mut loops: u64, steps: u32, region: &mut Region<'_>) -> Result<u64, Fault> {
    for _ in 0..steps {
        let elapsed_s = region(loops)?.elapsed_s;
        if elapsed_s >= bounds.low_s {
            break;
        }
        // A clock too coarse to see the region at all says nothing about the factor.
        let factor = if elapsed_s > 0.0 { bounds.low_s / elapsed_s } else { 10.0 };
        let next = (bounds.round)(loops as f64 * factor) as u64;
        if next <= loops {
            break;
        }
        loops = next;
    }
    Ok(loops)
}
