//! `[measure]` of a kernel for a device.

use paw_data::document::whole;
use paw_foreign::device::HostKind;
use paw_measure::method::NAMES;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use super::super::measure::{metas, reps};

/// The state of the device's caches when a launch begins, and how launches follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceCache {
    /// Empty of the arrays: a buffer larger than the last cache is written before each launch, and each launch is timed alone.
    Cold,
    /// As the last launch left them: launches are queued one behind the other.
    Warm,
}

impl DeviceCache {
    /// Its name in a spec.
    pub const fn name(self) -> &'static str {
        match self {
            DeviceCache::Cold => "cold",
            DeviceCache::Warm => "warm",
        }
    }
}

/// What a sample's time includes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Include {
    /// The launch alone.
    #[serde(rename = "kernel")]
    Kernel,
    /// The copies of inputs, the launch, and the copies of answers.
    #[serde(rename = "kernel+transfer")]
    Transfer,
}

/// How a kernel is measured on a device.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DeviceMeasure {
    /// Warm-up launches after each allocation, not timed.
    #[serde(deserialize_with = "whole::<0, _>")]
    pub warmup: u64,
    /// Launches of a sample; if absent, as many as make it long enough.
    #[serde(deserialize_with = "reps")]
    pub reps: Option<u64>,
    /// Samples, if their number is fixed.
    #[serde(deserialize_with = "some_metas")]
    pub metas: Option<u32>,
    /// Name of the method.
    #[serde(deserialize_with = "method")]
    pub method: String,
    /// The states of the caches to measure; two are interleaved alternatives.
    #[serde(deserialize_with = "caches")]
    pub cache: Vec<DeviceCache>,
    /// What a sample's time includes.
    pub include: Include,
    /// The kind of the host's memory for copies.
    #[serde(deserialize_with = "host")]
    pub host: HostKind,
    /// Seed of the random data.
    #[serde(deserialize_with = "whole::<0, _>")]
    pub seed: u64,
}

impl Default for DeviceMeasure {
    /// The k-best method, both states of the caches, and page-locked memory, which programs with transfers use.
    fn default() -> Self {
        Self {
            warmup: 3,
            reps: None,
            metas: None,
            method: "kbest".to_owned(),
            cache: vec![DeviceCache::Cold, DeviceCache::Warm],
            include: Include::Kernel,
            host: HostKind::Pinned,
            seed: 0,
        }
    }
}

fn some_metas<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    metas(deserializer).map(Some)
}

fn method<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let name = String::deserialize(deserializer)?;
    if NAMES.contains(&name.as_str()) { Ok(name) } else { Err(D::Error::unknown_variant(&name, NAMES)) }
}

fn caches<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<DeviceCache>, D::Error> {
    match String::deserialize(deserializer)?.as_str() {
        "cold" => Ok(vec![DeviceCache::Cold]),
        "warm" => Ok(vec![DeviceCache::Warm]),
        "both" => Ok(vec![DeviceCache::Cold, DeviceCache::Warm]),
        other => Err(D::Error::unknown_variant(other, &["cold", "warm", "both"])),
    }
}

fn host<'de, D: Deserializer<'de>>(deserializer: D) -> Result<HostKind, D::Error> {
    match String::deserialize(deserializer)?.as_str() {
        "pageable" => Ok(HostKind::Pageable),
        "pinned" => Ok(HostKind::Pinned),
        "registered" => Ok(HostKind::Registered),
        other => Err(D::Error::unknown_variant(other, &["pageable", "pinned", "registered"])),
    }
}
