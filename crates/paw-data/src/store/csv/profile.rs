//! Rows of a profile: the processor time of functions, loops, lines and threads.

use crate::profile::{Profile, Share, file_name};

/// One row: whose time it is, and what it is.
pub(super) struct ProfileRow {
    /// The file of the code; empty for threads.
    pub module: String,
    /// Function, loop, line or thread.
    pub name: String,
    /// `function_time`, `function_with_calls_time`, `loop_time`, `line_time`, `thread_time`.
    pub quantity: &'static str,
    /// The time.
    pub share: Share,
}

/// The rows of `profile`, each kind by its time.
pub(super) fn rows(profile: &Profile) -> Vec<ProfileRow> {
    let module = |function: u32| {
        let found = profile.functions.get(function as usize);
        found.map_or_else(String::new, |found| profile.module_name(found.module).to_owned())
    };
    let functions = profile.function_times().into_iter().flat_map(|time| {
        let row = |quantity, share| ProfileRow {
            module: module(time.function),
            name: profile.title(time.function),
            quantity,
            share,
        };
        [row("function_time", time.own), row("function_with_calls_time", time.total)]
    });
    let loops = profile.loop_times().into_iter().map(|time| ProfileRow {
        module: profile.loops.get(time.index as usize).map_or_else(String::new, |found| module(found.function)),
        name: profile.loop_title(time.index),
        quantity: "loop_time",
        share: time.own,
    });
    let lines = profile.line_times().into_iter().map(|time| ProfileRow {
        module: module(time.function),
        name: format!("{}:{}", file_name(&time.file), time.line),
        quantity: "line_time",
        share: time.own,
    });
    let threads = profile.thread_times().into_iter().map(|time| {
        let name = profile.threads.get(time.thread as usize).map(|thread| format!("{} {}", thread.name, thread.tid));
        ProfileRow { module: String::new(), name: name.unwrap_or_default(), quantity: "thread_time", share: time.own }
    });
    functions.chain(loops).chain(lines).chain(threads).collect()
}
