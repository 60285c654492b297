//! The environment variables that paw honours: read once, checked, with the sizes that follow from them.

use std::collections::BTreeMap;

use crate::amount;
use crate::failure::Failure;
use crate::variable::{FAMILIES, VARIABLES, Variable, VariableKind};

/// The environment variables that paw honours, by name, with their values.
#[derive(Debug, Default)]
pub struct EnvVars {
    set: BTreeMap<&'static str, String>,
}

/// The sizes of one family of benchmarks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    pub min: i64,
    /// Size of calibration's warm-up.
    pub med: i64,
    pub max: i64,
}

impl EnvVars {
    /// Reads every variable of the table through `value`. An empty variable counts as not set.
    pub fn read(value: impl Fn(&str) -> Option<String>) -> Self {
        let set = VARIABLES.iter().filter_map(|v| Some((v.name, value(v.name)?.trim().to_owned())));
        Self { set: set.filter(|(_, text)| !text.is_empty()).collect() }
    }

    /// The variables of this process.
    pub fn of_process() -> Self {
        Self::read(|name| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()))
    }

    /// The text of a variable; `None` if it is not set.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.set.get(name).map(String::as_str)
    }

    /// The number of a [checked](Self::check) variable; `None` if it is not set.
    pub fn number(&self, name: &str) -> Option<i64> {
        number(variable(name)?, self.text(name)?).ok()
    }

    /// The number of a variable, or its default.
    pub fn count(&self, name: &str) -> i64 {
        let default = variable(name).and_then(|v| match v.kind {
            VariableKind::Count(default) => Some(default),
            _ => None,
        });
        self.number(name).or(default).unwrap_or_else(|| panic!("{name} is in the table with a default"))
    }

    /// Refuses text in place of numbers, zero, negative numbers, and a MAX below its MIN.
    pub fn check(&self) -> Result<(), Failure> {
        for (name, text) in &self.set {
            let checked = variable(name).map_or(Ok(0), |v| number(v, text));
            checked.map_err(|why| {
                Failure::usage(format!("{name}: {why}")).hint(format!("`unset {name}` takes the default"))
            })?;
        }
        for (family, _) in FAMILIES {
            let Sizes { min, max, .. } = self.sizes(family);
            if max < min {
                let sentence = format!("MAX_{family}_SIZE is {max}, below MIN_{family}_SIZE, which is {min}");
                return Err(Failure::usage(sentence).hint("`paw list --environment` shows the values in effect"));
            }
        }
        Ok(())
    }

    /// The sizes of a family: its MED never above its MAX.
    pub fn sizes(&self, family: &str) -> Sizes {
        let size = |end: &str| self.count(&format!("{end}_{family}_SIZE"));
        let max = size("MAX");
        Sizes { min: size("MIN"), med: size("MED").min(max), max }
    }

    /// Notes on the size families of `suite` whose MED is above their MAX, one sentence each.
    pub fn notes(&self, suite: &str) -> Vec<String> {
        let families = FAMILIES.iter().filter(|(_, owner)| *owner == suite);
        let clamped = families.filter_map(|(family, _)| {
            let (asked, sizes) = (self.count(&format!("MED_{family}_SIZE")), self.sizes(family));
            let note = format!("MED_{family}_SIZE is {asked}, above MAX_{family}_SIZE: the warm-up uses {}", sizes.med);
            (asked > sizes.med).then_some(note)
        });
        clamped.collect()
    }

    /// The members of `names` that are set.
    pub fn set_among<'a>(&self, names: &[&'a str]) -> Vec<&'a str> {
        names.iter().copied().filter(|name| self.text(name).is_some()).collect()
    }

    /// The value in effect, as text.
    pub fn in_effect(&self, variable: &Variable) -> String {
        let clamped = FAMILIES.iter().find(|(family, _)| variable.name == format!("MED_{family}_SIZE"));
        match (variable.kind, self.text(variable.name)) {
            (_, Some(text)) if number(variable, text).is_err() => format!("{text} (refused)"),
            (VariableKind::Count(_), _) => match clamped {
                Some((family, _)) => self.sizes(family).med.to_string(),
                None => self.count(variable.name).to_string(),
            },
            (_, Some(text)) => text.to_owned(),
            (VariableKind::Text | VariableKind::Threads, None) => "not set".to_owned(),
        }
    }
}

fn variable(name: &str) -> Option<&'static Variable> {
    VARIABLES.iter().find(|variable| variable.name == name)
}

fn number(variable: &Variable, text: &str) -> Result<i64, String> {
    match variable.kind {
        VariableKind::Count(_) => amount::positive(text),
        VariableKind::Threads => amount::positive(text.split(',').next().unwrap_or(text).trim()),
        VariableKind::Text => Ok(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(set: &str) -> EnvVars {
        let set: BTreeMap<_, _> = set.split_whitespace().filter_map(|pair| pair.split_once('=')).collect();
        EnvVars::read(|name| set.get(name).map(|value| (*value).to_owned()))
    }

    /// `set` is refused with this sentence; the empty sentence: it is not.
    fn check(set: &str, expected: &str) {
        let found = env(set).check().err().map_or(String::new(), |failure| failure.sentence);
        assert_eq!(found, expected, "{set}");
    }

    #[test]
    fn numbers_are_read_strictly() {
        check("", "");
        check("NREPS=20 WINDOW_SIZE=64 NO_COLOR=yes", "");
        check("NREPS=ten", "NREPS: `ten` is not a whole number");
        check("NREPS=0", "NREPS: `0` is zero: at least 1 is needed");
        check("MIN_P2P_SIZE=-1", "MIN_P2P_SIZE: `-1` is negative: at least 1 is needed");
        check("MAX_BLAS_SIZE=1e3", "MAX_BLAS_SIZE: `1e3` is not a whole number");
        check("NREPS=", "");
        check("OMP_NUM_THREADS=4,2", "");
        check("OMP_NUM_THREADS=many", "OMP_NUM_THREADS: `many` is not a whole number");
    }

    #[test]
    fn max_below_min_is_refused_and_max_below_med_is_not() {
        check("MAX_BLAS_SIZE=4", "MAX_BLAS_SIZE is 4, below MIN_BLAS_SIZE, which is 8");
        check("MAX_GPU_BLAS_SIZE=4 MIN_GPU_BLAS_SIZE=5", "MAX_GPU_BLAS_SIZE is 4, below MIN_GPU_BLAS_SIZE, which is 5");
        check("MAX_BLAS_SIZE=512", "");
        let small = env("MAX_BLAS_SIZE=512");
        assert_eq!(small.sizes("BLAS"), Sizes { min: 8, med: 512, max: 512 });
        assert_eq!(small.notes("blas"), ["MED_BLAS_SIZE is 1024, above MAX_BLAS_SIZE: the warm-up uses 512"]);
        assert_eq!(env("").notes("blas"), Vec::<String>::new());
    }

    #[test]
    fn the_value_in_effect_is_the_one_used() {
        let set = env("MAX_BLAS_SIZE=512 NREPS=x");
        let shown = |name: &str| set.in_effect(variable(name).unwrap());
        assert_eq!(shown("MED_BLAS_SIZE"), "512");
        assert_eq!(shown("MAX_BLAS_SIZE"), "512");
        assert_eq!(shown("MIN_BLAS_SIZE"), "8");
        assert_eq!(shown("NREPS"), "x (refused)");
        assert_eq!(shown("OMP_NUM_THREADS"), "not set");
    }
}
