//! HIP C++ compiled at run time, by hiprtc. It needs no device.
#![allow(unsafe_code)]

use std::ffi::{CString, c_char, c_int, c_void};
use std::path::PathBuf;
use std::ptr;
use std::sync::{Mutex, OnceLock, PoisonError};

use super::library::Library;
use super::rocm::{self, HIPRTC};
use crate::device::opened::{OpenedLibrary, library_calls};
use crate::device::{DeviceError, Source};
use crate::object::{SharedObject, text};

/// Options that say for which architecture to compile.
const ARCHITECTURE: &[&str] = &["--offload-arch", "--gpu-architecture"];
/// How the compiler says that a header is missing.
const NO_FILE: &str = "file not found";
/// `HIPRTC_ERROR_COMPILATION`: the log says why (hiprtcResult, hiprtc.h).
const COMPILATION: c_int = 6;

/// The compiler.
#[derive(Debug)]
pub(super) struct Hiprtc {
    opened: OpenedLibrary,
    calls: Calls,
}

/// A compiled source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Compiled {
    /// A code object, as `hipModuleLoadData` takes it.
    pub(super) image: Vec<u8>,
    /// Names of kernels that were announced, and what they are called in the image.
    pub(super) lowered: Vec<(String, String)>,
    /// The compiler's log: warnings.
    pub(super) log: String,
}

/// The compiler's handle of a program.
type ProgramHandle = *mut c_void;
type Texts = *const *const c_char;

library_calls! {
    create = "hiprtcCreateProgram"(*mut ProgramHandle, *const c_char, *const c_char, c_int, Texts, Texts);
    destroy = "hiprtcDestroyProgram"(*mut ProgramHandle);
    announce = "hiprtcAddNameExpression"(ProgramHandle, *const c_char);
    compile = "hiprtcCompileProgram"(ProgramHandle, c_int, Texts);
    lowered = "hiprtcGetLoweredName"(ProgramHandle, *const c_char, *mut *const c_char);
    log_size = "hiprtcGetProgramLogSize"(ProgramHandle, *mut usize);
    log = "hiprtcGetProgramLog"(ProgramHandle, *mut c_char);
    code_size = "hiprtcGetCodeSize"(ProgramHandle, *mut usize);
    code = "hiprtcGetCode"(ProgramHandle, *mut c_char);
}

/// The compiler of this process for programs that `library` runs, opened at first use.
pub(super) fn the(library: &Library) -> Result<&'static Hiprtc, String> {
    static THE: OnceLock<Result<Hiprtc, String>> = OnceLock::new();
    THE.get_or_init(|| Hiprtc::open(library)).as_ref().map_err(String::clone)
}

/// Where hiprtc is, or why not.
pub(super) fn found(library: &Library) -> Result<String, String> {
    the(library).map(|hiprtc| hiprtc.opened.path.display().to_string())
}

impl Hiprtc {
    /// Opens the compiler: the file that its variable names, the run-time library where that holds it (up to ROCm 5), else the file of
    /// its own beside that. The error is one sentence.
    fn open(library: &Library) -> Result<Self, String> {
        let search = rocm::here(&HIPRTC);
        let is_named = search.variable(HIPRTC.variable).is_some_and(|path| !path.is_empty());
        if !is_named && library.object.has("hiprtcCreateProgram") {
            let object = SharedObject::open(&library.file, crate::object::Scope::Local)?;
            return Self::new(OpenedLibrary { object, path: library.file.clone() });
        }
        Self::new(rocm::open(&HIPRTC, &search, Some(&library.file))?)
    }

    fn new(opened: OpenedLibrary) -> Result<Self, String> {
        let calls = Calls::find(&opened, "a hiprtc of ROCm 5 or later")?;
        Ok(Self { opened, calls })
    }

    /// Compiles `source` for a device of that architecture. One among the source's options is left alone.
    pub(super) fn compile(&self, source: &Source, architecture: &str) -> Result<Compiled, DeviceError> {
        // That of ROCm 5.2 crashes where two threads compile at a time.
        static TURN: Mutex<()> = Mutex::new(());
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let program = Program::new(self, source)?;
        let names = source.names.iter().map(|name| c_string(name)).collect::<Result<Vec<_>, _>>()?;
        for name in &names {
            // SAFETY: the program lives, the name is a C string.
            let answer = unsafe { (self.calls.announce)(program.handle, name.as_ptr()) };
            done("hiprtcAddNameExpression", answer)?;
        }
        let headers = rocm::headers(&self.opened.path, &rocm::here(&HIPRTC));
        let log = program.compile(&options(source, architecture, headers.as_ref())).map_err(|error| match error {
            DeviceError::Build { log } if headers.is_none() && log.contains(NO_FILE) => {
                let hint = "no headers of ROCm were found beside hiprtc, below ROCM_PATH, HIP_PATH, /opt/rocm* or /usr/include";
                DeviceError::Build { log: format!("{log}\n{hint}: install them, or set ROCM_PATH") }
            }
            other => other,
        })?;
        let lowered = source.names.iter().zip(&names);
        let lowered = lowered.map(|(name, c_name)| Ok((name.clone(), program.lowered(c_name)?)));
        let lowered = lowered.collect::<Result<_, DeviceError>>()?;
        let image = program.bytes("hiprtcGetCode", self.calls.code_size, self.calls.code)?;
        Ok(Compiled { image, lowered, log })
    }
}

fn options(source: &Source, architecture: &str, headers: Option<&PathBuf>) -> Vec<String> {
    let names_one = |option: &String| ARCHITECTURE.iter().any(|name| option.starts_with(name));
    let target = (!source.options.iter().any(names_one)).then(|| format!("--offload-arch={architecture}"));
    let headers = headers.map(|directory| format!("-I{}", directory.display()));
    target.into_iter().chain(source.options.iter().cloned()).chain(headers).collect()
}

/// A program of the compiler, destroyed when dropped.
struct Program<'a> {
    by: &'a Hiprtc,
    handle: ProgramHandle,
}

impl<'a> Program<'a> {
    fn new(by: &'a Hiprtc, source: &Source) -> Result<Self, DeviceError> {
        let (text, name) = (c_string(&source.text)?, c_string(&source.name)?);
        let mut handle = ptr::null_mut();
        // SAFETY: two C strings, no headers; the compiler copies the text.
        let answer =
            unsafe { (by.calls.create)(&raw mut handle, text.as_ptr(), name.as_ptr(), 0, ptr::null(), ptr::null()) };
        done("hiprtcCreateProgram", answer)?;
        Ok(Self { by, handle })
    }

    /// The log of a successful compilation.
    fn compile(&self, options: &[String]) -> Result<String, DeviceError> {
        let options = options.iter().map(|option| c_string(option)).collect::<Result<Vec<_>, _>>()?;
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        // SAFETY: the program lives, and there are as many C strings as are said to be.
        let answer = unsafe { (self.by.calls.compile)(self.handle, pointers.len() as c_int, pointers.as_ptr()) };
        let log = self.bytes("hiprtcGetProgramLog", self.by.calls.log_size, self.by.calls.log)?;
        let log = String::from_utf8_lossy(&log).trim_end_matches('\0').trim().to_owned();
        match answer {
            0 => Ok(log),
            COMPILATION if !log.is_empty() => Err(DeviceError::Build { log }),
            // An unknown option: the log says which.
            code if !log.is_empty() => {
                Err(DeviceError::Build { log: format!("hiprtcCompileProgram failed with {code}: {log}") })
            }
            code => Err(refused("hiprtcCompileProgram", code)),
        }
    }

    fn lowered(&self, name: &CString) -> Result<String, DeviceError> {
        let mut lowered = ptr::null();
        // SAFETY: the program lives, the name was announced, and the answer is a string of the program's.
        let answer = unsafe { (self.by.calls.lowered)(self.handle, name.as_ptr(), &raw mut lowered) };
        done("hiprtcGetLoweredName", answer)?;
        // SAFETY: the answer is a C string while the program lives.
        Ok(unsafe { text(lowered) })
    }

    fn bytes(
        &self,
        call: &'static str,
        size: unsafe extern "C" fn(ProgramHandle, *mut usize) -> c_int,
        read: unsafe extern "C" fn(ProgramHandle, *mut c_char) -> c_int,
    ) -> Result<Vec<u8>, DeviceError> {
        let mut bytes = 0;
        // SAFETY: the program lives, and the number outlives the call.
        done(call, unsafe { size(self.handle, &raw mut bytes) })?;
        if bytes == 0 {
            return Ok(Vec::new());
        }
        let mut text = vec![0u8; bytes];
        // SAFETY: there is room for as many bytes as the compiler said it has.
        done(call, unsafe { read(self.handle, text.as_mut_ptr().cast()) })?;
        Ok(text)
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        // SAFETY: the program lives, and is not used again.
        unsafe { (self.by.calls.destroy)(&raw mut self.handle) };
    }
}

fn c_string(text: &str) -> Result<CString, DeviceError> {
    CString::new(text)
        .map_err(|_| DeviceError::Build { log: "a zero byte in the source, its name or an option".to_owned() })
}

/// Names of `hiprtcResult`, as hiprtc.h has them without the prefix.
const MEANINGS: &[(c_int, &str)] = &[
    (1, "out of memory"),
    (2, "program creation failure"),
    (3, "invalid input"),
    (4, "invalid program"),
    (5, "invalid option"),
    (COMPILATION, "compilation"),
    (7, "builtin operation failure"),
    (8, "no name expressions after compilation"),
    (9, "no lowered names before compilation"),
    (10, "name expression not valid"),
    (11, "internal error"),
];

fn refused(call: &'static str, code: c_int) -> DeviceError {
    let meaning = MEANINGS.iter().find(|(known, _)| *known == code).map_or("", |(_, meaning)| *meaning);
    DeviceError::Refused { call, code: code.into(), meaning: meaning.to_owned() }
}

fn done(call: &'static str, code: c_int) -> Result<(), DeviceError> {
    if code == 0 { Ok(()) } else { Err(refused(call, code)) }
}

#[cfg(test)]
mod tests {
    use super::super::rocm::HIP;
    use super::*;

    /// The compiler that is installed on this machine, in whichever file; it needs no device. Debian's libamdhip64-5 is one.
    fn installed() -> Option<Hiprtc> {
        let alone = rocm::open(&HIPRTC, &rocm::here(&HIPRTC), None).ok();
        let inside =
            || rocm::open(&HIP, &rocm::here(&HIP), None).ok().filter(|hip| hip.object.has("hiprtcCreateProgram"));
        Hiprtc::new(alone.or_else(inside)?).ok()
    }

    #[test]
    fn the_kernels_that_paw_brings_along_compile_for_each_family() {
        let Some(hiprtc) = installed() else { return };
        for (name, text) in [("kernels.hip", include_str!("kernels.hip")), ("fma.hip", include_str!("fma.hip"))] {
            let source = Source { text: text.to_owned(), name: name.to_owned(), ..Source::default() };
            for architecture in ["gfx906", "gfx90a:sramecc+:xnack-", "gfx1030"] {
                let compiled = hiprtc.compile(&source, architecture).unwrap_or_else(|why| panic!("{name}: {why}"));
                let (image, log) = (compiled.image, compiled.log);
                assert!(image.starts_with(b"\x7fELF") && log.is_empty(), "{name} for {architecture}: {log}");
            }
        }
    }

    #[test]
    fn a_template_is_found_by_its_name_and_an_error_tells_file_and_line() {
        let Some(hiprtc) = installed() else { return };
        let text = "template <class T> __global__ void fill(T *x) { x[threadIdx.x] = T(1); }".to_owned();
        let names = vec!["fill<double>".to_owned()];
        let source = Source { text, name: "user.hip".to_owned(), names, ..Source::default() };
        let compiled = hiprtc.compile(&source, "gfx90a").unwrap();
        assert_eq!(compiled.lowered, [("fill<double>".to_owned(), "_Z4fillIdEvPT_".to_owned())]);
        let text = "\n__global__ void f() { undeclared = 1; }\n".to_owned();
        let Err(DeviceError::Build { log }) = hiprtc.compile(&Source { text, names: Vec::new(), ..source }, "gfx90a")
        else {
            panic!("it compiles")
        };
        // ROCm 5.2 calls the file by a name of its own.
        assert!(log.contains(":2:") && log.contains("undeclared"), "{log}");
    }

    fn source(words: &[&str]) -> Source {
        Source { options: words.iter().map(|word| (*word).to_owned()).collect(), ..Source::default() }
    }

    #[test]
    fn an_architecture_among_the_options_is_left_alone() {
        assert_eq!(options(&source(&["-w", "--offload-arch=gfx908"]), "gfx90a", None), ["-w", "--offload-arch=gfx908"]);
        let include = PathBuf::from("/opt/rocm/include");
        let all = options(&source(&["-O3"]), "gfx90a:xnack-", Some(&include));
        assert_eq!(all, ["--offload-arch=gfx90a:xnack-", "-O3", "-I/opt/rocm/include"]);
    }
}
