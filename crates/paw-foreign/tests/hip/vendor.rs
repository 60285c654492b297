//! What the tests of both interfaces need to know of HIP's.

use paw_foreign::device::{Backend, GemmKind};

pub const BACKEND: Backend = Backend::Hip;
/// The mock, the beginning of its variables, and the beginnings of those that a library understands.
pub const MOCK: &str = "libmock_hip.so";
pub const PREFIX: &str = "MOCK_HIP_";
pub const FAMILIES: &[&str] = &["HIP_", "ROCR_", "ROCM_", "ROCBLAS", "HSA_", "GPU_", "AMD_"];
/// Variables that name the interface's library, and the others that the mock stands for.
pub const LIBRARIES: &[&str] = &["PAW_HIP_LIBRARY", "PAW_HIPRTC_LIBRARY", "PAW_ROCBLAS_LIBRARY"];
/// The variable that names the library of collectives, and its mock.
pub const COLLECTIVES: (&str, &str) = ("PAW_RCCL_LIBRARY", "libmock_rccl.so");
/// Those of them that have no devices.
pub const BESIDE: &[&str] = &["rocBLAS", "hiprtc"];

/// The library's file, the function that starts it, the variable that chooses devices, and one that makes launches synchronous.
pub const FILE: &str = "libamdhip64.so.6";
pub const INIT: &str = "hipInit";
pub const VISIBLE: &str = "HIP_VISIBLE_DEVICES";
pub const SERIALISING: &str = "AMD_SERIALIZE_KERNEL";
/// What is said of a library of another word size, of another library, and of one of long ago.
pub const REMEDY: &str = "ROCm's run-time libraries for this machine";
pub const ANOTHER: &str = "is not AMD's HIP run-time library";
pub const OLD: &str =
    "int hipInit(unsigned flags) { return 0; }\nint hipRuntimeGetVersion(int *v) { *v = 40321300; return 0; }\n";
pub const OLD_WORDS: &[&str] = &["too old", "HIP 4.3.21300", "hipGetDeviceCount"];

pub const NOT_READY: &str = "hipEventElapsedTime failed with 600 (hipErrorNotReady)";
pub const TOO_WIDE: &str = "hipModuleLaunchKernel failed with 9 (hipErrorInvalidConfiguration)";
pub const TOO_LONG: &str = "less than 4294967296 threads";
pub const WARP: u32 = 64;

/// A program's name, and a line of it as the compiler writes it.
pub const SOURCE: &str = "user.hip";
pub fn at_line(line: u32) -> String {
    format!("{SOURCE}:{line}:1")
}

/// Types that no library multiplies, and what is said of a product that there is not.
pub const LACKING: &[GemmKind] = &[GemmKind::Tf32, GemmKind::Fp8];
pub const UNFIT: &[(GemmKind, usize, &[&str])] =
    &[(GemmKind::Tf32, 16, &["tf32", "choose another type"]), (GemmKind::Fp8, 16, &["fp8", "choose another type"])];
/// Who multiplies a type.
pub fn by(_kind: GemmKind) -> &'static str {
    "rocBLAS 4.3.0"
}
