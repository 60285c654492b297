//! A method in sentences.

use paw_data::kernel::Question;
use paw_data::method::{EndRule, Estimator, LoopRule, Memory, Method};
use paw_data::run::Run;

use crate::number::{duration, half_width, plural};

/// How the series of `run` were measured, in sentences; none where nothing was to be timed.
pub fn explanation(run: &Run) -> Vec<String> {
    let is_check = run.header.kernel.as_ref().is_some_and(|kernel| kernel.question == Question::Check);
    if let Some(files) = run.header.imported() {
        return vec![format!("The numbers were imported from {files}, which does not tell how they were measured.")];
    }
    match (is_check, &run.header.app) {
        (true, _) => Vec::new(),
        (false, Some(app)) => of_program(&run.header.plan.method, app.drive.as_deref()),
        (false, None) => of_calls(&run.header.plan.method),
    }
}

/// The protocol of calls that are repeated within a process: benchmarks and kernels.
fn of_calls(method: &Method) -> Vec<String> {
    let rest = [
        loops(&method.loops),
        ending(&method.ending),
        headline(method.headline),
        match method.memory {
            Memory::Kept => "Operands are allocated and touched once and live through the series.".to_owned(),
            Memory::Fresh => "Operands are allocated and touched anew for every sample.".to_owned(),
        },
    ];
    warmup(method, "warm-up sample").into_iter().chain(rest).collect()
}

/// The protocol of a program, whose samples are runs; `drive` is the metric that ends a series.
fn of_program(method: &Method, drive: Option<&str>) -> Vec<String> {
    let drive = drive.map(|name| format!("The rule looks at the printed number {name} in place of the time."));
    let rest = [
        Some("A sample is one run of the program, from its start to its end, in a process of its own.".to_owned()),
        Some(ending(&method.ending)),
        drive,
        Some(
            "The headline is the best of all runs: those that other work disturbed count, too, and are marked."
                .to_owned(),
        ),
    ];
    warmup(method, "warm-up run").into_iter().chain(rest.into_iter().flatten()).collect()
}

fn warmup(method: &Method, word: &str) -> Option<String> {
    let count = plural(method.warmup as usize, word);
    (method.warmup > 0).then(|| format!("{count} before each series, not counted."))
}

fn loops(rule: &LoopRule) -> String {
    match rule {
        LoopRule::Floor { overheads, floor_s } => format!(
            "A sample repeats the operation until it lasts at least {overheads} clock overheads and {}; twice the \
             repetitions must take twice the time.",
            duration(*floor_s)
        ),
        LoopRule::Guide { loops_max, loops_min, overheads, overheads_high } => format!(
            "A sample repeats the operation {loops_max} times, fewer after samples longer than {} clock overheads, never \
             under {overheads} clock overheads or {loops_min} repetitions: the rule of PAW's guide.",
            overheads_high.unwrap_or(*overheads)
        ),
        LoopRule::Code { loops_max, loops_min, overheads_low, overheads_high } => format!(
            "A sample repeats the operation at most {loops_max} times and at least {loops_min} times, so that it lasts \
             between {overheads_low} and {overheads_high} clock overheads: the rule of PAW 1.6's code."
        ),
        LoopRule::Fixed(loops) => format!("A sample repeats the operation {loops} times."),
    }
}

fn ending(rule: &EndRule) -> String {
    match rule {
        EndRule::Fixed { samples } => format!("A series takes {}.", plural(*samples as usize, "sample")),
        EndRule::Interval { within, min, max, min_long } => format!(
            "A series ends when the 95 % interval of its median is within ±{}, or more samples would not make it so, after \
             {min} to {max} samples ({min_long} suffice where one lasts longer than a second).",
            half_width(*within)
        ),
        EndRule::KBest { k, within, min, max, best_counts } => format!(
            "A series ends when {k} samples{} lie within {} of the best, after {min} to {max} samples.",
            if *best_counts { ", the best among them," } else { " beside the best" },
            half_width(*within)
        ),
    }
}

fn headline(estimator: Estimator) -> String {
    match estimator {
        Estimator::Median => "The headline is the median over processes of the medians of their samples that nothing \
                              disturbed; ± is half its 95 % interval, over processes where there are three or more, of one \
                              process over its samples; that of times and rates holds what moves between runs, too."
            .to_owned(),
        Estimator::Min => {
            "The headline is the best of the samples that nothing disturbed; its range reaches to the last \
                           sample that must agree with it."
                .to_owned()
        }
        Estimator::Mean => {
            "The headline is the mean of the samples that nothing disturbed; times have no distribution from which an \
             interval of it would follow."
                .to_owned()
        }
    }
}
