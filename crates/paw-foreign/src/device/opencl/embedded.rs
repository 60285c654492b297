//! Kernels in OpenCL C that paw brings along, built when the first of them is wanted.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::context::Context;
use super::objects::DeviceId;
use super::programs::{Kernel, Program};
use crate::device::error::DeviceError;
use crate::device::program::{Builtin, FmaKind, Source};

/// The type that REAL stands for in the text of the kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Precision {
    /// `double`.
    Double,
    /// `float`.
    Single,
}

/// Elements that a work-item of that kernel loads before it uses the first: four vectors of 16 bytes.
pub(in crate::device) fn elements_per_thread(which: Builtin, has_fp64: bool) -> u64 {
    let of = |bytes: usize| (4 * 16 / bytes) as u64;
    match which {
        Builtin::Empty | Builtin::Chase | Builtin::Update | Builtin::Cycles | Builtin::Fma(_) | Builtin::Matrix(_) => 1,
        Builtin::Intensity(kind) => of(FmaKind::bytes(kind)),
        Builtin::Copy | Builtin::Scale | Builtin::Add | Builtin::Triad => of(Builtin::element_bytes(has_fp64)),
    }
}

/// An embedded program for one device and one type.
pub(super) struct EmbeddedProgram {
    text: &'static str,
    program: OnceLock<Result<Program, DeviceError>>,
    // Each kernel is made once: the cost of making one would show in a sample.
    kernels: Mutex<HashMap<String, Arc<Kernel>>>,
}

impl EmbeddedProgram {
    /// A program of that text; nothing is built yet.
    pub(super) fn new(text: &'static str) -> Self {
        Self { text, program: OnceLock::new(), kernels: Mutex::default() }
    }

    /// The kernel called `name`, for `device`. `real` is the same in every call.
    pub(super) fn kernel(
        &self,
        context: &Context,
        device: DeviceId,
        real: Precision,
        name: &str,
    ) -> Result<Arc<Kernel>, DeviceError> {
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = kernels.get(name) {
            return Ok(Arc::clone(kernel));
        }
        let build = || Program::build(context, device, &self.source(real)).map(|(program, _)| program);
        let program = self.program.get_or_init(build).as_ref().map_err(Clone::clone)?;
        let kernel = Arc::new(program.kernel(name)?);
        kernels.insert(name.to_owned(), Arc::clone(&kernel));
        Ok(kernel)
    }

    fn source(&self, real: Precision) -> Source {
        let options: &[&str] = match real {
            Precision::Double => &["-DREAL=double", "-DFP64"],
            Precision::Single => &["-DREAL=float"],
        };
        let options = options.iter().map(|&option| option.to_owned()).collect();
        Source { text: self.text.to_owned(), name: "paw.cl".to_owned(), options, ..Source::default() }
    }
}
