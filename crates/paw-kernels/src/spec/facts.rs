//! Facts about a kernel's data for the run's header.

use std::path::Path;

use paw_data::kernel::ArrayFact;

use crate::spec::{Array, Spec, Variant};

/// The facts of all arrays.
pub(crate) fn array_facts(arrays: &[Array]) -> Vec<ArrayFact> {
    arrays.iter().map(fact).collect()
}

impl Spec {
    /// The variant that only moves the data, if there is one.
    pub fn residency(&self) -> Option<&Variant> {
        self.variants.iter().find(|variant| variant.residency)
    }
}

fn fact(array: &Array) -> ArrayFact {
    ArrayFact {
        name: array.name.clone(),
        element: array.element.name().to_owned(),
        extent: array.extent.to_string(),
        fill: array.file.as_ref().map_or_else(|| array.fill.to_string(), file_fact),
        output: array.output,
    }
}

/// A file in the words of a run's header.
pub(crate) fn file_fact(path: impl AsRef<Path>) -> String {
    format!("file {}", path.as_ref().file_name().unwrap_or_default().display())
}
