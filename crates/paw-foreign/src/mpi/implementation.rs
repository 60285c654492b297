//! The make of an MPI library.

use super::abi::Abi;

/// The make of an MPI library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Implementation {
    /// Open MPI and its derivatives.
    OpenMpi,
    /// Intel MPI.
    Intel,
    /// MVAPICH.
    Mvapich,
    /// Cray MPICH.
    Cray,
    /// ParaStation MPI.
    ParaStation,
    /// MPICH itself.
    Mpich,
    /// Another one, by the standard ABI.
    Other,
}

impl Implementation {
    /// The make of a library with this version text. Derivatives of MPICH may name it too, so they are tried first.
    pub fn of(abi: Abi, version: &str) -> Self {
        let version = version.to_lowercase();
        let known = [
            ("intel(r) mpi", Self::Intel),
            ("mvapich", Self::Mvapich),
            ("cray", Self::Cray),
            ("parastation", Self::ParaStation),
            ("mpich", Self::Mpich),
            ("open mpi", Self::OpenMpi),
        ];
        let named = known.iter().find(|(name, _)| version.contains(name)).map(|(_, family)| *family);
        named.unwrap_or(if abi == Abi::OpenMpi { Self::OpenMpi } else { Self::Other })
    }

    /// A short name, for tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenMpi => "openmpi",
            Self::Intel => "intelmpi",
            Self::Mvapich => "mvapich",
            Self::Cray => "craympich",
            Self::ParaStation => "parastation",
            Self::Mpich => "mpich",
            Self::Other => "mpi",
        }
    }
}
