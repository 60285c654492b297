//! What a run remembers of a kernel's data.

use std::path::Path;

use paw_data::kernel::ArrayFact;

use crate::spec::{Array, Spec, Variant};

/// The arrays as a run keeps them.
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

/// A file as a run names it.
pub(crate) fn file_fact(path: impl AsRef<Path>) -> String {
    format!("file {}", path.as_ref().file_name().unwrap_or_default().display())
}
