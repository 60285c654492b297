//! How BLAS libraries name their calls.

/// How a library names its calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Convention {
    /// The C or the Fortran interface.
    pub language: Language,
    /// The prefix of every name: `scipy_` in SciPy's wheels.
    pub prefix: &'static str,
    /// The suffix of every name: `64_`, `_64` or `64` where integers have 64 bits.
    pub suffix: &'static str,
}

/// The two interfaces of BLAS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// `cblas_dgemm`.
    C,
    /// `dgemm_`, with the lengths of strings as hidden arguments.
    Fortran,
}

impl Convention {
    /// The C interface under its own names.
    pub(super) const UNADORNED: Convention = Convention { language: Language::C, prefix: "", suffix: "" };

    const PREFIXES: [&str; 2] = ["", "scipy_"];
    const SUFFIXES: [&str; 4] = ["", "64_", "_64", "64"];

    /// Every convention, C before Fortran, 32-bit names before 64-bit ones.
    pub fn all() -> impl Iterator<Item = Convention> {
        [Language::C, Language::Fortran].into_iter().flat_map(|language| {
            Self::PREFIXES.into_iter().flat_map(move |prefix| {
                Self::SUFFIXES.into_iter().map(move |suffix| Convention { language, prefix, suffix })
            })
        })
    }

    /// The symbol of the BLAS routine `name`.
    pub fn symbol(&self, name: &str) -> String {
        match self.language {
            Language::C => format!("{}cblas_{name}{}", self.prefix, self.suffix),
            Language::Fortran => format!("{}{name}_{}", self.prefix, self.suffix),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_every_known_build_are_tried() {
        let tried: Vec<String> = Convention::all().map(|convention| convention.symbol("dgemm")).collect();
        for name in ["cblas_dgemm", "scipy_cblas_dgemm64_", "cblas_dgemm_64", "dgemm_", "dgemm_64_", "scipy_dgemm_64_"]
        {
            assert!(tried.iter().any(|symbol| symbol == name), "{name} is not among {tried:?}");
        }
        assert_eq!(tried[0], "cblas_dgemm");
    }
}
