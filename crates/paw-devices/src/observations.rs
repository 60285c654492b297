//! Observations of devices while they are timed: states, and impossible times.

use std::collections::BTreeSet;

use paw_data::outcome::Caveat;
use paw_foreign::device::{Device, DeviceState, PcieLink};

use crate::caveat;
use crate::region::Region;
use crate::timing::Measured;
use crate::unit_clock::SlowedUnits;

/// Smallest overlap of devices in a good sample.
const OVERLAP_MIN: f64 = 0.5;
/// Largest share of samples with less overlap; more is a caveat.
const APART_MAX: f64 = 0.1;

/// Observations over all samples of a cell.
#[derive(Debug, Clone, Default)]
pub struct Observations {
    samples: u32,
    absurd: u32,
    example: Option<Region>,
    gate_timed_out: bool,
    apart: u32,
    throttled: BTreeSet<String>,
    slowest: Option<SlowedUnits>,
    links: Vec<Option<PcieLink>>,
}

impl Observations {
    /// Counts what is doubtful in a sample.
    pub fn sample(&mut self, measured: &Measured) {
        self.samples += 1;
        self.absurd += u32::from(measured.absurd.is_some());
        self.example = self.example.or(measured.absurd);
        self.gate_timed_out |= measured.gate_timed_out;
    }

    /// Counts a sample of several devices by their overlap.
    pub fn overlap(&mut self, overlap: f64) {
        self.samples += 1;
        self.apart += u32::from(overlap < OVERLAP_MIN);
    }

    /// Reads behind a sample what the devices say of their links, and of what holds their clocks down. Clock, power and temperature are not
    /// read here: what a driver says of them lags behind a short sample ([`crate::unit_clock`], [`crate::watched`]).
    /// What held a clock down before lingers in what a driver says: where units counted their clock in the sample (`counted_hz`, device by
    /// device, or empty), only a low one has reasons.
    pub fn look(&mut self, devices: &[Device], counted_hz: &[Option<f64>]) {
        let states: Vec<DeviceState> = devices.iter().map(Device::state).collect();
        for (place, (device, state)) in devices.iter().zip(&states).enumerate() {
            let counted_hz = counted_hz.get(place).copied().flatten();
            let slowed = SlowedUnits::of(counted_hz, device.facts().clock_hz);
            let reasons = state.throttled.as_deref().unwrap_or_default();
            if !reasons.is_empty() && (counted_hz.is_none() || slowed.is_some()) {
                self.throttled.extend(reasons.iter().cloned());
                let is_slowest = |own: SlowedUnits| self.slowest.is_none_or(|slowest| own.ran_hz < slowest.ran_hz);
                self.slowest = slowed.filter(|own| is_slowest(*own)).or(self.slowest);
            }
        }
        self.links.resize(states.len(), None);
        for (best, now) in self.links.iter_mut().zip(states.iter().map(|state| state.link)) {
            // An idle link is slowed down between samples: the fastest state counts.
            let speed = |link: &PcieLink| (link.generation, link.lanes);
            *best = best.iter().copied().chain(now).max_by_key(speed);
        }
    }

    /// Caveats of the cell; those of links only where `crosses_link`.
    pub fn caveats(&self, devices: &[Device], crosses_link: bool) -> Vec<Caveat> {
        let mut caveats = Vec::new();
        caveats.extend(self.example.map(|example| caveat::absurd(self.absurd, self.samples, example)));
        caveats.extend(self.gate_timed_out.then(caveat::gate_timed_out));
        let often = f64::from(self.apart) > APART_MAX * f64::from(self.samples);
        caveats.extend(often.then(|| caveat::little_overlap(self.apart, self.samples)));
        caveats.extend(caveat::throttled(&self.throttled.iter().cloned().collect::<Vec<_>>(), self.slowest));
        if crosses_link {
            caveats.extend(devices.iter().filter_map(|device| caveat::unified(device.facts())));
            let links = devices.iter().zip(&self.links);
            caveats.extend(links.filter_map(|(device, link)| caveat::narrow(&device.facts().id(), (*link)?)));
        }
        caveats
    }
}
