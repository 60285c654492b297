//! NVRTC, by the compiler of the tests.
#![allow(unsafe_code)]
// The names are NVRTC's.
#![allow(non_snake_case)]

use std::ffi::{c_char, c_int};

use mock_device::compiler_calls::{CompilerOption, answer};

/// Compute capabilities it compiles for: that of the mock's devices, and one below.
const ARCHITECTURES: [c_int; 2] = [80, 90];

#[unsafe(no_mangle)]
extern "C" fn nvrtcGetNumSupportedArchs(count: *mut c_int) -> c_int {
    answer(count, ARCHITECTURES.len() as c_int)
}

#[unsafe(no_mangle)]
extern "C" fn nvrtcGetSupportedArchs(to: *mut c_int) -> c_int {
    answer(to.cast::<[c_int; 2]>(), ARCHITECTURES)
}

fn meant(option: &str) -> CompilerOption {
    let folder = option.strip_prefix("--include-path=");
    folder.map_or(CompilerOption::Other, |folder| CompilerOption::Folder(folder.to_owned()))
}

mock_device::compiler_calls! {
    version nvrtcVersion(12, 4);
    create nvrtcCreateProgram;
    destroy nvrtcDestroyProgram;
    announce nvrtcAddNameExpression;
    compile nvrtcCompileProgram(meant, |_| None, |file, line| format!("{file}({line})"));
    lowered nvrtcGetLoweredName;
    text nvrtcGetProgramLogSize, nvrtcGetProgramLog(|program| &program.log);
    text nvrtcGetPTXSize, nvrtcGetPTX(|program| &program.image);
    text nvrtcGetCUBINSize, nvrtcGetCUBIN(|program| &program.image);
}
