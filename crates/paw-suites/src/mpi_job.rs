//! The MPI job as a plan sees it: its ranks and its library.

use paw_data::point::Point;
use paw_foreign::NO_LOADER;
use paw_machine::threads::ThreadFit;

use crate::mpi::scope::Scope;
use crate::placement::Placement;
use crate::provider::{Provider, Resolved};
use crate::teamwork::Ranks;

/// Name of the provider if there is no library.
const UNKNOWN: &str = "mpi";

/// The ranks of a job, and the library that connects them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MpiJob {
    size: usize,
    /// Ranks of one node.
    of_a_node: usize,
    provider: Resolved,
}

impl MpiJob {
    /// A job of `size` ranks connected by `provider`, `of_a_node` of them on one node.
    pub fn of(size: usize, of_a_node: usize, provider: Provider) -> Self {
        Self { size, of_a_node, provider: Resolved::Here(provider) }
    }

    /// A job whose ranks cannot work together, for the reason `why`.
    pub fn unusable(size: usize, why: String) -> Self {
        Self { size, of_a_node: size, provider: Resolved::Missing { name: UNKNOWN.to_owned(), why } }
    }

    /// A process that no launcher started.
    pub fn none() -> Self {
        let why = match NO_LOADER {
            Some(why) => format!("no MPI library can be used: {why}"),
            None => "no MPI launcher started this process. hint: mpirun -n 2 paw run …".to_owned(),
        };
        Self::unusable(1, why)
    }

    /// How many ranks there are.
    pub fn size(&self) -> usize {
        self.size
    }

    /// How many ranks call together at `point`.
    pub fn calling(&self, point: &Point) -> usize {
        match Scope::of(point) {
            Scope::World => self.size,
            Scope::Node => self.of_a_node,
        }
    }

    /// The library for a benchmark that needs `ranks`, or why it cannot be measured.
    pub fn provider(&self, benchmark: &str, ranks: Ranks) -> Resolved {
        match (&self.provider, ranks.suit(self.size)) {
            (Resolved::Here(provider), Err(needed)) => Resolved::Missing {
                name: provider.name.clone(),
                why: format!(
                    "{benchmark} needs {needed}, and this job has {}. hint: mpirun -n 2 paw run {benchmark}",
                    self.size
                ),
            },
            // The reason's hint has `…` in place of the benchmark's name, which is known only here.
            (Resolved::Missing { name, why }, _) => {
                Resolved::Missing { name: name.clone(), why: why.replace('…', benchmark) }
            }
            (known, _) => known.clone(),
        }
    }

    /// One process for each rank, placed by the launcher.
    pub fn placement(&self) -> Placement {
        let threads = u32::try_from(self.size).unwrap_or(u32::MAX);
        Placement { threads, cpus: Vec::new(), rule: "ranks of the job".to_owned(), fit: ThreadFit::Within }
    }
}
