//! CUDA C++ compiled at run time, by NVRTC. It needs no driver and no device.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int};
use std::path::PathBuf;
use std::sync::OnceLock;

use super::toolkit::{self, NVRTC, OpenedLibrary};
use crate::device::gpu::calls::{Column, call_table};
use crate::device::gpu::compiler::{Bytes, Compiled, Compiler, ProgramHandle, bind};
use crate::device::{DeviceError, Source};

/// Options that say for which architecture to compile.
const ARCHITECTURE: &[&str] = &["-arch", "--gpu-architecture"];
/// How the compiler says that a header is missing.
const NO_FILE: &str = "cannot open source file";
/// The compiler.
#[derive(Debug)]
pub(super) struct Nvrtc {
    opened: OpenedLibrary,
    compiler: Compiler,
    calls: NvrtcCalls,
    version: (u32, u32),
    /// Compute capabilities it compiles for, as two digits: 90.
    architectures: Vec<u32>,
}

/// What a compiler is that has all functions.
const TITLE: &str = "an NVRTC of CUDA 11.2 or later";

call_table! {
    NvrtcCalls
    required {
        version ["nvrtcVersion"; 2] (*mut c_int, *mut c_int);
        architecture_count ["nvrtcGetNumSupportedArchs"; 2] (*mut c_int);
        architectures ["nvrtcGetSupportedArchs"; 2] (*mut c_int);
        cubin_size ["nvrtcGetCUBINSize"; 2] (ProgramHandle, *mut usize);
        cubin ["nvrtcGetCUBIN"; 2] (ProgramHandle, *mut c_char);
    }
    optional {}
}

/// The target: machine code of one architecture, or PTX of a virtual one.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Target {
    /// The option; `None` where the source's own options say it.
    option: Option<String>,
    is_machine_code: bool,
}

/// Compiles `source` for devices of that compute capability and a driver of that version (12040 is 12.4), by the compiler of this
/// process.
pub(super) fn compile(source: &Source, compute: (u32, u32), version: i32) -> Result<Compiled, DeviceError> {
    the(toolkit::major(version)).map_err(DeviceError::Absent)?.compile(source, compute)
}

/// Where NVRTC is, or why not, for a driver of that version (12040 is 12.4).
pub(super) fn found(version: i32) -> Result<String, String> {
    the(toolkit::major(version)).map(|nvrtc| nvrtc.opened.path.display().to_string())
}

/// The compiler, opened at first use.
fn the(driver_major: Option<u32>) -> Result<&'static Nvrtc, String> {
    static THE: OnceLock<Result<Nvrtc, String>> = OnceLock::new();
    THE.get_or_init(|| Nvrtc::open(driver_major)).as_ref().map_err(String::clone)
}

impl Nvrtc {
    /// Opens the compiler, of the driver's major version or a lower one. The error is one sentence.
    pub(super) fn open(driver_major: Option<u32>) -> Result<Self, String> {
        Self::new(toolkit::open(&NVRTC, &toolkit::here(&NVRTC), driver_major)?)
    }

    fn new(opened: OpenedLibrary) -> Result<Self, String> {
        let (compiler, calls): (_, NvrtcCalls) =
            (Compiler::new(&opened, Column::Cuda, TITLE)?, bind(&opened, Column::Cuda, TITLE)?);
        let (mut major, mut minor, mut count) = (0, 0, 0);
        // SAFETY: both numbers outlive the call.
        let answer = unsafe { (calls.version.function)(&raw mut major, &raw mut minor) };
        if answer != 0 {
            return Err(format!("{}: nvrtcVersion failed with {answer}", opened.path.display()));
        }
        // SAFETY: the number outlives the call.
        let answer = unsafe { (calls.architecture_count.function)(&raw mut count) };
        let mut architectures = vec![0; if answer == 0 { usize::try_from(count).unwrap_or(0) } else { 0 }];
        if !architectures.is_empty() {
            // SAFETY: there is room for as many numbers as the library said it has.
            unsafe { (calls.architectures.function)(architectures.as_mut_ptr()) };
        }
        let architectures = architectures.into_iter().filter_map(|one| u32::try_from(one).ok()).collect();
        Ok(Self { opened, compiler, calls, version: (major as u32, minor as u32), architectures })
    }

    /// Compiles `source` for a device of that compute capability: to its machine code where the compiler knows it, else to PTX of
    /// the highest architecture below it. An `-arch` among the source's options is left alone.
    pub(super) fn compile(&self, source: &Source, compute: (u32, u32)) -> Result<Compiled, DeviceError> {
        let target = self.target(&source.options, compute)?;
        let headers = toolkit::headers(&self.opened.path, &toolkit::here(&NVRTC));
        let machine_code = Bytes { size: self.calls.cubin_size, read: self.calls.cubin };
        let image = target.is_machine_code.then_some(machine_code);
        let compiled = self.compiler.compile(source, &options(source, &target, &headers), image);
        let mut compiled = compiled.map_err(|error| match error {
            DeviceError::Build { log } if headers.is_empty() && log.contains(NO_FILE) => {
                DeviceError::Build { log: format!("{log}\n{}", toolkit::without_headers(&self.opened.path)) }
            }
            other => other,
        })?;
        // PTX must end with a zero; a cubin may.
        compiled.image.push(0);
        Ok(compiled)
    }

    fn target(&self, options: &[String], compute: (u32, u32)) -> Result<Target, DeviceError> {
        if let Some(named) = named_architecture(options) {
            return Ok(Target { option: None, is_machine_code: named.starts_with("sm_") });
        }
        let wanted = compute.0 * 10 + compute.1;
        let best = self.architectures.iter().copied().filter(|known| *known <= wanted).max();
        let target = |option, is_machine_code| Target { option: Some(option), is_machine_code };
        match best {
            Some(best) if best == wanted => Ok(target(format!("--gpu-architecture=sm_{best}"), true)),
            Some(best) => Ok(target(format!("--gpu-architecture=compute_{best}"), false)),
            None => Err(DeviceError::Unsupported(format!(
                "NVRTC {}.{} does not compile for compute capability {}.{}; name an older one by {}",
                self.version.0, self.version.1, compute.0, compute.1, NVRTC.variable
            ))),
        }
    }
}

fn options(source: &Source, target: &Target, headers: &[PathBuf]) -> Vec<String> {
    let headers = headers.iter().map(|directory| format!("--include-path={}", directory.display()));
    target.option.clone().into_iter().chain(source.options.iter().cloned()).chain(headers).collect()
}

/// The architecture that the options name: `-arch=sm_90`, `--gpu-architecture sm_90`.
fn named_architecture(options: &[String]) -> Option<&str> {
    options.iter().enumerate().find_map(|(at, option)| match option.split_once('=') {
        Some((name, value)) => ARCHITECTURE.contains(&name).then_some(value),
        None => ARCHITECTURE.contains(&option.as_str()).then(|| options.get(at + 1).map_or("", String::as_str)),
    })
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    /// Set by `./check`, which installs the wheel: there NVRTC must be found.
    const WHEELS: &str = "PAW_TEST_CUDA_WHEELS";

    const AXPY: &str = "extern \"C\" __global__ void axpy(float *y, const float *x, float a, long long n) {\n\
                        \x20   long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;\n\
                        \x20   if (i < n) y[i] += a * x[i];\n}\n";

    /// The compiler; `None` where it is not installed and `./check` does not say that it is.
    fn nvrtc() -> Option<Nvrtc> {
        let found = Nvrtc::open(Some(12));
        if let (Some(root), Err(why)) = (std::env::var_os(WHEELS), &found) {
            panic!("pip install nvidia-cuda-nvrtc-cu12 into {}: {why}", root.display());
        }
        found.ok()
    }

    fn source(text: &str) -> Source {
        Source { text: text.to_owned(), name: "user.cu".to_owned(), ..Source::default() }
    }

    #[test]
    fn a_known_architecture_gets_machine_code_and_an_unknown_one_ptx() {
        let Some(nvrtc) = nvrtc() else { return };
        let known = nvrtc.compile(&source(AXPY), (9, 0)).unwrap();
        assert!(known.image.starts_with(b"\x7fELF"));
        let newer = nvrtc.compile(&source(AXPY), (99, 0)).unwrap();
        let ptx = CStr::from_bytes_until_nul(&newer.image).unwrap().to_string_lossy().into_owned();
        assert!(ptx.contains(".entry axpy"), "{ptx}");
    }

    #[test]
    fn a_template_is_found_by_the_name_that_was_announced() {
        let Some(nvrtc) = nvrtc() else { return };
        let text = "template <class T> __global__ void fill(T *x) { x[threadIdx.x] = T(1); }";
        let names = vec!["fill<double>".to_owned()];
        let compiled = nvrtc.compile(&Source { names, ..source(text) }, (8, 0)).unwrap();
        assert_eq!(compiled.lowered, [("fill<double>".to_owned(), "_Z4fillIdEvPT_".to_owned())]);
    }

    #[test]
    fn an_error_tells_file_and_line() {
        let Some(nvrtc) = nvrtc() else { return };
        let error = nvrtc.compile(&source("\n__global__ void f() { undeclared = 1; }\n"), (8, 0)).unwrap_err();
        let DeviceError::Build { log } = error else { panic!("{error:?}") };
        assert!(log.contains("user.cu(2)") && log.contains("undeclared"), "{log}");
    }

    #[test]
    fn a_warning_is_in_the_log_of_a_program_that_is_fine() {
        let Some(nvrtc) = nvrtc() else { return };
        let text = "extern \"C\" __global__ void f(int *x) { int unused; x[0] = 1; }";
        assert!(nvrtc.compile(&source(text), (8, 0)).unwrap().log.contains("unused"));
    }

    #[test]
    fn an_option_that_is_not_known_is_named() {
        let Some(nvrtc) = nvrtc() else { return };
        let options = vec!["--no-such-option".to_owned()];
        let error = nvrtc.compile(&Source { options, ..source(AXPY) }, (8, 0)).unwrap_err();
        assert!(error.to_string().contains("no-such-option"), "{error}");
    }

    #[test]
    fn an_architecture_among_the_options_is_left_alone() {
        let options = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert_eq!(named_architecture(&options(&["-w", "-arch=sm_90"])), Some("sm_90"));
        assert_eq!(named_architecture(&options(&["--gpu-architecture", "compute_80"])), Some("compute_80"));
        assert_eq!(named_architecture(&options(&["--use_fast_math"])), None);
        let Some(nvrtc) = nvrtc() else { return };
        let compiled =
            nvrtc.compile(&Source { options: options(&["-arch=compute_75"]), ..source(AXPY) }, (9, 0)).unwrap();
        assert!(!compiled.image.starts_with(b"\x7fELF"));
    }
}
