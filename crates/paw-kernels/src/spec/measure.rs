//! The tables `[measure]` and `[tolerance]` of a spec.

use paw_data::document::{non_negative, whole};
use paw_data::kernel::{Cache, Calls, Float, Restore, Tolerance};
use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// `[measure]`: how a kernel is measured.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Measure {
    /// Warm-up calls after each allocation, not timed.
    #[serde(deserialize_with = "whole::<0, _>")]
    pub warmup: u64,
    /// Seconds after which the warm-up ends though calls are left; `None` makes them all.
    #[serde(skip)]
    pub warmup_s: Option<f64>,
    /// Calls of a sample; if absent, as many as make it long enough.
    #[serde(deserialize_with = "reps")]
    pub reps: Option<u64>,
    /// Samples, each on fresh memory.
    #[serde(deserialize_with = "metas")]
    pub metas: u32,
    /// How calls follow each other.
    pub calls: Calls,
    /// The state of the caches when a call begins.
    pub cache: Cache,
    /// The floating-point environment.
    pub float: Float,
    /// When arrays that the function changes are restored; `None` refuses such functions.
    pub restore: Option<Restore>,
    /// Seed of the random data.
    #[serde(deserialize_with = "whole::<0, _>")]
    pub seed: u64,
}

impl Default for Measure {
    /// 31 samples, as the published protocol has; ten warm-up calls bring the data into the caches.
    fn default() -> Self {
        Self {
            warmup: 10,
            warmup_s: None,
            reps: None,
            metas: 31,
            calls: Calls::Throughput,
            cache: Cache::Warm,
            float: Float::AsLinked,
            restore: None,
            seed: 0,
        }
    }
}

/// Reads `reps`.
pub(super) fn reps<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    whole::<1, D>(deserializer).map(Some)
}

/// Reads `metas`.
pub(super) fn metas<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let number = whole::<1, D>(deserializer)?;
    u32::try_from(number).map_err(|_| D::Error::custom(format!("is {number}: at most {} are taken", u32::MAX)))
}

/// Reads `[tolerance]`.
pub(super) fn tolerance<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Tolerance, D::Error> {
    #[derive(Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Table {
        #[serde(deserialize_with = "non_negative")]
        relative: f64,
        #[serde(deserialize_with = "whole::<0, _>")]
        ulp: u64,
    }
    impl Default for Table {
        fn default() -> Self {
            let Tolerance { relative, ulp } = Tolerance::default();
            Self { relative, ulp }
        }
    }
    Table::deserialize(deserializer).map(|Table { relative, ulp }| Tolerance { relative, ulp })
}
