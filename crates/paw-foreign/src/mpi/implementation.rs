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

    /// Whether a gather, scatter or allgather whose request is made once and started again moves the right data in a library with this
    /// version text. MPICH 4.0 to 4.2 copied while the request was made (pmodels/mpich#7078, #6423), and so does Intel MPI 2021.18: the
    /// results are old, and with three ranks a scatter ends the job.
    pub fn restarts_gathers(self, version: &str) -> bool {
        match self {
            Self::Mpich => release(version).is_none_or(|release| release >= (4, 3)),
            Self::Intel => release(version).is_none_or(|release| release > (2021, 18)),
            _ => true,
        }
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

/// The first two numbers of the release that a version text names.
fn release(version: &str) -> Option<(u32, u32)> {
    let number = version.split_whitespace().find(|word| word.starts_with(|first: char| first.is_ascii_digit()))?;
    let mut parts = number.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    Some((parts.next()?.ok()?, parts.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_that_restart_gathers_wrongly_are_known() {
        let check = |version: &str, expected: bool| {
            let family = Implementation::of(Abi::Mpich, version);
            assert_eq!(family.restarts_gathers(version), expected, "{version}");
        };
        check("MPICH 4.0.2", false);
        check("MPICH Version: 4.2.3", false);
        check("MPICH 4.3.0", true);
        check("MPICH 5.0.2", true);
        check("Intel(R) MPI Library 2021.18.1 for Linux* OS", false);
        check("Intel(R) MPI Library 2022.1 for Linux* OS", true);
        check("MVAPICH 4.1", true);
        check("MPICH of no number", true);
    }
}
