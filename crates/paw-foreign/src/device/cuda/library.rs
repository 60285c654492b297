//! The driver's library: searched.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::context::Nvidia;
use super::diagnosis::unopened;
use crate::device::gpu::library::Library;
use crate::device::opened::{OpenedLibrary, is_absent, named_by};
use crate::object::{Scope, SharedObject};

/// The variable that names the driver's library; no other is tried then.
const VARIABLE: &str = "PAW_CUDA_LIBRARY";

/// Files of the driver's library: by the loader, then where containers, WSL and NixOS mount it. Never `libcuda.so`, a toolkit's stub.
const CANDIDATES: &[&str] = &[
    "libcuda.so.1",
    "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
    "/usr/lib/aarch64-linux-gnu/libcuda.so.1",
    "/usr/lib64/libcuda.so.1",
    "/usr/local/nvidia/lib64/libcuda.so.1",
    "/usr/lib/wsl/lib/libcuda.so.1",
    "/run/opengl-driver/lib/libcuda.so.1",
];

/// The driver of this process, opened and started once. The error is one sentence with a way out.
pub(super) fn library() -> Result<&'static Library<Nvidia>, String> {
    static LIBRARY: OnceLock<Result<Library<Nvidia>, String>> = OnceLock::new();
    LIBRARY.get_or_init(|| Library::start(open()?)).as_ref().map_err(Clone::clone)
}

fn open() -> Result<OpenedLibrary, String> {
    if let Some(path) = named_by(VARIABLE) {
        let path = PathBuf::from(path);
        return match SharedObject::open(&path, Scope::Local) {
            Ok(object) => Ok(OpenedLibrary { object, path }),
            Err(said) => Err(unopened(&path, &said, "which PAW_CUDA_LIBRARY names")),
        };
    }
    let mut broken = None;
    for candidate in CANDIDATES.iter().map(Path::new) {
        match SharedObject::open(candidate, Scope::Local) {
            Ok(object) => return Ok(OpenedLibrary { object, path: candidate.to_owned() }),
            // The first error other than a missing file is the most informative.
            Err(said) if !is_absent(&said) && broken.is_none() => {
                broken = Some(unopened(candidate, &said, "where NVIDIA's driver was looked for"));
            }
            Err(_) => {}
        }
    }
    Err(broken.unwrap_or_else(|| {
        "libcuda.so.1, the library of NVIDIA's driver, was not found; install the driver, or name the library in \
         PAW_CUDA_LIBRARY"
            .to_owned()
    }))
}
