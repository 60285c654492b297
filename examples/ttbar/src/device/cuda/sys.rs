//! The calls of NVIDIA's driver, and the objects that they make.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::ptr::{null, null_mut};

use crate::device::sys::functions;

/// A context, stream, module or function of the driver's.
type Handle = *mut c_void;
/// A place in a device's memory.
type Address = u64;

functions! {
    /// NVIDIA's driver.
    Driver:
    cuInit(c_uint) -> c_int;
    cuDriverGetVersion(*mut c_int) -> c_int;
    cuGetErrorName(c_int, *mut *const c_char) -> c_int;
    cuDeviceGetCount(*mut c_int) -> c_int;
    cuDeviceGet(*mut c_int, c_int) -> c_int;
    cuDeviceGetName(*mut c_char, c_int, c_int) -> c_int;
    cuDeviceGetAttribute(*mut c_int, c_int, c_int) -> c_int;
    cuDevicePrimaryCtxRetain(*mut Handle, c_int) -> c_int;
    cuCtxSetCurrent(Handle) -> c_int;
    cuStreamCreate(*mut Handle, c_uint) -> c_int;
    cuStreamSynchronize(Handle) -> c_int;
    cuStreamDestroy_v2(Handle) -> c_int;
    cuModuleLoadData(*mut Handle, *const c_void) -> c_int;
    cuModuleGetFunction(*mut Handle, Handle, *const c_char) -> c_int;
    cuMemAlloc_v2(*mut Address, usize) -> c_int;
    cuMemFree_v2(Address) -> c_int;
    cuMemcpyHtoDAsync_v2(Address, *const c_void, usize, Handle) -> c_int;
    cuMemcpyDtoHAsync_v2(*mut c_void, Address, usize, Handle) -> c_int;
    cuLaunchKernel(Handle, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Handle, *mut *mut c_void, *mut *mut c_void) -> c_int;
}

/// Both halves of a compute capability, as attributes of a device.
const CAPABILITY: [c_int; 2] = [75, 76];
/// The longest name of a device.
const NAME_BYTES: usize = 256;

impl Driver {
    /// The driver of this machine, started.
    pub(super) fn open() -> Result<Self, String> {
        let driver = Self::found_in(&["libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"])?;
        // SAFETY: flags must be 0, and any thread may call it.
        driver.done("cuInit", unsafe { (driver.cuInit)(0) })?;
        Ok(driver)
    }

    /// What it answered, if that is an error.
    fn done(&self, call: &str, answer: c_int) -> Result<(), String> {
        if answer == 0 {
            return Ok(());
        }
        let mut name = null();
        // SAFETY: the pointer is ours.
        unsafe { (self.cuGetErrorName)(answer, &raw mut name) };
        if name.is_null() {
            return Err(format!("{call} failed with {answer}"));
        }
        // SAFETY: a text of the driver's, which is never closed.
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
        let way_out = if answer == 2 { "; less memory is free than the fit takes" } else { "" };
        Err(format!("{call} failed with {name}{way_out}"))
    }

    /// The highest version of CUDA that it serves: 12040 is 12.4.
    pub(super) fn version(&self) -> Result<u32, String> {
        let mut version = 0;
        // SAFETY: the number is ours.
        self.done("cuDriverGetVersion", unsafe { (self.cuDriverGetVersion)(&raw mut version) })?;
        Ok(u32::try_from(version).unwrap_or(0))
    }

    /// How many devices there are.
    pub(super) fn count(&self) -> Result<usize, String> {
        let mut count = 0;
        // SAFETY: the number is ours.
        self.done("cuDeviceGetCount", unsafe { (self.cuDeviceGetCount)(&raw mut count) })?;
        Ok(usize::try_from(count).unwrap_or(0))
    }

    fn device(&self, index: usize) -> Result<c_int, String> {
        let mut device = 0;
        // SAFETY: the number is ours.
        self.done("cuDeviceGet", unsafe { (self.cuDeviceGet)(&raw mut device, index as c_int) })?;
        Ok(device)
    }

    /// The name of a device.
    pub(super) fn name(&self, index: usize) -> Result<String, String> {
        let device = self.device(index)?;
        let mut name = [0_u8; NAME_BYTES];
        let (room, bytes) = (name.as_mut_ptr().cast(), NAME_BYTES as c_int);
        // SAFETY: there is room for as many bytes.
        self.done("cuDeviceGetName", unsafe { (self.cuDeviceGetName)(room, bytes, device) })?;
        Ok(CStr::from_bytes_until_nul(&name).unwrap_or_default().to_string_lossy().into_owned())
    }

    /// The compute capability of a device: 90 is 9.0.
    pub(super) fn capability(&self, index: usize) -> Result<u32, String> {
        let device = self.device(index)?;
        let mut parts = [0, 0];
        for (part, attribute) in parts.iter_mut().zip(CAPABILITY) {
            // SAFETY: the number is ours.
            let answer = unsafe { (self.cuDeviceGetAttribute)(part, attribute, device) };
            self.done("cuDeviceGetAttribute", answer)?;
        }
        Ok(parts.into_iter().fold(0, |all, part| 10 * all + u32::try_from(part).unwrap_or(0)))
    }
}

/// A queue of a device that does one thing after the other, and everything made for it. This thread's context is the device's.
pub(super) struct Queue {
    driver: Driver,
    stream: Handle,
    kernels: Vec<Handle>,
    /// Memories and their words.
    memories: Vec<(Address, usize)>,
}

impl Queue {
    /// A queue of the device of that place. Errors are a call and what it answered.
    pub(super) fn open(driver: Driver, index: usize) -> Result<Self, String> {
        let device = driver.device(index)?;
        let (mut context, mut stream) = (null_mut(), null_mut());
        // SAFETY: the handle is ours.
        let answer = unsafe { (driver.cuDevicePrimaryCtxRetain)(&raw mut context, device) };
        driver.done("cuDevicePrimaryCtxRetain", answer)?;
        // SAFETY: the context is one that the driver made.
        driver.done("cuCtxSetCurrent", unsafe { (driver.cuCtxSetCurrent)(context) })?;
        // SAFETY: the handle is ours.
        driver.done("cuStreamCreate", unsafe { (driver.cuStreamCreate)(&raw mut stream, 0) })?;
        Ok(Self { driver, stream, kernels: Vec::new(), memories: Vec::new() })
    }

    /// Loads machine code, or PTX with a zero at its end, and finds kernels in it.
    pub(super) fn load(&mut self, image: &[u8], kernels: [&str; 2]) -> Result<(), String> {
        let (driver, mut module) = (&self.driver, null_mut());
        // SAFETY: an image as the compiler made it, whose end the driver finds in it.
        let answer = unsafe { (driver.cuModuleLoadData)(&raw mut module, image.as_ptr().cast()) };
        driver.done("cuModuleLoadData", answer)?;
        for name in kernels {
            let (name, mut kernel) = (CString::new(name).unwrap_or_default(), null_mut());
            // SAFETY: the module is loaded, and the name ends as C wants it.
            let answer = unsafe { (driver.cuModuleGetFunction)(&raw mut kernel, module, name.as_ptr()) };
            driver.done("cuModuleGetFunction", answer)?;
            self.kernels.push(kernel);
        }
        Ok(())
    }

    /// A memory of that size.
    pub(super) fn memory(&mut self, words: usize) -> Result<usize, String> {
        let mut address = 0;
        // SAFETY: the address is ours.
        let answer = unsafe { (self.driver.cuMemAlloc_v2)(&raw mut address, 8 * words) };
        self.driver.done("cuMemAlloc", answer)?;
        self.memories.push((address, words));
        Ok(self.memories.len() - 1)
    }

    fn wait(&self) -> Result<(), String> {
        // SAFETY: the stream lives.
        self.driver.done("cuStreamSynchronize", unsafe { (self.driver.cuStreamSynchronize)(self.stream) })
    }

    /// Copies words to a memory, and waits for it.
    pub(super) fn write(&mut self, memory: usize, words: &[u64]) -> Result<(), String> {
        let (to, room) = self.memories[memory];
        assert!(words.len() <= room, "more words than the memory has");
        let (from, bytes) = (words.as_ptr().cast(), size_of_val(words));
        // SAFETY: both hold as many bytes, and the words outlive the copy, which is waited for.
        let answer = unsafe { (self.driver.cuMemcpyHtoDAsync_v2)(to, from, bytes, self.stream) };
        let waited = self.wait();
        self.driver.done("cuMemcpyHtoD", answer).and(waited)
    }

    /// Starts the kernel at `place` with groups of `group` items.
    pub(super) fn start(
        &mut self,
        place: usize,
        memories: [usize; 3],
        numbers: [u64; 3],
        [groups, group]: [usize; 2],
    ) -> Result<(), String> {
        let [table, scratch, best] = memories.map(|number| self.memories[number].0);
        let [begin, combinations, variations] = numbers;
        let mut arguments = [table, scratch, best, begin, combinations, variations];
        let mut places = arguments.each_mut().map(|argument| std::ptr::from_mut(argument).cast::<c_void>());
        let (groups, group) = (groups as c_uint, group as c_uint);
        let (start, kernel, places) = (self.driver.cuLaunchKernel, self.kernels[place], places.as_mut_ptr());
        // SAFETY: the kernels take six words, which the driver copies, and stay within the memories of a plan.
        let answer = unsafe { start(kernel, groups, 1, 1, group, 1, 1, 0, self.stream, places, null_mut()) };
        self.driver.done("cuLaunchKernel", answer)
    }

    /// Waits for everything, and copies words from a memory.
    pub(super) fn read(&mut self, memory: usize, words: &mut [u64]) -> Result<(), String> {
        let (from, room) = self.memories[memory];
        assert!(words.len() <= room, "more words than the memory has");
        let (to, bytes) = (words.as_mut_ptr().cast(), size_of_val(words));
        // SAFETY: both hold as many bytes, and the words outlive the copy, which is waited for.
        let answer = unsafe { (self.driver.cuMemcpyDtoHAsync_v2)(to, from, bytes, self.stream) };
        let waited = self.wait();
        self.driver.done("cuMemcpyDtoH", answer).and(waited)
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        for &(address, _) in &self.memories {
            // SAFETY: it was made here, and nobody else has it.
            unsafe { (self.driver.cuMemFree_v2)(address) };
        }
        // SAFETY: as above. The context, which may be others' too, goes with the process.
        unsafe { (self.driver.cuStreamDestroy_v2)(self.stream) };
    }
}
