//! A recorded stream of counts, which takes the place of a processor's counters.

use std::collections::BTreeMap;
use std::path::Path;

use paw_data::counters::{Counters, Source};
use paw_data::document::Document;
use paw_perf::counting::{Count, EventReading};
use paw_perf::group::Group;
use paw_perf::processor::Processor;
use serde::Deserialize;

use crate::counter_groups::GroupHere;
use crate::counter_record::{self, Context};
use crate::failure::Failure;

/// A file of readings, in the order in which they are counted.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// The microarchitecture: `skylake`.
    processor: String,
    #[serde(default)]
    nominal_hz: Option<f64>,
    #[serde(default, rename = "reading")]
    readings: Vec<Reading>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Reading {
    calls: f64,
    seconds: f64,
    /// Seconds on a counter, where fewer than `seconds`.
    #[serde(default)]
    running_s: Option<f64>,
    counts: BTreeMap<String, f64>,
    /// Events that were refused, and why.
    #[serde(default)]
    refused: BTreeMap<String, String>,
}

/// A recorded stream, read from the front.
#[derive(Debug)]
pub struct Recorded {
    name: String,
    file: File,
    at: usize,
}

impl Recorded {
    /// The stream of the file at `path`.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let file =
            Document::read(path, |document| document.parse()).map_err(|error| Failure::usage(error.to_string()))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { name, file, at: 0 })
    }

    /// The processor that it was recorded on.
    pub fn processor(&self) -> Processor {
        Processor::named(&self.file.processor)
    }

    /// The next reading, as counts of `group`.
    pub fn next(&mut self, group: &Group, here: &GroupHere, iterations: f64) -> Result<Counters, String> {
        let reading = self.file.readings.get(self.at);
        let reading = reading.ok_or_else(|| format!("{} has {} readings only", self.name, self.file.readings.len()))?;
        self.at += 1;
        let context = Context::of(group, here, self.file.nominal_hz).taken_from(Source::Recorded, &self.name);
        let mut counters = counter_record::of_calls(&context, &no_note(), iterations);
        let reads = |name: &String, text: &String| {
            let refused = || reading.refused.get(name).cloned().unwrap_or_else(|| "it was not recorded".to_owned());
            let running_s = reading.running_s.unwrap_or(reading.seconds);
            let count = |count: &f64| Count { count: *count, enabled_s: reading.seconds, running_s };
            let count = reading.counts.get(name).map(count).ok_or_else(refused);
            EventReading { name: name.clone(), text: text.clone(), count }
        };
        let readings: Vec<EventReading> = here.table.events.iter().map(|(name, text)| reads(name, text)).collect();
        counters.events.iter_mut().for_each(|event| event.why = None);
        counter_record::add(&mut counters, reading.calls, reading.seconds, &readings);
        Ok(counters)
    }
}

fn no_note() -> paw_kernels::job::CountNote {
    paw_kernels::job::CountNote { repetitions: Vec::new(), notes: Vec::new() }
}
