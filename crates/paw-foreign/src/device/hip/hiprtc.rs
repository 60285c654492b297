//! HIP C++ compiled at run time, by hiprtc. It needs no device.

use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};

use super::context::Amd;
use super::rocm::{self, HIPRTC};
use crate::device::gpu::calls::Column;
use crate::device::gpu::compiler::{Compiled, Compiler};
use crate::device::gpu::library::Library;
use crate::device::opened::OpenedLibrary;
use crate::device::{DeviceError, Source};
use crate::object::{Scope, SharedObject};

/// Options that say for which architecture to compile.
const ARCHITECTURE: &[&str] = &["--offload-arch", "--gpu-architecture"];
/// How the compiler says that a header is missing.
const NO_FILE: &str = "file not found";
/// The compiler.
#[derive(Debug)]
pub(super) struct Hiprtc {
    opened: OpenedLibrary,
    compiler: Compiler,
}

/// The compiler of this process for programs that `library` runs, opened at first use.
pub(super) fn the(library: &Library<Amd>) -> Result<&'static Hiprtc, String> {
    static THE: OnceLock<Result<Hiprtc, String>> = OnceLock::new();
    THE.get_or_init(|| Hiprtc::open(library)).as_ref().map_err(String::clone)
}

/// Where hiprtc is, or why not.
pub(super) fn found(library: &Library<Amd>) -> Result<String, String> {
    the(library).map(|hiprtc| hiprtc.opened.path.display().to_string())
}

impl Hiprtc {
    /// Opens the compiler: the file that its variable names, the run-time library where that holds it (up to ROCm 5), else the file of
    /// its own beside that. The error is one sentence.
    fn open(library: &Library<Amd>) -> Result<Self, String> {
        let search = rocm::here(&HIPRTC);
        let is_named = search.variable(HIPRTC.variable).is_some_and(|path| !path.is_empty());
        if !is_named
            && let Ok(object) = SharedObject::open(&library.file, Scope::Local)
            && object.has("hiprtcCreateProgram")
        {
            return Self::new(OpenedLibrary { object, path: library.file.clone() });
        }
        Self::new(rocm::open(&HIPRTC, &search, Some(&library.file))?)
    }

    fn new(opened: OpenedLibrary) -> Result<Self, String> {
        let compiler = Compiler::new(&opened, Column::Hip, "a hiprtc of ROCm 5 or later")?;
        Ok(Self { opened, compiler })
    }

    /// Compiles `source` for a device of that architecture. One among the source's options is left alone.
    pub(super) fn compile(&self, source: &Source, architecture: &str) -> Result<Compiled, DeviceError> {
        // That of ROCm 5.2 crashes where two threads compile at a time.
        static TURN: Mutex<()> = Mutex::new(());
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let headers = rocm::headers(&self.opened.path, &rocm::here(&HIPRTC));
        let compiled = self.compiler.compile(source, &options(source, architecture, headers.as_ref()), None);
        compiled.map_err(|error| match error {
            DeviceError::Build { log } if headers.is_none() && log.contains(NO_FILE) => {
                let hint = "no headers of ROCm were found beside hiprtc, below ROCM_PATH, HIP_PATH, /opt/rocm* or /usr/include";
                DeviceError::Build { log: format!("{log}\n{hint}: install them, or set ROCM_PATH") }
            }
            other => other,
        })
    }
}

fn options(source: &Source, architecture: &str, headers: Option<&PathBuf>) -> Vec<String> {
    let names_one = |option: &String| ARCHITECTURE.iter().any(|name| option.starts_with(name));
    let target = (!source.options.iter().any(names_one)).then(|| format!("--offload-arch={architecture}"));
    let headers = headers.map(|directory| format!("-I{}", directory.display()));
    target.into_iter().chain(source.options.iter().cloned()).chain(headers).collect()
}

#[cfg(test)]
mod tests {
    use super::super::matrix_cores;
    use super::super::rocm::HIP;
    use super::*;
    use crate::device::GemmKind;

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
    fn kernels_for_matrix_cores_compile_where_every_release_knows_the_architecture() {
        let Some(hiprtc) = installed() else { return };
        // That of ROCm 5.2 crashes when it is asked for a later one.
        for architecture in ["gfx908", "gfx90a:sramecc+:xnack-"] {
            for kind in GemmKind::ALL {
                let Ok(text) = matrix_cores::source(Some(architecture), kind) else { continue };
                let source = Source { text, name: "matrix.hip".to_owned(), ..Source::default() };
                let made = hiprtc.compile(&source, architecture).unwrap_or_else(|why| panic!("{architecture} {why}"));
                assert!(made.image.starts_with(b"\x7fELF") && made.log.is_empty(), "{architecture}: {}", made.log);
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
