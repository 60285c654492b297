//! What a run remembers of a kernel's data.

use paw_data::kernel::ArrayFact;

use crate::spec::{Array, Spec, Variant};

impl Spec {
    /// The arrays as a run keeps them.
    pub fn array_facts(&self) -> Vec<ArrayFact> {
        self.arrays.iter().map(fact).collect()
    }

    /// The variant that only moves the data, where there is one.
    pub fn residency(&self) -> Option<&Variant> {
        self.variants.iter().find(|variant| variant.residency)
    }
}

fn fact(array: &Array) -> ArrayFact {
    ArrayFact {
        name: array.name.clone(),
        element: array.element.name().to_owned(),
        extent: array.extent.to_string(),
        fill: array.fill.to_string(),
        output: array.output,
    }
}
