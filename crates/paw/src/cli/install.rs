//! Flags of `paw install`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `paw install`.
#[derive(Debug, Args)]
pub struct InstallArgs {
    /// Directory that gets bin, share/man/man1 and the completions of bash, zsh and fish below share
    #[arg(long, value_name = "DIR")]
    pub prefix: PathBuf,
    /// Which of PAW's executables get a link
    #[arg(value_enum, default_value_t)]
    pub names: ExecutableNames,
    /// Show what would be made, and make nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// A family of PAW's executables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ExecutableNames {
    /// Matrix products: blas_dgemm …
    Blas,
    /// Messages: p2p_send, col_bct …
    Mpi,
    /// Transfers of GPUs: gpu_in_pinned …, and gpu_info
    Gpu,
    /// Transfers of coprocessors: phi_alloc_al_in …
    Phi,
    /// All of them, stream too
    #[default]
    All,
    /// None: manual pages and completions alone
    Pages,
}
