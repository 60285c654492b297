//! OpenCL's loader: where it is looked for, and the functions it has.

use std::ffi::{c_char, c_void};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use opencl_sys::{
    cl_bitfield, cl_bool, cl_command_queue, cl_context, cl_device_id, cl_event, cl_int, cl_kernel, cl_mem,
    cl_platform_id, cl_program, cl_uint,
};

use crate::object::{Scope, SharedObject};

/// Where the loader lies, when the system's own search does not find it.
const FILES: &[&str] = &[
    "libOpenCL.so.1",
    "libOpenCL.so",
    "/usr/lib/x86_64-linux-gnu/libOpenCL.so.1",
    "/usr/lib/aarch64-linux-gnu/libOpenCL.so.1",
    "/usr/lib64/libOpenCL.so.1",
    "/usr/local/cuda/lib64/libOpenCL.so.1",
    "/opt/rocm/lib/libOpenCL.so.1",
];

type Notify = Option<unsafe extern "C" fn()>;

macro_rules! functions {
    ($($name:ident($($argument:ty),*) -> $result:ty;)*) => {
        /// The functions of the loader that are called.
        #[allow(non_snake_case)]
        pub(super) struct Api {
            /// The file they were found in.
            pub(super) file: PathBuf,
            $(pub(super) $name: unsafe extern "C" fn($($argument),*) -> $result,)*
        }

        impl Api {
            /// The functions of `object`, or the name of the first that it has not.
            fn of(object: &SharedObject, file: PathBuf) -> Result<Self, &'static str> {
                Ok(Self {
                    file,
                    // SAFETY: the types are those of the header cl.h, version 1.2.
                    $($name: unsafe { object.function(stringify!($name)) }.ok_or(stringify!($name))?,)*
                })
            }
        }
    };
}

functions! {
    clGetPlatformIDs(cl_uint, *mut cl_platform_id, *mut cl_uint) -> cl_int;
    clGetPlatformInfo(cl_platform_id, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
    clGetDeviceIDs(cl_platform_id, cl_bitfield, cl_uint, *mut cl_device_id, *mut cl_uint) -> cl_int;
    clGetDeviceInfo(cl_device_id, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
    clCreateContext(*const isize, cl_uint, *const cl_device_id, Notify, *mut c_void, *mut cl_int) -> cl_context;
    clReleaseContext(cl_context) -> cl_int;
    clCreateCommandQueue(cl_context, cl_device_id, cl_bitfield, *mut cl_int) -> cl_command_queue;
    clReleaseCommandQueue(cl_command_queue) -> cl_int;
    clFlush(cl_command_queue) -> cl_int;
    clFinish(cl_command_queue) -> cl_int;
    clCreateBuffer(cl_context, cl_bitfield, usize, *mut c_void, *mut cl_int) -> cl_mem;
    clReleaseMemObject(cl_mem) -> cl_int;
    clEnqueueReadBuffer(cl_command_queue, cl_mem, cl_bool, usize, usize, *mut c_void, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueWriteBuffer(cl_command_queue, cl_mem, cl_bool, usize, usize, *const c_void, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueCopyBuffer(cl_command_queue, cl_mem, cl_mem, usize, usize, usize, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueFillBuffer(cl_command_queue, cl_mem, *const c_void, usize, usize, usize, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueMapBuffer(cl_command_queue, cl_mem, cl_bool, cl_bitfield, usize, usize, cl_uint, *const cl_event, *mut cl_event, *mut cl_int) -> *mut c_void;
    clEnqueueUnmapMemObject(cl_command_queue, cl_mem, *mut c_void, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueMarkerWithWaitList(cl_command_queue, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueBarrierWithWaitList(cl_command_queue, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clCreateUserEvent(cl_context, *mut cl_int) -> cl_event;
    clSetUserEventStatus(cl_event, cl_int) -> cl_int;
    clGetEventProfilingInfo(cl_event, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
    clReleaseEvent(cl_event) -> cl_int;
    clCreateProgramWithSource(cl_context, cl_uint, *const *const c_char, *const usize, *mut cl_int) -> cl_program;
    clBuildProgram(cl_program, cl_uint, *const cl_device_id, *const c_char, Notify, *mut c_void) -> cl_int;
    clGetProgramInfo(cl_program, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
    clGetProgramBuildInfo(cl_program, cl_device_id, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
    clReleaseProgram(cl_program) -> cl_int;
    clCreateKernel(cl_program, *const c_char, *mut cl_int) -> cl_kernel;
    clSetKernelArg(cl_kernel, cl_uint, usize, *const c_void) -> cl_int;
    clGetKernelInfo(cl_kernel, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
    clGetKernelArgInfo(cl_kernel, cl_uint, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
    clGetKernelWorkGroupInfo(cl_kernel, cl_device_id, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
    clEnqueueNDRangeKernel(cl_command_queue, cl_kernel, cl_uint, *const usize, *const usize, *const usize, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clReleaseKernel(cl_kernel) -> cl_int;
}

/// The loader, opened once a process; the error is one sentence.
pub(super) fn api() -> Result<&'static Api, String> {
    static API: OnceLock<Result<Api, String>> = OnceLock::new();
    API.get_or_init(open).as_ref().map_err(Clone::clone)
}

fn open() -> Result<Api, String> {
    if let Some(named) = variable("PAW_OPENCL_LIBRARY") {
        let way_out = "name OpenCL's loader, libOpenCL.so.1, or unset the variable";
        return opened(Path::new(&named)).map_err(|why| format!("PAW_OPENCL_LIBRARY: {why}; {way_out}"));
    }
    let listed = variable("OPENCL_DYLIB_PATH").unwrap_or_default();
    let listed = listed.split(';').filter(|path| !path.is_empty());
    let mut refused = None;
    for file in listed.chain(FILES.iter().copied()) {
        match opened(Path::new(file)) {
            Ok(api) => return Ok(api),
            Err(why) if why.contains("No such file") => {}
            Err(why) => refused = refused.or(Some(why)),
        }
    }
    let missing = || "libOpenCL.so.1: no such file where the loader looks".to_owned();
    Err(format!(
        "OpenCL: {}; install a loader (ocl-icd-libopencl1 on Debian, ocl-icd on Fedora) or name one in PAW_OPENCL_LIBRARY",
        refused.unwrap_or_else(missing)
    ))
}

fn opened(path: &Path) -> Result<Api, String> {
    let object =
        SharedObject::open(path, Scope::Local).map_err(|why| format!("{} cannot be loaded: {why}", path.display()))?;
    let file = object.file_of("clGetPlatformIDs").unwrap_or_else(|| path.to_owned());
    Api::of(&object, file)
        .map_err(|missing| format!("{} is not a loader of OpenCL 1.2: it has no {missing}", path.display()))
}

/// An environment variable; one that is empty is not set.
pub(super) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
