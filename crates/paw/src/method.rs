//! The measuring method, as changed by flags and variables.

use paw_data::method::Method;
use paw_measure::method::{NAMES, Overrides, preset};

use crate::amount;
use crate::cli::MeasuringArgs;
use crate::environment::EnvVars;
use crate::failure::Failure;
use crate::selection::closest;

/// Variables that only the methods `paw` and `paw16` honour.
const PAW_VARIABLES: &[&str] = &["NLOOP_MAX", "NLOOP_MIN", "NREPS"];

/// A method, and notes on it for the user.
#[derive(Debug)]
pub struct Chosen {
    pub method: Method,
    /// One sentence for each setting that may surprise the user.
    pub notes: Vec<String>,
}

/// The method that flags and variables ask for.
pub fn choose(args: &MeasuringArgs, env: &EnvVars) -> Result<Chosen, Failure> {
    let name = args.method.as_deref().unwrap_or(NAMES[0]);
    let method = preset(name).ok_or_else(|| unknown(name))?;
    let mut overrides = Overrides {
        reps: args.reps.as_deref().map(|text| count("--reps", text)).transpose()?,
        loops: args.loops.as_deref().map(|text| count("--loops", text)).transpose()?.map(u64::from),
        warmup: args.warmup.as_deref().map(warmup).transpose()?,
        ..Overrides::default()
    };
    let set = env.set_among(PAW_VARIABLES);
    let mut notes = Vec::new();
    if is_paws(name) {
        let number = |name: &str| env.number(name).and_then(|n| u64::try_from(n).ok());
        overrides.loops_max = number("NLOOP_MAX");
        overrides.loops_min = number("NLOOP_MIN");
        overrides.reps = overrides.reps.or(number("NREPS").map(|reps| u32::try_from(reps).unwrap_or(u32::MAX)));
    } else if !set.is_empty() {
        notes.push(format!("{}: used by --method paw and paw16 only, not by {name}", set.join(", ")));
    }
    Ok(Chosen { method: overrides.over(method), notes })
}

/// Whether the method `name` follows PAW.
pub fn is_paws(name: &str) -> bool {
    matches!(name, "paw" | "paw16")
}

/// The number of processes that `--invocations` asks for.
pub fn invocations(typed: Option<&str>) -> Result<Option<u32>, Failure> {
    typed.map(|text| count("--invocations", text)).transpose()
}

/// A number of warm-up samples, which may be none.
pub fn warmup(text: &str) -> Result<u32, Failure> {
    if text == "0" { Ok(0) } else { count("--warmup", text) }
}

/// A number of at least 1 that belongs to `flag`.
pub fn count(flag: &str, text: &str) -> Result<u32, Failure> {
    let number = amount::positive(text).map_err(|why| Failure::usage(format!("{flag}: {why}")))?;
    u32::try_from(number).map_err(|_| Failure::usage(format!("{flag}: `{text}` is more than {}", u32::MAX)))
}

fn unknown(name: &str) -> Failure {
    let failure = Failure::usage(format!("`{name}` is no method"));
    match closest(name, NAMES.iter().copied()) {
        Some(near) => failure.hint(format!("did you mean `{near}`? methods: {}", NAMES.join(", "))),
        None => failure.hint(format!("methods: {}", NAMES.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use paw_data::method::{EndRule, LoopRule};

    use super::*;

    fn env(set: &'static [(&str, &str)]) -> EnvVars {
        EnvVars::read(|name| set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    }

    fn named(method: &str) -> MeasuringArgs {
        MeasuringArgs { method: Some(method.to_owned()), ..MeasuringArgs::default() }
    }

    #[test]
    fn paws_variables_reach_paws_methods() {
        let set = env(&[("NLOOP_MAX", "50"), ("NLOOP_MIN", "3"), ("NREPS", "4")]);
        let chosen = choose(&named("paw"), &set).unwrap();
        let LoopRule::Guide { loops_max, loops_min, .. } = chosen.method.loops else { panic!("PAW's rule") };
        assert_eq!((loops_max, loops_min), (50, 3));
        assert_eq!(chosen.method.ending, EndRule::Fixed { samples: 4 });
        assert!(chosen.notes.is_empty());
    }

    #[test]
    fn paws_variables_are_said_to_be_ignored_elsewhere() {
        let set = env(&[("NLOOP_MAX", "50"), ("NREPS", "4")]);
        let chosen = choose(&MeasuringArgs::default(), &set).unwrap();
        assert_eq!(chosen.method, preset("adaptive").unwrap());
        assert_eq!(chosen.notes, ["NLOOP_MAX, NREPS: used by --method paw and paw16 only, not by adaptive"]);
    }

    #[test]
    fn flags_come_before_variables() {
        let args = MeasuringArgs {
            reps: Some("7".to_owned()),
            loops: Some("5".to_owned()),
            warmup: Some("0".to_owned()),
            ..named("paw16")
        };
        let method = choose(&args, &env(&[("NREPS", "4")])).unwrap().method;
        assert_eq!((method.ending, method.loops), (EndRule::Fixed { samples: 7 }, LoopRule::Fixed(5)));
        assert_eq!(method.warmup, 0);
    }

    #[test]
    fn a_wrong_word_is_named() {
        let refused = |args: &MeasuringArgs| choose(args, &env(&[])).unwrap_err().to_string();
        assert!(refused(&named("kbst")).contains("did you mean `kbest`?"));
        let args = MeasuringArgs { reps: Some("0".to_owned()), ..MeasuringArgs::default() };
        assert_eq!(refused(&args), "--reps: `0` is zero: at least 1 is needed");
    }
}
