//! Where an MPI library is searched, in which order, and why.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::mpi::launcher::LauncherKind;

/// The value of a variable.
type Variables<'a> = Box<dyn Fn(&str) -> Option<String> + 'a>;
/// The names in a directory.
type Names<'a> = Box<dyn Fn(&Path) -> Vec<String> + 'a>;

/// The inputs that determine the candidates.
pub struct SearchInputs<'a> {
    /// The environment.
    pub env: Variables<'a>,
    /// Programs of the processes above this one, nearest first.
    pub ancestors: Vec<PathBuf>,
    /// Lists the names in a directory; none where it cannot be read.
    pub names: Names<'a>,
}

impl std::fmt::Debug for SearchInputs<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SearchInputs").field("ancestors", &self.ancestors).finish_non_exhaustive()
    }
}

/// A library to try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The file, or a name for the loader to find.
    pub path: PathBuf,
    /// Why it is tried.
    pub why: String,
}

/// Open MPI's library by the numbers its ABI has had, newest first.
const OPEN_MPI: &[&str] = &["libmpi.so.80", "libmpi.so.40", "libmpi.so.20"];

/// MPICH's library, as its own build, Debian and Cray call it.
const MPICH: &[&str] = &["libmpi.so.12", "libmpich.so.12", "libmpi_cray.so.12", "libmpi_gnu_*.so.12"];

/// The library of the standard ABI.
const STANDARD: &[&str] = &["libmpi_abi.so.1", "libmpi_abi.so.0"];

/// Variables that name the root of an installation.
const ROOTS: &[&str] =
    &["OPAL_PREFIX", "MPI_HOME", "MPI_ROOT", "MPI_DIR", "I_MPI_ROOT", "CRAY_MPICH_DIR", "MPICH_HOME", "MPICH_DIR"];

/// Where libraries lie below the root of an installation; Intel MPI had a second level until 2021.10.
const BELOW: &[&str] = &["lib", "lib64", "lib/release"];

/// The candidates for `launcher`, each once, in the order in which they are tried.
///
/// Plain `libmpi.so` is never one: it is the compiler's, and distributions let it point anywhere.
pub fn candidates(launcher: Option<LauncherKind>, view: &SearchInputs) -> Vec<Candidate> {
    let patterns = patterns(launcher);
    let mut found = Vec::new();
    for (directory, why) in directories(view) {
        let mut names = (view.names)(&directory);
        names.sort();
        for pattern in &patterns {
            let fitting = names.iter().filter(|name| matches(pattern, name));
            found.extend(fitting.map(|name| Candidate { path: directory.join(name), why: why.clone() }));
        }
    }
    let for_loader = patterns.iter().filter(|pattern| !pattern.contains('*'));
    found.extend(for_loader.map(|name| Candidate { path: PathBuf::from(name), why: "the loader finds it".into() }));
    let mut seen = BTreeSet::new();
    found.retain(|candidate| seen.insert(candidate.path.clone()));
    found
}

/// File names, those that most likely fit the launcher first; without those of makes that it cannot start.
fn patterns(launcher: Option<LauncherKind>) -> Vec<&'static str> {
    use LauncherKind as Kind;
    match launcher {
        Some(Kind::OpenMpi) => [OPEN_MPI, STANDARD].concat(),
        None | Some(Kind::SlurmPmix | Kind::SlurmNone | Kind::Pmix) => [OPEN_MPI, MPICH, STANDARD].concat(),
        Some(Kind::Hydra | Kind::Intel | Kind::Mvapich | Kind::Pals | Kind::SlurmPmi2) => [MPICH, STANDARD].concat(),
    }
}

fn directories(view: &SearchInputs) -> Vec<(PathBuf, String)> {
    let list = |name: &str| {
        let value = (view.env)(name).unwrap_or_default();
        std::env::split_paths(&value).filter(|path| path.is_absolute()).collect::<Vec<_>>()
    };
    let mut found: Vec<(PathBuf, String)> = Vec::new();
    for name in ["OMPI_LIBDIR_LOC", "LD_LIBRARY_PATH"] {
        found.extend(list(name).into_iter().map(|directory| (directory, name.to_owned())));
    }
    let mut add_root =
        |root: &Path, why: &str| found.extend(BELOW.iter().map(|below| (root.join(below), why.to_owned())));
    for program in &view.ancestors {
        if let Some(root) = root_of(program) {
            add_root(root, &format!("it lies beside {}, which started this process", program.display()));
        }
    }
    for name in ROOTS {
        list(name).iter().for_each(|root| add_root(root, name));
    }
    for directory in list("PATH") {
        let program = directory.join("mpiexec");
        let is_there = (view.names)(&directory).iter().any(|name| name == "mpiexec");
        if let Some(root) = root_of(&program).filter(|_| is_there) {
            add_root(root, "it lies beside mpiexec on PATH");
        }
    }
    found
}

/// The installation that a program in its `bin` belongs to; the system's own has no libraries of its own.
fn root_of(program: &Path) -> Option<&Path> {
    let root = program.parent()?.parent()?;
    (root != Path::new("/usr") && root != Path::new("/")).then_some(root)
}

/// Whether `name` matches `pattern`, in which one `*` matches any text.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        Some((start, end)) => name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end),
        None => pattern == name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The candidates under `launcher`, in a world of these variables, ancestors and files.
    fn check(
        launcher: Option<LauncherKind>,
        variables: &[(&str, &str)],
        ancestors: &[&str],
        files: &[&str],
        expected: &[&str],
    ) {
        let view = SearchInputs {
            env: Box::new(|name| variables.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned())),
            ancestors: ancestors.iter().map(PathBuf::from).collect(),
            names: Box::new(|directory| {
                let here = files.iter().map(Path::new).filter(|file| file.parent() == Some(directory));
                here.filter_map(|file| file.file_name()?.to_str().map(str::to_owned)).collect()
            }),
        };
        let found: Vec<String> = candidates(launcher, &view)
            .iter()
            .map(|c| c.path.display().to_string())
            .filter(|p| p.contains('/'))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn places_come_in_order_and_each_once() {
        let variables =
            [("PATH", "/usr/bin:/e/bin"), ("MPI_HOME", "/d"), ("LD_LIBRARY_PATH", "/b:/a"), ("OMPI_LIBDIR_LOC", "/a")];
        let files = [
            "/a/libmpi.so.40",
            "/b/libmpi.so.40",
            "/c/lib/libmpi.so.40",
            "/d/lib64/libmpi.so.40",
            "/e/bin/mpiexec",
            "/e/lib/libmpi.so.40",
        ];
        let expected = [
            "/a/libmpi.so.40",
            "/b/libmpi.so.40",
            "/c/lib/libmpi.so.40",
            "/d/lib64/libmpi.so.40",
            "/e/lib/libmpi.so.40",
        ];
        check(Some(LauncherKind::OpenMpi), &variables, &["/c/bin/prted", "/usr/bin/bash"], &files, &expected);
    }

    #[test]
    fn names_come_in_the_order_of_the_launcher() {
        let files =
            ["/m/libmpi.so", "/m/libmpi.so.12", "/m/libmpi.so.40", "/m/libmpi_abi.so.1", "/m/libmpi_gnu_123.so.12"];
        let here = [("LD_LIBRARY_PATH", "/m")];
        let mpich = ["/m/libmpi.so.12", "/m/libmpi_gnu_123.so.12", "/m/libmpi_abi.so.1"];
        check(Some(LauncherKind::Hydra), &here, &[], &files, &mpich);
        check(Some(LauncherKind::OpenMpi), &here, &[], &files, &["/m/libmpi.so.40", "/m/libmpi_abi.so.1"]);
        check(None, &here, &[], &files, &[&["/m/libmpi.so.40"], &mpich[..]].concat());
    }

    #[test]
    fn the_system_has_no_root_of_its_own() {
        check(
            Some(LauncherKind::OpenMpi),
            &[("PATH", "/usr/bin")],
            &["/usr/bin/orted"],
            &["/usr/lib/libmpi.so.40"],
            &[],
        );
    }

    #[test]
    fn the_loader_is_asked_last() {
        let view = SearchInputs { env: Box::new(|_| None), ancestors: Vec::new(), names: Box::new(|_| Vec::new()) };
        let names: Vec<PathBuf> = candidates(Some(LauncherKind::Hydra), &view).into_iter().map(|c| c.path).collect();
        let expected = ["libmpi.so.12", "libmpich.so.12", "libmpi_cray.so.12", "libmpi_abi.so.1", "libmpi_abi.so.0"];
        assert_eq!(names, expected.map(PathBuf::from));
    }
}
