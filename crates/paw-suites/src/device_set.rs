//! Devices of one back-end that work together.

use std::fmt;

use paw_foreign::device::Backend;
use serde::{Deserialize, Serialize};

/// Devices of one back-end that are measured together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceSet {
    /// The back-end.
    pub backend: Backend,
    /// Numbers of the devices in that back-end, ascending.
    pub indexes: Vec<u32>,
}

impl DeviceSet {
    /// The numbers as PAW writes them: `0+1`.
    pub fn numbers(&self) -> String {
        let numbers: Vec<String> = self.indexes.iter().map(u32::to_string).collect();
        numbers.join("+")
    }

    /// The stem of PAW's file names for these devices, from the stem for device 0: `mic0_…` becomes `mic0+1_…`, any other stem gets
    /// `_dev0+1` at its end unless the set is device 0 alone.
    pub(crate) fn stem(&self, stem: &str) -> String {
        match stem.strip_prefix("mic0_") {
            Some(rest) => format!("mic{}_{rest}", self.numbers()),
            None if self.indexes == [0] => stem.to_owned(),
            None => format!("{stem}_dev{}", self.numbers()),
        }
    }

    /// The set that a name such as `cuda0` or `opencl0+1` means; `cuda` alone is none, nor a device with itself.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let lower = name.to_ascii_lowercase();
        let backend = Backend::ALL.into_iter().find(|backend| lower.starts_with(backend.name()))?;
        let numbers = lower[backend.name().len()..].split('+').map(|number| number.parse().ok());
        let mut indexes: Vec<u32> = numbers.collect::<Option<_>>()?;
        let named = indexes.len();
        indexes.sort_unstable();
        indexes.dedup();
        (indexes.len() == named).then_some(Self { backend, indexes })
    }
}

/// `cuda0+1`.
impl fmt::Display for DeviceSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.backend, self.numbers())
    }
}

/// Whether devices are measured at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceGrouping {
    /// Each device by itself.
    Alone,
    /// Each device by itself; several also in pairs and all at once.
    Several,
    /// Several at once, in pairs and all: one alone has nothing to measure.
    Together,
    /// All at once, and no other way.
    AtOnce,
    /// All of a back-end as one set, of which each point names two.
    Whole,
}

#[cfg(test)]
mod tests {
    use super::DeviceSet;

    #[test]
    fn a_set_has_each_device_once() {
        assert_eq!(DeviceSet::named("opencl1+0").map(|set| set.to_string()).as_deref(), Some("opencl0+1"));
        assert_eq!(DeviceSet::named("opencl0+0"), None);
    }
}
