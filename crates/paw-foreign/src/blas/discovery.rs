//! Every BLAS on this machine, by file name alone: nothing is opened.

mod cache;
mod places;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use paw_sort::OrderBy;

use crate::object::NO_LOADER;
use crate::process::is_shared_object;

use super::family::Family;

pub(crate) use places::{directories, python_packages};

/// The inputs of a search: file tree and variables.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// Root of the file tree; `/` outside of tests.
    pub root: PathBuf,
    /// Variables that name directories, with their values: `LD_LIBRARY_PATH`, `PATH`, `VIRTUAL_ENV`, `MKLROOT` …
    pub variables: Vec<(String, OsString)>,
}

/// A library that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundBlas {
    /// Its make, by file name and directory.
    pub family: Family,
    /// The path by which the file was found.
    pub path: PathBuf,
    /// Why its directory was searched.
    pub why: String,
}

impl Search {
    /// This machine, with the environment of this process.
    pub fn here() -> Self {
        let variables = places::VARIABLES.iter().filter_map(|name| Some(((*name).to_owned(), std::env::var_os(name)?)));
        Self { root: PathBuf::from("/"), variables: variables.collect() }
    }

    pub(crate) fn variable(&self, name: &str) -> Option<&OsString> {
        self.variables.iter().find(|(known, _)| known == name).map(|(_, value)| value).filter(|value| !value.is_empty())
    }

    /// `path`, which is absolute, below the root.
    pub(crate) fn below_root(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        match self.root.as_os_str().is_empty() || path.starts_with(&self.root) {
            true => path.to_owned(),
            false => self.root.join(path.strip_prefix("/").unwrap_or(path)),
        }
    }
}

/// File names that identify a make, best known first: the part before `.so`; `*` matches any text.
const NAMES: &[(Family, &str)] = &[
    (Family::Mkl, "libmkl_rt"),
    (Family::OpenBlas, "libopenblas*"),
    (Family::OpenBlas, "libscipy_openblas*"),
    (Family::Blis, "libblis*"),
    (Family::FlexiBlas, "libflexiblas*"),
    (Family::Nvpl, "libnvpl_blas_lp64_*"),
    (Family::Nvpl, "libnvpl_blas_ilp64_*"),
    (Family::ArmPl, "libarmpl*"),
    (Family::LibSci, "libsci_*"),
    (Family::OneDnn, "libdnnl"),
    (Family::Atlas, "libtatlas"),
    (Family::Atlas, "libsatlas"),
];

/// File names that do not reveal the make: links to the system's choice.
const ANY_MAKE: &[&str] = &["libcblas", "libblas"];

/// Every BLAS found, one entry for each real file, in the order of [`Family`] and then of the search. The first of a family is
/// the one that the loader would take. `libblas` and `libcblas` are listed only where their make was not found by its own name. A static program finds none.
pub fn find_all(search: &Search) -> Vec<FoundBlas> {
    if NO_LOADER.is_some() {
        return Vec::new();
    }
    let places = places::places(search);
    let mut seen = BTreeSet::new();
    // Wheels hold no links: a library under several of its names is several equal files of one directory.
    let mut copies = BTreeSet::new();
    let mut found = Vec::new();
    for place in &places {
        for path in files(&place.directory) {
            let Some(family) = family_by_name(&path) else { continue };
            let size_bytes = fs::metadata(&path).map_or(0, |file| file.len());
            let is_copy = size_bytes > 0 && !copies.insert((&place.directory, stem(&path), size_bytes));
            if !is_copy && seen.insert(real(&path)) {
                found.push(FoundBlas { family, path, why: place.why.clone() });
            }
        }
    }
    for place in &places {
        for path in files(&place.directory) {
            let Some(family) = family_by_place(&path) else { continue };
            let known = found.iter().any(|other| other.family == family);
            if !known && seen.insert(real(&path)) {
                found.push(FoundBlas { family, path, why: place.why.clone() });
            }
        }
    }
    found.order_by_key(|found| found.family);
    found
}

/// The make of the file at `path`, by its name.
pub fn family_by_name(path: &Path) -> Option<Family> {
    let stem = stem(path)?;
    NAMES.iter().find(|(_, pattern)| matches(pattern, &stem)).map(|(family, _)| *family)
}

/// The make of a file called `libblas` or `libcblas`: distributions keep each make's in a directory named after it.
pub(super) fn family_by_place(path: &Path) -> Option<Family> {
    let real = real(path);
    let directory = real.parent()?;
    let name = directory.file_name()?.to_string_lossy().into_owned();
    let starts =
        [("openblas", Family::OpenBlas), ("blis", Family::Blis), ("atlas", Family::Atlas), ("mkl", Family::Mkl)];
    if let Some((_, family)) = starts.iter().find(|(start, _)| name.starts_with(start)) {
        return is_any(path).then_some(*family);
    }
    match stem(path)?.as_str() {
        // Debian's libcblas is the C interface of ATLAS, in the same directory.
        "libcblas" if directory.join("libatlas.so.3").exists() => Some(Family::Atlas),
        "libcblas" | "libblas" => Some(Family::Reference),
        _ => None,
    }
}

fn is_any(path: &Path) -> bool {
    stem(path).is_some_and(|stem| ANY_MAKE.contains(&stem.as_str()))
}

/// The name of a shared object without `.so` and what follows.
fn stem(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let end = name.rfind(".so").filter(|_| is_shared_object(name))?;
    Some(name[..end].to_owned())
}

fn matches(pattern: &str, stem: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => stem.starts_with(start),
        None => stem == pattern,
    }
}

/// The files of `directory` in order of their names; none where it cannot be read.
fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok);
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    files.sort();
    files
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
