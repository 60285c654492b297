//! Where libraries of ROCm lie, and how one is opened.

use std::env;
use std::path::{Path, PathBuf};

use super::diagnosis;
use crate::blas::discovery::{Search, directories, python_packages};
use crate::device::opened::{OpenedLibrary, is_absent};
use crate::object::{Scope, SharedObject};

/// A library of ROCm.
#[derive(Debug)]
pub(super) struct RocmLibrary {
    /// Its name as the vendor writes it.
    pub(super) title: &'static str,
    /// The variable that names its file; no other is tried then.
    pub(super) variable: &'static str,
    /// Its file names, the newest first: those that a program links against end in a major version.
    pub(super) files: &'static [&'static str],
    /// A function of it, by which its file is found where the loader opened it by a bare name.
    pub(super) known: &'static str,
    /// What to install where it is missing.
    pub(super) package: &'static str,
}

/// The run-time library.
pub(super) const HIP: RocmLibrary = RocmLibrary {
    title: "HIP",
    variable: "PAW_HIP_LIBRARY",
    files: &["libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"],
    known: "hipInit",
    package: "hip-runtime-amd, Debian's libamdhip64-5",
};

/// The run-time compiler, in a file of its own from ROCm 5.3 on and in the run-time library before.
pub(super) const HIPRTC: RocmLibrary = RocmLibrary {
    title: "hiprtc",
    variable: "PAW_HIPRTC_LIBRARY",
    files: &["libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5"],
    known: "hiprtcVersion",
    package: "hip-runtime-amd",
};

/// Matrix products.
pub(super) const ROCBLAS: RocmLibrary = RocmLibrary {
    title: "rocBLAS",
    variable: "PAW_ROCBLAS_LIBRARY",
    files: &["librocblas.so.5", "librocblas.so.4", "librocblas.so.3", "librocblas.so.0"],
    known: "rocblas_create_handle",
    package: "rocblas",
};

/// Collectives between devices. Wheels of PyTorch have it without a version.
pub(super) const RCCL: RocmLibrary = RocmLibrary {
    title: "RCCL",
    variable: "PAW_RCCL_LIBRARY",
    files: &["librccl.so.1", "librccl.so"],
    known: "ncclGetVersion",
    package: "rccl",
};

/// Variables that name the root of an installation.
const ROOTS: &[&str] = &["ROCM_PATH", "HIP_PATH"];
/// Variables that lead to Python installations.
const VARIABLES: &[&str] = &["PATH", "HOME", "VIRTUAL_ENV", "CONDA_PREFIX"];
/// Where libraries lie below `site-packages`: wheels of PyTorch, and ROCm's own.
const WHEELS: &[&str] = &["torch/lib", "_rocm_sdk_core/lib", "_rocm_sdk_libraries/lib"];

/// The search on this host, with the environment of this process.
pub(super) fn here(wanted: &RocmLibrary) -> Search {
    let names = VARIABLES.iter().chain(ROOTS).chain([&wanted.variable]);
    let variables = names.filter_map(|name| Some(((*name).to_owned(), env::var_os(name)?)));
    Search { root: PathBuf::from("/"), variables: variables.collect() }
}

/// Opens the library: the file its variable names, or the first that opens beside `neighbour`, by the loader, or where ROCm installs
/// it. Where a neighbour is known, only files of its major version are tried: parts of two releases do not work together. The error is
/// one sentence.
pub(super) fn open(wanted: &RocmLibrary, search: &Search, neighbour: Option<&Path>) -> Result<OpenedLibrary, String> {
    if let Some(named) = search.variable(wanted.variable).filter(|path| !path.is_empty()) {
        let path = PathBuf::from(named);
        return attempt(wanted, &path)
            .map_err(|said| diagnosis::unopened(&path, &said, &format!("which {} names", wanted.variable)));
    }
    let mut broken = None;
    for path in candidates(wanted, search, neighbour) {
        match attempt(wanted, &path) {
            Ok(opened) => return Ok(opened),
            // The first error other than a missing file is the most informative.
            Err(said) if !is_absent(&said) && broken.is_none() => {
                broken = Some(diagnosis::unopened(&path, &said, &format!("where {} was looked for", wanted.title)));
            }
            Err(_) => {}
        }
    }
    Err(broken.unwrap_or_else(|| missing(wanted)))
}

fn missing(wanted: &RocmLibrary) -> String {
    let RocmLibrary { title, variable, files, package, .. } = wanted;
    format!(
        "{title} is not here: the loader knows no {}, nor is one below ROCM_PATH, HIP_PATH, /opt/rocm* or Python's packages; install \
         it from ROCm ({package}), or name the file in {variable}",
        files.join(", ")
    )
}

fn attempt(wanted: &RocmLibrary, path: &Path) -> Result<OpenedLibrary, String> {
    let object = SharedObject::open(path, Scope::Local)?;
    let found = object.file_of(wanted.known).filter(|_| !path.is_absolute());
    Ok(OpenedLibrary { path: found.unwrap_or_else(|| path.to_owned()), object })
}

/// Files in the order in which they are tried.
fn candidates(wanted: &RocmLibrary, search: &Search, neighbour: Option<&Path>) -> Vec<PathBuf> {
    let beside = neighbour.and_then(Path::parent).filter(|place| place.is_absolute());
    let in_place = |place: &Path| wanted.files.iter().map(|file| place.join(file)).collect::<Vec<_>>();
    let near = beside.map(in_place).unwrap_or_default().into_iter().filter(|path| path.exists());
    let by_loader = wanted.files.iter().map(PathBuf::from);
    let installed = places(search).into_iter().flat_map(|place| in_place(&place)).filter(|path| path.exists());
    near.chain(by_loader).chain(installed).collect()
}

/// Roots of installations: those that variables name, then the newest that is installed.
fn roots(search: &Search) -> Vec<PathBuf> {
    let named =
        ROOTS.iter().filter_map(|name| search.variable(name)).filter(|root| !root.is_empty()).map(PathBuf::from);
    let installed = directories(&search.below_root("/opt")).into_iter().rev();
    let is_rocm = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("rocm"));
    named.chain(installed.filter(is_rocm)).collect()
}

/// Directories that the loader does not search.
fn places(search: &Search) -> Vec<PathBuf> {
    let roots = roots(search).into_iter().flat_map(|root| [root.join("lib"), root.join("lib64")]);
    let wheels =
        python_packages(search).into_iter().flat_map(|packages| WHEELS.iter().map(move |below| packages.join(below)));
    roots.chain(wheels).filter(|place| place.is_dir()).collect()
}

/// A header by which a directory of ROCm's headers is known.
const HEADER: &str = "hip/hip_runtime.h";

/// The directory with the headers of the installation that the library at `path` is part of, else of one that a variable names or that
/// is installed; `None` where there is none.
pub(super) fn headers(path: &Path, search: &Search) -> Option<PathBuf> {
    let near = path.ancestors().skip(2).take(2).filter(|root| root.is_absolute()).map(Path::to_owned);
    let includes = near.chain(roots(search)).map(|root| root.join("include"));
    includes.chain([search.below_root("/usr/include")]).find(|include| include.join(HEADER).exists())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn make(root: &Path, below: &str) -> PathBuf {
        let place = root.join(below);
        fs::create_dir_all(&place).unwrap();
        place
    }

    fn search(root: &Path, variables: &[(&str, &Path)]) -> Search {
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), value.into()));
        Search { root: root.to_owned(), variables: variables.collect() }
    }

    #[test]
    fn a_neighbour_comes_first_then_the_loader_then_installations_and_wheels() {
        let root = tempfile::tempdir().unwrap();
        let (named, old, new) = (
            make(root.path(), "mine/lib"),
            make(root.path(), "opt/rocm-5.7.1/lib"),
            make(root.path(), "opt/rocm-6.3.0/lib"),
        );
        let wheel = make(root.path(), "venv/lib/python3.11/site-packages/torch/lib");
        for place in [&named, &old, &new, &wheel] {
            fs::write(place.join("libhiprtc.so.6"), "").unwrap();
        }
        let (mine, venv) = (root.path().join("mine"), root.path().join("venv"));
        let search = search(root.path(), &[("ROCM_PATH", &mine), ("VIRTUAL_ENV", &venv)]);
        let found = candidates(&HIPRTC, &search, Some(&new.join("libamdhip64.so.6")));
        let loader = HIPRTC.files.iter().map(PathBuf::from);
        let file = |place: &PathBuf| place.join("libhiprtc.so.6");
        let expected = std::iter::once(file(&new)).chain(loader).chain([&named, &new, &old, &wheel].map(file));
        assert_eq!(found, expected.collect::<Vec<_>>());
    }

    #[test]
    fn a_file_that_is_named_and_no_library_is_named_in_the_error() {
        let root = tempfile::tempdir().unwrap();
        let broken = root.path().join("librocblas.so.4");
        fs::write(&broken, "no library").unwrap();
        let named = search(root.path(), &[("PAW_ROCBLAS_LIBRARY", &broken)]);
        let error = open(&ROCBLAS, &named, None).expect_err("it is a text");
        assert!(error.contains("librocblas.so.4") && error.contains("PAW_ROCBLAS_LIBRARY"), "{error}");
    }

    #[test]
    fn headers_lie_beside_the_library_or_where_a_distribution_has_them() {
        let root = tempfile::tempdir().unwrap();
        let header = |below: &str| {
            let hip = make(root.path(), below).join("hip");
            fs::create_dir_all(&hip).unwrap();
            fs::write(hip.join("hip_runtime.h"), "").unwrap();
        };
        header("opt/rocm-6.3.0/include");
        let here = search(root.path(), &[]);
        let library = root.path().join("opt/rocm-6.3.0/lib/libhiprtc.so.6");
        assert_eq!(headers(&library, &here), Some(root.path().join("opt/rocm-6.3.0/include")));
        let distribution = root.path().join("usr/lib/x86_64-linux-gnu/libamdhip64.so.5");
        header("usr/include");
        assert_eq!(headers(&distribution, &here), Some(root.path().join("usr/include")));
        assert_eq!(headers(Path::new("libhiprtc.so.6"), &search(&root.path().join("opt/none"), &[])), None);
    }
}
