//! Providers of this machine, by name.

use std::path::{Path, PathBuf};

use crate::device_set::DeviceSet;

/// Name of paw's own code among BLAS providers.
pub const EMBEDDED: &str = "embedded";
/// Name of paw's own code in benchmarks without other providers.
pub const NATIVE: &str = "native";

/// A provider: paw's own code, a library, or devices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provider {
    /// Name in tables and in the run.
    pub name: String,
    /// The library; `None` for paw's own code and for devices.
    pub library: Option<PathBuf>,
    /// The devices that do the work, if any.
    pub devices: Option<DeviceSet>,
}

/// A provider that is present, or one that was asked for and is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolved {
    /// The provider can be started.
    Here(Provider),
    /// The provider's name is known, but it is not on this machine.
    Missing {
        /// Its name.
        name: String,
        /// One sentence: the missing part, and a hint.
        why: String,
    },
}

impl Resolved {
    /// Name in tables and in the run.
    pub fn name(&self) -> &str {
        match self {
            Resolved::Here(provider) => &provider.name,
            Resolved::Missing { name, .. } => name,
        }
    }

    /// The devices that do the work, if any.
    pub fn devices(&self) -> Option<&DeviceSet> {
        match self {
            Resolved::Here(provider) => provider.devices.as_ref(),
            Resolved::Missing { .. } => None,
        }
    }
}

impl Provider {
    /// paw's own code, in benchmarks without other providers.
    pub fn native() -> Self {
        Self { name: NATIVE.to_owned(), library: None, devices: None }
    }

    /// The embedded BLAS.
    pub fn embedded() -> Self {
        Self { name: EMBEDDED.to_owned(), library: None, devices: None }
    }

    /// One device, or several that work together.
    pub fn devices(set: DeviceSet) -> Self {
        Self { name: set.to_string(), library: None, devices: Some(set) }
    }

    /// The library at `path`.
    pub fn library(name: String, path: &Path) -> Self {
        Self { name, library: Some(path.to_owned()), devices: None }
    }
}
