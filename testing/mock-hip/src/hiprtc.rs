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

/// Functions of clang's for matrix cores, by what stands in their names, and the architectures that have what they need: `mai-insts`,
/// `gfx90a-insts`, `fp8-insts` and so on of LLVM's AMDGPU processors. The first row that fits counts.
const FUNCTIONS: &[(&str, &str, &str)] = &[
    ("mfma_scale_f32", "gfx950-insts", "gfx950"),
    ("mfma_f32_32x32x16_f16", "gfx950-insts", "gfx950"),
    ("mfma_f32_32x32x16_bf16", "gfx950-insts", "gfx950"),
    ("mfma_i32_32x32x32_i8", "gfx950-insts", "gfx950"),
    ("mfma_f32_32x32x16_fp8", "fp8-insts", "gfx940 gfx942 gfx950"),
    ("mfma_i32_32x32x16_i8", "mai-insts", "gfx940 gfx942 gfx950"),
    ("mfma_i32_32x32x8i8", "mai-insts", "gfx908 gfx90a"),
    ("mfma_f64", "gfx90a-insts", "gfx90a gfx940 gfx942 gfx950"),
    ("bf16_1k", "gfx90a-insts", "gfx90a gfx940 gfx942 gfx950"),
    ("mfma_", "mai-insts", "gfx908 gfx90a gfx940 gfx942 gfx950"),
    ("_w32_gfx12", "gfx12-insts,wavefrontsize32", "gfx1200 gfx1201"),
    ("wmma_", "gfx11-insts,wavefrontsize32", "gfx1100 gfx1101 gfx1102"),
];

/// What clang says of a function that the architecture has no instruction for.
fn lacks(text: &str) -> Option<String> {
    let named = text.split("__builtin_amdgcn_").skip(1).filter_map(|rest| rest.split('(').next());
    let architecture = config().architecture.split(':').next().unwrap_or_default();
    named.into_iter().find_map(|name| {
        let (_, feature, has) = FUNCTIONS.iter().find(|(part, ..)| name.contains(part))?;
        let fits = has.split(' ').any(|has| has == architecture);
        (!fits).then(|| format!("error: '__builtin_amdgcn_{name}' needs target feature {feature}"))
    })
}

mock_device::compiler_calls! {
    version hiprtcVersion(6, 3);
    create hiprtcCreateProgram;
    destroy hiprtcDestroyProgram;
    announce hiprtcAddNameExpression;
    compile hiprtcCompileProgram(meant, lacks, |file, line| format!("{file}:{line}:1"));
    lowered hiprtcGetLoweredName;
    text hiprtcGetProgramLogSize, hiprtcGetProgramLog(|program| &program.log);
    text hiprtcGetCodeSize, hiprtcGetCode(|program| &program.image);
}
