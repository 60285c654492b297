//! The ABI and version of an MPI library, without starting it.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int};
use std::path::Path;

use crate::object::{Scope, SharedObject};

use super::abi::Abi;
use super::error::StartError;

/// Room for a version text: the largest of the three ABIs is 8192.
const VERSION_BYTES: usize = 8192 + 1;

/// Names by which libraries that follow MPICH's ABI call themselves, in lower case.
const MPICH_FAMILY: &[&str] = &["mpich", "intel(r) mpi", "mvapich", "parastation"];

/// ABI and version of a library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// Its ABI.
    pub abi: Abi,
    /// Its version, one line.
    pub version: String,
}

/// Opens the library at `path`, with its symbols hidden from others, and asks for ABI and version.
///
/// It stays mapped: MPI libraries load run-time libraries that do not survive being unloaded.
pub fn probe(path: &Path) -> Result<Probe, StartError> {
    open(path).map(|(probe, _)| probe)
}

pub(super) fn open(path: &Path) -> Result<(Probe, SharedObject), StartError> {
    let shown = path.display().to_string();
    // A name without a directory is the loader's to find.
    if shown.contains('/') && !path.exists() {
        return Err(StartError::Missing(shown));
    }
    let object =
        SharedObject::open(path, Scope::Local).map_err(|chain| StartError::NotLoaded { path: shown.clone(), chain })?;
    let version = version(&object)
        .ok_or_else(|| StartError::NotMpi { path: shown.clone(), symbol: "MPI_Get_library_version".into() })?;
    match abi(&object, &version) {
        Some(abi) => Ok((Probe { abi, version: one_line(&version) }, object)),
        None => Err(StartError::UnknownAbi { path: shown, version: one_line(&version) }),
    }
}

fn abi(object: &SharedObject, version: &str) -> Option<Abi> {
    let version = version.to_lowercase();
    if standard(object) {
        Some(Abi::Standard)
    } else if object.has("ompi_mpi_comm_world") {
        Some(Abi::OpenMpi)
    } else {
        MPICH_FAMILY.iter().any(|name| version.contains(name)).then_some(Abi::Mpich)
    }
}

/// Whether a library follows the standard ABI, by its own answer: MPICH's own ABI has the function too, and answers −1.
fn standard(object: &SharedObject) -> bool {
    // SAFETY: MPI 5.0 gives MPI_Abi_get_version this signature.
    let function =
        unsafe { object.function::<unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int>("MPI_Abi_get_version") };
    let (mut major, mut minor) = (-1, -1);
    // SAFETY: it may be called before MPI is started, and writes two integers.
    let code = function.map(|function| unsafe { function(&raw mut major, &raw mut minor) });
    code == Some(0) && major >= 1
}

fn version(object: &SharedObject) -> Option<String> {
    // SAFETY: the MPI standard gives MPI_Get_library_version this signature.
    let function = unsafe {
        object.function::<unsafe extern "C" fn(*mut c_char, *mut c_int) -> c_int>("MPI_Get_library_version")
    }?;
    // SAFETY: it is the function's contract, and it may be called before MPI is started.
    Some(text(VERSION_BYTES, |text, length| unsafe { function(text, length) }))
}

/// The text that `fill` writes into at most `room` bytes.
pub(super) fn text(room: usize, fill: impl FnOnce(*mut c_char, *mut c_int) -> c_int) -> String {
    let mut bytes = vec![0_u8; room];
    let mut length: c_int = 0;
    fill(bytes.as_mut_ptr().cast(), &raw mut length);
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(room);
    String::from_utf8_lossy(&bytes[..end]).trim().to_owned()
}

/// The first line of a version text, without what follows the version.
pub(super) fn one_line(version: &str) -> String {
    let line = version.lines().next().unwrap_or_default();
    let line = line.split(", package:").next().unwrap_or_default().replace("Version:", " ");
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_one_line() {
        let open = "Open MPI v4.1.4, package: Debian Open MPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022";
        assert_eq!(one_line(open), "Open MPI v4.1.4");
        assert_eq!(one_line("MPICH Version:\t4.0.2\nMPICH Release date:\tThu"), "MPICH 4.0.2");
        assert_eq!(
            one_line("Intel(R) MPI Library 2021.18 for Linux* OS\n"),
            "Intel(R) MPI Library 2021.18 for Linux* OS"
        );
        assert_eq!(one_line(""), "");
    }
}
