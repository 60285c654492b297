//! A directory with runs of known numbers and a file of references.

use std::ops::Deref;

use paw_data::machine::Machine;
use paw_data::run::Run;
use paw_data::store;
pub use workplace::Ran;

use crate::constructed::{REFERENCE, empty, machine, record, steady};

/// A directory of its own.
pub struct Place(workplace::Workplace);

impl Deref for Place {
    type Target = workplace::Workplace;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Place {
    /// A directory with the file `ref.toml`: 1 GB/s, and 5 % less or 10 % more.
    pub fn new() -> Self {
        let place = Self(workplace::Workplace::new(env!("CARGO_BIN_EXE_paw")));
        place.write("ref.toml", REFERENCE);
        place
    }

    /// This directory with a run of that name whose only cell takes so long.
    pub fn with(self, name: &str, time_s: f64) -> Self {
        self.save(name, &Self::run(name, 0, time_s));
        self
    }

    /// A run with one cell.
    pub fn run(name: &str, day: usize, time_s: f64) -> Run {
        Run { records: vec![record(&steady(time_s))], ..empty(name, day, machine("")) }
    }

    /// A run on a machine of which nothing is known.
    pub fn unknown(name: &str, time_s: f64) -> Run {
        Run { records: vec![record(&steady(time_s))], ..empty(name, 0, Machine::default()) }
    }

    /// Writes a run.
    pub fn save(&self, name: &str, run: &Run) {
        let directory = self.path(name);
        std::fs::create_dir(&directory).unwrap();
        let path = directory.join(store::FILE);
        store::write(run, std::fs::File::create(&path).unwrap(), &path).unwrap();
    }

    /// Runs `paw gate` with the rest of a line as it is typed into a shell.
    pub fn gate(&self, line: &str) -> Ran {
        self.0.run(&format!("exec $PAW gate {line}"))
    }
}
