//! How many iterations a timed region holds.

use paw_data::method::LoopRule;
use paw_data::outcome::Caveat;
use paw_data::run::Instrument;

use crate::caveat;
use crate::fault::Fault;

pub mod floor;
pub mod paw;
pub mod short_region;

/// The loop count and speed of one step of a ladder, for the next step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LadderState {
    /// Iterations in the regions of the last point.
    pub loops: u64,
    /// Seconds of its fastest iteration.
    pub per_loop_s: f64,
}

/// A region timed while calibrating.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Probe {
    /// Seconds.
    pub elapsed_s: f64,
    /// Whether its disturbance exceeds the limits.
    pub disturbed: bool,
    /// Whether the calibration has used up its time by now, so long a region leaves none for samples, or it ended early: loops are not
    /// doubled further.
    pub is_late: bool,
}

/// Iterations found, with caveats.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibrated {
    /// Iterations a region holds.
    pub loops: u64,
    /// Reasons to trust the time of an iteration less.
    pub caveats: Vec<Caveat>,
}

impl Calibrated {
    fn plain(loops: u64) -> Self {
        Self { loops, caveats: Vec::new() }
    }
}

/// Times a region of this many iterations.
pub type Region<'a> = dyn FnMut(u64) -> Result<Probe, Fault> + 'a;

/// A disturbed probe is timed again this often at most, and all probes of a calibration together this often.
const RETAKES: u32 = 3;
const RETAKES_IN_ALL: u32 = 24;

/// A probe of this many seconds or more is not timed again: under a load it would be disturbed again.
const RETAKE_MAX_S: f64 = 1.0;

/// Once its retakes lasted this many seconds together, a calibration times no more: on a busy machine they would cost more than the
/// samples.
const RETAKES_S: f64 = 1.0;

/// A region that times a disturbed probe again; if every retake is disturbed, the shortest counts, marked as disturbed.
fn patient(region: &mut Region<'_>) -> impl FnMut(u64) -> Result<Probe, Fault> {
    let (mut left, mut left_s) = (RETAKES_IN_ALL, RETAKES_S);
    move |loops| {
        let mut best = region(loops)?;
        for _ in 0..RETAKES {
            if !best.disturbed || best.elapsed_s >= RETAKE_MAX_S || left == 0 || left_s <= 0.0 || best.is_late {
                break;
            }
            left -= 1;
            let again = region(loops)?;
            left_s -= again.elapsed_s;
            let is_late = again.is_late;
            if !again.disturbed || again.elapsed_s < best.elapsed_s {
                best = again;
            }
            best.is_late = is_late;
        }
        Ok(best)
    }
}

/// Finds the iterations a region holds under `rule`, on a clock such as `instrument`, timing regions as it needs.
pub fn calibrate(
    rule: &LoopRule,
    instrument: &Instrument,
    ladder: Option<LadderState>,
    region: &mut Region<'_>,
) -> Result<Calibrated, Fault> {
    let region = &mut patient(region);
    match *rule {
        LoopRule::Fixed(loops) => Ok(Calibrated::plain(loops.max(1))),
        LoopRule::Floor { overheads, floor_s } => {
            let target_s = floor::target_s(overheads, floor_s, instrument);
            floor::calibrate(target_s, ladder, region)
        }
        LoopRule::Guide { loops_max, loops_min, overheads, overheads_high } => {
            let [low, high] = [overheads, overheads_high.unwrap_or(overheads)].map(|n| n * instrument.overhead_s);
            let bounds = paw::LoopBounds::guide(loops_max, loops_min, low, high);
            as_paw("paw", &bounds, instrument, ladder, region)
        }
        LoopRule::Code { loops_max, loops_min, overheads_low, overheads_high } => {
            let [low, high] = [overheads_low, overheads_high].map(|n| n * instrument.overhead_s);
            let bounds = paw::LoopBounds::code(loops_max, loops_min, low, high);
            as_paw("paw16", &bounds, instrument, ladder, region)
        }
    }
}

/// NLOOP by PAW's method `name`, with the error of its short regions as a caveat.
fn as_paw(
    name: &str,
    bounds: &paw::LoopBounds,
    instrument: &Instrument,
    ladder: Option<LadderState>,
    region: &mut Region<'_>,
) -> Result<Calibrated, Fault> {
    let loops = paw::calibrate(bounds, ladder, region)?;
    let excess = short_region::excess(loops, instrument, region)?;
    let caveats = excess.map(|found| caveat::paw_floor(name, [found.short_s, found.long_s], found.share));
    let caveats = caveats.into_iter().collect();
    Ok(Calibrated { loops, caveats })
}

#[cfg(test)]
mod tests {
    use super::{Probe, patient};

    /// How many regions of `elapsed_s` a calibration times for six probes, all of them disturbed.
    fn timed(elapsed_s: f64) -> u32 {
        let mut taken = 0;
        let mut region = |_| {
            taken += 1;
            Ok(Probe { elapsed_s, disturbed: true, is_late: false })
        };
        let mut patient = patient(&mut region);
        (0..6).for_each(|_| drop(patient(1)));
        drop(patient);
        taken
    }

    #[test]
    fn retakes_end_after_a_second_however_busy_the_machine() {
        assert_eq!([timed(1e-3), timed(0.4), timed(2.0)], [6 + 18, 6 + 3, 6]);
    }
}
