//! Rows of derived numbers, of applications, kernels and devices.

use std::collections::HashMap;

use super::derived::Derived;
use super::{application, counters, device, kernel};
use crate::run::{Record, Run};

/// The derived numbers of each record of `run`.
pub(super) struct DerivedRows(HashMap<*const Record, Vec<Derived>>);

impl DerivedRows {
    pub(super) fn of(run: &Run) -> Self {
        let mut rows: HashMap<*const Record, Vec<Derived>> = HashMap::new();
        let mut add = |record: &Record, found: Vec<Derived>| {
            rows.entry(std::ptr::from_ref(record)).or_default().extend(found);
        };
        application::derive(run, &mut add);
        kernel::derive(run, &mut add);
        device::derive(run, &mut add);
        counters::derive(run, &mut add);
        Self(rows)
    }

    /// The derived numbers of `record`, which is one of the run's.
    pub(super) fn at(&self, record: &Record) -> &[Derived] {
        self.0.get(&std::ptr::from_ref(record)).map_or(&[], Vec::as_slice)
    }
}
