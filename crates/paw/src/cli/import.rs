//! The flags of `paw import`.

use std::path::PathBuf;

use clap::Args;

/// `paw import`.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// The .dat files; JSON of hyperfine; output of likwid-perfctr, as printed or as CSV (-O); CSV files of MAQAO; with --time, any CSV table
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Directory of the run; it must not hold one already [default: paw-results/<UTC time>-<6 characters>]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// The provider of .dat files of PAW, which name none: the library they were measured with, as `paw run` calls it (mpich, openmpi, openblas …)
    #[arg(long = "as", value_name = "PROVIDER", conflicts_with = "time")]
    pub provider: Option<String>,
    #[command(flatten)]
    pub table: TableArgs,
}

/// Which columns of a table hold what.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Tables of times")]
pub struct TableArgs {
    /// The files are tables; their column of wall times with its unit: `wall[ms]`; several, `a,b,c[s]`, are several runs; `v{v}[us]` is each column v1, v2 … at that v, `run{run}[s]` several runs
    #[arg(long, value_name = "COLUMN[UNIT]")]
    pub time: Vec<String>,
    /// A column that is an axis: n=COLUMN, or its name alone
    #[arg(long, value_name = "NAME=COLUMN", requires = "time")]
    pub size: Vec<String>,
    /// The column of thread counts
    #[arg(long, value_name = "COLUMN", requires = "time")]
    pub threads: Option<String>,
    /// The column of programs' names
    #[arg(long, value_name = "COLUMN", requires = "time")]
    pub program: Option<String>,
    /// The program, of those in the column of --program, that speed-ups refer to
    #[arg(long, value_name = "PROGRAM", requires = "time")]
    pub base: Option<String>,
    /// A column of another number: 'fit_ms=COLUMN', 'rate[1/s,higher]=COLUMN'
    #[arg(long, value_name = "NAME=COLUMN", requires = "time")]
    pub metric: Vec<String>,
    /// The metric that is the headline, in place of wall time
    #[arg(long, value_name = "NAME", requires = "time")]
    pub headline: Option<String>,
    /// Operations of one run, for a throughput: '5738 + 1867*v events'
    #[arg(long, value_name = "FORMULA", requires = "time")]
    pub work: Option<String>,
}
