//! Simulated counts of a program: one further run under cachegrind, with all that it starts.

use std::cell::RefCell;
use std::path::Path;

use paw_apps::counting;
use paw_apps::launch::{Launch, Sink};
use paw_apps::launcher::Launcher;
use paw_apps::plan::PlannedProgram;
use paw_data::counters::{Counters, Source};
use paw_kernels::cachegrind::{self, SimulatedCaches};

use crate::counter_groups::AskedGroup;
use crate::counter_record::{self, Context};

/// The time after which a simulated run is ended, where the program has no limit; and how much longer it may take where it has one.
const DEADLINE_S: f64 = 600.0;
const SLOWER: f64 = 100.0;
/// The beginning of the names of files that a simulated run leaves.
const APART: &str = "simulated-";

/// What a simulated run of `planned` counts; its files go into the directory `logs`.
pub fn simulated(
    planned: &PlannedProgram,
    group: &AskedGroup,
    caches: &SimulatedCaches,
    (launcher, logs): (&RefCell<Launcher>, &Path),
) -> Result<Counters, String> {
    let launch = planned.job.launch.apart(APART);
    let [err, out] = ["err", "cachegrind"].map(|kind| logs.join(format!("{APART}{:04}.{kind}", planned.cell.id)));
    let launch = Launch {
        stderr: Sink::Ends(err.clone()),
        words: cachegrind::simulating(&launch.words, caches, &out),
        timeout_s: Some(launch.timeout_s.map_or(DEADLINE_S, |limit_s| SLOWER * limit_s)),
        ..launch
    };
    let ran = counting::run(planned, launch, launcher).map(drop).map_err(|fault| fault.to_string());
    let said = paw_apps::tail::tail(&err).unwrap_or_default();
    let counts = ran
        .and_then(|()| cachegrind::counted(&out))
        .map_err(|why| cachegrind::unknown_instruction(&said).unwrap_or(why))?;
    let context = Context::of(&group.group, &group.here, None).taken_from(Source::Cachegrind, &caches.words());
    let mut counters = counter_record::of_program(&context, f64::NAN, &counter_record::simulated(counts));
    counters.notes.push("its threads were simulated one at a time".to_owned());
    Ok(counters)
}
