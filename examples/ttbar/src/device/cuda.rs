//! Devices of NVIDIA, by its driver.

mod sys;

use super::{Choice, Engine, GROUP, Kernel, nvrtc};
use sys::{Driver, Queue};

/// An open device.
pub(super) struct Cuda {
    name: String,
    capability: u32,
    /// The driver's version.
    version: u32,
    queue: Queue,
}

/// The names of all devices.
pub(super) fn names() -> Result<Vec<String>, String> {
    let (driver, count) = found()?;
    (0..count).map(|index| driver.name(index)).collect()
}

/// The driver, and how many devices it has: one at least.
fn found() -> Result<(Driver, usize), String> {
    let driver = Driver::open()
        .map_err(|why| format!("NVIDIA's driver cannot be opened ({why}): install it, or take --device opencl"))?;
    match driver.count()? {
        0 => Err("NVIDIA's driver finds no device: take --device opencl, or cpu".to_owned()),
        count => Ok((driver, count)),
    }
}

impl Cuda {
    /// Opens the device of that place.
    pub(super) fn open(choice: Choice) -> Result<Self, String> {
        let (driver, count) = found()?;
        if choice.index >= count {
            let last = count - 1;
            return Err(format!(
                "there is no device {choice}: the last one is cuda:{last}, and --device list shows all"
            ));
        }
        let name = driver.name(choice.index)?;
        let (capability, version) = (driver.capability(choice.index)?, driver.version()?);
        let queue = Queue::open(driver, choice.index).map_err(|why| format!("{choice} ({name}): {why}"))?;
        Ok(Self { name, capability, version, queue })
    }
}

impl Engine for Cuda {
    fn name(&self) -> &str {
        &self.name
    }

    fn compile(&mut self, source: &str, kernels: [&str; 2]) -> Result<(), String> {
        let image = nvrtc::compile(source, self.capability, self.version)?;
        self.queue.load(&image, kernels)
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
