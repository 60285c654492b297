//! A profile with the times that follow from its stacks.

use serde::Serialize;

use crate::profile::{Profile, Share};
use crate::run::Run;

/// A line `profile`, and the times of its functions, loops, lines and threads.
#[derive(Serialize)]
pub(super) struct ProfileDocument<'a> {
    #[serde(flatten)]
    profile: &'a Profile,
    times: TimesDocument,
}

#[derive(Serialize)]
struct TimesDocument {
    functions: Vec<TimeDocument>,
    loops: Vec<TimeDocument>,
    lines: Vec<TimeDocument>,
    threads: Vec<TimeDocument>,
}

/// The time of a function, a loop, a line or a thread.
#[derive(Serialize)]
struct TimeDocument {
    name: String,
    #[serde(flatten)]
    own: Share,
    /// With all that it called, of functions.
    #[serde(skip_serializing_if = "Option::is_none")]
    with_calls: Option<Share>,
}

/// The profiles of `run`.
pub(super) fn documents(run: &Run) -> Vec<ProfileDocument<'_>> {
    run.profiles.iter().map(|profile| ProfileDocument { profile, times: times(profile) }).collect()
}

fn times(profile: &Profile) -> TimesDocument {
    let alone = |name: String, own: Share| TimeDocument { name, own, with_calls: None };
    let functions = profile
        .function_times()
        .into_iter()
        .map(|time| TimeDocument { with_calls: Some(time.total), ..alone(profile.title(time.function), time.own) });
    let thread =
        |index: u32| profile.threads.get(index as usize).map(|thread| format!("{} {}", thread.name, thread.tid));
    TimesDocument {
        functions: functions.collect(),
        loops: profile.loop_times().into_iter().map(|time| alone(profile.loop_title(time.index), time.own)).collect(),
        lines: profile
            .line_times()
            .into_iter()
            .map(|time| alone(format!("{}:{}", time.file, time.line), time.own))
            .collect(),
        threads: profile
            .thread_times()
            .into_iter()
            .map(|time| alone(thread(time.thread).unwrap_or_default(), time.own))
            .collect(),
    }
}
