//! The command line: flags and names as typed.

mod again;
mod analyze;
mod app;
mod campaign;
mod child;
mod cluster;
mod doctor;
mod gate;
mod history;
mod import;
mod install;
mod kernel;
mod machine;
mod measuring;
mod profile;
mod report;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use paw_data::cell;
use paw_foreign::mpi;
use paw_suites::choice::{CombineChoice, StartMode};

use crate::export_format::{self, ExportFormat};

pub use again::AgainArgs;
pub use analyze::{AnalyzeArgs, AnalyzeFormat};
pub use app::{AlikeArgs, AppArgs, AppExportArgs, LaunchingArgs, MethodArgs, ReadingArgs, RoofPrecision, SweepArgs};
pub use campaign::{AcceptanceArgs, CampaignCommand};
pub use child::{ReplayArgs, WorkerArgs};
pub use cluster::{ClusterArgs, ClusterCommand, ClusterPlanArgs, ClusterReportArgs, ClusterWatchArgs, TuningArgs};
pub use doctor::DoctorArgs;
pub use gate::{Annotations, FailWord, GateArgs, GateCommand, GateSetArgs, GateUpdateArgs};
pub use history::{HistoryAddArgs, HistoryArgs, HistoryCommand, HistoryExport, HistoryFormat, StoreArgs};
pub use import::{ImportArgs, TableArgs};
pub use install::{ExecutableNames, InstallArgs};
pub use kernel::{
    AskedArgs, BuildArgs, CodeArgs, CountersArgs, DeviceArgs, ExplainArgs, FitArgs, KernelArgs, KernelCommand,
    KernelProfileArgs, MatrixArgs, MeasureArgs, NewArgs, ProtocolArgs, SensitivityArgs, SizeArgs,
};
pub use machine::{MachineArgs, MachineFormat};
pub use measuring::{CampaignArgs, MeasuringArgs, Until};
pub use profile::{ProfileArgs, SamplingArgs};
pub use report::{PageFormat, ReportArgs, ShowArgs};

/// The Performance Assessment Workbench: assesses a machine with numbers that can be published.
#[derive(Debug, Parser)]
#[command(name = "paw", version, about, disable_help_subcommand = true)]
pub struct Cli {
    /// What to do; by default paw shows the machine and an example for each suite
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Hide names of host and user, and paths, in what is recorded and shown; secrets are hidden always
    #[arg(long, global = true)]
    pub redact: bool,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the benchmarks suite by suite; with a NAME, explain it
    List(ListArgs),
    /// Measure suites or benchmarks; without a NAME, assess this machine in two minutes
    Run(Box<RunArgs>),
    /// Measure a whole application: the best of k runs, threads and sizes swept, scaling
    App(Box<AppArgs>),
    /// The kernel workbench: a function built many ways, sized, checked and measured
    Kernel(KernelArgs),
    /// Sample a program: the time of its functions, loops and lines, in all its threads and children
    Profile(Box<ProfileArgs>),
    /// Tell what a program or library is made of: functions, loops, vectors, memory, calls; nothing is run
    Analyze(AnalyzeArgs),
    /// Measure a machine's whole acceptance: the steps of one file, in one directory, with one report
    Campaign(AcceptanceArgs),
    /// The nodes of a cluster under its scheduler: plan the job, watch it, name the nodes that are not like the others
    Cluster(ClusterArgs),
    /// Repeat a run: the same command, seed, order and processors, into a new directory
    Again(AgainArgs),
    /// Compare runs B with runs A, point by point
    Compare(CompareArgs),
    /// Judge runs by references, with an exit code; write a file of references
    Gate(Box<GateArgs>),
    /// One machine over time: trends, changes, and what else changed with them; `add` adds runs
    History(Box<HistoryArgs>),
    /// Print a run again: its headlines, tables and caveats
    Show(ShowArgs),
    /// Write runs as one HTML file that needs no network
    Report(ReportArgs),
    /// Write a run as CSV, JSON, Markdown, hyperfine's JSON or PAW's .dat files
    Export(ExportArgs),
    /// Read .dat files of PAW 1.0 to 1.6, JSON of hyperfine, or counters of likwid-perfctr and MAQAO, and keep them as a run
    Import(ImportArgs),
    /// Show what on this machine spoils measurements, and the remedy
    Doctor(Box<DoctorArgs>),
    /// Show this machine: processors, caches, memory, limits
    Machine(MachineArgs),
    /// Check that this machine, its clock and paw's own code give numbers known beforehand (under a minute)
    Selftest(SelftestArgs),
    /// Link PAW's executable names to this paw, and install its manual pages and completions
    Install(InstallArgs),
    /// Print the JSON Schema of the lines of run.jsonl
    Schema,
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Measure for another paw process, over the file descriptor it was given
    #[command(name = "__worker", hide = true)]
    Worker(WorkerArgs),
    /// Load one build of a kernel and measure it for another paw process
    #[command(name = "__kernel", hide = true)]
    KernelChild(WorkerArgs),
    /// Repeat the calls of a job, for a simulator that watches
    #[command(name = "__replay", hide = true)]
    Replay(ReplayArgs),
}

/// `paw list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Suites, benchmarks, patterns or PAW's executable names
    pub names: Vec<String>,
    /// Print every environment variable honoured: meaning, unit, default, value in effect
    #[arg(long, conflicts_with_all = ["names", "libraries"])]
    pub environment: bool,
    /// Print every library found and where
    #[arg(long, conflicts_with = "names")]
    pub libraries: bool,
    /// Print every group of counters, and whether it can be counted here; with a NAME, the group's events and metrics
    #[arg(long, conflicts_with_all = ["libraries", "environment"])]
    pub counters: bool,
    /// How the table is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// `paw run`.
#[derive(Debug, Clone, Args)]
pub struct RunArgs {
    /// Suites, benchmarks, patterns or PAW's executable names
    pub names: Vec<String>,
    #[command(flatten)]
    pub roofline: RooflineArgs,
    #[command(flatten)]
    pub points: PointArgs,
    #[command(flatten)]
    pub measuring: MeasuringArgs,
    #[command(flatten)]
    pub ranks: RankArgs,
    #[command(flatten)]
    pub leaving: LeavingArgs,
}

/// Whether roofs are measured.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct RooflineArgs {
    /// Measure roofs too, and draw the roofline: the peak of each vector width, the bandwidth of each cache and of memory
    #[arg(long)]
    pub roofline: bool,
}

/// Points on the axes, providers, threads.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "What is measured")]
pub struct PointArgs {
    /// Set an axis: n=8..8192 (doubling), n=64,100, bytes=4KiB..1MiB, transa=T
    #[arg(long = "set", value_name = "AXIS=VALUES")]
    pub set: Vec<String>,
    /// How long a load that lasts takes samples (device_burn): 60s, 5m [the axis seconds]
    #[arg(long = "for", value_name = "TIME")]
    pub lasting: Option<String>,
    /// Providers: embedded, openblas, mkl … or library files
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub provider: Vec<String>,
    /// Thread counts: numbers, socket, cores, all, oversubscribed, topology
    #[arg(long, value_name = "COUNTS", value_delimiter = ',')]
    pub threads: Vec<String>,
    /// Placement of threads: cores (one core each), compact, scatter (packages in turn), none (not bound)
    #[arg(long, value_name = "PLACE")]
    pub place: Option<Place>,
    /// Remove variables that cap or steer BLAS libraries from their environment
    #[arg(long)]
    pub clean_env: bool,
}

/// How ranks measure together.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "On several ranks (under mpirun or srun)")]
pub struct RankArgs {
    /// The MPI library to open [default: the one that fits the launcher]
    #[arg(long, value_name = "FILE", env = "PAW_MPI_LIBRARY")]
    pub mpi_library: Option<PathBuf>,
    /// How the ranks' times become one: slowest counts by default, and paw is the rule of PAW's guide
    #[arg(long, value_enum, value_name = "HOW")]
    pub combine: Option<Combine>,
    /// How ranks start together: at a moment of a common clock (default), or behind the library's barrier
    #[arg(long, value_enum, value_name = "HOW")]
    pub sync: Option<Sync>,
    /// What is asked of MPI_Init_thread [default: MPI_Init; funneled for col_init_th and multiple for latency_threads alone]
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub thread_level: Option<ThreadLevel>,
    /// End every window of a message-rate test with an acknowledgement
    #[arg(long)]
    pub ack: bool,
    /// Keep the times of all ranks, not only the fastest, the mean and the slowest
    #[arg(long)]
    pub keep_ranks: bool,
}

/// How the ranks' times become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Combine {
    /// The fastest rank
    Min,
    /// The mean over ranks
    Mean,
    /// The slowest rank: completion
    Max,
    /// As PAW's guide: the fastest rank, the slowest for broadcast and scatter
    Paw,
}

/// Which threads may call MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ThreadLevel {
    /// The process has one thread
    Single,
    /// Only the first thread calls MPI
    Funneled,
    /// One thread at a time calls MPI
    Serialized,
    /// Every thread calls MPI at any time
    Multiple,
}

/// How ranks start together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Sync {
    /// At an announced moment of a clock they agree on
    Clock,
    /// When the library's barrier lets them go
    Barrier,
}

/// Files and output.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Files and output")]
pub struct LeavingArgs {
    /// Directory of the run; it must not hold one already [default: paw-results/<UTC time>-<6 characters>]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Directory of the .dat files [default: the run's]
    #[arg(long, value_name = "DIR")]
    pub dat: Option<PathBuf>,
    /// Names of the .dat files: as PAW's guide has them, or as PAW 1.6 wrote them
    #[arg(long, value_enum, default_value_t)]
    pub dat_names: DatNames,
    /// Make the self-test first (10 to 20 s) and keep its figures in the run
    #[arg(long)]
    pub selftest: bool,
    /// Show the plan and measure nothing: cells, order, reasons for thread counts
    #[arg(long)]
    pub dry_run: bool,
    /// No progress
    #[arg(long)]
    pub quiet: bool,
    /// Show every table and note; without it a single program is a few lines
    #[arg(short = 'v', long)]
    pub verbose: bool,
    /// How the results are written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// `paw compare`.
#[derive(Debug, Args)]
#[command(override_usage = "paw compare A B\n       paw compare A... -- B...")]
pub struct CompareArgs {
    /// The runs that are the base: directories of a run or of several, or run.jsonl files
    #[arg(required = true, value_name = "A")]
    pub a: Vec<PathBuf>,
    /// The runs compared with them; three a side give verdicts
    #[arg(last = true, value_name = "B")]
    pub b: Vec<PathBuf>,
}

/// `paw export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The run: its directory, or its run.jsonl
    pub run: PathBuf,
    /// What is written
    #[arg(long, value_parser = export_format::parser())]
    pub format: &'static ExportFormat,
    /// One CSV row per sample
    #[arg(long)]
    pub samples: bool,
    /// The file written, or the directory of the .dat files [default: standard output; the current directory]
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
    /// Names of the .dat files: as PAW's guide has them, or as PAW 1.6 wrote them
    #[arg(long, value_enum, default_value_t)]
    pub dat_names: DatNames,
}

/// `paw selftest`.
#[derive(Debug, Args)]
pub struct SelftestArgs {
    /// How the checks are written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// `paw completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Format {
    /// For reading in a terminal
    #[default]
    Text,
    /// JSON
    Json,
    /// Comma-separated values
    Csv,
    /// Markdown
    Md,
}

/// How .dat files are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum DatNames {
    /// As PAW's user guide has them: dgemm_flops-np_0002.dat
    #[default]
    Guide,
    /// As PAW 1.6 wrote them: dgemm_fp-np_0002.dat
    #[value(name = "1.6")]
    Release16,
}

impl From<DatNames> for paw_data::store::dat::DatNames {
    fn from(names: DatNames) -> Self {
        match names {
            DatNames::Guide => Self::Guide,
            DatNames::Release16 => Self::V16,
        }
    }
}

impl From<Combine> for CombineChoice {
    fn from(typed: Combine) -> Self {
        match typed {
            Combine::Min => Self::All(cell::Combine::Fastest),
            Combine::Mean => Self::All(cell::Combine::Mean),
            Combine::Max => Self::All(cell::Combine::Slowest),
            Combine::Paw => Self::Guide,
        }
    }
}

impl From<ThreadLevel> for mpi::ThreadLevel {
    fn from(typed: ThreadLevel) -> Self {
        match typed {
            ThreadLevel::Single => Self::Single,
            ThreadLevel::Funneled => Self::Funneled,
            ThreadLevel::Serialized => Self::Serialized,
            ThreadLevel::Multiple => Self::Multiple,
        }
    }
}

impl From<Sync> for StartMode {
    fn from(typed: Sync) -> Self {
        match typed {
            Sync::Clock => Self::GlobalClock,
            Sync::Barrier => Self::Barrier,
        }
    }
}

/// Placement of threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Place {
    /// One core each as long as there are cores.
    Cores,
    /// All hardware threads of a core, then the next core.
    Compact,
    /// Packages in turn.
    Scatter,
    /// Where the operating system puts them.
    None,
}
