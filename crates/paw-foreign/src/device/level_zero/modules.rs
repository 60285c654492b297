//! Modules of SPIR-V, their kernels, and how these are started.
#![allow(unsafe_code)]

use std::ffi::{CString, c_void};
use std::sync::{Arc, Mutex, PoisonError};

use super::calls::call;
use super::context::Context;
use super::library::Api;
use super::memory::Memory;
use super::objects::{Handle, OwnedObject};
use super::queue::{EngineKind, Queue};
use super::status::MODULE_BUILD_FAILURE;
use super::status::{self, INVALID_ARGUMENT_SIZE, INVALID_GROUP_SIZE, INVALID_KERNEL_NAME, INVALID_NATIVE_BINARY};
use super::structures::{GroupCount, KernelDesc, KernelProperties, ModuleDesc, Opaque, Structure};
use crate::device::error::{DeviceError, DeviceResult};
use crate::device::program::{Grid, KernelFacts};
use crate::object::text;

/// `ZE_MODULE_FORMAT_IL_SPIRV`
const SPIRV: u32 = 0;

/// A module, built for one device.
pub(super) struct Module {
    api: &'static Api,
    raw: OwnedObject,
}

impl Module {
    /// Builds SPIR-V for `device` with these flags; what the compiler said is the second part.
    pub(super) fn build(context: &Context, device: Handle, words: &[u8], flags: &str) -> DeviceResult<(Self, String)> {
        let api = context.api;
        let flags = c_text(flags)?;
        let desc = ModuleDesc {
            format: SPIRV,
            input_size: words.len(),
            input: words.as_ptr(),
            build_flags: flags.as_ptr(),
            ..ModuleDesc::new()
        };
        let (mut raw, mut log) = (std::ptr::null_mut(), std::ptr::null_mut());
        let built = call!(api, module_create(context.raw.raw(), device.0, &raw const desc, &raw mut raw, &raw mut log));
        let log = said(api, log);
        match built {
            Ok(()) => Ok((Self { api, raw: OwnedObject::new(raw, api.calls.module_destroy.function) }, log)),
            Err(error) => {
                let is_its_fault =
                    [MODULE_BUILD_FAILURE, INVALID_NATIVE_BINARY].iter().any(|code| status::is(&error, *code));
                let log = if log.is_empty() { error.to_string() } else { log };
                Err(if is_its_fault { DeviceError::Build { log } } else { error })
            }
        }
    }

    /// Its kernel of that name.
    pub(super) fn kernel(self: &Arc<Self>, name: &str) -> DeviceResult<Kernel> {
        let c_name = c_text(name)?;
        let desc = KernelDesc { name: c_name.as_ptr(), ..KernelDesc::new() };
        let mut raw = std::ptr::null_mut();
        call!(self.api, kernel_create(self.raw.raw(), &raw const desc, &raw mut raw)).map_err(|error| {
            if !status::is(&error, INVALID_KERNEL_NAME) {
                return error;
            }
            DeviceError::Absent(format!("the program has no kernel {name}; its kernels are: {}", self.names()))
        })?;
        let raw = OwnedObject::new(raw, self.api.calls.kernel_destroy.function);
        let mut properties = KernelProperties::new();
        call!(self.api, kernel_properties(raw.raw(), &raw mut properties))?;
        let (name, raw) = (name.to_owned(), Mutex::new(raw));
        Ok(Kernel { api: self.api, name, properties, raw, _module: Arc::clone(self) })
    }

    fn names(&self) -> String {
        let fetch = |count, names| call!(self.api, module_kernel_names(self.raw.raw(), count, names));
        let names = super::library::all(std::ptr::null(), fetch).unwrap_or_default();
        // SAFETY: strings of the module's, which lives.
        let names: Vec<String> = names.into_iter().map(|name| unsafe { text(name) }).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    }
}

/// What a build log says; it is destroyed.
fn said(api: &Api, log: Opaque) -> String {
    if log.is_null() {
        return String::new();
    }
    let log = OwnedObject::new(log, api.calls.log_destroy.function);
    let mut size = 0;
    if call!(api, log_text(log.raw(), &raw mut size, std::ptr::null_mut())).is_err() || size == 0 {
        return String::new();
    }
    // A byte more, so that the text ends.
    let mut bytes = vec![0u8; size + 1];
    if call!(api, log_text(log.raw(), &raw mut size, bytes.as_mut_ptr().cast())).is_err() {
        return String::new();
    }
    // SAFETY: a text that ends at the latest with the byte that was added.
    unsafe { text(bytes.as_ptr().cast()) }
}

fn c_text(text: &str) -> DeviceResult<CString> {
    CString::new(text)
        .map_err(|_| DeviceError::Unsupported(format!("{text:?} holds a zero byte, which C ends a text with")))
}

/// An argument of a kernel.
#[derive(Clone)]
pub(super) enum KernelArgument {
    /// An offset into memory.
    Memory(Arc<Memory>, usize),
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

/// A kernel. Its arguments and its group size are part of it, so they are set and used under a lock.
pub(super) struct Kernel {
    api: &'static Api,
    name: String,
    properties: KernelProperties,
    raw: Mutex<OwnedObject>,
    // Last: a kernel goes before its module.
    _module: Arc<Module>,
}

// SAFETY: the properties are plain data; their pointer to an extension is null.
unsafe impl Send for Kernel {}
// SAFETY: as above.
unsafe impl Sync for Kernel {}

impl Kernel {
    /// Queues a launch over `grid`.
    pub(super) fn launch(&self, queue: &Queue, grid: Grid, values: &[KernelArgument]) -> DeviceResult {
        if grid.shared_bytes > 0 {
            let why = "Level Zero gives a work-group no memory beyond what its kernel declares; declare it as __local in the kernel";
            return Err(DeviceError::Unsupported(why.to_owned()));
        }
        let wants = self.properties.argument_count as usize;
        if values.len() != wants {
            let got = values.len();
            return Err(DeviceError::Unsupported(format!("{} takes {wants} arguments and was given {got}", self.name)));
        }
        let x = u32::try_from(grid.blocks).map_err(|_| {
            DeviceError::Unsupported(format!(
                "{} work-groups; Level Zero counts {} at most, so take more work-items",
                grid.blocks,
                u32::MAX
            ))
        })?;
        let raw = self.raw.lock().unwrap_or_else(PoisonError::into_inner);
        self.set_group_size(raw.raw(), grid.threads)?;
        for (position, value) in values.iter().enumerate() {
            self.set(raw.raw(), position as u32, value)?;
        }
        let used: Vec<&Arc<Memory>> = values
            .iter()
            .filter_map(|value| match value {
                KernelArgument::Memory(memory, _) => Some(memory),
                KernelArgument::Word(..) => None,
            })
            .collect();
        queue.take_turn(EngineKind::Computing)?;
        let groups = GroupCount { x, y: 1, z: 1 };
        let (none, no_events) = (std::ptr::null_mut(), std::ptr::null());
        queue.append(&used, |list| {
            call!(self.api, append_launch(list, raw.raw(), &raw const groups, none, 0, no_events))
        })
    }

    fn set_group_size(&self, raw: Opaque, threads: u32) -> DeviceResult {
        call!(self.api, kernel_set_group_size(raw, threads, 1, 1)).map_err(|error| {
            if !status::is(&error, INVALID_GROUP_SIZE) {
                return error;
            }
            DeviceError::Unsupported(format!(
                "{} cannot have work-groups of {threads} work-items on this device; take fewer",
                self.name
            ))
        })
    }

    fn set(&self, raw: Opaque, position: u32, value: &KernelArgument) -> DeviceResult {
        let address: *mut c_void;
        let (bytes, size): (*const c_void, usize) = match value {
            KernelArgument::Memory(memory, offset) => {
                address = memory.at(*offset, 0)?.cast();
                ((&raw const address).cast(), size_of::<*mut c_void>())
            }
            KernelArgument::Word(word, size) => (word.as_ptr().cast(), *size),
        };
        call!(self.api, kernel_set_argument(raw, position, size, bytes)).map_err(|error| {
            if !status::is(&error, INVALID_ARGUMENT_SIZE) {
                return error;
            }
            let name = &self.name;
            DeviceError::Unsupported(format!("argument {position} of {name} has another size than {size} bytes"))
        })
    }

    /// Properties of the kernel as compiled; `block_max` is the device's.
    pub(super) fn facts(&self, block_max: u32) -> KernelFacts {
        let properties = &self.properties;
        KernelFacts {
            registers: None,
            shared_bytes: Some(u64::from(properties.local_mem_size)),
            local_bytes: Some(u64::from(properties.private_mem_size) + u64::from(properties.spill_mem_size)),
            block_max: Some(block_max).filter(|most| *most > 0),
            warp: Some(properties.max_subgroup_size).filter(|size| *size > 0),
            occupancy: None,
        }
    }
}
