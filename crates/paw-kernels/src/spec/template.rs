//! Templates of `paw kernel new`: a commented spec, and a small source that works with it.

use paw_foreign::device::Backend;

use super::Language;
use super::arrays::is_identifier;

/// For each language: the extension, the source, and its declaration in C.
const SOURCES: &[(Language, &str, &str, &str)] = &[
    (
        Language::C,
        "c",
        include_str!("../../templates/kernel.c"),
        "void NAME(unsigned n, const float a[n][n], const float x[n], float y[n])",
    ),
    (Language::Cpp, "cpp", include_str!("../../templates/kernel.cpp"), POINTERS),
    (
        Language::Fortran,
        "f90",
        include_str!("../../templates/kernel.f90"),
        "void NAME(int n, const float a[n][n], const float x[n], float y[n])",
    ),
    (Language::Rust, "rs", include_str!("../../templates/kernel.rs.txt"), POINTERS),
];

const POINTERS: &str = "void NAME(unsigned n, const float *a, const float *x, float *y)";

const SPEC: &str = include_str!("../../templates/kernel.toml");
const DEVICE_SPEC: &str = include_str!("../../templates/device.toml");

/// The target of a new kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum New {
    /// A processor, in a language.
    Processor(Language),
    /// A device, in its back-end's language.
    Device(Backend),
}

/// For each back-end: its language in a spec, the extension, the source, and an option of its compiler.
const DEVICE_SOURCES: &[(Backend, &str, &str, &str, &str)] = &[
    (Backend::Cuda, "cuda", "cu", include_str!("../../templates/device.cu"), "\"-std=c++17\", \"--use_fast_math\""),
    // HIP C++ is the same language, as far as this source goes.
    (Backend::Hip, "hip", "hip", include_str!("../../templates/device.cu"), "\"-std=c++17\", \"-ffast-math\""),
    (Backend::OpenCl, "opencl", "cl", include_str!("../../templates/device.cl"), "\"-cl-fast-relaxed-math\""),
    (Backend::LevelZero, "ze", "cl", include_str!("../../templates/device.cl"), "\"-cl-fast-relaxed-math\""),
];

/// Names that a function cannot have: names in the templates, keywords, and functions of the C library.
const TAKEN: &str = "\
    a abs and as asm auto block blockDim blockIdx bool break case catch ceil char class column columns const constant \
    continue cos crate default delete do double dyn else enum exp export extern false float floor fn for free friend \
    from_raw_parts from_raw_parts_mut global goto i if impl in inline int j kernel let local log long loop main \
    malloc match max memcpy min mod move mut n namespace new not operator or pow private protected pub public ref \
    register restrict return row rows self short signed sin size sizeof sqrt static std struct sum super switch tan \
    template this throw trait true try type typedef union unsafe unsigned use using virtual void volatile where while \
    x xor y yield";

/// The text of a `kernel.toml` for a kernel called `name`, and the name and the text of its source file. A name that no function
/// can have is changed: `my-kernel` becomes `my_kernel`, and `exp` becomes `exp_kernel`.
pub fn template(name: &str, new: New) -> (String, (String, String)) {
    let function = function(name);
    let language = match new {
        New::Processor(language) => language,
        New::Device(backend) => return device(&function, backend),
    };
    let (_, ending, source, signature) =
        SOURCES.iter().find(|(known, ..)| *known == language).copied().unwrap_or(SOURCES[0]);
    let file = format!("{function}.{ending}");
    let spec = SPEC.replace("SIGNATURE", signature).replace("SOURCE", &file).replace("NAME", &function);
    (spec, (file, source.replace("NAME", &function)))
}

fn device(function: &str, backend: Backend) -> (String, (String, String)) {
    let (_, language, ending, source, option) =
        DEVICE_SOURCES.iter().find(|(known, ..)| *known == backend).copied().unwrap_or(DEVICE_SOURCES[0]);
    let file = format!("{function}.{ending}");
    let spec = DEVICE_SPEC.replace("LANGUAGE", language).replace("SOURCE", &file).replace("OPTION", option);
    (spec.replace("NAME", function), (file, source.replace("NAME", function)))
}

fn function(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let function: String = name.chars().map(plain).collect();
    // A leading `_` is reserved in C and not allowed in Fortran.
    let function = function.trim_start_matches('_').to_owned();
    let is_free = is_identifier(&function) && !TAKEN.split(' ').any(|taken| taken.eq_ignore_ascii_case(&function));
    match function.as_str() {
        "" => "kernel".to_owned(),
        _ if is_free => function,
        _ if is_identifier(&function) => function + "_kernel",
        _ => format!("kernel_{function}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_becomes_one_that_a_function_can_have() {
        for (name, expected) in [
            ("product", "product"),
            ("my-kernel 2", "my_kernel_2"),
            ("3d", "kernel_3d"),
            ("exp", "exp_kernel"),
            ("Double", "Double_kernel"),
            ("_hidden", "hidden"),
            ("é", "kernel"),
            ("", "kernel"),
            ("\"quoted\"", "quoted_"),
        ] {
            assert_eq!(function(name), expected, "{name}");
        }
    }
}
