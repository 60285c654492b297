//! The flags of `paw app`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use paw_data::precision::Precision;

use super::{LeavingArgs, Place, Until};

mod alike;
mod exports;

pub use alike::AlikeArgs;
pub use exports::AppExportArgs;

/// The precision of the peaks of a roofline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RoofPrecision {
    /// 64-bit floating-point numbers
    Double,
    /// 32-bit floating-point numbers
    Single,
}

impl From<RoofPrecision> for Precision {
    fn from(typed: RoofPrecision) -> Self {
        match typed {
            RoofPrecision::Double => Self::Double,
            RoofPrecision::Single => Self::Single,
        }
    }
}

/// What a run that goes on has from the interrupted one: all but where it is left and how it is shown.
const RESUMED: &[&str] = &[
    "commands",
    "command",
    "names",
    "campaign",
    "save",
    "profile",
    "roofline",
    "SweepArgs",
    "AlikeArgs",
    "LaunchingArgs",
    "MethodArgs",
    "ReadingArgs",
    "AppExportArgs",
];

/// `paw app`.
#[derive(Debug, Clone, Default, Args)]
#[command(allow_negative_numbers = true)]
pub struct AppArgs {
    /// Commands, each a text in quotes: 'prog -x' 'other -y', with names 'new=prog -x'; they run in turn, without a shell
    #[arg(value_name = "CMD")]
    pub commands: Vec<String>,
    /// One command with its arguments, after --; in all commands {threads}, {copies} and the names of --set are replaced by the values of a point
    #[arg(last = true, value_name = "PROGRAM")]
    pub command: Vec<String>,
    /// The name of a command, given once for each in their order [default: its program, or its text]
    #[arg(short = 'n', long = "name", alias = "command-name", value_name = "NAME")]
    pub names: Vec<String>,
    /// Read command and flags from a campaign file; flags typed as well come first
    #[arg(short = 'c', long, value_name = "FILE")]
    pub campaign: Option<PathBuf>,
    /// Write command and flags as a campaign file and measure nothing
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Go on with an interrupted run of this machine: what it measured is taken over, the rest measured, into a new directory
    #[arg(long, value_name = "RUN", conflicts_with_all = RESUMED)]
    pub resume: Option<PathBuf>,
    /// Run each program once more, after the measured runs, and sample it: the time of its functions, loops and lines
    #[arg(long)]
    pub profile: bool,
    /// Measure roofs too, and draw the roofline: the peak of each vector width (in double precision, or --roofline=single), the bandwidth of each cache and of memory
    #[arg(long, value_name = "PRECISION", num_args = 0..=1, require_equals = true, default_missing_value = "double")]
    pub roofline: Option<RoofPrecision>,
    #[command(flatten)]
    pub sweep: SweepArgs,
    #[command(flatten)]
    pub launching: LaunchingArgs,
    #[command(flatten)]
    pub method: MethodArgs,
    #[command(flatten)]
    pub reading: ReadingArgs,
    #[command(flatten)]
    pub exports: AppExportArgs,
    #[command(flatten)]
    pub leaving: LeavingArgs,
}

/// Flags of the sweep.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "What is varied")]
pub struct SweepArgs {
    /// Thread counts: numbers, socket, cores, all, oversubscribed, or topology for all of these and powers of two
    #[arg(long, value_name = "COUNTS", value_delimiter = ',')]
    pub threads: Vec<String>,
    /// Where threads sit: cores (one core each; default), compact, scatter (packages in turn), none (not bound)
    #[arg(long, value_name = "PLACE")]
    pub place: Option<Place>,
    /// Instances that run at the same time, each with its share of the processors: 1,2,4
    #[arg(long, value_name = "COUNTS", value_delimiter = ',')]
    pub copies: Vec<String>,
    /// Give a placeholder values, which run in turn as alternatives: mode=fast,safe, n=1,10,100, n=2..512 (doubling, the end included), n=10..100:10 (in steps)
    #[arg(long = "set", value_name = "NAME=VALUES")]
    pub set: Vec<String>,
    /// The values of this placeholder are sizes, measured one after the other: growth, tables by size (so are those in --work and --weak)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub ladder: Vec<String>,
    #[command(flatten)]
    pub alike: AlikeArgs,
    /// Leave points out: 'threads > 64 && n < 4'
    #[arg(long, value_name = "FORMULA")]
    pub exclude: Vec<String>,
    /// Multiply this placeholder by the number of threads: weak scaling
    #[arg(long, value_name = "NAME")]
    pub weak: Option<String>,
    /// What others are held against: the name of a command, a value as in mode=fast, or a command of its own, the original program [default: the fastest, and one thread of each command]
    #[arg(long, value_name = "NAME|CMD")]
    pub base: Option<String>,
    /// One more command; all are held against the first, each run at least 32 times
    #[arg(long, value_name = "CMD")]
    pub versus: Option<String>,
}

/// Flags of each launch.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "How each run is launched")]
pub struct LaunchingArgs {
    /// CMD is one text for a shell (sh -c), as are the other commands
    #[arg(long)]
    pub shell: bool,
    /// The file that is the program's standard input, or null [default: null]
    #[arg(long, value_name = "FILE", alias = "stdin")]
    pub input: Option<PathBuf>,
    /// What becomes of standard output: null, pipe (read by paw, both ends kept), inherit (shown) or a FILE [default: null, or pipe where --metric or --verify reads it]
    #[arg(long, value_name = "WHERE", conflicts_with_all = ["show_output", "keep_output"])]
    pub output: Option<PathBuf>,
    /// Show what the program prints, as it prints it
    #[arg(long, conflicts_with = "keep_output")]
    pub show_output: bool,
    /// Keep all that the last run of each cell prints, in logs/ of the run
    #[arg(long)]
    pub keep_output: bool,
    /// Time after which a run is ended, with all it started: 90s, 2m
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<String>,
    /// Run this before each run, untimed
    #[arg(short = 'p', long, value_name = "CMD")]
    pub prepare: Option<String>,
    /// Run this after each run, untimed
    #[arg(short = 'C', long, value_name = "CMD")]
    pub conclude: Option<String>,
    /// Run this once before the first run of a cell, untimed; cells with the same one share it, others are measured one after the other
    #[arg(short = 's', long, value_name = "CMD")]
    pub setup: Option<String>,
    /// Run this once after the last run of a cell, untimed
    #[arg(long, value_name = "CMD")]
    pub cleanup: Option<String>,
    /// Count runs that fail: with any exit code, or with these: -i, --ignore-failure=1,2
    #[arg(short = 'i', long, value_name = "CODES", num_args = 0..=1, require_equals = true, default_missing_value = "all")]
    pub ignore_failure: Option<String>,
    /// Start programs without a shell, as paw does anyway
    #[arg(short = 'N', conflicts_with = "shell")]
    pub no_shell: bool,
    /// Give the program the same memory layout in every run
    #[arg(long)]
    pub no_aslr: bool,
}

/// Flags of the method.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "When runs suffice")]
pub struct MethodArgs {
    /// kbest (default: the best of 4 within 5 %, after 16 to 32 runs), csapp (3, 1 %, at most 20) or adaptive
    #[arg(long, value_name = "NAME")]
    pub method: Option<String>,
    /// Runs that must agree with the best
    #[arg(long, value_name = "K")]
    pub k: Option<String>,
    /// How closely they must: 5%, 0.01
    #[arg(long, value_name = "SHARE")]
    pub within: Option<String>,
    /// Fewest runs
    #[arg(short = 'm', long, alias = "min-runs", value_name = "N")]
    pub min: Option<String>,
    /// Most runs
    #[arg(short = 'M', long, alias = "max-runs", value_name = "N")]
    pub max: Option<String>,
    /// K runs besides the best must agree with it
    #[arg(long)]
    pub kbest_exclusive: bool,
    /// Exactly this many runs
    #[arg(short = 'r', long, alias = "runs", value_name = "N")]
    pub reps: Option<String>,
    /// Runs before the first that counts, in which its threads are looked at [default: 1]
    #[arg(short = 'w', long, value_name = "N")]
    pub warmup: Option<String>,
    /// Time the whole sweep may take: 90s, 2m, 1h30m
    #[arg(long, value_name = "TIME")]
    pub budget: Option<String>,
    /// Go on within the budget until it is decided which alternatives are faster, or the same
    #[arg(long, value_enum)]
    pub until: Option<Until>,
    /// Exit with 1 where an alternative is slower than the base (--base, or the first): slower, or slower=2% for by more than that
    #[arg(long, value_name = "RULE")]
    pub fail_on: Option<String>,
    /// Seed of every shuffle
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Exit with 4 where the machine was too disturbed to trust
    #[arg(long)]
    pub strict_env: bool,
}

/// Flags of metrics and expectations.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "What is read and checked")]
pub struct ReadingArgs {
    /// A number the program prints: 'fit_ms=KinFit: ([0-9.]+) ms', or with unit and direction 'rate[events/s,higher]=…'
    #[arg(long, value_name = "NAME=REGEX")]
    pub metric: Vec<String>,
    /// The metric that is the headline: of it are the answer, speed-ups, rankings and plots; the others keep their tables [default: wall time]
    #[arg(long, value_name = "NAME")]
    pub headline: Option<String>,
    /// The metric that decides when runs suffice [default: the headline]
    #[arg(long, value_name = "NAME")]
    pub drive: Option<String>,
    /// What each run must leave: 'stdout contains 1867', 'exit 0', 'file OUT equals REF' [default: exit 0]
    #[arg(long, value_name = "EXPECTATION")]
    pub verify: Vec<String>,
    /// A file that the program reads: its hash is kept with the run
    #[arg(long, value_name = "FILE")]
    pub hash_input: Vec<PathBuf>,
    /// Count events in one further run for each group: SW, CPI, L2 (`paw list --counters` has all), or a file GROUP.toml
    #[arg(long, value_name = "GROUPS", value_delimiter = ',')]
    pub counters: Vec<String>,
    /// Simulate instructions and caches by valgrind's cachegrind in one further run, some fifty times as slow, where it is installed
    #[arg(long, conflicts_with_all = ["counters", "recorded"])]
    pub simulate: bool,
    /// Take the counts from a recorded stream in place of this processor's counters
    #[arg(long, value_name = "FILE", requires = "counters")]
    pub recorded: Option<PathBuf>,
    /// Floating-point operations of one run, for --roofline: '2*n^3', 1.5e9 [default: counted, group FLOPS]
    #[arg(long, value_name = "FORMULA", requires = "roofline")]
    pub flops: Option<String>,
    /// Bytes that one run moves from and to memory, for --roofline: '24*n^2' [default: counted, group MEM]
    #[arg(long, value_name = "FORMULA", requires = "roofline")]
    pub bytes: Option<String>,
    /// Operations of one run: '5738 + 1867*n events'
    #[arg(long, value_name = "FORMULA UNIT")]
    pub work: Option<String>,
}
