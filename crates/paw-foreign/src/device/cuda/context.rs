//! A CUDA device: its context, and its links.
#![allow(unsafe_code)]

use std::sync::OnceLock;

use super::nvml::links::Links;
use crate::device::gpu::Gpu;
use crate::device::gpu::calls::Opaque;

/// A CUDA device.
pub(super) type Cuda = Gpu<Nvidia>;

/// What a CUDA device has beside what both interfaces have.
pub(super) struct Nvidia {
    /// Its primary context.
    pub(super) context: Opaque,
    /// Its links beside PCIe, where NVML is here; asked for when first needed.
    pub(super) links: OnceLock<Option<Links>>,
}

// SAFETY: the context is the driver's, whose functions may be called by any thread.
unsafe impl Send for Nvidia {}
// SAFETY: as above.
unsafe impl Sync for Nvidia {}
