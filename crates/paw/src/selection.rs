//! The benchmarks selected by typed names.

use paw_suites::benchmark::Benchmark;

use crate::executable;
use crate::failure::Failure;

/// A slice of the catalogue.
pub type Catalogue = [&'static Benchmark];

/// The selected benchmarks.
#[derive(Debug)]
pub struct Selection {
    /// The benchmarks, each once, in the order they were named.
    pub benchmarks: Vec<&'static Benchmark>,
    /// Whether a typed name was one of PAW's executables.
    pub vocabulary: Vocabulary,
}

/// The origin of the typed names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vocabulary {
    /// Names of paw only.
    Own,
    /// At least one of PAW's executable names.
    Paw,
}

/// The benchmarks that `names` mean: suites, benchmarks, patterns with `*` and `?`, PAW's executable names.
pub fn select(names: &[String], catalogue: &Catalogue) -> Result<Selection, Failure> {
    let mut selection = Selection { benchmarks: Vec::new(), vocabulary: Vocabulary::Own };
    for name in names {
        let found = matches(name, catalogue);
        if found.is_empty() {
            return Err(unknown(name, catalogue));
        }
        if found.iter().any(|benchmark| benchmark.aliases.contains(&name.as_str())) {
            selection.vocabulary = Vocabulary::Paw;
        }
        for benchmark in found {
            if !selection.benchmarks.iter().any(|known| known.name == benchmark.name) {
                selection.benchmarks.push(benchmark);
            }
        }
    }
    Ok(selection)
}

fn matches(name: &str, catalogue: &Catalogue) -> Vec<&'static Benchmark> {
    let exact: Vec<_> = catalogue.iter().copied().filter(|b| b.name == name || b.aliases.contains(&name)).collect();
    if !exact.is_empty() {
        return exact;
    }
    let wanted = |b: &&'static Benchmark| {
        b.common.suite == name && !b.common.by_name
            || is_pattern(name) && words(b).any(|word| fits(name.as_bytes(), word.as_bytes()))
    };
    catalogue.iter().copied().filter(wanted).collect()
}

fn words(benchmark: &'static Benchmark) -> impl Iterator<Item = &'static str> {
    std::iter::once(benchmark.name).chain(benchmark.aliases.iter().copied())
}

/// Whether `name` is a pattern.
pub fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?'])
}

/// Whether `text` fits `pattern`, in which `*` matches any characters and `?` one.
pub fn fits(pattern: &[u8], text: &[u8]) -> bool {
    match (pattern, text) {
        ([], []) => true,
        ([b'*', rest @ ..], _) => fits(rest, text) || !text.is_empty() && fits(pattern, &text[1..]),
        ([p, pattern @ ..], [t, text @ ..]) => (*p == b'?' || p == t) && fits(pattern, text),
        _ => false,
    }
}

fn unknown(name: &str, catalogue: &Catalogue) -> Failure {
    if is_pattern(name) {
        return Failure::nothing(format!("no benchmark fits `{name}`")).hint("`paw list` names them all");
    }
    if name == executable::DEVICE_INFO {
        return Failure::usage(format!("`{name}` measures nothing")).hint("`paw machine` describes the devices");
    }
    let known = catalogue.iter().flat_map(|b| words(b).chain([b.common.suite]));
    let failure = Failure::usage(format!("`{name}` is no suite, benchmark or PAW executable"));
    match closest(name, known) {
        Some(near) => failure.hint(format!("did you mean `{near}`? `paw list` names them all")),
        None => failure.hint("`paw list` names them all"),
    }
}

/// The known word that `typed` is most like, where one is near enough to be meant.
pub fn closest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Most edits: one in a short word, a third of the characters in a long one.
    let limit = (typed.chars().count() / 3).max(1);
    // A part of three characters or more counts: `triad` of `stream_triad`.
    let is_part = |word: &str| typed.len() > 2 && word.contains(typed);
    let distance = |word: &str| if is_part(word) { 1 } else { strsim::damerau_levenshtein(typed, word) };
    let near = known.into_iter().map(|word| (distance(word), word.len(), word));
    near.filter(|(distance, ..)| *distance <= limit).min().map(|(.., word)| word)
}

#[cfg(test)]
mod tests {
    use paw_data::headline::Family;
    use paw_data::quantity::Quantity;
    use paw_data::work::Work;
    use paw_measure::fault::Fault;
    use paw_suites::benchmark::{Common, Own, Providers};

    use super::*;

    const fn entry(name: &'static str, suite: &'static str, aliases: &'static [&'static str]) -> Benchmark {
        Own {
            name,
            purpose: "",
            timed: "",
            formula: "",
            work: |_| Work::default(),
            start: |_| Err(Fault::Missing(String::new())),
        }
        .of(Common {
            suite,
            family: Family::Blas,
            headline: Quantity::Flops,
            providers: Providers::Native,
            axes: &[],
            references: &[],
            variables: &[],
            threads: &[],
            by_name: false,
            counts_waits: false,
            memory_bytes: |_| 0.0,
        })
        .aliases(aliases)
    }

    static DGEMM: Benchmark = entry("dgemm", "blas", &["blas_dgemm"]);
    static SGEMM: Benchmark = entry("sgemm", "blas", &["blas_sgemm"]);
    static TRIAD: Benchmark = entry("triad", "memory", &[]);

    /// The names selected, or the failure's code and text.
    fn check(typed: &str, expected: &str) {
        let names: Vec<_> = typed.split_whitespace().map(str::to_owned).collect();
        let found = match select(&names, &[&DGEMM, &SGEMM, &TRIAD]) {
            Ok(selection) => selection.benchmarks.iter().map(|b| b.name).collect::<Vec<_>>().join(" "),
            Err(failure) => format!("{}: {failure}", failure.code as i32),
        };
        assert_eq!(found, expected, "{typed}");
    }

    #[test]
    fn a_name_is_a_suite_a_benchmark_a_pattern_or_an_executable() {
        check("triad dgemm", "triad dgemm");
        check("blas", "dgemm sgemm");
        check("*gemm", "dgemm sgemm");
        check("?gemm triad", "dgemm sgemm triad");
        check("blas_d*", "dgemm");
        check("sgemm blas", "sgemm dgemm");
        check("blas_sgemm", "sgemm");
        check("", "");
    }

    #[test]
    fn a_name_that_means_nothing_says_why() {
        check(
            "dgem",
            "2: `dgem` is no suite, benchmark or PAW executable\nhint: did you mean `dgemm`? `paw list` names them all",
        );
        check("zzzzzzzz", "2: `zzzzzzzz` is no suite, benchmark or PAW executable\nhint: `paw list` names them all");
        check("z*", "6: no benchmark fits `z*`\nhint: `paw list` names them all");
        check("gpu_info", "2: `gpu_info` measures nothing\nhint: `paw machine` describes the devices");
    }

    #[test]
    fn the_closest_word_is_a_slip_or_a_part_away() {
        let known = ["read", "stream_triad", "dgemm", "memory_latency"];
        let cases = [
            ("triad", Some("stream_triad")),
            ("dgmem", Some("dgemm")),
            ("raed", Some("read")),
            ("memory_latncy", Some("memory_latency")),
            ("xyz", None),
            ("", None),
        ];
        for (typed, expected) in cases {
            assert_eq!(closest(typed, known), expected, "{typed}");
        }
    }

    #[test]
    fn an_executable_name_makes_the_speaker_paw() {
        let vocabulary = |name: &str| select(&[name.to_owned()], &[&DGEMM]).unwrap().vocabulary;
        assert_eq!(vocabulary("blas_dgemm"), Vocabulary::Paw);
        assert_eq!(vocabulary("dgemm"), Vocabulary::Own);
    }
}
