//! Devices of OpenCL: graphics processors of all vendors, and processors by PoCL.

mod sys;

use opencl_sys::{CL_DEVICE_DOUBLE_FP_CONFIG, CL_DEVICE_NAME};

use super::{Choice, Engine, GROUP, Kernel};
use sys::{Id, Loader, Queue};

/// Answers that a user can do something about, by their names in `cl.h`.
const STATUSES: &[(i32, &str)] = &[
    (-2, "CL_DEVICE_NOT_AVAILABLE"),
    (-3, "CL_COMPILER_NOT_AVAILABLE"),
    (-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"),
    (-5, "CL_OUT_OF_RESOURCES"),
    (-6, "CL_OUT_OF_HOST_MEMORY"),
    (-46, "CL_INVALID_KERNEL_NAME"),
    (-54, "CL_INVALID_WORK_GROUP_SIZE"),
    (-61, "CL_INVALID_BUFFER_SIZE"),
];

/// An open device.
pub(super) struct OpenCl {
    name: String,
    queue: Queue,
}

/// The names of all devices, and which of them cannot be used.
pub(super) fn names() -> Result<Vec<String>, String> {
    let (loader, devices) = found()?;
    let name = |device: Id| {
        let note = if has_doubles(&loader, device) { "" } else { " (no double precision)" };
        loader.text(device, CL_DEVICE_NAME) + note
    };
    Ok(devices.into_iter().map(name).collect())
}

/// The loader, and at least one device.
fn found() -> Result<(Loader, Vec<Id>), String> {
    let loader = Loader::open().map_err(|why| {
        format!("OpenCL's loader cannot be opened ({why}): install the driver of a device, or ocl-icd-libopencl1 and pocl-opencl-icd for the processor")
    })?;
    let devices = loader.devices();
    if devices.is_empty() {
        return Err("OpenCL finds no device: install a driver that registers itself in /etc/OpenCL/vendors, such as pocl-opencl-icd for the processor".to_owned());
    }
    Ok((loader, devices))
}

fn has_doubles(loader: &Loader, device: Id) -> bool {
    loader.is_set(device, CL_DEVICE_DOUBLE_FP_CONFIG)
}

impl OpenCl {
    /// Opens the device of that place.
    pub(super) fn open(choice: Choice) -> Result<Self, String> {
        let (loader, devices) = found()?;
        let Some(&device) = devices.get(choice.index) else {
            let last = devices.len() - 1;
            return Err(format!(
                "there is no device {choice}: the last one is opencl:{last}, and --device list shows all"
            ));
        };
        let name = loader.text(device, CL_DEVICE_NAME);
        if !has_doubles(&loader, device) {
            return Err(format!(
                "{choice} ({name}) does not compute in double precision (cl_khr_fp64): choose another device, --device list shows all"
            ));
        }
        let queue = Queue::open(loader, device).map_err(|why| format!("{choice} ({name}): {why}"))?;
        Ok(Self { name, queue })
    }
}

impl Engine for OpenCl {
    fn name(&self) -> &str {
        &self.name
    }

    fn compile(&mut self, source: &str, kernels: [&str; 2]) -> Result<(), String> {
        self.queue.compile(source, kernels)
    }

    fn memory(&mut self, words: usize) -> Result<usize, String> {
        self.queue.memory(words)
    }

    fn write(&mut self, memory: usize, words: &[u64]) -> Result<(), String> {
        self.queue.write(memory, words)
    }

    fn start(&mut self, kernel: Kernel, memories: [usize; 3], numbers: [u64; 3], items: usize) -> Result<(), String> {
        self.queue.start(kernel as usize, memories, numbers, [items.div_ceil(GROUP), GROUP])
    }

    fn read(&mut self, memory: usize, words: &mut [u64]) -> Result<(), String> {
        self.queue.read(memory, words)
    }
}

/// What a call answered, in words.
fn failed(call: &str, status: i32) -> String {
    let name = STATUSES.iter().find(|(known, _)| *known == status).map(|(_, name)| *name);
    let way_out = if matches!(status, -6..=-4 | -61) { "; less memory is free than the fit takes" } else { "" };
    match name {
        Some(name) => format!("{call} failed with {name}{way_out}"),
        None => format!("{call} failed with {status}"),
    }
}
