//! The method of `paw app`: presets, and the flags that change them.

use paw_data::application::Reference;
use paw_data::method::{EndRule, LoopRule, Memory, Method, Plan, Until};
use paw_measure::method::{Overrides, preset};

use super::wrong;
use crate::amount;
use crate::cli::AppArgs;
use crate::failure::Failure;
use crate::method::{count, warmup};

/// Methods for programs, which run once a sample.
const METHODS: &[&str] = &["kbest", "csapp", "adaptive"];

/// Fewest rounds of alternatives. With 16 rounds, nine of ten comparisons on a machine with spikes find 5 %;
/// with 32 all do (paw-measure, `tests/scripted/versus.rs`).
const ROUNDS: u32 = 32;

/// Method, seed and budget; `compared`: whether there are alternatives, which are held against `reference`, or the fastest.
pub fn plan(args: &AppArgs, compared: bool, reference: Option<&Reference>) -> Result<Plan, Failure> {
    let budget_s =
        args.method.budget.as_deref().map(|text| amount::seconds(text).map_err(|why| wrong("--budget", why)));
    let seed = args.method.seed.unwrap_or_else(|| u64::from(fastrand::u32(..)));
    if args.method.until.is_some() && !compared {
        return Err(Failure::usage("--until decided needs something to compare: there is one command")
            .hint("several commands: paw app --until decided './old' './new'; or values: --set mode=old,new"));
    }
    let until = args.method.until.map(|until| match (until, reference) {
        (crate::cli::Until::Decided, Some(_)) => Until::Decided,
        (crate::cli::Until::Decided, None) => Until::Ranked,
    });
    Ok(Plan { until, ..Plan::new(method(args, compared)?, seed, budget_s.transpose()?) })
}

fn method(args: &AppArgs, compared: bool) -> Result<Method, Failure> {
    let typed = &args.method;
    let name = typed.method.as_deref().unwrap_or(METHODS[0]);
    let found = METHODS.contains(&name).then(|| preset(name)).flatten();
    let mut method = found.ok_or_else(|| {
        Failure::usage(format!("`{name}` is no method for applications"))
            .hint(format!("methods: {}", METHODS.join(", ")))
    })?;
    agreement(args, compared, &mut method.ending)?;
    let warmup = typed.warmup.as_deref().map(warmup).transpose()?;
    let method =
        Overrides { reps: number("--reps", typed.reps.as_deref())?, warmup, ..Overrides::default() }.over(method);
    // A sample is one run of the program, in a process with fresh memory.
    Ok(Method { loops: LoopRule::Fixed(1), memory: Memory::Kept, ..method })
}

fn number(flag: &str, typed: Option<&str>) -> Result<Option<u32>, Failure> {
    typed.map(|text| count(flag, text)).transpose()
}

/// Applies the flags of agreement to the ending rule.
fn agreement(args: &AppArgs, compared: bool, rule: &mut EndRule) -> Result<(), Failure> {
    let typed = &args.method;
    let share =
        typed.within.as_deref().map(|text| amount::share(text).map_err(|why| wrong("--within", why))).transpose()?;
    let k = number("--k", typed.k.as_deref())?;
    let (least, most) = (number("--min", typed.min.as_deref())?, number("--max", typed.max.as_deref())?);
    // With `--until decided` the comparison itself tells how many rounds it takes.
    let compares = compared && most.is_none() && typed.until.is_none();
    let (min, max) = match rule {
        EndRule::KBest { k: agreeing, within, min, max, best_counts } => {
            *agreeing = k.unwrap_or(*agreeing);
            *within = share.unwrap_or(*within);
            *best_counts = !typed.kbest_exclusive;
            (min, max)
        }
        EndRule::Interval { within, min, max, min_long } => {
            if k.is_some() || typed.kbest_exclusive {
                return Err(Failure::usage("--k and --kbest-exclusive belong to --method kbest and csapp"));
            }
            *within = share.unwrap_or(*within);
            *min_long = least.or(compares.then_some(ROUNDS)).unwrap_or(*min_long);
            (min, max)
        }
        EndRule::Fixed { .. } => return Ok(()),
    };
    let least = least.or(compares.then_some(ROUNDS.max(*min)));
    // A bound that is typed alone moves the other one.
    *min = least.unwrap_or((*min).min(most.unwrap_or(*min)));
    *max = most.unwrap_or((*max).max(*min));
    if *min > *max {
        return Err(Failure::usage(format!("--min {min} is more than --max {max}")));
    }
    enough(rule)
}

/// Checks that no more runs must agree than are made.
fn enough(rule: &EndRule) -> Result<(), Failure> {
    let EndRule::KBest { k, max, best_counts, .. } = *rule else { return Ok(()) };
    let agreeing = if best_counts { k } else { k.saturating_add(1) };
    if agreeing <= max {
        return Ok(());
    }
    Err(Failure::usage(format!("{agreeing} runs must agree (--k {k}), and at most {max} are made (--max {max})"))
        .hint(format!("--reps {max} makes exactly that many runs, whether they agree or not")))
}
