//! The roofs that a run measured: the peak of each instruction set, and the bandwidth of each cache and of memory.

use paw_data::axis;
use paw_data::cell::{Cell, Role};
use paw_data::headline::Family;
use paw_data::kernel;
use paw_data::machine::Identity;
use paw_data::precision::Precision;
use paw_data::quantity::Quantity;
use paw_sort::OrderBy;

use crate::latency::data_caches;
use crate::reading::Reading;

/// The name of memory among the slopes.
pub const MEMORY: &str = "memory";

/// A roof: its name, and operations or bytes per second.
#[derive(Debug, Clone, PartialEq)]
pub struct Roof {
    /// `AVX-512`, `scalar` of a peak; `L1`, `memory` of a bandwidth.
    pub name: String,
    /// Operations per second of a peak, bytes per second of a bandwidth.
    pub rate: f64,
    /// `fair` or `poor` where the number is; else empty.
    pub doubt: &'static str,
}

/// The roofs at one number of threads.
#[derive(Debug, Clone, PartialEq)]
pub struct Roofs {
    /// Number of threads, if the run says.
    pub threads: Option<i64>,
    /// Peaks, the highest first.
    pub peaks: Vec<Roof>,
    /// Bandwidths, the highest first.
    pub slopes: Vec<Roof>,
}

impl Roofs {
    /// The roofs among `readings` of a machine of `identity`, a set for each number of threads that has a peak and a bandwidth, fewest
    /// threads first. Peaks are of `precision`, or of cells that state none.
    pub fn of<'r>(
        readings: impl Iterator<Item = &'r Reading<'r>>,
        identity: &Identity,
        precision: Precision,
    ) -> Vec<Self> {
        let mut all = Self::in_part(readings, identity, precision);
        all.retain(|roofs| !roofs.peaks.is_empty() && !roofs.slopes.is_empty());
        all
    }

    /// As [`Roofs::of`], with the sets that have a peak and no bandwidth, or a bandwidth and no peak.
    pub fn in_part<'r>(
        readings: impl Iterator<Item = &'r Reading<'r>>,
        identity: &Identity,
        precision: Precision,
    ) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for reading in readings {
            let (cell, Some(value)) = (&reading.record.cell, reading.value) else { continue };
            let peak = peak_name(cell, precision);
            let Some(name) = peak.clone().or_else(|| slope_name(cell, identity)) else { continue };
            let threads = reading.participants();
            let place = all.iter().position(|roofs| roofs.threads == threads).unwrap_or_else(|| {
                all.push(Self { threads, peaks: Vec::new(), slopes: Vec::new() });
                all.len() - 1
            });
            let roofs = if peak.is_some() { &mut all[place].peaks } else { &mut all[place].slopes };
            keep(roofs, Roof { name, rate: value.middle, doubt: reading.grade.doubt() });
        }
        all.order_by_key(|roofs| roofs.threads);
        for roofs in &mut all {
            roofs.peaks.order_by(|a, b| b.rate.total_cmp(&a.rate));
            roofs.slopes.order_by(|a, b| b.rate.total_cmp(&a.rate));
        }
        all
    }

    /// The highest peak, in operations per second.
    pub fn peak(&self) -> f64 {
        self.peaks.first().map_or(0.0, |roof| roof.rate)
    }

    /// The bandwidth of memory in bytes per second; that of the lowest slope if memory's was not measured.
    pub fn memory(&self) -> f64 {
        let memory = self.slopes.iter().find(|roof| roof.name == MEMORY);
        memory.or(self.slopes.last()).map_or(0.0, |roof| roof.rate)
    }

    /// The lowest roof over a figure of `intensity` operations per byte whose data come from `level`: its bandwidth times the intensity, or
    /// the highest peak if that is lower, which it is wherever memory alone would reach it. `None` if the level's bandwidth was not measured.
    pub fn lowest(&self, level: &str, intensity: f64) -> Option<Roof> {
        let peak = self.peaks.first()?;
        let suffices = |memory: &&Roof| memory.rate * intensity >= peak.rate;
        let slope = self.slope(level).or_else(|| self.slope(MEMORY).filter(suffices))?;
        let under = slope.rate * intensity;
        Some(if under < peak.rate {
            Roof { name: format!("{} bandwidth", slope.name), rate: under, doubt: slope.doubt }
        } else {
            Roof { name: format!("{} peak", peak.name), ..peak.clone() }
        })
    }

    /// The bandwidth called `name`.
    pub fn slope(&self, name: &str) -> Option<&Roof> {
        self.slopes.iter().find(|roof| roof.name == name)
    }
}

/// Keeps the higher of two roofs of the same name.
fn keep(roofs: &mut Vec<Roof>, new: Roof) {
    match roofs.iter_mut().find(|roof| roof.name == new.name) {
        Some(roof) if new.rate > roof.rate => *roof = new,
        Some(_) => {}
        None => roofs.push(new),
    }
}

/// Whether a cell counts operations of `precision`, or does not state which.
pub fn may_be(cell: &Cell, precision: Precision) -> bool {
    cell.precision().is_none_or(|own| own == precision)
}

/// The name of the peak that a cell measures, if it measures one of `precision`.
fn peak_name(cell: &Cell, precision: Precision) -> Option<String> {
    let measures = || cell.role == Role::Peak || cell.family() == Some(Family::Peak);
    let is_peak = cell.headline == Quantity::Flops && measures() && may_be(cell, precision);
    is_peak.then(|| cell.point.text(axis::ISA).map_or_else(|| "peak".to_owned(), instruction_set))
}

/// `AVX-512`, as processors' manuals write it.
fn instruction_set(name: &str) -> String {
    match name {
        "avx512" => "AVX-512".to_owned(),
        "scalar" => "scalar".to_owned(),
        other => other.to_uppercase(),
    }
}

/// The name of the slope that a cell measures: the cache that holds its data, or memory. `None` where it measures no bandwidth, or its data
/// may lie in several levels.
fn slope_name(cell: &Cell, identity: &Identity) -> Option<String> {
    let measures = || cell.role == Role::Bandwidth || cell.family() == Some(Family::Memory);
    if cell.headline != Quantity::Bytes || cell.suite == kernel::SUITE || !measures() {
        return None;
    }
    let caches = data_caches(identity);
    let bytes = cell.point.float(axis::BYTES);
    // Threads that go through data of their own state the bytes of one thread.
    if cell.point.text(axis::PATTERN).is_some() {
        let bytes = bytes?;
        return caches.iter().find(|cache| bytes <= cache.size_bytes as f64).map(|cache| format!("L{}", cache.level));
    }
    let all: f64 = caches.last().map_or(0.0, |cache| cache.size_bytes as f64 * f64::from(cache.instances.max(1)));
    bytes.is_none_or(|bytes| bytes > all).then(|| MEMORY.to_owned())
}
