//! Who can do the work on this machine, under which name.

use std::path::{Path, PathBuf};

use crate::device_set::DeviceSet;

/// Name of our own code among BLAS providers.
pub const EMBEDDED: &str = "embedded";
/// Name of our own code where nobody else can do the work.
pub const NATIVE: &str = "native";

/// Who does the work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provider {
    /// Name in tables and in the run.
    pub name: String,
    /// The library; `None` for our own code.
    pub library: Option<PathBuf>,
    /// The devices, where devices do the work.
    pub devices: Option<DeviceSet>,
}

/// A provider that is here, or one that was asked for and is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolved {
    /// It can be started.
    Here(Provider),
    /// It is known and not here.
    Missing {
        /// Its name.
        name: String,
        /// One sentence: what is missing, and the way out.
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

    /// The devices that do the work, where devices do.
    pub fn devices(&self) -> Option<&DeviceSet> {
        match self {
            Resolved::Here(provider) => provider.devices.as_ref(),
            Resolved::Missing { .. } => None,
        }
    }
}

impl Provider {
    /// Our own code, where nobody else can do the work.
    pub fn native() -> Self {
        Self { name: NATIVE.to_owned(), library: None, devices: None }
    }

    /// The embedded BLAS.
    pub fn embedded() -> Self {
        Self { name: EMBEDDED.to_owned(), library: None, devices: None }
    }

    /// Devices that work together, or one.
    pub fn devices(set: DeviceSet) -> Self {
        Self { name: set.to_string(), library: None, devices: Some(set) }
    }

    /// The library at `path`.
    pub fn library(name: String, path: &Path) -> Self {
        Self { name, library: Some(path.to_owned()), devices: None }
    }
}
