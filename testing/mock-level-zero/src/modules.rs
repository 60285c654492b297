//! Modules of SPIR-V, their kernels, and launches.
#![allow(unsafe_code)]
// The names and signatures are Level Zero's.
#![allow(non_snake_case, clippy::too_many_arguments)]

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::{Arc, Mutex, PoisonError};

use mock_device::{Element, Product};

use crate::api::{
    Answer, INVALID_ARGUMENT, INVALID_ARGUMENT_INDEX, INVALID_ARGUMENT_SIZE, INVALID_GROUP_SIZE, INVALID_KERNEL_NAME,
    INVALID_NULL_POINTER, INVALID_SIZE, MODULE_BUILD_FAILURE, OBJECT_IN_USE, Object, context, described, device, fill,
    forget, keep, list, object, read, result, told, write,
};
use crate::devices::{GROUP_MAX, Head, module_flags};
use crate::lists::{self, List};
use crate::spirv::{DOUBLE, kernels, needs};

/// A module: kernels by name, with the bytes of their arguments.
pub(crate) struct Module {
    /// It says that it wants double precision.
    is_double: bool,
    kernels: BTreeMap<String, Vec<usize>>,
    names: Vec<CString>,
}

/// What a build said.
pub(crate) struct Log(CString);

/// A kernel, with what was set so far.
pub(crate) struct Kernel {
    module: Arc<Module>,
    name: String,
    set: Mutex<Setting>,
}

#[derive(Clone)]
struct Setting {
    group: Option<u32>,
    arguments: Vec<Option<u64>>,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct ModuleDesc {
    head: Head,
    format: u32,
    size: usize,
    input: *const u8,
    flags: *const c_char,
    constants: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct KernelDesc {
    head: Head,
    flags: u32,
    name: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct KernelProperties {
    head: Head,
    argument_count: u32,
    required: [u32; 5],
    max_subgroup_size: u32,
    max_subgroup_count: u32,
    local_mem_size: u32,
    private_mem_size: u32,
    spill_mem_size: u32,
    uuid: [u8; 32],
}

fn module(handle: usize) -> Answer<Arc<Module>> {
    object(handle, |object| match object {
        Object::Module(module) => Some(Arc::clone(module)),
        _ => None,
    })
}

fn kernel(handle: usize) -> Answer<Arc<Kernel>> {
    object(handle, |object| match object {
        Object::Kernel(kernel) => Some(Arc::clone(kernel)),
        _ => None,
    })
}

fn words(desc: &ModuleDesc) -> Answer<&[u8]> {
    if desc.input.is_null() {
        return Err(INVALID_NULL_POINTER);
    }
    if desc.size == 0 {
        return Err(INVALID_SIZE);
    }
    // SAFETY: callers hand over that many bytes.
    Ok(unsafe { std::slice::from_raw_parts(desc.input, desc.size) })
}

#[unsafe(no_mangle)]
extern "C" fn zeModuleCreate(handle: usize, of: usize, desc: *const c_void, to: *mut usize, log: *mut usize) -> c_int {
    result(context(handle).and_then(|()| {
        device(of)?;
        let desc: ModuleDesc = described(desc.cast(), 0x1b)?;
        if desc.format != 0 {
            return Err(INVALID_ARGUMENT);
        }
        let bytes = words(&desc)?;
        let (found, is_double) = (kernels(bytes), needs(bytes) & DOUBLE != 0);
        let lacking = needs(bytes) & !module_flags();
        if !log.is_null() {
            let said = match (&found, lacking) {
                (None, _) => c"error: the module is no SPIR-V",
                (Some(_), 0) => c"",
                (Some(_), _) => c"error: the module declares a capability that the device has not",
            };
            write(log, keep(Object::Log(Arc::new(Log(said.to_owned())))))?;
        }
        let kernels = found.filter(|_| lacking == 0).ok_or(MODULE_BUILD_FAILURE)?;
        let names = kernels.keys().filter_map(|name| CString::new(name.as_str()).ok()).collect();
        write(to, keep(Object::Module(Arc::new(Module { is_double, kernels, names }))))
    }))
}

/// Its kernels go before it.
#[unsafe(no_mangle)]
extern "C" fn zeModuleDestroy(handle: usize) -> c_int {
    result(module(handle).and_then(|module| {
        let is_its = |object: &Object| matches!(object, Object::Kernel(kernel) if Arc::ptr_eq(&kernel.module, &module));
        if crate::api::any(is_its) {
            return Err(OBJECT_IN_USE);
        }
        forget(handle, |_| Some(()))
    }))
}

#[unsafe(no_mangle)]
extern "C" fn zeModuleGetKernelNames(handle: usize, count: *mut u32, names: *mut *const c_char) -> c_int {
    result(module(handle).and_then(|module| {
        let all: Vec<*const c_char> = module.names.iter().map(|name| name.as_ptr()).collect();
        list(count, names, &all)
    }))
}

fn log(object: &Object) -> Option<Arc<Log>> {
    match object {
        Object::Log(log) => Some(Arc::clone(log)),
        _ => None,
    }
}

#[unsafe(no_mangle)]
extern "C" fn zeModuleBuildLogGetString(handle: usize, size: *mut usize, text: *mut u8) -> c_int {
    result(object(handle, log).and_then(|log| {
        let bytes = log.0.as_bytes_with_nul();
        if text.is_null() {
            return write(size, bytes.len());
        }
        let room = read(size.cast_const())?.min(bytes.len());
        bytes[..room].iter().enumerate().try_for_each(|(at, byte)| write(text.wrapping_add(at), *byte))
    }))
}

#[unsafe(no_mangle)]
extern "C" fn zeModuleBuildLogDestroy(handle: usize) -> c_int {
    result(forget(handle, log).map(drop))
}

#[unsafe(no_mangle)]
extern "C" fn zeKernelCreate(handle: usize, desc: *const c_void, to: *mut usize) -> c_int {
    result(module(handle).and_then(|module| {
        let desc: KernelDesc = described(desc.cast(), 0x1d)?;
        read(desc.name)?;
        // SAFETY: not null, and a C string.
        let name = unsafe { CStr::from_ptr(desc.name) }.to_string_lossy().into_owned();
        let arguments = vec![None; module.kernels.get(&name).ok_or(INVALID_KERNEL_NAME)?.len()];
        let set = Mutex::new(Setting { group: None, arguments });
        write(to, keep(Object::Kernel(Arc::new(Kernel { module, name, set }))))
    }))
}

#[unsafe(no_mangle)]
extern "C" fn zeKernelDestroy(handle: usize) -> c_int {
    result(kernel(handle).and_then(|_| forget(handle, |_| Some(()))))
}

impl Kernel {
    fn change<T>(&self, change: impl FnOnce(&mut Setting) -> T) -> T {
        change(&mut self.set.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn sizes(&self) -> &[usize] {
        self.module.kernels.get(&self.name).map_or(&[], Vec::as_slice)
    }
}

#[unsafe(no_mangle)]
extern "C" fn zeKernelSetGroupSize(handle: usize, x: u32, y: u32, z: u32) -> c_int {
    result(kernel(handle).and_then(|kernel| {
        let items = [x, y, z].into_iter().try_fold(1u32, u32::checked_mul);
        let items = items.filter(|items| (1..=GROUP_MAX).contains(items)).ok_or(INVALID_GROUP_SIZE)?;
        kernel.change(|setting| setting.group = Some(items));
        Ok(())
    }))
}

#[unsafe(no_mangle)]
extern "C" fn zeKernelSetArgumentValue(handle: usize, index: u32, size: usize, value: *const u8) -> c_int {
    result(kernel(handle).and_then(|kernel| {
        let wanted = *kernel.sizes().get(index as usize).ok_or(INVALID_ARGUMENT_INDEX)?;
        if size != wanted {
            return Err(INVALID_ARGUMENT_SIZE);
        }
        let bytes = (0..size).map(|at| read(value.wrapping_add(at))).collect::<Answer<Vec<u8>>>()?;
        let mut word = [0; 8];
        word[..size].copy_from_slice(&bytes);
        kernel.change(|setting| setting.arguments[index as usize] = Some(u64::from_le_bytes(word)));
        Ok(())
    }))
}

#[unsafe(no_mangle)]
extern "C" fn zeKernelGetProperties(handle: usize, to: *mut c_void) -> c_int {
    result(kernel(handle).and_then(|kernel| {
        fill(to.cast(), 0x1e, |properties: &mut KernelProperties| {
            properties.argument_count = kernel.sizes().len() as u32;
            properties.max_subgroup_size = 32;
            properties.local_mem_size = if kernel.name == "paw_gemm" { 2 * 16 * 17 * 8 } else { 0 };
        })
    }))
}

#[unsafe(no_mangle)]
extern "C" fn zeCommandListAppendLaunchKernel(
    handle: usize,
    of: usize,
    groups: *const [u32; 3],
    signal: usize,
    count: u32,
    events: *const usize,
) -> c_int {
    result(lists::list(handle).and_then(|list| {
        let kernel = kernel(of)?;
        let groups = read(groups)?;
        list.compute()?;
        let setting = kernel.change(|setting| setting.clone());
        let group = setting.group.ok_or(INVALID_GROUP_SIZE)?;
        let arguments: Option<Vec<u64>> = setting.arguments.into_iter().collect();
        let arguments = arguments.ok_or(INVALID_ARGUMENT)?;
        list.follow()?;
        list.wait_for(count, events)?;
        run(&kernel, &list, u64::from(groups[0]) * u64::from(group), &arguments)?;
        list.signal(signal)
    }))
}

/// Runs a kernel of `items` work-items: paw's own do what they say, and others nothing.
fn run(kernel: &Kernel, list: &List, items: u64, arguments: &[u64]) -> Answer {
    let size = |at: usize| arguments[at] as usize;
    let element = if kernel.module.is_double { Element::Double } else { Element::Single };
    let (name, words) = match (kernel.name.as_str(), arguments.len()) {
        ("paw_gemm" | "paw_gemv", 7) => {
            let (n, bytes) = (size(6), element.bytes());
            let columns = if kernel.name == "paw_gemm" { n } else { 1 };
            let at = (size(0) + size(1) * bytes, size(2) + size(3) * bytes, size(4) + size(5) * bytes);
            let (sizes, is_a_transposed, scale) = ((n, n, columns), false, 1.0);
            let product = Product { sizes, is_a_transposed, input: element, output: element, scale, at };
            return product.run(list.queue, 1.0).map_err(told);
        }
        (name, 5) if name.starts_with("paw_move_") => {
            let width: u64 = name["paw_move_".len()..].parse().map_err(|_| INVALID_ARGUMENT)?;
            let [to, to_at, from, from_at, n] = [0, 1, 2, 3, 4].map(|at| arguments[at]);
            (format!("paw_words_{width}"), vec![to + to_at * width, from + from_at * width, n])
        }
        (name, _) => (name.to_owned(), arguments.to_vec()),
    };
    // The last argument counts words, each of which wants a work-item; other kernels go round.
    if name.starts_with("paw_words_") && words.last().is_some_and(|n| *n > items) {
        return Err(INVALID_ARGUMENT);
    }
    let places: Vec<*const c_void> = words.iter().map(|word| std::ptr::from_ref(word).cast()).collect();
    mock_device::start(&name, (list.device, list.queue), items as usize, places.as_ptr()).map_err(told)
}
