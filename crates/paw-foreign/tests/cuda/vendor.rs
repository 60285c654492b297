//! What the tests of both interfaces need to know of CUDA's.

use paw_foreign::device::{Backend, GemmKind};

pub const BACKEND: Backend = Backend::Cuda;
/// The mock, the beginning of its variables, and the beginnings of those that a driver understands.
pub const MOCK: &str = "libmock_cuda.so";
pub const PREFIX: &str = "MOCK_CUDA_";
pub const FAMILIES: &[&str] = &["CUDA_", "CUBLAS", "NVIDIA_"];
/// Variables that name the interface's library, and the others that the mock stands for.
pub const LIBRARIES: &[&str] =
    &["PAW_CUDA_LIBRARY", "PAW_NVML_LIBRARY", "PAW_CUBLAS_LIBRARY", "PAW_CUBLASLT_LIBRARY", "PAW_NVRTC_LIBRARY"];
/// The variable that names the library of collectives, and its mock.
pub const COLLECTIVES: (&str, &str) = ("PAW_NCCL_LIBRARY", "libmock_nccl.so");
/// Those of them that have no devices.
pub const BESIDE: &[&str] = &["cuBLAS", "cuBLASLt", "NVRTC", "NVML"];

/// The library's file, the function that starts it, the variable that chooses devices, and one that makes launches synchronous.
pub const FILE: &str = "libcuda.so.1";
pub const INIT: &str = "cuInit";
pub const VISIBLE: &str = "CUDA_VISIBLE_DEVICES";
pub const SERIALISING: &str = "CUDA_LAUNCH_BLOCKING";
/// What is said of a library of another word size, of another library, and of one of long ago.
pub const REMEDY: &str = "64-bit driver";
pub const ANOTHER: &str = "is not NVIDIA's driver";
pub const OLD: &str =
    "int cuInit(unsigned flags) { return 0; }\nint cuDriverGetVersion(int *v) { *v = 6050; return 0; }\n";
pub const OLD_WORDS: &[&str] = &["too old", "CUDA 6.5", "cuDeviceGetCount"];

pub const NOT_READY: &str = "cuEventElapsedTime failed with 600 (CUDA_ERROR_NOT_READY)";
pub const TOO_WIDE: &str = "cuLaunchKernel failed with 1 (CUDA_ERROR_INVALID_VALUE)";
pub const TOO_LONG: &str = "2147483647";
pub const WARP: u32 = 32;

/// A program's name, and a line of it as the compiler writes it.
pub const SOURCE: &str = "user.cu";
pub fn at_line(line: u32) -> String {
    format!("{SOURCE}({line})")
}

/// Types that no library multiplies, and what is said of a product that there is not.
pub const LACKING: &[GemmKind] = &[];
pub const UNFIT: &[(GemmKind, usize, &[&str])] = &[(GemmKind::Fp8, 24, &["multiple of 16"])];
/// Who multiplies a type.
pub fn by(kind: GemmKind) -> &'static str {
    if kind == GemmKind::Fp8 { "cuBLASLt 12.4.5, summed fast" } else { "cuBLAS 12.4.5" }
}
