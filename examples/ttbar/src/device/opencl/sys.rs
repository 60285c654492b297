//! The calls of OpenCL, and the objects that they make.
#![allow(unsafe_code)]

use std::ffi::{CString, c_char, c_void};
use std::ptr::{null, null_mut};

use opencl_sys::{
    CL_BUILD_PROGRAM_FAILURE, CL_DEVICE_TYPE_ALL, CL_MEM_READ_WRITE, CL_PROGRAM_BUILD_LOG, CL_TRUE, cl_bitfield,
    cl_bool, cl_command_queue, cl_context, cl_device_id, cl_event, cl_int, cl_kernel, cl_mem, cl_platform_id,
    cl_program, cl_uint,
};

use super::failed;
use crate::device::first_lines;
use crate::device::sys::functions;

type Notify = Option<unsafe extern "C" fn()>;

functions! {
    /// OpenCL's loader.
    Loader:
    clGetPlatformIDs(cl_uint, *mut cl_platform_id, *mut cl_uint) -> cl_int;
    clGetDeviceIDs(cl_platform_id, cl_bitfield, cl_uint, *mut cl_device_id, *mut cl_uint) -> cl_int;
    clGetDeviceInfo(cl_device_id, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
    clCreateContext(*const isize, cl_uint, *const cl_device_id, Notify, *mut c_void, *mut cl_int) -> cl_context;
    clReleaseContext(cl_context) -> cl_int;
    clCreateCommandQueue(cl_context, cl_device_id, cl_bitfield, *mut cl_int) -> cl_command_queue;
    clReleaseCommandQueue(cl_command_queue) -> cl_int;
    clFinish(cl_command_queue) -> cl_int;
    clCreateBuffer(cl_context, cl_bitfield, usize, *mut c_void, *mut cl_int) -> cl_mem;
    clReleaseMemObject(cl_mem) -> cl_int;
    clEnqueueReadBuffer(cl_command_queue, cl_mem, cl_bool, usize, usize, *mut c_void, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueWriteBuffer(cl_command_queue, cl_mem, cl_bool, usize, usize, *const c_void, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clCreateProgramWithSource(cl_context, cl_uint, *const *const c_char, *const usize, *mut cl_int) -> cl_program;
    clBuildProgram(cl_program, cl_uint, *const cl_device_id, *const c_char, Notify, *mut c_void) -> cl_int;
    clGetProgramBuildInfo(cl_program, cl_device_id, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
    clReleaseProgram(cl_program) -> cl_int;
    clCreateKernel(cl_program, *const c_char, *mut cl_int) -> cl_kernel;
    clSetKernelArg(cl_kernel, cl_uint, usize, *const c_void) -> cl_int;
    clEnqueueNDRangeKernel(cl_command_queue, cl_kernel, cl_uint, *const usize, *const usize, *const usize, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clReleaseKernel(cl_kernel) -> cl_int;
}

/// A device of a platform.
#[derive(Clone, Copy)]
pub(super) struct Id(cl_device_id);

impl Loader {
    /// The loader of this machine.
    pub(super) fn open() -> Result<Self, String> {
        Self::found_in(&["libOpenCL.so.1", "libOpenCL.so"])
    }

    /// The devices of all platforms, in their order.
    pub(super) fn devices(&self) -> Vec<Id> {
        let mut count = 0;
        // SAFETY: no room is offered, and the count is ours. A loader without platforms answers an error, and no count.
        unsafe { (self.clGetPlatformIDs)(0, null_mut(), &raw mut count) };
        let mut platforms = vec![null_mut(); count as usize];
        if count > 0 {
            // SAFETY: there is room for as many.
            unsafe { (self.clGetPlatformIDs)(count, platforms.as_mut_ptr(), null_mut()) };
        }
        platforms.into_iter().flat_map(|platform| self.devices_of(platform)).collect()
    }

    /// The devices of a platform; one without any, or that is broken, hides no other.
    fn devices_of(&self, platform: cl_platform_id) -> Vec<Id> {
        let mut count = 0;
        // SAFETY: the platform is one that OpenCL named, no room is offered, and the count is ours.
        unsafe { (self.clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, 0, null_mut(), &raw mut count) };
        let mut devices = vec![null_mut(); count as usize];
        if count > 0 {
            // SAFETY: there is room for as many.
            unsafe { (self.clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, count, devices.as_mut_ptr(), null_mut()) };
        }
        devices.into_iter().filter(|device| !device.is_null()).map(Id).collect()
    }

    /// What a device answers to a question; nothing where it refuses.
    fn answer(&self, device: Id, question: cl_uint) -> Vec<u8> {
        let mut size = 0;
        // SAFETY: the device is one that OpenCL named, no room is offered, and the size is ours.
        unsafe { (self.clGetDeviceInfo)(device.0, question, 0, null_mut(), &raw mut size) };
        let mut answer = vec![0_u8; size];
        // SAFETY: there is room for as many bytes.
        unsafe { (self.clGetDeviceInfo)(device.0, question, size, answer.as_mut_ptr().cast(), null_mut()) };
        answer
    }

    /// An answer that is text.
    pub(super) fn text(&self, device: Id, question: cl_uint) -> String {
        let answer = self.answer(device, question);
        String::from_utf8_lossy(&answer).trim_end_matches('\0').trim().to_owned()
    }

    /// Whether an answer is other than 0.
    pub(super) fn is_set(&self, device: Id, question: cl_uint) -> bool {
        self.answer(device, question).iter().any(|byte| *byte != 0)
    }
}

/// A queue of a device that does one thing after the other, and everything made for it; all goes with it.
pub(super) struct Queue {
    loader: Loader,
    device: Id,
    context: cl_context,
    queue: cl_command_queue,
    program: cl_program,
    kernels: Vec<cl_kernel>,
    /// Memories and their words.
    memories: Vec<(cl_mem, usize)>,
}

impl Queue {
    /// A queue of this device. Errors are a call and what it answered.
    pub(super) fn open(loader: Loader, device: Id) -> Result<Self, String> {
        let mut status = 0;
        let none = null_mut();
        // SAFETY: one device, which OpenCL named; nobody is to be notified.
        let context = unsafe { (loader.clCreateContext)(null(), 1, &raw const device.0, None, none, &raw mut status) };
        done("clCreateContext", status)?;
        let (program, kernels, memories) = (null_mut(), Vec::new(), Vec::new());
        // From here on, what there is goes with it.
        let mut queue = Self { loader, device, context, queue: null_mut(), program, kernels, memories };
        // SAFETY: the device is the context's.
        queue.queue = unsafe { (queue.loader.clCreateCommandQueue)(context, device.0, 0, &raw mut status) };
        done("clCreateCommandQueue", status)?;
        Ok(queue)
    }

    /// Compiles a source, and finds kernels in it.
    pub(super) fn compile(&mut self, source: &str, kernels: [&str; 2]) -> Result<(), String> {
        let (text, length, mut status) = (source.as_ptr().cast(), source.len(), 0);
        let (text, length) = (&raw const text, &raw const length);
        // SAFETY: one text of that length, which OpenCL copies.
        self.program =
            unsafe { (self.loader.clCreateProgramWithSource)(self.context, 1, text, length, &raw mut status) };
        done("clCreateProgramWithSource", status)?;
        let (device, options) = (&raw const self.device.0, c"-cl-std=CL1.2".as_ptr());
        // SAFETY: one device of the context, options that end as C wants it, and nobody to be notified.
        let status = unsafe { (self.loader.clBuildProgram)(self.program, 1, device, options, None, null_mut()) };
        if status == CL_BUILD_PROGRAM_FAILURE {
            return Err(format!("the fit does not compile: {}", first_lines(&self.log())));
        }
        done("clBuildProgram", status)?;
        for name in kernels {
            let name = CString::new(name).unwrap_or_default();
            let mut status = 0;
            // SAFETY: the program is built, and the name ends as C wants it.
            let kernel = unsafe { (self.loader.clCreateKernel)(self.program, name.as_ptr(), &raw mut status) };
            done("clCreateKernel", status)?;
            self.kernels.push(kernel);
        }
        Ok(())
    }

    /// What the compiler said.
    fn log(&self) -> String {
        let (program, device, mut size) = (self.program, self.device.0, 0);
        let ask = self.loader.clGetProgramBuildInfo;
        // SAFETY: the program was built for this device, no room is offered, and the size is ours.
        unsafe { ask(program, device, CL_PROGRAM_BUILD_LOG, 0, null_mut(), &raw mut size) };
        let mut log = vec![0_u8; size];
        // SAFETY: there is room for as many bytes.
        unsafe { ask(program, device, CL_PROGRAM_BUILD_LOG, size, log.as_mut_ptr().cast(), null_mut()) };
        String::from_utf8_lossy(&log).trim_end_matches('\0').to_owned()
    }

    /// A memory of that size.
    pub(super) fn memory(&mut self, words: usize) -> Result<usize, String> {
        let (create, mut status) = (self.loader.clCreateBuffer, 0);
        // SAFETY: the context lives, and OpenCL makes the memory.
        let memory = unsafe { create(self.context, CL_MEM_READ_WRITE, 8 * words, null_mut(), &raw mut status) };
        done("clCreateBuffer", status)?;
        self.memories.push((memory, words));
        Ok(self.memories.len() - 1)
    }

    /// Copies words to a memory, and waits for it.
    pub(super) fn write(&mut self, memory: usize, words: &[u64]) -> Result<(), String> {
        let (to, room) = self.memories[memory];
        assert!(words.len() <= room, "more words than the memory has");
        let (bytes, from, none) = (size_of_val(words), words.as_ptr().cast(), null_mut());
        // SAFETY: both hold as many bytes, and the call returns when it has read them.
        let status =
            unsafe { (self.loader.clEnqueueWriteBuffer)(self.queue, to, CL_TRUE, 0, bytes, from, 0, null(), none) };
        done("clEnqueueWriteBuffer", status)
    }

    /// Starts the kernel at `place` with groups of `group` items.
    pub(super) fn start(
        &mut self,
        place: usize,
        memories: [usize; 3],
        numbers: [u64; 3],
        [groups, group]: [usize; 2],
    ) -> Result<(), String> {
        let kernel = self.kernels[place];
        let set = self.loader.clSetKernelArg;
        for (at, memory) in (0..).zip(memories.map(|number| self.memories[number].0)) {
            // SAFETY: the kernels' first three parameters are memories, and this is one of the context.
            let status = unsafe { set(kernel, at, size_of::<cl_mem>(), (&raw const memory).cast()) };
            done("clSetKernelArg", status)?;
        }
        for (at, number) in (3..).zip(numbers) {
            // SAFETY: the others are words.
            let status = unsafe { set(kernel, at, size_of::<u64>(), (&raw const number).cast()) };
            done("clSetKernelArg", status)?;
        }
        let (items, start) = (groups * group, self.loader.clEnqueueNDRangeKernel);
        let (items, group) = (&raw const items, &raw const group);
        // SAFETY: one dimension, whose numbers outlive the call; all arguments are set, and the kernels stay within the
        // memories of a plan.
        let status = unsafe { start(self.queue, kernel, 1, null(), items, group, 0, null(), null_mut()) };
        done("clEnqueueNDRangeKernel", status)
    }

    /// Waits for everything, and copies words from a memory.
    pub(super) fn read(&mut self, memory: usize, words: &mut [u64]) -> Result<(), String> {
        let (from, room) = self.memories[memory];
        assert!(words.len() <= room, "more words than the memory has");
        // SAFETY: the queue lives.
        done("clFinish", unsafe { (self.loader.clFinish)(self.queue) })?;
        let (bytes, to, none) = (size_of_val(words), words.as_mut_ptr().cast(), null_mut());
        // SAFETY: both hold as many bytes, and the call returns when it has written them.
        let status =
            unsafe { (self.loader.clEnqueueReadBuffer)(self.queue, from, CL_TRUE, 0, bytes, to, 0, null(), none) };
        done("clEnqueueReadBuffer", status)
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        for &(memory, _) in &self.memories {
            // SAFETY: it was made here, and nobody else has it.
            unsafe { (self.loader.clReleaseMemObject)(memory) };
        }
        for &kernel in &self.kernels {
            // SAFETY: as above.
            unsafe { (self.loader.clReleaseKernel)(kernel) };
        }
        if !self.program.is_null() {
            // SAFETY: as above.
            unsafe { (self.loader.clReleaseProgram)(self.program) };
        }
        if !self.queue.is_null() {
            // SAFETY: as above.
            unsafe { (self.loader.clReleaseCommandQueue)(self.queue) };
        }
        // SAFETY: as above.
        unsafe { (self.loader.clReleaseContext)(self.context) };
    }
}

fn done(call: &str, status: cl_int) -> Result<(), String> {
    if status == 0 { Ok(()) } else { Err(failed(call, status)) }
}
