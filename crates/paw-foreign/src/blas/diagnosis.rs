//! Diagnoses why a library is slower than it could be, from its identity and its environment.

use super::environment::{Effect, STEERING};
use super::family::Family;
use super::identity::Identity;

/// Share of the measured peak below which a reason is looked for: healthy libraries reach more at large sizes.
const HEALTHY_SHARE: f64 = 0.6;

/// Speed beyond the share of the peak that as many threads have: fewer threads clock higher. What is faster ran on more.
const REACH: f64 = 1.15;

/// One reason, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Stable identifier.
    pub id: &'static str,
    /// The observation.
    pub cause: String,
    /// The one thing to do.
    pub action: String,
}

/// Facts about a library that was measured.
#[derive(Debug, Clone, Copy)]
pub struct MeasuredLibrary<'a> {
    /// Which library.
    pub identity: &'a Identity,
    /// Threads it was asked to use.
    pub threads_asked: u32,
    /// Speed as a share of the peak measured beside it, for a size large enough to reach it; `None` where unknown.
    pub share_of_peak: Option<f64>,
    /// Vector extensions of the processor, in Linux's words: `avx2`, `avx512f`.
    pub isa: &'a [String],
    /// The environment the library was loaded in.
    pub environment: &'a [(String, String)],
}

/// Every reason found why the library is slower than it could be, in a fixed order.
pub fn diagnose(library: &MeasuredLibrary<'_>) -> Vec<Finding> {
    let mut findings = capped(library);
    findings.extend(fewer_threads(library));
    if library.share_of_peak.is_none_or(|share| share < HEALTHY_SHARE) {
        findings.extend(weak_kernels(library));
    }
    if findings.is_empty() {
        findings.extend(unexplained(library));
    }
    findings
}

fn capped(library: &MeasuredLibrary<'_>) -> Vec<Finding> {
    let family = library.identity.family;
    let caps = |name: &str| {
        STEERING
            .iter()
            .any(|known| known.name == name && known.effect == Effect::Kernels && known.family == Some(family))
    };
    let set = library.environment.iter().filter(|(name, _)| caps(name));
    set.map(|(name, value)| Finding {
        id: "blas-env-cap",
        cause: format!("{name}={value} chooses the kernels of {family}"),
        action: format!("unset {name}, or run with --clean-env"),
    })
    .collect()
}

fn fewer_threads(library: &MeasuredLibrary<'_>) -> Option<Finding> {
    let (used, asked) = (library.identity.threads, library.threads_asked);
    let reach = REACH * f64::from(used) / f64::from(asked);
    let contradicted = library.share_of_peak.is_some_and(|share| share > reach);
    (used < asked && !contradicted).then(|| Finding {
        id: "blas-fewer-threads",
        cause: format!("{} used {used} of the {asked} threads it was asked for", library.identity.family),
        action: match library.identity.threading.as_str() {
            "sequential" => "install a threaded build of the library".to_owned(),
            _ => "look for OMP_THREAD_LIMIT and for the most threads the library was built for".to_owned(),
        },
    })
}

/// The widest vectors of the kernels OpenBLAS and BLIS have, by the name of the core; cores not listed are not judged.
const CORES: &[(&str, u32)] = &[
    ("Katmai", 128),
    ("Prescott", 128),
    ("Core2", 128),
    ("Penryn", 128),
    ("Dunnington", 128),
    ("Nehalem", 128),
    ("Atom", 128),
    ("Barcelona", 128),
    ("Sandybridge", 256),
    ("Bulldozer", 256),
    ("Piledriver", 256),
    ("Steamroller", 256),
    ("Excavator", 256),
    ("Haswell", 256),
    ("Zen", 256),
    ("Zen2", 256),
    ("Zen3", 256),
];

fn weak_kernels(library: &MeasuredLibrary<'_>) -> Option<Finding> {
    let Identity { family, core, .. } = library.identity;
    let width = vector_bits(library.isa);
    let narrow = |kernels: u32| kernels < width;
    match family {
        Family::Mkl if matches!(core.as_str(), "def" | "mc3") && narrow(128) => Some(Finding {
            id: "blas-generic-kernels",
            cause: format!("mkl loaded libmkl_{core}, its kernels without AVX, on a processor with {width} bits"),
            action: "on processors not made by Intel take OpenBLAS or AOCL-BLAS".to_owned(),
        }),
        Family::Blis if core == "generic" && narrow(64) => Some(Finding {
            id: "blas-generic-kernels",
            cause: "blis has generic kernels only: portable C, without vectors of its own".to_owned(),
            action: "build BLIS with `configure auto` or `x86_64`, or take OpenBLAS or AOCL-BLAS".to_owned(),
        }),
        Family::OpenBlas | Family::Blis => {
            let (_, bits) = CORES.iter().find(|(name, _)| name.eq_ignore_ascii_case(core))?;
            narrow(*bits).then(|| Finding {
                id: "blas-narrow-kernels",
                cause: format!("{family} chose its {core} kernels of {bits} bits on a processor with {width}"),
                action: match family {
                    Family::Blis => "take a newer BLIS built with `configure x86_64`, or OpenBLAS".to_owned(),
                    _ => "unset OPENBLAS_CORETYPE, or install a newer OpenBLAS built with DYNAMIC_ARCH".to_owned(),
                },
            })
        }
        Family::Reference => Some(Finding {
            id: "blas-reference",
            cause: "this is the reference BLAS: it defines the results and is not made for speed".to_owned(),
            action: "install OpenBLAS (Debian: libopenblas0-pthread)".to_owned(),
        }),
        _ => None,
    }
}

fn unexplained(library: &MeasuredLibrary<'_>) -> Option<Finding> {
    let share = library.share_of_peak.filter(|share| *share < HEALTHY_SHARE)?;
    Some(Finding {
        id: "blas-far-below-peak",
        cause: format!("{} reached {:.0} % of the measured peak", library.identity.family, share * 100.0),
        action: "compare with another library: --provider embedded,openblas".to_owned(),
    })
}

/// Bits of the widest floating-point vectors among `isa`; 64 where none is known.
fn vector_bits(isa: &[String]) -> u32 {
    const WIDTHS: [(&str, u32); 7] =
        [("avx512f", 512), ("avx2", 256), ("avx", 256), ("sse2", 128), ("neon", 128), ("asimd", 128), ("sve", 128)];
    WIDTHS.iter().find(|(name, _)| isa.iter().any(|has| has == name)).map_or(64, |(_, bits)| *bits)
}

#[cfg(test)]
mod tests {
    use super::super::library::Integers;
    use super::*;

    fn identity(family: Family, core: &str) -> Identity {
        Identity {
            family,
            path: String::new(),
            version: String::new(),
            core: core.into(),
            threading: "pthread".into(),
            integers: Integers::Bits32,
            threads_reported: Some(2),
            threads_counted: 2,
            threads: 2,
            mapped: Vec::new(),
        }
    }

    /// `family core share asked environment` on an AVX-512 machine, and the identifiers found.
    fn check(family: Family, core: &str, share: f64, asked: u32, environment: &[(&str, &str)], expected: &[&str]) {
        let environment: Vec<_> = environment.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        let findings = diagnose(&MeasuredLibrary {
            identity: &identity(family, core),
            threads_asked: asked,
            share_of_peak: Some(share),
            isa: &["avx".to_owned(), "avx2".to_owned(), "avx512f".to_owned()],
            environment: &environment,
        });
        let ids: Vec<_> = findings.iter().map(|finding| finding.id).collect();
        assert_eq!(ids, expected, "{family} {core}: {findings:?}");
    }

    #[test]
    fn losses_seen_in_the_field_are_named() {
        let haswell = [("OPENBLAS_CORETYPE", "Haswell")];
        check(Family::OpenBlas, "Haswell", 0.45, 2, &haswell, &["blas-env-cap", "blas-narrow-kernels"]);
        check(Family::OpenBlas, "Haswell", 0.45, 2, &[], &["blas-narrow-kernels"]);
        check(Family::Mkl, "def", 0.45, 2, &[], &["blas-generic-kernels"]);
        check(Family::Blis, "generic", 0.16, 2, &[], &["blas-generic-kernels"]);
        check(Family::Blis, "haswell", 0.4, 2, &[], &["blas-narrow-kernels"]);
        check(Family::OpenBlas, "SkylakeX", 0.03, 64, &[], &["blas-fewer-threads"]);
    }

    #[test]
    fn a_speed_that_the_threads_seen_cannot_reach_shows_that_more_were_at_work() {
        check(Family::OpenBlas, "SkylakeX", 0.45, 4, &[], &["blas-fewer-threads"]);
        check(Family::OpenBlas, "SkylakeX", 0.95, 4, &[], &[]);
    }

    #[test]
    fn a_healthy_library_is_left_alone() {
        check(Family::OpenBlas, "SkylakeX", 0.9, 2, &[("OMP_NUM_THREADS", "2")], &[]);
        check(Family::OpenBlas, "Zen", 0.8, 2, &[], &[]);
        check(Family::Mkl, "avx512", 0.8, 1, &[("OPENBLAS_CORETYPE", "Haswell")], &[]);
    }

    #[test]
    fn a_slow_library_without_a_known_reason_is_still_pointed_at() {
        check(Family::OpenBlas, "SkylakeX", 0.3, 2, &[], &["blas-far-below-peak"]);
        check(Family::Unknown, "", 0.3, 2, &[], &["blas-far-below-peak"]);
        check(Family::Reference, "", 0.05, 1, &[], &["blas-reference"]);
    }
}
