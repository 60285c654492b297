//! The directories in which libraries are looked for.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Search, cache, files, real};

/// A directory to look in.
#[derive(Debug)]
pub(super) struct SearchDirectory {
    pub(super) directory: PathBuf,
    pub(super) why: String,
}

/// Variables that name the root of one product, and where its libraries lie below.
const PRODUCTS: &[(&str, &[&str])] = &[
    ("MKLROOT", &["lib", "lib/intel64"]),
    ("AOCL_ROOT", &["lib", "lib_LP64"]),
    ("ARMPL_DIR", &["lib"]),
    ("CRAY_LIBSCI_PREFIX_DIR", &["lib"]),
    ("OPENBLAS_HOME", &["lib"]),
    ("BLIS_HOME", &["lib"]),
    ("DNNLROOT", &["lib"]),
];

/// Variables that name the root of a Python installation.
const PYTHON_ROOTS: &[&str] = &["VIRTUAL_ENV", "CONDA_PREFIX"];

/// Every environment variable that the search reads.
pub(super) const VARIABLES: &[&str] = &[
    "LD_LIBRARY_PATH",
    "PATH",
    "HOME",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "MKLROOT",
    "AOCL_ROOT",
    "ARMPL_DIR",
    "CRAY_LIBSCI_PREFIX_DIR",
    "OPENBLAS_HOME",
    "BLIS_HOME",
    "DNNLROOT",
];

/// Directories every system or vendor uses, beside the multi-arch ones.
const USUAL: &[&str] = &[
    "/usr/local/lib",
    "/usr/local/lib64",
    "/usr/lib64",
    "/usr/lib",
    "/lib64",
    "/lib",
    "/opt/intel/oneapi/mkl/latest/lib",
    "/opt/intel/mkl/lib/intel64",
    "/opt/intel/oneapi/dnnl/latest/lib",
];

/// Subdirectories in which distributions keep one make each, as alternatives.
const MAKES: &[&str] = &["openblas", "blis", "atlas", "blas", "mkl"];

/// Where wheels keep their libraries below `site-packages`.
const WHEELS: &[&str] = &["scipy_openblas64/lib", "scipy_openblas32/lib", "numpy.libs", "scipy.libs"];

/// Where a Python root keeps its libraries and packages.
const LIBS: [&str; 2] = ["lib", "lib64"];

/// The directories, each once, in the order the loader and then a person would look.
pub(super) fn places(search: &Search) -> Vec<SearchDirectory> {
    let mut places = Vec::new();
    let mut add = |directory: PathBuf, why: &str| places.push(SearchDirectory { directory, why: why.to_owned() });
    for directory in list(search, "LD_LIBRARY_PATH") {
        add(directory, "LD_LIBRARY_PATH");
    }
    for (variable, below) in PRODUCTS {
        for root in list(search, variable) {
            below.iter().for_each(|below| add(root.join(below), variable));
        }
    }
    for (root, why) in pythons(search) {
        python_directories(&root).into_iter().for_each(|directory| add(directory, &why));
    }
    for (directory, why) in system(search) {
        let alternatives = alternatives(&directory);
        add(directory, why);
        alternatives.into_iter().for_each(|directory| add(directory, "a directory of alternatives"));
    }
    let mut seen = BTreeSet::new();
    places.retain(|place| place.directory.is_dir() && seen.insert(real(&place.directory)));
    places
}

/// The directories a variable lists, colons between them.
fn list(search: &Search, variable: &str) -> Vec<PathBuf> {
    let value = search.variable(variable);
    let paths = value.into_iter().flat_map(std::env::split_paths).filter(|path| path.is_absolute());
    paths.map(|path| search.below_root(path)).collect()
}

fn system(search: &Search) -> Vec<(PathBuf, &'static str)> {
    let cached = fs::read(search.below_root("/etc/ld.so.cache")).unwrap_or_default();
    let cached = cache::directories(&cached).into_iter().map(|directory| (directory, "the loader's cache"));
    let multiarch = format!("{}-linux-gnu", std::env::consts::ARCH);
    let multiarch =
        ["/usr/local/lib", "/usr/lib", "/lib"].map(|lib| (Path::new(lib).join(&multiarch), "a usual directory"));
    let usual = USUAL.iter().map(|directory| (PathBuf::from(directory), "a usual directory"));
    cached.chain(multiarch).chain(usual).map(|(directory, why)| (search.below_root(directory), why)).collect()
}

fn alternatives(directory: &Path) -> Vec<PathBuf> {
    let is_make = |name: &str| MAKES.iter().any(|make| name.starts_with(make));
    directories(directory).into_iter().filter(|path| name(path).is_some_and(is_make)).collect()
}

/// Roots of Python installations: named by a variable, or the parent of a directory on PATH that holds a `python3`, the
/// user's own packages, and the versions pyenv keeps.
fn pythons(search: &Search) -> Vec<(PathBuf, String)> {
    let named = PYTHON_ROOTS.iter().flat_map(|variable| list(search, variable));
    let on_path = list(search, "PATH").into_iter().filter(|directory| has_python(directory));
    let on_path = on_path.filter_map(|directory| directory.parent().map(Path::to_owned));
    let homes = list(search, "HOME");
    let own = homes.iter().map(|home| home.join(".local"));
    let versions = homes.iter().flat_map(|home| directories(&home.join(".pyenv/versions")));
    let roots = named.chain(on_path).chain(own).chain(versions);
    roots.map(|root| (root.clone(), format!("Python packages below {}", root.display()))).collect()
}

fn has_python(directory: &Path) -> bool {
    files(directory).iter().any(|file| name(file).is_some_and(|name| name.starts_with("python3")))
}

/// Directories in which wheels are installed, of every Python that is found.
pub(crate) fn python_packages(search: &Search) -> Vec<PathBuf> {
    let roots = pythons(search).into_iter().map(|(root, _)| root);
    let libs = roots.flat_map(|root| LIBS.map(|lib| root.join(lib)));
    libs.flat_map(|lib| packages(&lib)).filter(|directory| directory.is_dir()).collect()
}

/// Wheels' directories below a Python root, and its own `lib`, where the wheel of MKL and Conda put their libraries.
fn python_directories(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for lib in LIBS.map(|lib| root.join(lib)) {
        let wheels = packages(&lib).into_iter();
        found.extend(wheels.flat_map(|packages| WHEELS.iter().map(move |wheel| packages.join(wheel))));
        found.push(lib);
    }
    found
}

/// Where the versions of Python below `lib` keep wheels.
fn packages(lib: &Path) -> Vec<PathBuf> {
    let versions = directories(lib).into_iter().filter(|path| name(path).is_some_and(|n| n.starts_with("python3")));
    versions.flat_map(|version| ["site-packages", "dist-packages"].map(|packages| version.join(packages))).collect()
}

/// The directories in `directory`, in order of their names.
pub(crate) fn directories(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok);
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

fn name(path: &Path) -> Option<&str> {
    path.file_name()?.to_str()
}
