//! Environment variables that change results: what each does, which cap a library, and which to remove.

pub mod secret;
mod table;

use std::collections::BTreeMap;
use std::env;

use paw_data::outcome::Caveat;

use crate::doctor::{Examined, Finding, Privilege};
use secret::{HIDDEN, is_secret_name};
pub use table::{Cap, KnownVariable, VARIABLES, VariableEffect};

/// Variables and their values.
pub type Variables = BTreeMap<String, String>;

/// A variable whose value limits a library to less than the machine offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capping {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The quantity that the variable caps.
    pub cap: Cap,
    /// The variable's effect, and the libraries that it affects.
    pub cause: String,
    /// The remedy.
    pub action: String,
}

impl Capping {
    /// The caveat of numbers measured under it.
    pub fn caveat(&self) -> Caveat {
        Caveat::new(self.cap.id(), self.cause.clone(), self.action.clone())
    }

    /// The finding of a machine on which it is set.
    pub fn examined(&self) -> Examined {
        let finding = Finding::of(format!("{}={}", self.name, self.value), PLACE);
        self.cap.examined(finding.warn(self.cause.clone(), self.action.clone()))
    }
}

/// Where a variable is found.
pub const PLACE: &str = "the environment";

impl Cap {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Threads, Self::Isa];

    /// The name of the check, and of the caveat.
    pub fn id(self) -> &'static str {
        match self {
            Self::Isa => "capped-isa",
            Self::Threads => "capped-threads",
        }
    }

    /// A finding of the check.
    pub fn examined(self, finding: Finding) -> Examined {
        let effect = "a library runs below what the machine can do";
        Examined { id: self.id(), effect, size: None, privilege: Privilege::User, finding }
    }
}

/// This process's environment; bytes that are not UTF-8 are replaced.
pub fn current() -> Variables {
    let text = |s: std::ffi::OsString| s.to_string_lossy().into_owned();
    env::vars_os().map(|(name, value)| (text(name), text(value))).collect()
}

/// First parts of variables by which Open MPI's launcher tells its ranks of their job: numbers, addresses, a directory and
/// a key, other ones in every job.
const OF_ONE_JOB: &[&str] = &["OMPI_MCA_ess_", "OMPI_MCA_orte_", "OMPI_MCA_initial_wdir"];

/// The table's row for a variable: its own, or the longest pattern that matches.
pub fn known(name: &str) -> Option<&'static KnownVariable> {
    let fits = |v: &&KnownVariable| match v.name.split_once('*') {
        Some((before, after)) => {
            name.len() >= before.len() + after.len() && name.starts_with(before) && name.ends_with(after)
        }
        None => v.name == name,
    };
    if OF_ONE_JOB.iter().any(|first| name.starts_with(first)) {
        return None;
    }
    VARIABLES.iter().filter(fits).max_by_key(|v| (!v.name.contains('*'), v.name.len()))
}

/// Variables of `env` that change results: what a run records. Values of secrets are hidden.
pub fn captured(env: &Variables) -> Variables {
    let shown = |name: &str, value: &str| if is_secret_name(name) { HIDDEN } else { value }.to_owned();
    env.iter().filter(|(name, _)| known(name).is_some()).map(|(n, v)| (n.clone(), shown(n, v))).collect()
}

/// Variables of `env` that limit a library to less than the machine offers.
pub fn capping(env: &Variables) -> Vec<Capping> {
    let one = |(name, value): (&String, &String)| {
        let variable = known(name)?;
        let cap = variable.caps(value)?;
        let what = match cap {
            Cap::Isa => "caps the instruction set or kernel",
            Cap::Threads => "caps the threads",
        };
        Some(Capping {
            name: name.clone(),
            value: value.clone(),
            cap,
            cause: format!("{name}={value} {what} of {}: {}", variable.libraries, variable.meaning),
            action: format!("unset {name}, or use --clean-env"),
        })
    };
    env.iter().filter_map(one).collect()
}

/// Names of the variables of `env` that a clean environment leaves out: those that cap or steer libraries.
/// Search paths and a batch system's grants stay: without them libraries are not found or grants are exceeded.
pub fn steering(env: &Variables) -> Vec<String> {
    env.keys().filter(|name| known(name).is_some_and(KnownVariable::steers)).cloned().collect()
}

/// Threads that a batch system granted to this task, and the variable that says so.
pub fn granted_threads(env: &Variables) -> Option<(u32, &'static str)> {
    ["SLURM_CPUS_PER_TASK", "PBS_NUM_PPN", "NSLOTS"]
        .into_iter()
        .filter_map(|name| Some((env.get(name)?.trim().parse::<u32>().ok().filter(|n| *n > 0)?, name)))
        .min_by_key(|(n, _)| *n)
}
