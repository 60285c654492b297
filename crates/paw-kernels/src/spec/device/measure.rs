//! How a kernel is measured on a device: `[measure]`.

use paw_data::document::whole;
use paw_foreign::device::HostKind;
use paw_measure::method::NAMES;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use super::super::measure::{metas, reps};

/// What the device's caches hold when a launch begins, and how launches follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceCache {
    /// Nothing of the arrays: more than the last cache holds is written before each launch, and each is timed alone.
    Cold,
    /// What the last launch left: launches are queued one behind the other.
    Warm,
}

impl DeviceCache {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            DeviceCache::Cold => "cold",
            DeviceCache::Warm => "warm",
        }
    }
}

/// What the time holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Include {
    /// The launch alone.
    #[serde(rename = "kernel")]
    Kernel,
    /// Inputs copied in, the launch, answers copied out.
    #[serde(rename = "kernel+transfer")]
    Transfer,
}

/// How a kernel is measured on a device.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DeviceMeasure {
    /// Launches after each preparation that warm up.
    #[serde(deserialize_with = "whole::<0, _>")]
    pub warmup: u64,
    /// Launches of a sample; found by its length if absent.
    #[serde(deserialize_with = "reps")]
    pub reps: Option<u64>,
    /// Samples, if their number is fixed.
    #[serde(deserialize_with = "some_metas")]
    pub metas: Option<u32>,
    /// Name of the method.
    #[serde(deserialize_with = "method")]
    pub method: String,
    /// What the caches hold; both are alternatives that are interleaved.
    #[serde(deserialize_with = "caches")]
    pub cache: Vec<DeviceCache>,
    /// What the time holds.
    pub include: Include,
    /// Memory of the host that is copied from and to.
    #[serde(deserialize_with = "host")]
    pub host: HostKind,
    /// Seed of the random data.
    #[serde(deserialize_with = "whole::<0, _>")]
    pub seed: u64,
}

impl Default for DeviceMeasure {
    /// The method of the k best; both states of the caches; page-locked memory, as code has that cares for transfers.
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
