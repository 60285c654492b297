//! hiprtc, by the compiler of the tests.
#![allow(unsafe_code)]
// The names are hiprtc's.
#![allow(non_snake_case)]

use std::ffi::{c_char, c_int};

use mock_device::compiler_calls::CompilerOption;

use crate::runtime::config;

/// The architecture must be that of the devices.
fn meant(option: &str) -> CompilerOption {
    if let Some(named) = option.strip_prefix("--offload-arch=").filter(|named| *named != config().architecture) {
        return CompilerOption::Refused(format!("error: invalid target ID '{named}'"));
    }
    option.strip_prefix("-I").map_or(CompilerOption::Other, |folder| CompilerOption::Folder(folder.to_owned()))
}

mock_device::compiler_calls! {
    version hiprtcVersion(6, 3);
    create hiprtcCreateProgram;
    destroy hiprtcDestroyProgram;
    announce hiprtcAddNameExpression;
    compile hiprtcCompileProgram(meant, |file, line| format!("{file}:{line}:1"));
    lowered hiprtcGetLoweredName;
    text hiprtcGetProgramLogSize, hiprtcGetProgramLog(|program| &program.log);
    text hiprtcGetCodeSize, hiprtcGetCode(|program| &program.image);
}
