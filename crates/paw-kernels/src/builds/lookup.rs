//! Looks programs up on a PATH, with or without a version in their names.

use std::ffi::OsStr;
use std::fmt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use paw_sort::OrderBy;

/// The reason for a program that was not found.
pub(crate) const NOT_FOUND: &str = "not found on PATH";

/// A compiler that was asked for and cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingCompiler {
    /// The name that was asked for.
    pub name: String,
    /// Why it cannot be used.
    pub why: String,
}

impl fmt::Display for MissingCompiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.why)
    }
}

/// The result of looking a program up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Lookup {
    /// The compiler was found, with this name and path.
    Found(String, PathBuf),
    /// There is a file of that name that is not executable.
    Locked(PathBuf),
    /// There is no such file.
    Missing,
}

impl Lookup {
    /// Why the program `wanted` was not found.
    pub(crate) fn refusal(&self, wanted: &str) -> MissingCompiler {
        let why = match self {
            Lookup::Locked(file) => format!("{} is not executable; chmod +x makes it so", file.display()),
            _ if wanted.contains('/') => "there is no such file".to_owned(),
            _ => NOT_FOUND.to_owned(),
        };
        MissingCompiler { name: wanted.to_owned(), why }
    }
}

/// The first of `programs` that exists, else the highest version of any: `clang-19` rather than `clang-14`.
pub(crate) fn best(programs: &[&str], path: &OsStr) -> Lookup {
    let mut locked = Lookup::Missing;
    for program in programs {
        match exactly(program, path) {
            Lookup::Missing => {}
            Lookup::Locked(file) => locked = Lookup::Locked(file),
            found => return found,
        }
    }
    let mut versions: Vec<(Vec<u64>, String, PathBuf)> = Vec::new();
    for directory in std::env::split_paths(path) {
        for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let version = programs.iter().find_map(|program| version(name.strip_prefix(program)?));
            if let Some(version) = version.filter(|_| is_program(&entry.path())) {
                versions.push((version, name, entry.path()));
            }
        }
    }
    // The sort is stable: of equal versions the first directory wins, as on PATH.
    versions.order_by(|a, b| b.0.cmp(&a.0));
    versions.into_iter().next().map_or(locked, |(_, name, program)| Lookup::Found(name, program))
}

/// The program of exactly this name.
pub(crate) fn exactly(name: &str, path: &OsStr) -> Lookup {
    let mut locked = Lookup::Missing;
    for directory in std::env::split_paths(path) {
        match at(&directory.join(name)) {
            Lookup::Missing => {}
            Lookup::Locked(file) if locked == Lookup::Missing => locked = Lookup::Locked(file),
            Lookup::Locked(_) => {}
            found => return found,
        }
    }
    locked
}

/// The program at exactly this path.
pub(crate) fn at(file: &Path) -> Lookup {
    let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    match file.metadata() {
        Ok(facts) if !facts.is_file() => Lookup::Missing,
        Ok(_) if is_program(&file) => Lookup::Found(name, file),
        Ok(_) => Lookup::Locked(file),
        Err(_) => Lookup::Missing,
    }
}

/// Whether the path is an executable file.
pub(crate) fn is_program(file: &Path) -> bool {
    file.metadata().is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0)
}

/// A program's plain name: without directory, version, and the target of a cross compiler.
pub(crate) fn stem(name: &str) -> String {
    let name = name.rsplit('/').next().unwrap_or(name);
    let plain = match name.rfind('-').map(|at| name.split_at(at)) {
        Some((plain, rest)) if version(rest).is_some() => plain,
        _ => name,
    };
    // x86_64-linux-gnu-gcc is gcc; flang-new is itself.
    match plain.rsplit_once("-gnu-") {
        Some((_, program)) => program.to_owned(),
        None => plain.to_owned(),
    }
}

/// `-19` or `-4.8` as numbers that can be compared.
fn version(suffix: &str) -> Option<Vec<u64>> {
    suffix.strip_prefix('-')?.split('.').map(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_program_a_version_and_perhaps_a_machine() {
        for (name, program) in [
            ("gcc", "gcc"),
            ("clang-19", "clang"),
            ("/opt/x/g++-4.8", "g++"),
            ("flang-new", "flang-new"),
            ("flang-new-19", "flang-new"),
            ("x86_64-linux-gnu-gcc-12", "gcc"),
            ("mpicc", "mpicc"),
        ] {
            assert_eq!(stem(name), program);
        }
    }

    #[test]
    fn versions_are_numbers() {
        assert!(version("-19") > version("-9"));
        assert!(version("-4.10") > version("-4.9"));
        assert_eq!(version("-format"), None);
        assert_eq!(version("-"), None);
    }
}
