//! Builds: from a spec, compilers and sets of flags to shared objects.

pub(crate) mod child;
pub mod code;
mod command;
pub mod compile;
pub mod compiler;
pub(crate) mod diagnostics;
pub mod flags;
pub mod identical;
pub(crate) mod lookup;
pub mod make;
mod native;
mod remarks;
mod source_text;

use std::path::PathBuf;

use paw_data::build::Build;

use crate::builds::compiler::Compiler;
use crate::builds::flags::{FlagError, FlagSet};
use crate::spec::{Spec, Variant};

/// A build to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildJob {
    /// The compiler.
    pub compiler: Compiler,
    /// The flags.
    pub flags: FlagSet,
    /// The variant; `None` if the source has only one form.
    pub variant: Option<Variant>,
}

impl BuildJob {
    /// Whether its variant only moves the data.
    pub fn is_residency(&self) -> bool {
        self.variant.as_ref().is_some_and(|variant| variant.residency)
    }
}

/// A build that was made, or why not.
#[derive(Debug, Clone, PartialEq)]
pub struct Built {
    /// The facts of this build that the run records.
    pub build: Build,
    /// The variant; `None` if the source has only one form.
    pub variant: Option<Variant>,
    /// The function that is called.
    pub function: String,
    /// The shared object; else one sentence, `did not build: …`.
    pub library: Result<PathBuf, String>,
}

impl Built {
    /// Whether it only moves the data, and has no part in speed-ups.
    pub fn is_residency(&self) -> bool {
        self.variant.as_ref().is_some_and(|variant| variant.residency)
    }
}

/// Jobs of every compiler with every set of flags and every variant, in that order. The sets of flags are `typed`, those of the command
/// line, else the spec's, else the defaults.
pub fn jobs(spec: &Spec, compilers: &[Compiler], typed: &[String]) -> Result<Vec<BuildJob>, FlagError> {
    let typed = if typed.is_empty() { &spec.flags } else { typed };
    let variants: Vec<Option<&Variant>> =
        if spec.variants.is_empty() { vec![None] } else { spec.variants.iter().map(Some).collect() };
    let mut jobs = Vec::new();
    for compiler in compilers {
        for flags in flags::sets(typed, compiler)? {
            let job = |variant: &Option<&Variant>| BuildJob {
                compiler: compiler.clone(),
                flags: flags.clone(),
                variant: variant.cloned(),
            };
            jobs.extend(variants.iter().map(job));
        }
    }
    Ok(jobs)
}
