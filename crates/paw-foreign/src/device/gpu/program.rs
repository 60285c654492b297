//! Users' programs: compiled, loaded, inspected and launched.
#![allow(unsafe_code)]

use std::ffi::CString;

use super::calls::{Opaque, call};
use super::facts::attribute;
use super::objects::{Kernel, Program};
use super::{Gpu, Vendor};
use crate::device::error::{DeviceError, DeviceResult};
use crate::device::program::{Argument, Grid, KernelFacts, Source};
use crate::device::span::ObjectHandle;

/// `CU_FUNC_ATTRIBUTE_…`, `HIP_FUNC_ATTRIBUTE_…`.
const THREADS_MAX: i32 = 0;
const SHARED_BYTES: i32 = 1;
const LOCAL_BYTES: i32 = 3;
const REGISTERS: i32 = 4;
/// `CUDA_ERROR_NOT_FOUND`, `hipErrorNotFound`.
const NOT_FOUND: i64 = 500;

impl<V: Vendor> Gpu<V> {
    /// [`crate::device::Driver::compile`]
    pub(super) fn program(&self, source: &Source) -> DeviceResult<(ObjectHandle, String)> {
        let compiled = V::compiled(self, source)?;
        self.current()?;
        let module = self.load(&compiled.image)?;
        let program = Program { module, lowered: compiled.lowered.into() };
        Ok((self.programs.insert(program), compiled.log))
    }

    /// [`crate::device::Driver::program_free`]
    pub(super) fn program_drop(&self, program: ObjectHandle) -> DeviceResult {
        let kept = self.programs.remove(program)?;
        self.kernels.remove_all(|kernel| kernel.program == program);
        self.settle()?;
        call!(self.library, module_unload(kept.module))
    }

    /// [`crate::device::Driver::kernel`]
    pub(super) fn kernel_of(&self, program: ObjectHandle, name: &str) -> DeviceResult<ObjectHandle> {
        self.current()?;
        let kept = self.programs.at(program)?;
        let lowered = kept.lowered.iter().find(|(announced, _)| announced == name);
        let symbol = lowered.map_or(name, |(_, lowered)| lowered);
        let symbol = CString::new(symbol).map_err(|_| unknown(name))?;
        let function = self.function(kept.module, &symbol).map_err(|error| match error {
            DeviceError::Refused { code: NOT_FOUND, .. } => unknown(name),
            other => other,
        })?;
        Ok(self.kernels.insert(Kernel { function, program }))
    }

    /// [`crate::device::Driver::kernel_facts`]
    pub(super) fn facts_of(&self, kernel: ObjectHandle, block: u32, shared_bytes: u32) -> DeviceResult<KernelFacts> {
        self.current()?;
        let function = self.kernels.at(kernel)?.function;
        V::allow_shared(self, function, shared_bytes)?;
        let asked = |which: i32| self.function_attribute(function, which);
        let device =
            |which: i32| attribute(self.library, self.ordinal, which).and_then(|value| u32::try_from(value).ok());
        let occupancy = device(V::ATTRIBUTES.threads_of_a_unit).filter(|threads| *threads > 0).and_then(|threads| {
            let blocks = self.blocks_of_a_unit(function, block, shared_bytes).ok()?;
            Some((f64::from(blocks) * f64::from(block) / f64::from(threads)).min(1.0))
        });
        Ok(KernelFacts {
            registers: asked(REGISTERS),
            shared_bytes: asked(SHARED_BYTES).map(u64::from),
            local_bytes: asked(LOCAL_BYTES).map(u64::from),
            block_max: asked(THREADS_MAX),
            warp: device(V::ATTRIBUTES.warp),
            occupancy,
        })
    }

    fn function_attribute(&self, function: Opaque, which: i32) -> Option<u32> {
        let mut value = 0;
        call!(self.library, func_get_attribute(&raw mut value, which, function)).ok()?;
        u32::try_from(value).ok()
    }

    /// The error of more shared memory than a block can have.
    pub(in crate::device) fn too_much_shared(&self, bytes: u32, most: u32) -> DeviceError {
        DeviceError::Unsupported(format!(
            "{bytes} bytes of shared memory; a block of {} has {most} at most, with what the kernel declares",
            self.facts.id()
        ))
    }

    fn blocks_of_a_unit(&self, function: Opaque, block: u32, shared_bytes: u32) -> DeviceResult<i32> {
        let mut blocks = 0;
        let threads = i32::try_from(block).unwrap_or(i32::MAX);
        call!(self.library, occupancy(&raw mut blocks, function, threads, shared_bytes as usize))?;
        Ok(blocks)
    }

    /// [`crate::device::Driver::launch`]
    pub(super) fn start_kernel(
        &self,
        queue: ObjectHandle,
        kernel: ObjectHandle,
        grid: Grid,
        arguments: &[Argument],
    ) -> DeviceResult {
        self.current()?;
        let (stream, kernel) = (self.stream(queue)?, self.kernels.at(kernel)?);
        let mut words = [0u64; 16];
        if let Some(words) = words.get_mut(..arguments.len()) {
            for (word, argument) in words.iter_mut().zip(arguments) {
                *word = self.word(*argument)?;
            }
            return self.start_sharing(stream, kernel.function, grid, words);
        }
        let words = arguments.iter().map(|argument| self.word(*argument)).collect::<DeviceResult<Vec<u64>>>()?;
        self.start_sharing(stream, kernel.function, grid, &words)
    }

    /// Launches a function; what shared memory explains is asked for and repeated, or said.
    fn start_sharing(&self, stream: Opaque, function: Opaque, grid: Grid, words: &[u64]) -> DeviceResult {
        self.start(stream, function, grid, words).or_else(|refused| {
            V::repeat_launch(self, refused, function, grid.shared_bytes)?;
            self.start(stream, function, grid, words)
        })
    }

    /// An argument as a word that has it in its low bytes.
    fn word(&self, argument: Argument) -> DeviceResult<u64> {
        Ok(match argument {
            Argument::Memory(memory) => match self.memories.at(memory) {
                Ok(own) => own.address,
                Err(_) => self.peers_address(memory)?,
            },
            Argument::I32(value) => u64::from(value.cast_unsigned()),
            Argument::I64(value) => value.cast_unsigned(),
            Argument::F32(value) => u64::from(value.to_bits()),
            Argument::F64(value) => value.to_bits(),
        })
    }
}

fn unknown(name: &str) -> DeviceError {
    DeviceError::Unsupported(format!(
        "the program has no kernel {name}; declare it extern \"C\", or announce the name it is instantiated by"
    ))
}
