//! Libraries of the CUDA toolkit: searched and opened.
#![allow(unsafe_code)]

use std::path::{Path, PathBuf};

use crate::blas::discovery::{Search, directories, python_packages};
pub(super) use crate::device::opened::{OpenedLibrary, library_calls as calls};
use crate::object::{Scope, SharedObject};

/// A library of the toolkit.
#[derive(Debug)]
pub(super) struct ToolkitLibrary {
    /// Its name as the vendor writes it.
    pub(super) title: &'static str,
    /// The variable that names its file.
    pub(super) variable: &'static str,
    /// The beginning of its file names: `libnvrtc`.
    pub(super) stem: &'static str,
    /// Version suffixes after `.so.`, by major version, where they are not the major version alone.
    pub(super) odd: &'static [(u32, &'static [&'static str])],
    /// Prefixes of libraries that it expects the loader to find: opened first, with global symbols.
    pub(super) siblings: &'static [&'static str],
    /// A function of it, by which its file is found where the loader opened it by a bare name.
    pub(super) known: Option<&'static str>,
    /// What it is installed with.
    pub(super) part_of: &'static str,
    /// The wheel that holds it, without `-cu12`.
    pub(super) wheel: &'static str,
}

/// The run-time compiler. Its wheel for CUDA 13 has no RUNPATH, and does not find its siblings.
pub(super) const NVRTC: ToolkitLibrary = ToolkitLibrary {
    title: "NVRTC",
    variable: "PAW_NVRTC_LIBRARY",
    stem: "libnvrtc",
    odd: &[(11, &["11.2", "11.1", "11.0"])],
    siblings: &["libnvrtc-builtins.so"],
    known: Some("nvrtcVersion"),
    part_of: "the CUDA toolkit",
    wheel: "nvidia-cuda-nvrtc",
};

/// Matrix products.
pub(super) const CUBLAS: ToolkitLibrary = ToolkitLibrary {
    title: "cuBLAS",
    variable: "PAW_CUBLAS_LIBRARY",
    stem: "libcublas",
    odd: &[],
    siblings: &["libcublasLt.so"],
    known: None,
    part_of: "the CUDA toolkit",
    wheel: "nvidia-cublas",
};

/// Matrix products with scales, epilogues and a choice of algorithms.
pub(super) const CUBLAS_LT: ToolkitLibrary = ToolkitLibrary {
    title: "cuBLASLt",
    variable: "PAW_CUBLASLT_LIBRARY",
    stem: "libcublasLt",
    siblings: &[],
    ..CUBLAS
};

/// Collectives between devices. Its file has the major version of its own interface, whatever CUDA's.
pub(super) const NCCL: ToolkitLibrary = ToolkitLibrary {
    title: "NCCL",
    variable: "PAW_NCCL_LIBRARY",
    stem: "libnccl",
    odd: &[(OLDEST_MAJOR, &["2"])],
    siblings: &[],
    known: Some("ncclGetVersion"),
    part_of: "the package libnccl2",
    wheel: "nvidia-nccl",
};

/// The newest major version tried where the driver's is unknown.
const NEWEST_MAJOR: u32 = 13;
/// The oldest version that has all functions.
const OLDEST_MAJOR: u32 = 11;
/// Variables that name the toolkit's root.
const ROOTS: &[&str] = &["CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"];
/// Where libraries lie below such a root.
const BELOW: &[&str] = &["lib64", "targets/x86_64-linux/lib", "lib"];
/// Variables that lead to Python installations.
const VARIABLES: &[&str] = &["PATH", "HOME", "VIRTUAL_ENV", "CONDA_PREFIX"];

/// The major version of CUDA that a driver of that version serves: 12 of 12040.
pub(super) fn major(version: i32) -> Option<u32> {
    u32::try_from(version / 1000).ok().filter(|major| *major >= OLDEST_MAJOR)
}

/// The search on this host, with the environment of this process.
pub(super) fn here(wanted: &ToolkitLibrary) -> Search {
    let names = VARIABLES.iter().chain(ROOTS).chain([&wanted.variable]);
    let variables = names.filter_map(|name| Some(((*name).to_owned(), std::env::var_os(name)?)));
    Search { root: PathBuf::from("/"), variables: variables.collect() }
}

/// Opens the library: the file its variable names, or the first that opens of the driver's major version or a lower one (a library
/// newer than the driver does not start). The error is one sentence.
pub(super) fn open(
    wanted: &ToolkitLibrary,
    search: &Search,
    driver_major: Option<u32>,
) -> Result<OpenedLibrary, String> {
    if let Some(named) = search.variable(wanted.variable) {
        let path = PathBuf::from(named);
        let refused = |why| format!("{}: {why} (named by {})", wanted.title, wanted.variable);
        return attempt(wanted, path).map_err(refused);
    }
    let places = places(search);
    let mut refused = None;
    for soname in sonames(wanted, driver_major.unwrap_or(NEWEST_MAJOR)) {
        if let Ok(opened) = attempt(wanted, PathBuf::from(&soname)) {
            return Ok(opened);
        }
        for path in places.iter().map(|place| place.join(&soname)).filter(|path| path.exists()) {
            match attempt(wanted, path) {
                Ok(opened) => return Ok(opened),
                Err(why) => refused = Some(why),
            }
        }
    }
    Err(refused.map_or_else(|| missing(wanted, driver_major), |why| format!("{}: {why}", wanted.title)))
}

fn missing(wanted: &ToolkitLibrary, driver_major: Option<u32>) -> String {
    let ToolkitLibrary { title, variable, stem, part_of, wheel, .. } = wanted;
    let major = driver_major.unwrap_or(NEWEST_MAJOR);
    format!(
        "{title} is not here: no {stem}.so of CUDA {major} or older is known to the loader, below CUDA_HOME, /usr/local/cuda* or \
         Python's packages; install {part_of} or `pip install {wheel}-cu12`, or name the file by {variable}"
    )
}

fn attempt(wanted: &ToolkitLibrary, path: PathBuf) -> Result<OpenedLibrary, String> {
    if let Some(directory) = path.parent().filter(|directory| directory.is_absolute()) {
        preload(wanted, directory);
    }
    match SharedObject::open(&path, Scope::Local) {
        Ok(object) => {
            // The loader knows where it found a bare name.
            let found = wanted.known.filter(|_| !path.is_absolute()).and_then(|symbol| object.file_of(symbol));
            Ok(OpenedLibrary { path: found.unwrap_or(path), object })
        }
        Err(why) => Err(format!("{} cannot be loaded: {why}", path.display())),
    }
}

/// Opens the library's siblings in its directory: the loader reuses an open library of the same name.
fn preload(wanted: &ToolkitLibrary, directory: &Path) {
    let entries = std::fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok);
    for path in entries.map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if wanted.siblings.iter().any(|sibling| name.starts_with(sibling)) {
            // If one does not open, the library reports it.
            let _ = SharedObject::open(&path, Scope::Global);
        }
    }
}

/// File names, newest version first.
fn sonames(wanted: &ToolkitLibrary, newest: u32) -> Vec<String> {
    let versions = (OLDEST_MAJOR..=newest).rev().flat_map(|major| {
        let odd = wanted.odd.iter().find(|(of, _)| *of == major);
        odd.map_or_else(|| vec![major.to_string()], |(_, all)| all.iter().map(|one| (*one).to_owned()).collect())
    });
    versions.map(|version| format!("{}.so.{version}", wanted.stem)).collect()
}

/// Directories that the loader does not search.
fn places(search: &Search) -> Vec<PathBuf> {
    let named = ROOTS.iter().filter_map(|name| search.variable(name)).map(PathBuf::from);
    let named = named.flat_map(|root| BELOW.iter().map(move |below| root.join(below)));
    let local = directories(&search.below_root("/usr/local")).into_iter().rev();
    let local = local.filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("cuda")));
    let local = local.map(|root| root.join("lib64"));
    let wheels = python_packages(search).into_iter().flat_map(|packages| directories(&packages.join("nvidia")));
    let wheels = wheels.map(|wheel| wheel.join("lib"));
    named.chain(local).chain(wheels).filter(|place| place.is_dir()).collect()
}

/// A header by which a directory of the toolkit's headers is known.
const HEADER: &str = "cuda_fp16.h";

/// Directories with the headers of the toolkit, or of the wheels, that the library at `path` is part of; else of a toolkit that a
/// variable names, that is installed, or of another wheel.
pub(super) fn headers(path: &Path, search: &Search) -> Vec<PathBuf> {
    let root = path.ancestors().nth(2).filter(|root| root.is_absolute());
    let near = root.into_iter().flat_map(|root| {
        let beside = root.parent().map(directories).unwrap_or_default();
        std::iter::once(root.to_owned()).chain(beside).chain(root.ancestors().skip(1).take(2).map(Path::to_owned))
    });
    let named = ROOTS.iter().filter_map(|name| search.variable(name)).map(PathBuf::from);
    let local = directories(&search.below_root("/usr/local")).into_iter().rev();
    let local = local.filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("cuda")));
    let toolkits = named.chain(local).flat_map(|root| {
        let targets = directories(&root.join("targets"));
        std::iter::once(root).chain(targets)
    });
    let wheels = python_packages(search).into_iter().flat_map(|packages| directories(&packages.join("nvidia")));
    let includes = near.chain(toolkits).chain(wheels).map(|root| root.join("include"));
    let found = includes.filter(|include| include.join(HEADER).exists()).take(1);
    found.flat_map(|include| [include.join("cccl"), include]).filter(|include| include.is_dir()).collect()
}

/// Why there is no [`HEADER`], and the way out.
pub(super) fn without_headers(path: &Path) -> String {
    format!(
        "no {HEADER} was found near {}, below CUDA_HOME, CUDA_PATH, /usr/local/cuda* or Python's packages: set CUDA_HOME to a toolkit \
         with headers, or `pip install nvidia-cuda-runtime-cu12`",
        path.display()
    )
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn search(root: &Path, variables: &[(&str, &Path)]) -> Search {
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), value.into()));
        Search { root: root.to_owned(), variables: variables.collect() }
    }

    #[test]
    fn the_drivers_major_comes_first_and_no_newer_one_is_tried() {
        assert_eq!(sonames(&NVRTC, 12), ["libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so.11.1", "libnvrtc.so.11.0"]);
        assert_eq!(sonames(&NVRTC, 14)[0], "libnvrtc.so.14");
    }

    #[test]
    fn nccl_has_one_name_for_all_versions_of_cuda() {
        assert_eq!(sonames(&NCCL, 12), ["libnccl.so.12", "libnccl.so.2"]);
        let error = missing(&NCCL, Some(12));
        assert!(error.contains("install the package libnccl2 or `pip install nvidia-nccl-cu12`, or name"), "{error}");
    }

    #[test]
    fn toolkits_and_wheels_are_looked_through_in_order() {
        let root = tempfile::tempdir().unwrap();
        let make = |below: &str| {
            fs::create_dir_all(root.path().join(below)).unwrap();
            root.path().join(below)
        };
        let home = make("opt/cuda/lib64");
        let (old, new) = (make("usr/local/cuda-11.8/lib64"), make("usr/local/cuda-12.4/lib64"));
        let wheel = make("venv/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib");
        make("usr/local/lib64");
        let (named, venv) = (root.path().join("opt/cuda"), root.path().join("venv"));
        let search = search(root.path(), &[("CUDA_HOME", &named), ("VIRTUAL_ENV", &venv)]);
        assert_eq!(places(&search), [home, new, old, wheel]);
    }

    #[test]
    fn a_file_that_is_named_and_no_library_is_named_in_the_error() {
        let root = tempfile::tempdir().unwrap();
        let broken = root.path().join("libnvrtc.so.12");
        fs::write(&broken, "no library").unwrap();
        let named = search(root.path(), &[("PAW_NVRTC_LIBRARY", &broken)]);
        let error = open(&NVRTC, &named, None).expect_err("it is a text");
        assert!(error.contains("libnvrtc.so.12") && error.contains("PAW_NVRTC_LIBRARY"), "{error}");
    }

    #[test]
    fn headers_of_a_toolkit_lie_beside_its_libraries() {
        let root = tempfile::tempdir().unwrap();
        let cuda = root.path().join("cuda");
        fs::create_dir_all(cuda.join("include/cccl")).unwrap();
        fs::write(cuda.join("include/cuda_fp16.h"), "").unwrap();
        let nowhere = search(root.path(), &[]);
        let found = headers(&cuda.join("lib64/libnvrtc.so.13"), &nowhere);
        assert_eq!(found, [cuda.join("include/cccl"), cuda.join("include")]);
        assert_eq!(headers(Path::new("libnvrtc.so.13"), &nowhere), Vec::<PathBuf>::new());
    }

    #[test]
    fn headers_are_found_from_wherever_the_loader_has_its_library() {
        let header = |below: &str| {
            let root = tempfile::tempdir().unwrap();
            fs::create_dir_all(root.path().join(below)).unwrap();
            fs::write(root.path().join(below).join(HEADER), "").unwrap();
            root
        };
        let check = |below: &str, library: &str, variable: Option<(&str, &str)>| {
            let root = header(below);
            let named = variable.map(|(name, to)| (name, root.path().join(to)));
            let variables: Vec<(&str, &Path)> = named.iter().map(|(name, to)| (*name, to.as_path())).collect();
            let found = headers(&root.path().join(library), &search(root.path(), &variables));
            assert_eq!(found, [root.path().join(below)], "{library}");
        };
        let distribution = "usr/lib/x86_64-linux-gnu/libnvrtc.so.12";
        check("usr/include", distribution, None);
        check("opt/cuda/targets/x86_64-linux/include", "opt/cuda/targets/x86_64-linux/lib/libnvrtc.so.12", None);
        check("opt/cuda/include", distribution, Some(("CUDA_HOME", "opt/cuda")));
        check("opt/cuda/targets/sbsa-linux/include", distribution, Some(("CUDA_PATH", "opt/cuda")));
        check("usr/local/cuda-12.4/include", distribution, None);
        let packages = "venv/lib/python3.11/site-packages/nvidia/cuda_runtime/include";
        check(packages, distribution, Some(("VIRTUAL_ENV", "venv")));
    }
}
