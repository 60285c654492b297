//! The MPI job as a plan sees it: its ranks and its library.

use paw_data::point::Point;
use paw_foreign::NO_LOADER;
use paw_machine::threads::ThreadFit;

use crate::mpi::scope::Scope;
use crate::placement::Placement;
use crate::provider::{Provider, Resolved};
use crate::teamwork::{Carrier, Teamwork};

/// Name of the provider if there is no library.
const UNKNOWN: &str = "mpi";

/// Name of the provider between devices if there is none.
const DEVICES: &str = "nccl";

/// What stands in a reason for the number of ranks that a benchmark needs, and for its name.
const RANKS: &str = "{ranks}";
const NAME: &str = "…";

/// The ranks of a job, and the library that connects them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MpiJob {
    size: usize,
    /// Ranks of one node.
    of_a_node: usize,
    provider: Resolved,
    /// What carries data between the ranks' devices.
    between_devices: Resolved,
}

impl MpiJob {
    /// A job of `size` ranks connected by `provider`, `of_a_node` of them on one node.
    pub fn of(size: usize, of_a_node: usize, provider: Provider) -> Self {
        let why = "no device was asked for when the job began".to_owned();
        let between_devices = Resolved::Missing { name: DEVICES.to_owned(), why };
        Self { size, of_a_node, provider: Resolved::Here(provider), between_devices }
    }

    /// The same job, whose devices `provider` connects.
    #[must_use]
    pub fn with_devices(self, provider: Resolved) -> Self {
        Self { between_devices: provider, ..self }
    }

    /// A job whose ranks cannot work together, for the reason `why`.
    pub fn unusable(size: usize, why: String) -> Self {
        let missing = |name: &str| Resolved::Missing { name: name.to_owned(), why: why.clone() };
        Self { size, of_a_node: size, provider: missing(UNKNOWN), between_devices: missing(DEVICES) }
    }

    /// A process that no launcher started.
    pub fn none() -> Self {
        let why = match NO_LOADER {
            Some(why) => format!("no MPI library can be used: {why}"),
            None => format!("no MPI launcher started this process. hint: mpirun -n {RANKS} paw run {NAME}"),
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

    /// The library for a benchmark in which ranks work together so, or why it cannot be measured.
    pub fn provider(&self, benchmark: &str, teamwork: Teamwork) -> Resolved {
        let provider = match teamwork.carrier {
            Carrier::Mpi => &self.provider,
            Carrier::Devices => &self.between_devices,
        };
        match (provider, teamwork.ranks.suit(self.size)) {
            (Resolved::Here(provider), Err(needed)) => Resolved::Missing {
                name: provider.name.clone(),
                why: format!(
                    "{benchmark} needs {needed}, and this job has {}. hint: mpirun -n {} paw run {benchmark}",
                    self.size,
                    teamwork.ranks.nearest(self.size)
                ),
            },
            // How many ranks the benchmark needs is known only here, and so is its name.
            (Resolved::Missing { name, why }, _) => {
                let ranks = teamwork.ranks.nearest(2).to_string();
                let why = why.replace(RANKS, &ranks).replace(NAME, benchmark);
                Resolved::Missing { name: name.clone(), why }
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
