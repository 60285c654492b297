//! The user's choices for a run: providers, thread counts and their processors, how ranks start and combine, how far ladders go.

use std::path::PathBuf;

use paw_data::cell::Combine;
use paw_machine::threads::PlacementOrder;

/// A provider as the user names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderChoice {
    /// `embedded`, `native`, `openblas`, `mkl` …
    Name(String),
    /// A library file.
    Path(PathBuf),
}

/// A thread count as the user names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threads {
    /// This number.
    Count(u32),
    /// The cores of one package.
    Socket,
    /// One for each allowed core.
    Cores,
    /// One for each allowed hardware thread.
    All,
    /// 1, powers of two, cores of a package, all cores, all hardware threads.
    Topology,
    /// Twice as many as there is room for.
    Oversubscribed,
}

/// The processors that threads run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThreadPlacement {
    /// One core for each thread while there are cores; a single thread goes to the idlest core.
    Default,
    /// Bound, in this order.
    Order(PlacementOrder),
    /// Where the operating system puts them.
    Unbound,
}

/// How the readings of ranks are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CombineChoice {
    /// In the same way for every benchmark.
    All(Combine),
    /// As PAW's guide has it: the fastest rank, the slowest for broadcast and scatter.
    Guide,
}

/// How ranks start together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StartMode {
    /// At an announced time of a clock that all ranks share.
    #[default]
    GlobalClock,
    /// When they leave the library's barrier.
    Barrier,
}

/// How far a default ladder goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ladder {
    /// Up to the last size whose sample lasts at most a second.
    UntilOneSecond,
    /// Every value asked for.
    Full,
}

/// The environment workers are started in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkerEnvironment {
    /// This process's environment.
    Inherited,
    /// Without the variables that limit BLAS libraries' threads or choose their kernels.
    Clean,
}
