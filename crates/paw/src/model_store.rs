//! The processor model between runs: a file of this user alone, one for each processor.

use std::env;
use std::fs;
use std::path::PathBuf;

use paw_kernels::processor_model::ProcessorModel;

use crate::print;
use crate::private_directory::PrivateDirectory;

/// Whether costs that are kept are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// They are.
    Kept,
    /// They are measured anew.
    Fresh,
}

/// The stored model of one processor.
pub struct ModelStore {
    fingerprint: String,
    directory: Option<PrivateDirectory>,
}

impl ModelStore {
    /// The store of the processor `fingerprint`, below the user's directory of caches.
    pub fn of(fingerprint: &str) -> Self {
        let directory = place().and_then(|path| {
            let made = fs::create_dir_all(path.parent()?).and_then(|()| PrivateDirectory::make(&path));
            let told = |why| print::warn(&format!("costs of instructions are not kept in {}: {why}", path.display()));
            made.map_err(told).ok()
        });
        Self { fingerprint: fingerprint.to_owned(), directory }
    }

    /// The stored model, or one that knows nothing, as always if it is to be fresh.
    pub fn model(&self, freshness: Freshness) -> ProcessorModel {
        let stored = self
            .directory
            .as_ref()
            .filter(|_| freshness == Freshness::Kept)
            .and_then(|own| own.read(&self.name()).ok());
        let known = stored.and_then(|text| ProcessorModel::stored(&text, &self.fingerprint));
        known.unwrap_or_else(|| ProcessorModel::new(&self.fingerprint))
    }

    /// Keeps `model` for later runs.
    pub fn keep(&self, model: &ProcessorModel) {
        if let Some(Err(why)) = self.directory.as_ref().map(|own| own.write(&self.name(), &model.text())) {
            print::warn(&format!("costs of instructions are not kept: {why}"));
        }
    }

    fn name(&self) -> String {
        let safe: String = self.fingerprint.chars().filter(char::is_ascii_alphanumeric).collect();
        format!("processor-{safe}.json")
    }
}

/// The directory: XDG Base Directory Specification, 0.8.
fn place() -> Option<PathBuf> {
    let absolute = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))?;
    Some(caches.join("paw"))
}
