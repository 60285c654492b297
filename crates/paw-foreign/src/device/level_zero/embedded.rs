//! Kernels that paw brings along as SPIR-V, built when the first of them is wanted.
//!
//! `kernels/assemble.sh` makes the words from the OpenCL C that devices of OpenCL are given; `kernels/compute.py` has a device of OpenCL
//! compute with them, and compares the answers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::context::Context;
use super::modules::{Kernel, Module};
use super::objects::Handle;
use crate::device::error::{DeviceError, DeviceResult};

/// The words of `opencl/paw.cl`, in double and in single precision.
pub(super) const GIVEN: [&[u8]; 2] =
    [include_bytes!("kernels/paw-double.spv"), include_bytes!("kernels/paw-single.spv")];
/// The words of `opencl/fma.cl`, in double and in single precision.
pub(super) const ARITHMETIC: [&[u8]; 2] =
    [include_bytes!("kernels/fma-double.spv"), include_bytes!("kernels/fma-single.spv")];
/// The words of `opencl/fma.cl` with halves, and of `opencl/paw.cl` with atomic operations on 64 bits.
pub(super) const HALVES: &[u8] = include_bytes!("kernels/fma-half.spv");
pub(super) const ATOMICS: &[u8] = include_bytes!("kernels/paw-atomic.spv");
/// The words of `opencl/portable.cl`, in double and in single precision.
pub(super) const PORTABLE: [&[u8]; 2] =
    [include_bytes!("kernels/portable-double.spv"), include_bytes!("kernels/portable-single.spv")];

/// A module of embedded kernels for one device.
pub(super) struct EmbeddedModule {
    words: &'static [u8],
    module: OnceLock<DeviceResult<Arc<Module>>>,
    // Each kernel is made once: the cost of making one would show in a sample.
    kernels: Mutex<HashMap<String, Arc<Kernel>>>,
}

impl EmbeddedModule {
    /// A module of those words; nothing is built yet.
    pub(super) fn new(words: &'static [u8]) -> Self {
        Self { words, module: OnceLock::new(), kernels: Mutex::default() }
    }

    /// The kernel called `name`, for `device`.
    pub(super) fn kernel(&self, context: &Context, device: Handle, name: &str) -> DeviceResult<Arc<Kernel>> {
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = kernels.get(name) {
            return Ok(Arc::clone(kernel));
        }
        let build = || Module::build(context, device, self.words, "").map(|(module, _)| Arc::new(module));
        let module = self.module.get_or_init(build).as_ref().map_err(DeviceError::clone)?;
        let kernel = Arc::new(module.kernel(name)?);
        kernels.insert(name.to_owned(), Arc::clone(&kernel));
        Ok(kernel)
    }
}
