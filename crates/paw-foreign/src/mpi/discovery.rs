//! The MPI library that fits the launcher.

mod candidates;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::abi::Abi;
use super::error::StartError;
use super::implementation::Implementation;
use super::launcher::{Launcher, LauncherKind};
use super::probe::{self, Probe};
use crate::object::NO_LOADER;

pub use candidates::{Candidate, SearchInputs, candidates};

/// A library that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundMpi {
    /// The file.
    pub path: PathBuf,
    /// Its ABI.
    pub abi: Abi,
    /// Its version, one line.
    pub version: String,
    /// Why it was looked for there.
    pub why: String,
    /// The libraries tried before it, and why each was not taken.
    pub tried: Vec<(PathBuf, String)>,
}

/// There is no library that fits.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}", self.sentence())]
pub struct NotFound {
    /// The launcher that the library had to fit.
    pub launcher: Option<LauncherKind>,
    /// The libraries tried, and why each was not taken.
    pub tried: Vec<(PathBuf, String)>,
}

/// Whether a launcher can start programs of a library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    No,
    /// The library starts under this launcher in some versions.
    Maybe,
    Yes,
}

/// The library that fits `launcher`, or the one the caller chose; nothing is started.
///
/// Candidates are opened one after the other, with their symbols hidden, until one fits. A library that was chosen is not checked
/// against the launcher: it may be a replacement, and whether it agrees is checked after it has started.
pub fn find(launcher: Option<&Launcher>, chosen: Option<&Path>) -> Result<FoundMpi, NotFound> {
    let kind = launcher.map(|launcher| launcher.kind);
    if NO_LOADER.is_some() {
        return Err(NotFound { launcher: kind, tried: Vec::new() });
    }
    if let Some(path) = chosen {
        let candidate = Candidate { path: path.to_owned(), why: "it was chosen".into() };
        return match open(&candidate) {
            Ok(found) => Ok(found),
            Err(error) => Err(NotFound { launcher: kind, tried: vec![(path.to_owned(), error)] }),
        };
    }
    let (mut tried, mut second) = (Vec::new(), None);
    for candidate in candidates(kind, &here()) {
        match open(&candidate) {
            Err(why) => tried.push((candidate.path, why)),
            Ok(found) => match fit(kind, found.abi, Implementation::of(found.abi, &found.version)) {
                Fit::Yes => return Ok(FoundMpi { tried, ..found }),
                Fit::Maybe => second = second.or(Some(found)),
                Fit::No => {
                    let launcher = kind.map_or("a single process", LauncherKind::name);
                    tried.push((candidate.path, format!("{} does not run under {launcher}", found.version)));
                }
            },
        }
    }
    match second {
        Some(found) => Ok(FoundMpi { tried, ..found }),
        None => Err(NotFound { launcher: kind, tried }),
    }
}

/// Every library that can be opened, each file once, in the order of the places; nothing is started.
pub fn all() -> Vec<FoundMpi> {
    let mut found: Vec<FoundMpi> = Vec::new();
    let mut files = BTreeSet::new();
    for candidate in candidates(None, &here()) {
        if let Ok(library) = open(&candidate) {
            let file = fs::canonicalize(&library.path).unwrap_or_else(|_| library.path.clone());
            if files.insert(file) {
                found.push(library);
            }
        }
    }
    found
}

impl FoundMpi {
    /// A short name, for tables.
    pub fn name(&self) -> &'static str {
        Implementation::of(self.abi, &self.version).name()
    }

    /// The launchers it fits, in words.
    pub fn launchers(&self) -> &'static str {
        match (self.abi, Implementation::of(self.abi, &self.version)) {
            (Abi::OpenMpi, _) | (_, Implementation::OpenMpi) => "Open MPI's mpiexec, srun --mpi=pmix",
            (_, Implementation::Intel) => "Intel MPI's mpiexec, that of MPICH 5, srun --mpi=pmi2 or pmix",
            (_, Implementation::Mpich) => "MPICH's mpiexec (hydra), that of Intel MPI, srun --mpi=pmi2",
            (_, Implementation::Cray) => "PALS, srun --mpi=pmi2",
            (_, _) => "launchers that speak PMI, srun --mpi=pmi2",
        }
    }
}

fn open(candidate: &Candidate) -> Result<FoundMpi, String> {
    let (Probe { abi, version }, object) = probe::open(&candidate.path).map_err(|error| reason(&error))?;
    let bare = candidate.path.components().count() == 1;
    let path = if bare { object.file_of("MPI_Get_library_version") } else { None };
    let path = path.unwrap_or_else(|| candidate.path.clone());
    Ok(FoundMpi { path, abi, version, why: candidate.why.clone(), tried: Vec::new() })
}

/// The sentence of `error` without the path, for a list that names the path first.
fn reason(error: &StartError) -> String {
    let sentence = error.to_string();
    match error {
        StartError::Missing(_) => "there is no such file".to_owned(),
        StartError::NotLoaded { path, .. } | StartError::NotMpi { path, .. } => {
            let rest = sentence.trim_start_matches(path).trim_start_matches(": ");
            // A bare name may also end a path that the loader names: only a path is taken out.
            if path.contains('/') { rest.replace(&format!("{path}: "), "") } else { rest.to_owned() }
        }
        _ => sentence,
    }
}

fn fit(launcher: Option<LauncherKind>, abi: Abi, family: Implementation) -> Fit {
    use LauncherKind as Kind;
    // A library of the standard ABI may be anyone's: Open MPI's from version 6 on.
    let open = abi == Abi::OpenMpi || family == Implementation::OpenMpi;
    let intel = family == Implementation::Intel;
    match launcher {
        None | Some(Kind::SlurmNone) => Fit::Yes,
        Some(Kind::OpenMpi | Kind::Pmix) if open => Fit::Yes,
        Some(Kind::OpenMpi) => Fit::No,
        Some(Kind::Pmix) => Fit::Maybe,
        Some(Kind::SlurmPmix) if open => Fit::Yes,
        // Intel MPI starts, and MPICH if built with PMIx; under others every rank sees itself alone.
        Some(Kind::SlurmPmix) => Fit::Maybe,
        Some(_) if open => Fit::No,
        Some(Kind::Intel) if intel => Fit::Yes,
        Some(Kind::Intel) => Fit::Maybe,
        // Intel MPI starts under hydra of MPICH 5, and hangs under that of MPICH 4.
        Some(Kind::Hydra) if intel => Fit::Maybe,
        Some(Kind::Hydra | Kind::Mvapich | Kind::Pals | Kind::SlurmPmi2) => Fit::Yes,
    }
}

/// The search's inputs from this process: environment, ancestors, file system.
fn here() -> SearchInputs<'static> {
    SearchInputs {
        env: Box::new(|name| std::env::var(name).ok()),
        ancestors: ancestors(),
        names: Box::new(|directory| {
            let entries = fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok);
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
        }),
    }
}

/// Programs of the processes above this one, nearest first: launchers keep a proxy there, on every node.
fn ancestors() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut process = parent("self");
    while let Some(pid) = process.filter(|pid| *pid > 1) {
        found.extend(fs::read_link(format!("/proc/{pid}/exe")));
        process = parent(&pid.to_string());
    }
    found
}

fn parent(process: &str) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()
}

impl NotFound {
    fn sentence(&self) -> String {
        if let Some(why) = NO_LOADER {
            return format!("no MPI library can be used: {why}");
        }
        let launcher = self.launcher.map(|kind| format!(" that fits {}", kind.name())).unwrap_or_default();
        let tried: Vec<String> = self.tried.iter().map(|(path, why)| format!("{} ({why})", path.display())).collect();
        let tried = if tried.is_empty() { "nothing to try".to_owned() } else { format!("tried {}", tried.join(", ")) };
        format!(
            "no MPI library{launcher} was found: {tried}; load the module of the MPI, or name its library with --mpi-library PATH or PAW_MPI_LIBRARY"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_held_against_the_launcher() {
        use LauncherKind as K;
        let check = |kind, abi, family, expected| assert_eq!(fit(kind, abi, family), expected, "{kind:?} {family:?}");
        check(Some(K::OpenMpi), Abi::OpenMpi, Implementation::OpenMpi, Fit::Yes);
        check(Some(K::OpenMpi), Abi::Standard, Implementation::OpenMpi, Fit::Yes);
        check(Some(K::OpenMpi), Abi::Mpich, Implementation::Mpich, Fit::No);
        check(Some(K::Hydra), Abi::OpenMpi, Implementation::OpenMpi, Fit::No);
        check(Some(K::Hydra), Abi::Standard, Implementation::Mpich, Fit::Yes);
        check(Some(K::Hydra), Abi::Mpich, Implementation::Intel, Fit::Maybe);
        check(Some(K::Intel), Abi::Mpich, Implementation::Intel, Fit::Yes);
        check(Some(K::SlurmPmi2), Abi::OpenMpi, Implementation::OpenMpi, Fit::No);
        check(Some(K::SlurmPmi2), Abi::Mpich, Implementation::Cray, Fit::Yes);
        check(Some(K::SlurmPmix), Abi::OpenMpi, Implementation::OpenMpi, Fit::Yes);
        check(None, Abi::Mpich, Implementation::Mpich, Fit::Yes);
    }

    #[test]
    fn nothing_found_says_what_was_tried_and_the_way_out() {
        let tried = vec![(PathBuf::from("/opt/libmpi.so.40"), "cannot be loaded".to_owned())];
        let text = NotFound { launcher: Some(LauncherKind::Hydra), tried }.to_string();
        for part in ["MPICH's mpiexec", "/opt/libmpi.so.40 (cannot be loaded)", "--mpi-library", "PAW_MPI_LIBRARY"] {
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn what_the_loader_says_of_a_bare_name_stays_whole() {
        let chain = "dlopen failed: /usr/lib/libmpich.so.12: invalid ELF header".to_owned();
        let said = |path: &str| reason(&StartError::NotLoaded { path: path.to_owned(), chain: chain.clone() });
        assert_eq!(said("libmpich.so.12"), format!("cannot be loaded: {chain}"));
        assert_eq!(said("/usr/lib/libmpich.so.12"), "cannot be loaded: dlopen failed: invalid ELF header");
        assert_eq!(reason(&StartError::Missing("x".to_owned())), "there is no such file");
    }

    #[test]
    fn a_chosen_library_is_not_replaced_by_another() {
        let directory = tempfile::tempdir().expect("a directory for the test");
        let path = directory.path().join("libmpi.so.40");
        let missing = find(None, Some(&path)).expect_err("there is no such file");
        assert!(missing.to_string().contains("there is no such file"), "{missing}");
        fs::write(&path, b"\x7fELF\x01\x01 and so on for twenty bytes").expect("the file is written");
        let narrow = find(None, Some(&path)).expect_err("it is of 32 bits");
        assert!(narrow.to_string().contains("32 bits"), "{narrow}");
    }
}
