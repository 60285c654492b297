//! The makes of BLAS, and what each one offers beside BLAS.

use std::fmt;

/// A make of BLAS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Intel oneMKL.
    Mkl,
    /// OpenBLAS, the wheels of SciPy included.
    OpenBlas,
    /// BLIS, AMD's AOCL-BLAS included.
    Blis,
    /// FlexiBLAS, which hands calls on to another library.
    FlexiBlas,
    /// NVIDIA Performance Libraries for Arm.
    Nvpl,
    /// Arm Performance Libraries.
    ArmPl,
    /// Cray LibSci.
    LibSci,
    /// ATLAS.
    Atlas,
    /// The reference BLAS of Netlib.
    Reference,
    /// oneDNN, which multiplies short numbers and is no BLAS otherwise.
    OneDnn,
    /// A library that does not say what it is.
    Unknown,
}

/// Symbols of a family beside those of BLAS, by which it is recognised and controlled.
#[derive(Debug)]
pub(super) struct FamilyFacts {
    pub(super) family: Family,
    pub(super) name: &'static str,
    /// A symbol only this family has.
    pub(super) mark: &'static str,
    pub(super) threads: Option<ThreadCalls>,
}

/// How the number of threads is set and asked for while the library is loaded.
#[derive(Debug, Clone, Copy)]
pub(super) struct ThreadCalls {
    pub(super) set: &'static str,
    pub(super) get: &'static str,
}

const fn threads(set: &'static str, get: &'static str) -> Option<ThreadCalls> {
    Some(ThreadCalls { set, get })
}

/// FlexiBLAS comes first, because it also exports the symbols of the library behind it.
pub(super) const FAMILIES: &[FamilyFacts] = &[
    FamilyFacts {
        family: Family::FlexiBlas,
        name: "flexiblas",
        mark: "flexiblas_set_num_threads",
        threads: threads("flexiblas_set_num_threads", "flexiblas_get_num_threads"),
    },
    FamilyFacts {
        family: Family::Mkl,
        name: "mkl",
        mark: "MKL_Get_Version_String",
        // The C names. MKL_SET_NUM_THREADS and mkl_set_num_threads are Fortran's and take a pointer.
        threads: threads("MKL_Set_Num_Threads", "MKL_Get_Max_Threads"),
    },
    FamilyFacts {
        family: Family::OpenBlas,
        name: "openblas",
        mark: "openblas_get_config",
        threads: threads("openblas_set_num_threads", "openblas_get_num_threads"),
    },
    FamilyFacts {
        family: Family::Blis,
        name: "blis",
        mark: "bli_info_get_version_str",
        threads: threads("bli_thread_set_num_threads", "bli_thread_get_num_threads"),
    },
    FamilyFacts {
        family: Family::Nvpl,
        name: "nvpl",
        mark: "nvpl_blas_get_version",
        threads: threads("nvpl_blas_set_num_threads", "nvpl_blas_get_max_threads"),
    },
    FamilyFacts { family: Family::ArmPl, name: "armpl", mark: "armplversion", threads: None },
    FamilyFacts { family: Family::LibSci, name: "libsci", mark: "libsci_version_string", threads: None },
    FamilyFacts { family: Family::Atlas, name: "atlas", mark: "ATL_buildinfo", threads: None },
    // The reference BLAS has no symbol of its own: it is recognised by its file.
    FamilyFacts { family: Family::Reference, name: "reference", mark: "", threads: None },
    // Its threads are those of OpenMP.
    FamilyFacts { family: Family::OneDnn, name: "onednn", mark: "dnnl_version", threads: None },
    FamilyFacts { family: Family::Unknown, name: "blas", mark: "", threads: None },
];

impl Family {
    /// The name a user gives: `openblas`.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// The family a user means by `name`.
    pub fn named(name: &str) -> Option<Family> {
        FAMILIES.iter().find(|facts| facts.name.eq_ignore_ascii_case(name)).map(|facts| facts.family)
    }

    pub(super) fn facts(self) -> &'static FamilyFacts {
        FAMILIES.iter().find(|facts| facts.family == self).expect("every family is in the table")
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
