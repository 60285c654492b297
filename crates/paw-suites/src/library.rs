//! Facts about the libraries being measured, and the diagnosis of one that is slower than it could be.

use std::collections::HashMap;

use paw_data::cell::Cell;
use paw_data::json;
use paw_data::outcome::Caveat;
use paw_foreign::blas::Integers;
use paw_foreign::blas::diagnosis::{MeasuredLibrary, diagnose};
use paw_foreign::blas::family::Family;
use paw_foreign::blas::identity::Identity;

use crate::spec::LibraryNote;

/// Flops of one call, for each thread, from which a healthy library is near its plateau: N = 512 in double precision.
const PLATEAU_FLOPS: f64 = 2.0 * 512.0 * 512.0 * 512.0;

/// Facts about the libraries of the cells that were started.
pub struct Libraries {
    isa: Vec<String>,
    environment: Vec<(String, String)>,
    cells: HashMap<u32, Known>,
}

struct Known {
    identity: Identity,
    threads_asked: u32,
}

impl Libraries {
    /// No libraries yet, on a processor with the vector extensions `isa`, in this environment.
    pub fn new(isa: Vec<String>, environment: Vec<(String, String)>) -> Self {
        Self { isa, environment, cells: HashMap::new() }
    }

    /// Keeps a worker's note on the library of `cell`, if the cell's calls are long enough to judge the library by.
    pub fn remember(&mut self, cell: &Cell, note: &serde_json::Value, threads_asked: u32) {
        let Some(library) = &cell.library else { return };
        if cell.work.flops < PLATEAU_FLOPS * f64::from(threads_asked) {
            return;
        }
        let note: LibraryNote = json::from_value(note).unwrap_or_default();
        let identity = Identity {
            family: Family::named(&note.family).unwrap_or(Family::Unknown),
            path: library.path.clone(),
            version: library.version.clone(),
            core: library.core.clone(),
            threading: note.threading,
            integers: if note.integer_bits == 64 { Integers::Bits64 } else { Integers::Bits32 },
            threads_reported: Some(library.threads),
            threads_counted: library.threads,
            threads: library.threads,
            mapped: Vec::new(),
        };
        self.cells.insert(cell.id, Known { identity, threads_asked });
    }

    /// Reasons to expect more of the library of a cell that reached `share` of the peak.
    pub fn findings(&self, cell: u32, share: f64) -> Vec<Caveat> {
        let Some(known) = self.cells.get(&cell) else { return Vec::new() };
        let situation = MeasuredLibrary {
            identity: &known.identity,
            threads_asked: known.threads_asked,
            share_of_peak: Some(share),
            isa: &self.isa,
            environment: &self.environment,
        };
        diagnose(&situation).into_iter().map(|f| Caveat::new(f.id, f.cause, f.action)).collect()
    }
}
