//! Sets of flags: typed, default, or published.

use crate::builds::compiler::Compiler;
use crate::builds::make::Make;

/// The word for the published sets of a make.
pub const REPORT: &str = "report";

/// The default sets: what do more optimisation, this processor's instructions, and looser arithmetic gain?
const DEFAULT: &[&str] = &["-O2", "-O3", "-O3 -march=native", "-Ofast -march=native"];

/// A set of flags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlagSet {
    /// The user's label; empty if there is none.
    pub label: String,
    /// The flags, as typed.
    pub flags: String,
}

/// Why a set of flags cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FlagError {
    /// A quote that does not close, or a backslash at the end.
    #[error("flags `{0}`: a quote is opened and not closed; close it, or write \\ before it")]
    Quote(String),
    /// A label that names two sets.
    #[error("the label `{label}` names two sets of flags, `{first}` and `{second}`; give each a label of its own")]
    Label {
        /// The label.
        label: String,
        /// The flags of the first set.
        first: String,
        /// Those of the second.
        second: String,
    },
}

impl FlagSet {
    /// A set as typed: `-O3 -march=native`, or with a label before it, `base=-O2 -g`.
    pub fn parse(typed: &str) -> Result<Self, FlagError> {
        let typed = typed.trim();
        let is_label = |text: &str| !text.is_empty() && !text.starts_with('-') && !text.contains(char::is_whitespace);
        let (label, flags) = match typed.split_once('=') {
            Some((label, flags)) if is_label(label) => (label, flags.trim()),
            _ => ("", typed),
        };
        if shlex::split(flags).is_none() {
            return Err(FlagError::Quote(typed.to_owned()));
        }
        Ok(Self { label: label.to_owned(), flags: flags.to_owned() })
    }

    /// The flags as a shell would split them.
    pub fn words(&self) -> Vec<String> {
        let as_they_are = || self.flags.split_whitespace().map(str::to_owned).collect();
        shlex::split(&self.flags).unwrap_or_else(as_they_are)
    }
}

/// The sets for `compiler`, each once: those typed, with `report` replaced by the published sets of its make; without typed ones, the default sets.
///
/// Clang gets no `-fveclib=libmvec` by default, although GCC uses vector functions under `-Ofast`: a row has only flags that were typed.
pub fn sets(typed: &[String], compiler: &Compiler) -> Result<Vec<FlagSet>, FlagError> {
    let make = compiler.make;
    let mut all = Vec::new();
    for word in typed {
        match word.trim() {
            REPORT => all.extend(parsed(make.report)?),
            set => all.push(FlagSet::parse(set)?),
        }
    }
    if typed.is_empty() {
        all = parsed(DEFAULT)?;
        all.retain(|set| is_understood(set, make));
    }
    let mut sets: Vec<FlagSet> = Vec::new();
    for set in all {
        if sets.contains(&set) {
            continue;
        }
        if let Some(first) = sets.iter().find(|known| !set.label.is_empty() && known.label == set.label) {
            let (label, first, second) = (set.label, first.flags.clone(), set.flags);
            return Err(FlagError::Label { label, first, second });
        }
        sets.push(set);
    }
    Ok(sets)
}

fn parsed(sets: &[&str]) -> Result<Vec<FlagSet>, FlagError> {
    sets.iter().map(|set| FlagSet::parse(set)).collect()
}

fn is_understood(set: &FlagSet, make: &Make) -> bool {
    set.words().iter().all(|word| make.translated(word).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builds::make::MAKES;

    fn compiler(make: &str) -> Compiler {
        let make = MAKES.iter().find(|known| known.name == make).expect("a known make");
        Compiler { make, name: make.name.to_owned(), program: "/bin/x".into(), words: vec![], version: String::new() }
    }

    fn check(make: &str, typed: &[&str], expected: &[&str]) {
        let typed: Vec<String> = typed.iter().map(|t| (*t).to_owned()).collect();
        let sets = sets(&typed, &compiler(make)).expect("they are understood");
        let shown: Vec<String> = sets.iter().map(|s| format!("{}:{}", s.label, s.flags)).collect();
        let expected: Vec<String> =
            expected.iter().map(|e| if e.contains(':') { (*e).to_owned() } else { format!(":{e}") }).collect();
        assert_eq!(shown, expected, "{make} {typed:?}");
    }

    #[test]
    fn a_set_may_have_a_label() {
        check(
            "gcc",
            &["base=-O2 -g", "-O3 -march=native", "plain=", "-DX=y"],
            &["base:-O2 -g", "-O3 -march=native", "plain:", "-DX=y"],
        );
    }

    #[test]
    fn a_label_names_one_set() {
        check("gcc", &["x=-O2", "x=-O2", "y=-O2"], &["x:-O2", "y:-O2"]);
        let typed = ["x=-O2", "x=-O3"].map(str::to_owned);
        let said = sets(&typed, &compiler("gcc")).unwrap_err().to_string();
        assert_eq!(said, "the label `x` names two sets of flags, `-O2` and `-O3`; give each a label of its own");
    }

    #[test]
    fn default_sets_are_what_the_make_understands() {
        check("gcc", &[], &["-O2", "-O3", "-O3 -march=native", "-Ofast -march=native"]);
        check("rustc", &[], &["-O2", "-O3", "-O3 -march=native"]);
    }

    #[test]
    fn report_is_the_published_matrix_once() {
        check(
            "gcc",
            &["-O1", "report", "-O2"],
            &[
                "-O1",
                "-O2",
                "-O3",
                "-Os",
                "-O3 -march=native",
                "-Ofast",
                "-Ofast -march=native",
                "-Ofast -march=native -funroll-all-loops",
            ],
        );
        check(
            "clang",
            &["report"],
            &["-O0", "-O2", "-O3", "-Os", "-O3 -march=native", "-Ofast", "-Ofast -march=native"],
        );
        check(
            "icx",
            &["report"],
            &[
                "-O0",
                "-O2",
                "-O3",
                "-Os",
                "-O3 -xHost",
                "-Ofast",
                "-Ofast -xHost",
                "-Ofast -xHost -funroll-loops -unroll-aggressive",
            ],
        );
        check("rustc", &["report"], &["-O0", "-O2", "-O3", "-Os", "-O3 -march=native"]);
    }

    #[test]
    fn words_are_a_shells() {
        let set = FlagSet::parse(r#"-O2 -DNAME="two words" -I'a b'"#).expect("it is understood");
        assert_eq!(set.words(), ["-O2", "-DNAME=two words", "-Ia b"]);
        let error = FlagSet::parse("-DX='open").expect_err("the quote is open");
        assert_eq!(
            error.to_string(),
            "flags `-DX='open`: a quote is opened and not closed; close it, or write \\ before it"
        );
    }

    #[test]
    fn every_published_set_is_understood_by_its_make() {
        for make in MAKES {
            for set in parsed(make.report).expect("they are understood") {
                assert!(is_understood(&set, make), "{} {}", make.name, set.flags);
            }
        }
    }
}
