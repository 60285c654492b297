//! Programs in OpenCL C, their kernels, and how these are started.

use std::ffi::{CString, c_void};
use std::sync::{Arc, Mutex, PoisonError};

use opencl_sys::{CL_BUILD_PROGRAM_FAILURE, CL_COMPILE_PROGRAM_FAILURE, CL_INVALID_KERNEL_NAME};
use opencl_sys::{
    CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_LOCAL,
    CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ADDRESS_QUALIFIER, CL_KERNEL_LOCAL_MEM_SIZE, CL_KERNEL_NUM_ARGS,
    CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, CL_KERNEL_PRIVATE_MEM_SIZE, CL_KERNEL_WORK_GROUP_SIZE,
};
use opencl_sys::{CL_PROGRAM_BUILD_LOG, CL_PROGRAM_KERNEL_NAMES};

use super::buffer::Buffer;
use super::context::Context;
use super::library::Api;
use super::objects::{DeviceId, OwnedObject};
use super::query::Query;
use super::queues::Queue;
use super::status::{done, made};
use crate::device::error::DeviceError;
use crate::device::facts::DeviceKind;
use crate::device::program::{Grid, KernelFacts, Source};

/// A program, built for one device.
pub(super) struct Program {
    api: &'static Api,
    raw: OwnedObject,
}

impl Program {
    /// Builds `source` for `device`; what the compiler said is the second part.
    pub(super) fn build(context: &Context, device: DeviceId, source: &Source) -> Result<(Self, String), DeviceError> {
        let api = context.api;
        // Without this option a compiler may drop the types of a kernel's parameters.
        let options = c_text(&format!("-cl-kernel-arg-info {}", source.options.join(" ")))?;
        let program = Self { api, raw: from_source(context, source)? };
        let none = std::ptr::null_mut();
        // SAFETY: one device of the context, options that C reads to their end, and nobody to be notified.
        let status =
            unsafe { (api.clBuildProgram)(program.raw.raw(), 1, &raw const device.0, options.as_ptr(), None, none) };
        let log = Query::Build(program.raw.raw(), device.0).text(api, CL_PROGRAM_BUILD_LOG).unwrap_or_default();
        match status {
            0 => Ok((program, log)),
            CL_BUILD_PROGRAM_FAILURE | CL_COMPILE_PROGRAM_FAILURE => {
                Err(DeviceError::Build { log: log_or_none(log, source) })
            }
            _ if !log.is_empty() => Err(DeviceError::Build { log }),
            _ => Err(done("clBuildProgram", status).err().unwrap_or(DeviceError::Build { log })),
        }
    }

    /// Its kernel of that name.
    pub(super) fn kernel(&self, name: &str) -> Result<Kernel, DeviceError> {
        let c_name = c_text(name)?;
        let mut status = 0;
        // SAFETY: the program is built, and the name ends as C wants it.
        let raw = unsafe { (self.api.clCreateKernel)(self.raw.raw(), c_name.as_ptr(), &raw mut status) };
        if status == CL_INVALID_KERNEL_NAME {
            let names = Query::Program(self.raw.raw()).text(self.api, CL_PROGRAM_KERNEL_NAMES).unwrap_or_default();
            let names = if names.is_empty() { "none".to_owned() } else { names.replace(';', ", ") };
            return Err(DeviceError::Absent(format!("the program has no kernel {name}; its kernels are: {names}")));
        }
        let raw = OwnedObject::new(made("clCreateKernel", status, raw)?, self.api.clReleaseKernel);
        let count = Query::Kernel(raw.raw()).number(self.api, CL_KERNEL_NUM_ARGS)?;
        let parameters = (0..count as u32).map(|position| Parameter::of(self.api, &raw, position)).collect();
        Ok(Kernel { api: self.api, name: name.to_owned(), parameters, raw: Mutex::new(raw) })
    }
}

fn from_source(context: &Context, source: &Source) -> Result<OwnedObject, DeviceError> {
    let name = if source.name.is_empty() { "program.cl" } else { &source.name };
    // This line makes the compiler's messages name the user's file and its lines.
    let text = format!("#line 1 \"{}\"\n{}", name.replace(['"', '\\', '\n'], "_"), source.text);
    let (start, length) = (text.as_ptr().cast(), text.len());
    let mut status = 0;
    // SAFETY: one text of that length, which OpenCL copies.
    let raw = unsafe {
        (context.api.clCreateProgramWithSource)(
            context.raw.raw(),
            1,
            &raw const start,
            &raw const length,
            &raw mut status,
        )
    };
    Ok(OwnedObject::new(made("clCreateProgramWithSource", status, raw)?, context.api.clReleaseProgram))
}

fn log_or_none(log: String, source: &Source) -> String {
    if log.is_empty() { format!("{} does not compile, and the compiler does not say why", source.name) } else { log }
}

fn c_text(text: &str) -> Result<CString, DeviceError> {
    CString::new(text)
        .map_err(|_| DeviceError::Unsupported(format!("{text:?} holds a zero byte, which C ends a text with")))
}

/// An argument of a kernel.
#[derive(Clone)]
pub(super) enum KernelArgument {
    /// A buffer.
    Buffer(Arc<Buffer>),
    /// Up to eight bytes, as they lie in memory, and how many.
    Word([u8; 8], usize),
}

impl KernelArgument {
    /// A 64-bit number.
    pub(super) fn word64(bytes: [u8; 8]) -> Self {
        KernelArgument::Word(bytes, 8)
    }

    /// A 32-bit number.
    pub(super) fn word32(bytes: [u8; 4]) -> Self {
        let mut word = [0; 8];
        word[..4].copy_from_slice(&bytes);
        KernelArgument::Word(word, 4)
    }
}

/// The type of a kernel's parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parameter {
    /// A pointer to memory of the device.
    Buffer,
    /// A pointer to memory of a work-group.
    Local,
    /// A value.
    Word,
    /// The implementation does not say what kind the argument is.
    Unknown,
}

impl Parameter {
    fn of(api: &Api, kernel: &OwnedObject, position: u32) -> Self {
        let qualifier = Query::Parameter(kernel.raw(), position).number(api, CL_KERNEL_ARG_ADDRESS_QUALIFIER);
        match qualifier.map(|qualifier| qualifier as u32) {
            Ok(CL_KERNEL_ARG_ADDRESS_GLOBAL | CL_KERNEL_ARG_ADDRESS_CONSTANT) => Parameter::Buffer,
            Ok(CL_KERNEL_ARG_ADDRESS_LOCAL) => Parameter::Local,
            Ok(CL_KERNEL_ARG_ADDRESS_PRIVATE) => Parameter::Word,
            _ => Parameter::Unknown,
        }
    }

    /// Why `value` does not fit this parameter: a number taken for a pointer would end the process.
    fn refuses(self, value: &KernelArgument) -> Option<&'static str> {
        match (self, value) {
            (Parameter::Buffer, KernelArgument::Word(..)) => Some("is a memory, and was given a number"),
            (Parameter::Word, KernelArgument::Buffer(_)) => Some("is a number, and was given a memory"),
            (Parameter::Local, _) => Some("is local memory; declare it in the kernel"),
            _ => None,
        }
    }
}

/// A kernel. Its arguments are part of it, so they are set and used under a lock.
pub(super) struct Kernel {
    api: &'static Api,
    name: String,
    parameters: Vec<Parameter>,
    raw: Mutex<OwnedObject>,
}

impl Kernel {
    /// Queues a launch over `grid`. `values` may name buffers of the host that kernels use.
    pub(super) fn launch(&self, queue: &Queue, grid: Grid, values: &[KernelArgument]) -> Result<(), DeviceError> {
        if grid.shared_bytes > 0 {
            let why = "OpenCL gives a work-group no memory beyond what its kernel declares; declare it as __local in the kernel";
            return Err(DeviceError::Unsupported(why.to_owned()));
        }
        if values.len() != self.parameters.len() {
            let (wants, got) = (self.parameters.len(), values.len());
            return Err(DeviceError::Unsupported(format!("{} takes {wants} arguments and was given {got}", self.name)));
        }
        let threads = grid.threads as usize;
        let all = usize::try_from(grid.blocks).ok().and_then(|blocks| blocks.checked_mul(threads));
        let all = all.ok_or_else(|| DeviceError::Unsupported("that many work-items cannot be counted".to_owned()))?;
        let raw = self.raw.lock().unwrap_or_else(PoisonError::into_inner);
        for (position, value) in values.iter().enumerate() {
            self.set(&raw, position as u32, value)?;
        }
        let none = std::ptr::null_mut();
        // SAFETY: one dimension, whose two sizes are words of ours; all arguments are set.
        done("clEnqueueNDRangeKernel", unsafe {
            (self.api.clEnqueueNDRangeKernel)(
                queue.raw(),
                raw.raw(),
                1,
                std::ptr::null(),
                &raw const all,
                &raw const threads,
                0,
                std::ptr::null(),
                none,
            )
        })
    }

    fn set(&self, raw: &OwnedObject, position: u32, value: &KernelArgument) -> Result<(), DeviceError> {
        if let Some(why) = self.parameters[position as usize].refuses(value) {
            return Err(DeviceError::Unsupported(format!("argument {position} of {} {why}", self.name)));
        }
        let buffer;
        let (bytes, size): (*const c_void, usize) = match value {
            KernelArgument::Buffer(owned) => {
                buffer = owned.raw();
                ((&raw const buffer).cast(), size_of::<*mut c_void>())
            }
            KernelArgument::Word(word, size) => (word.as_ptr().cast(), *size),
        };
        // SAFETY: `size` bytes can be read there; OpenCL holds the size against the argument's.
        let status = unsafe { (self.api.clSetKernelArg)(raw.raw(), position, size, bytes) };
        if status == opencl_sys::CL_INVALID_ARG_SIZE {
            let name = &self.name;
            return Err(DeviceError::Unsupported(format!(
                "argument {position} of {name} has another size than {size} bytes"
            )));
        }
        done("clSetKernelArg", status)
    }

    /// Properties of the kernel as compiled for `device`.
    pub(super) fn facts(&self, device: DeviceId, kind: DeviceKind) -> KernelFacts {
        let raw = self.raw.lock().unwrap_or_else(PoisonError::into_inner);
        let number = |parameter| Query::WorkGroup(raw.raw(), device.0).number(self.api, parameter).ok();
        let step = number(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE).filter(|_| kind == DeviceKind::Gpu);
        KernelFacts {
            registers: None,
            shared_bytes: number(CL_KERNEL_LOCAL_MEM_SIZE),
            local_bytes: number(CL_KERNEL_PRIVATE_MEM_SIZE),
            block_max: number(CL_KERNEL_WORK_GROUP_SIZE).map(|most| most as u32),
            warp: step.map(|threads| threads as u32),
            occupancy: None,
        }
    }
}
