//! The BLAS providers of this machine: the embedded one, the libraries found, and those given as files.

use std::path::Path;

use paw_foreign::NO_LOADER;
use paw_foreign::blas::discovery::family_by_name;
use paw_foreign::blas::family::Family;

use crate::benchmark::BlasRoutine;
use crate::choice::ProviderChoice;
use crate::host::Host;
use crate::plan_error::PlanError;
use crate::provider::{NATIVE, Provider, Resolved};

/// The word for every BLAS of the machine.
const ALL: &str = "all";

impl Host {
    /// Every BLAS provider of this machine: the embedded one, then the libraries found. A second library of a family gets a number.
    pub fn blas_here(&self) -> Vec<Provider> {
        let mut providers = vec![Provider::embedded()];
        for found in &self.blas {
            let name = unused(found.family.name(), &providers);
            providers.push(Provider::library(name, &found.path));
        }
        providers
    }

    /// Those of them whose make has `routine`; the embedded one has every routine.
    pub fn blas_with(&self, routine: BlasRoutine) -> Vec<Provider> {
        let mut here = self.blas_here();
        let family = |provider: &Provider| Some(self.found_at(provider.library.as_deref()?)?.family);
        here.retain(|provider| family(provider).is_none_or(|family| routine.is_of(family)));
        here
    }

    /// Whether a word names a BLAS, be it here or not.
    pub(crate) fn understands_blas(&self, name: &str) -> bool {
        let is_here = || self.blas_here().iter().any(|provider| provider.name.eq_ignore_ascii_case(name));
        name == ALL || name == NATIVE || Family::named(name).is_some() || is_here()
    }

    /// The BLAS that a device is compared with: the first library found, else the embedded one.
    pub(crate) fn best_blas(&self) -> Provider {
        let mut here = self.blas_with(BlasRoutine::Standard);
        if here.len() > 1 { here.swap_remove(1) } else { Provider::embedded() }
    }

    /// The providers of `routine` that the user's words name. Without words: all of this machine; in the quick assessment, the embedded one.
    pub(crate) fn blas_providers(
        &self,
        routine: BlasRoutine,
        choices: &[ProviderChoice],
        quick: bool,
    ) -> Result<Vec<Resolved>, PlanError> {
        let here = self.blas_with(routine);
        if choices.is_empty() {
            let most = if quick { 1 } else { here.len() };
            return Ok(here.into_iter().take(most).map(Resolved::Here).collect());
        }
        let mut resolved: Vec<Resolved> = Vec::new();
        for choice in choices {
            let next = match choice {
                ProviderChoice::Path(path) => self.by_path(path, &self.blas_here(), &resolved)?,
                ProviderChoice::Name(name) => by_name(name, &here, &self.blas_here())?,
            };
            for provider in next {
                if !resolved.contains(&provider) {
                    resolved.push(provider);
                }
            }
        }
        Ok(resolved)
    }

    fn by_path(&self, path: &Path, here: &[Provider], taken: &[Resolved]) -> Result<Vec<Resolved>, PlanError> {
        if let Some(known) = here.iter().find(|p| p.library.as_deref() == Some(path)) {
            return Ok(vec![Resolved::Here(known.clone())]);
        }
        if !path.exists() {
            return Err(PlanError::Usage(format!(
                "no such file: {}. hint: `paw list --libraries` shows those found",
                path.display()
            )));
        }
        let stem = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let stem = stem.split(".so").next().unwrap_or_default().trim_start_matches("lib").to_owned();
        let name = family_by_name(path).map_or(stem, |family| family.name().to_owned());
        let used = taken
            .iter()
            .map(|r| Provider { name: r.name().to_owned(), ..Provider::embedded() })
            .chain(here.iter().cloned());
        let name = unused(&name, &used.collect::<Vec<_>>());
        Ok(vec![Resolved::Here(Provider::library(name, path))])
    }
}

/// The providers that `name` means among those `here` that have the routine; `all_here` may lack it.
fn by_name(name: &str, here: &[Provider], all_here: &[Provider]) -> Result<Vec<Resolved>, PlanError> {
    if name == ALL {
        return Ok(here.iter().cloned().map(Resolved::Here).collect());
    }
    if name == NATIVE {
        return Ok(vec![Resolved::Here(Provider::embedded())]);
    }
    if let Some(provider) = here.iter().find(|provider| provider.name.eq_ignore_ascii_case(name)) {
        return Ok(vec![Resolved::Here(provider.clone())]);
    }
    if let Some(without) = all_here.iter().find(|provider| provider.name.eq_ignore_ascii_case(name)) {
        let why = format!(
            "{} has no such product. hint: `paw list NAME` names the libraries here that have it",
            without.name
        );
        return Ok(vec![Resolved::Missing { name: without.name.clone(), why }]);
    }
    if let Some(family) = Family::named(name) {
        let why = match NO_LOADER {
            Some(why) => format!("{} cannot be used: {why}", family.name()),
            None => format!(
                "{} was not found on this machine. hint: give its path: --provider /path/to/lib.so",
                family.name()
            ),
        };
        return Ok(vec![Resolved::Missing { name: family.name().to_owned(), why }]);
    }
    let names: Vec<&str> = all_here.iter().map(|provider| provider.name.as_str()).collect();
    Err(PlanError::Usage(format!(
        "unknown provider '{name}'; here: {}. hint: a library is given as a path",
        names.join(", ")
    )))
}

fn unused(name: &str, taken: &[Provider]) -> String {
    let numbered = |i: u32| if i == 1 { name.to_owned() } else { format!("{name}-{i}") };
    (1..).map(numbered).find(|n| taken.iter().all(|p| p.name != *n)).expect("numbers do not run out")
}
