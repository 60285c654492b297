//! The error of a short region, measured: its time per iteration against that of a long region.

use paw_data::run::Instrument;

use super::Region;
use super::floor;
use crate::fault::Fault;

/// Regions of each length that are timed; the fastest counts.
const TAKEN: u32 = 3;
/// A region of fewer clock readings is short: the clock's share in it may pass a fifth of a per cent.
const SHORT_READINGS: f64 = 500.0;
/// Clock readings of the long region.
const LONG_READINGS: f64 = 1000.0;
/// A smaller excess is not reported: the default method accepts as much.
const EXCESS_MIN: f64 = 0.01;

/// How much too high a short region reads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Excess {
    /// Seconds of the short region.
    pub short_s: f64,
    /// Seconds of the long region.
    pub long_s: f64,
    /// The short region's time per iteration ÷ the long one's, less 1.
    pub share: f64,
}

/// Times regions of `loops` iterations and long ones; `None` if the former are not short, or read less than 1 % too high.
pub fn excess(loops: u64, instrument: &Instrument, region: &mut Region<'_>) -> Result<Option<Excess>, Fault> {
    let [enough_s, long_s] = [SHORT_READINGS, LONG_READINGS].map(|readings| floor::target_s(readings, 0.0, instrument));
    let short_s = fastest_s(loops, region)?;
    if short_s >= enough_s || short_s <= 0.0 {
        return Ok(None);
    }
    let times = (long_s / short_s).ceil();
    let long_s = fastest_s(loops.saturating_mul(times as u64), region)?;
    let share = short_s * times / long_s - 1.0;
    Ok((share >= EXCESS_MIN).then_some(Excess { short_s, long_s, share }))
}

fn fastest_s(loops: u64, region: &mut Region<'_>) -> Result<f64, Fault> {
    (0..TAKEN).try_fold(f64::INFINITY, |fastest, _| Ok(fastest.min(region(loops)?.elapsed_s)))
}
