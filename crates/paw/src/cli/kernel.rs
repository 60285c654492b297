//! The flags of `paw kernel`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use paw_data::kernel;
use paw_foreign::device::Backend;
use paw_kernels::spec::Language;
use paw_kernels::spec::template::New;

use super::{CampaignArgs, LeavingArgs, RooflineArgs, SamplingArgs};

/// `paw kernel`.
#[derive(Debug, Args)]
pub struct KernelArgs {
    /// What to do
    #[command(subcommand)]
    pub command: KernelCommand,
}

/// What to do with a kernel.
#[derive(Debug, Subcommand)]
pub enum KernelCommand {
    /// Write a spec with a comment on every line, and a source that works with it
    New(NewArgs),
    /// Tell the sizes at which the arrays lie in each cache; with --measure, show the jump past each cache's end
    Fit(Box<FitArgs>),
    /// Measure one build at one size: the protocol's driver
    Measure(Box<MeasureArgs>),
    /// Hold the answers of every build against the reference; time nothing
    Check(Box<AskedArgs>),
    /// Tell what the code of every build is: loops, vectors, memory, calls, and what differs; nothing is timed
    Analyze(Box<CodeArgs>),
    /// Vary warm-up, repetitions and size, one at a time, and recommend
    Sensitivity(Box<SensitivityArgs>),
    /// Count events of the processor or the kernel by call and by iteration, at each size
    Counters(Box<CountersArgs>),
    /// Compare compilers, flags and variants at each level of the memory hierarchy
    Matrix(Box<MatrixArgs>),
    /// Tell why one build takes its time: its hot loop is measured again without parts of itself
    Explain(Box<ExplainArgs>),
    /// Sample each build while it is called: functions, loops and lines, with what they call
    Profile(Box<KernelProfileArgs>),
}

/// `paw kernel new`.
#[derive(Debug, Args)]
pub struct NewArgs {
    /// Name of the kernel: NAME.toml and its source are written
    pub name: String,
    /// What it is written in
    #[arg(long, value_enum, default_value_t = LanguageName::C)]
    pub language: LanguageName,
}

/// `paw kernel fit`.
#[derive(Debug, Args)]
pub struct FitArgs {
    /// Measure the residency variant on both sides of each cache's end
    #[arg(long)]
    pub measure: bool,
    #[command(flatten)]
    pub asked: AskedArgs,
}

/// `paw kernel measure`.
#[derive(Debug, Args)]
pub struct MeasureArgs {
    /// Print nothing but the ticks of an iteration, one sample a line
    #[arg(long)]
    pub raw: bool,
    #[command(flatten)]
    pub roofline: RooflineArgs,
    #[command(flatten)]
    pub asked: AskedArgs,
}

/// What is asked by every command that builds: all of `paw kernel check`.
#[derive(Debug, Args)]
pub struct AskedArgs {
    /// The kernel's spec
    pub spec: PathBuf,
    #[command(flatten)]
    pub sizes: SizeArgs,
    #[command(flatten)]
    pub builds: BuildArgs,
    #[command(flatten)]
    pub protocol: ProtocolArgs,
    #[command(flatten)]
    pub on: DeviceArgs,
    #[command(flatten)]
    pub leaving: LeavingArgs,
}

/// `paw kernel analyze`.
#[derive(Debug, Args)]
pub struct CodeArgs {
    /// The kernel's spec
    pub spec: PathBuf,
    #[command(flatten)]
    pub builds: BuildArgs,
    #[command(flatten)]
    pub leaving: LeavingArgs,
}

/// What only kernels on a device are asked.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Kernels in CUDA and OpenCL")]
pub struct DeviceArgs {
    /// The device: cuda0, hip0, opencl1 [default: the first of the language's]
    #[arg(long, value_name = "NAME")]
    pub device: Option<String>,
    /// Values of an axis of the spec in place of its own: variations=64,128 or 8..512 or pow2:1..9, block=64,256; may be repeated
    #[arg(long, value_name = "AXIS=VALUES")]
    pub set: Vec<String>,
    /// When samples suffice: kbest, adaptive, csapp [default: the spec's, else kbest]
    #[arg(long, value_name = "NAME")]
    pub method: Option<String>,
}

/// `paw kernel counters`.
#[derive(Debug, Args)]
pub struct CountersArgs {
    /// Groups of counters: SW, CPI, L2 (`paw list --counters` has all), or a file of your own, GROUP.toml
    #[arg(long = "group", value_name = "GROUPS", value_delimiter = ',', default_value = "SW")]
    pub groups: Vec<String>,
    /// Simulate caches and branches by valgrind's cachegrind in place of counting
    #[arg(long, conflicts_with_all = ["groups", "recorded"])]
    pub simulate: bool,
    /// Take the counts from a recorded stream in place of this processor's counters
    #[arg(long, value_name = "FILE")]
    pub recorded: Option<PathBuf>,
    #[command(flatten)]
    pub asked: AskedArgs,
}

/// `paw kernel matrix`.
#[derive(Debug, Args)]
pub struct MatrixArgs {
    /// Search: begin with the first set of flags, and add what helps beyond the noise and leaves the answer right
    #[arg(long, conflicts_with = "roofline")]
    pub search: bool,
    /// A flag that --search tries; may be repeated [default: those that the kernel report tried]
    #[arg(long = "try", value_name = "FLAG", allow_hyphen_values = true, requires = "search")]
    pub candidates: Vec<String>,
    /// Say why, too: read the code of every build, measure roofs, and sample and take apart the loops of the reference and the fastest
    #[arg(long, conflicts_with = "search")]
    pub why: bool,
    #[command(flatten)]
    pub roofline: RooflineArgs,
    #[command(flatten)]
    pub asked: AskedArgs,
}

/// `paw kernel explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// Measure the costs of instructions again, even if they are known of this processor
    #[arg(long)]
    pub fresh_model: bool,
    #[command(flatten)]
    pub asked: AskedArgs,
}

/// `paw kernel profile`.
#[derive(Debug, Args)]
pub struct KernelProfileArgs {
    #[command(flatten)]
    pub sampling: SamplingArgs,
    #[command(flatten)]
    pub asked: AskedArgs,
}

/// `paw kernel sensitivity`.
#[derive(Debug, Args)]
pub struct SensitivityArgs {
    /// What is varied, with its values where they are not the usual ones: warmup, reps=100,1000, n=50..200
    #[arg(long = "vary", value_name = "FACTOR[=VALUES]")]
    pub vary: Vec<String>,
    /// Write the recommended values into the spec
    #[arg(long)]
    pub write: bool,
    #[command(flatten)]
    pub asked: AskedArgs,
}

/// Which sizes.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Sizes")]
pub struct SizeArgs {
    /// Levels of the memory hierarchy whose sizes are taken: L1,L2 or all [default: L1,L2; where one size is measured, L1]
    #[arg(long, value_name = "LEVELS", value_delimiter = ',')]
    pub levels: Vec<String>,
    /// Sizes of your own instead, the n of the spec's formulas: 88 or 88,220 or 64..1024
    #[arg(long, value_name = "SIZES", conflicts_with = "levels")]
    pub n: Option<String>,
    /// Capacities of the caches, L1 first: 32K,256K,4M [default: this machine's]
    #[arg(long, value_name = "BYTES", value_delimiter = ',')]
    pub caches: Vec<String>,
    /// Bytes of memory, 16GiB [default: this machine's]
    #[arg(long, value_name = "BYTES")]
    pub ram: Option<String>,
    /// How full a level may be (l1=0.9, l2=0.9, l3=0.5, ram=0.5), and how many times the level below a size must be at least
    /// (above=3); may be repeated
    #[arg(long, value_name = "LEVEL=SHARE")]
    pub rule: Vec<String>,
}

/// Which builds.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Builds")]
pub struct BuildArgs {
    /// Compilers: gcc,clang-19 or a path [default: the spec's, else all that are here]
    #[arg(long, visible_alias = "compiler", value_name = "NAMES", value_delimiter = ',')]
    pub compilers: Vec<String>,
    /// A set of flags: '-O3 -march=native', or with a label 'base=-O2'; may be repeated; the word report stands for the sets of the
    /// published kernel report [default: the spec's, else -O2, -O3, -O3 -march=native, -Ofast -march=native]
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub flags: Vec<String>,
    /// Variants [default: all]
    #[arg(long, visible_alias = "variant", value_name = "NAMES", value_delimiter = ',')]
    pub variants: Vec<String>,
    /// Measure builds of the same machine code one by one
    #[arg(long)]
    pub keep_identical: bool,
}

/// How it is measured.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "How it is measured")]
#[command(mut_arg("budget", |budget| budget.help("Time that measuring may take: 90s, 2m")))]
#[command(mut_arg("seed", |seed| seed.help("Seed of the order of rounds")))]
pub struct ProtocolArgs {
    /// Calls after each allocation that warm up [default: the spec's, else 10]
    #[arg(long, value_name = "N")]
    pub warmup: Option<String>,
    /// Calls of a sample [default: the spec's, else as many as --region needs]
    #[arg(long, value_name = "N", conflicts_with = "region")]
    pub reps: Option<String>,
    /// Time a sample lasts at least: 1ms, 1s [default: 10ms]
    #[arg(long, value_name = "TIME")]
    pub region: Option<String>,
    /// Samples, each on fresh memory [default: the spec's, else 31]
    #[arg(long, value_name = "N")]
    pub metas: Option<String>,
    /// Add samples, up to four times as many, until the median is known this well: 1%
    #[arg(long, value_name = "SHARE")]
    pub within: Option<String>,
    /// How calls follow each other
    #[arg(long, value_enum)]
    pub calls: Option<Calls>,
    /// What the caches hold when a call begins
    #[arg(long, value_enum)]
    pub cache: Option<Cache>,
    /// What becomes of subnormal numbers
    #[arg(long, value_enum)]
    pub float: Option<Float>,
    /// When arrays that the function changes get their initial contents back, outside the timed region [default: the spec's, else such a
    /// function is refused]
    #[arg(long, value_enum)]
    pub restore: Option<Restore>,
    /// Threads of OpenMP builds, on as many of the idlest processors [default: as OpenMP chooses on one processor]
    #[arg(long, value_name = "N")]
    pub threads: Option<String>,
    /// Processors to stay on: 2 or 0,1 or 0-3, or none [default: the idlest, as many as --threads]
    #[arg(long, value_name = "CPUS")]
    pub cpu: Option<String>,
    /// Time a build may take to answer before it is ended: 30s
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<String>,
    #[command(flatten)]
    pub campaign: CampaignArgs,
    /// Exit with 4 where the machine was too disturbed to trust
    #[arg(long)]
    pub strict_env: bool,
}

/// How calls follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Calls {
    /// One after the other; the processor may begin one before the last has ended
    Throughput,
    /// Each begins when the last has ended
    Fenced,
}

/// What the caches hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Cache {
    /// What the last call left
    Warm,
    /// Nothing of the arrays
    Cold,
}

/// The floating-point environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Float {
    /// As the loaded code left it
    AsLinked,
    /// As IEEE 754 has it
    Ieee,
    /// Subnormal numbers are zero
    Ftz,
}

/// When changed arrays are restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Restore {
    /// Before each sample: its calls work on what the calls before them left
    Sample,
    /// Before each call, which is timed alone
    Call,
}

impl From<Restore> for kernel::Restore {
    fn from(typed: Restore) -> Self {
        match typed {
            Restore::Sample => Self::Sample,
            Restore::Call => Self::Call,
        }
    }
}

/// A language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LanguageName {
    /// C
    C,
    /// C++
    #[value(name = "c++", alias = "cpp")]
    Cpp,
    /// Fortran
    Fortran,
    /// Rust
    Rust,
    /// CUDA C++, for a device
    Cuda,
    /// HIP C++, for a device
    Hip,
    /// OpenCL C, for a device
    #[value(name = "opencl")]
    OpenCl,
    /// OpenCL C, for a device of Level Zero
    Ze,
}

impl From<Calls> for kernel::Calls {
    fn from(typed: Calls) -> Self {
        match typed {
            Calls::Throughput => Self::Throughput,
            Calls::Fenced => Self::Fenced,
        }
    }
}

impl From<Cache> for kernel::Cache {
    fn from(typed: Cache) -> Self {
        match typed {
            Cache::Warm => Self::Warm,
            Cache::Cold => Self::Cold,
        }
    }
}

impl From<Float> for kernel::Float {
    fn from(typed: Float) -> Self {
        match typed {
            Float::AsLinked => Self::AsLinked,
            Float::Ieee => Self::Ieee,
            Float::Ftz => Self::Ftz,
        }
    }
}

impl From<LanguageName> for New {
    fn from(typed: LanguageName) -> Self {
        match typed {
            LanguageName::C => Self::Processor(Language::C),
            LanguageName::Cpp => Self::Processor(Language::Cpp),
            LanguageName::Fortran => Self::Processor(Language::Fortran),
            LanguageName::Rust => Self::Processor(Language::Rust),
            LanguageName::Cuda => Self::Device(Backend::Cuda),
            LanguageName::Hip => Self::Device(Backend::Hip),
            LanguageName::OpenCl => Self::Device(Backend::OpenCl),
            LanguageName::Ze => Self::Device(Backend::LevelZero),
        }
    }
}
