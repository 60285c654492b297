//! The caveats that measuring can raise, each with cause and action.

use paw_data::outcome::{Caveat, Check};

/// `too-short`: the clock has a share in the time.
pub fn too_short(elapsed_s: f64, clock_s: f64) -> Caveat {
    Caveat::new(
        "too-short",
        format!(
            "a sample lasts {}, only {:.0} clock readings of {}: times may be up to {} too high",
            time(elapsed_s),
            elapsed_s / clock_s,
            time(clock_s),
            percent(clock_s / elapsed_s)
        ),
        "leave out --loops (of kernels --reps), or raise it",
    )
}

/// `paw-floor`: the method's own short regions read too high, by `share` as measured.
pub fn paw_floor(method: &str, [short_s, long_s]: [f64; 2], share: f64) -> Caveat {
    Caveat::new(
        "paw-floor",
        format!(
            "samples of {}, as method {method} takes them, read {} more per operation than samples of {}",
            time(short_s),
            percent(share),
            time(long_s)
        ),
        "use --method adaptive unless PAW's numbers must be reproduced",
    )
}

/// `not-linear`: twice the iterations do not take twice the time.
pub fn not_linear(loops: u64, fixed_share: f64) -> Caveat {
    let what = if fixed_share > 0.0 { "a fixed cost per sample" } else { "a cost that grows with the iterations" };
    Caveat::new(
        "not-linear",
        format!(
            "the time of {loops} and {} iterations differs from proportion by {}: {what}",
            2 * loops,
            percent(fixed_share.abs())
        ),
        "look for set-up inside the timed region, or quiet the machine",
    )
}

/// Identifier of [`unverified_loops`].
pub const UNVERIFIED_LOOPS: &str = "unverified-loops";

/// `unverified-loops`: no undisturbed region shows whether time grows with the iterations.
pub fn unverified_loops(loops: u64) -> Caveat {
    let iterations = if loops == 1 { "iteration" } else { "iterations" };
    Caveat::new(
        UNVERIFIED_LOOPS,
        format!(
            "every region of {loops} {iterations} or more was disturbed while loops were chosen: it is not verified that time grows with the iterations"
        ),
        "stop other work, or choose idle processors",
    )
}

/// `unverified-loops`: the budget left no time to find iterations of which twice as many take twice as long.
pub fn untried_loops(loops: u64) -> Caveat {
    Caveat::new(
        UNVERIFIED_LOOPS,
        format!(
            "no time was left to look for iterations whose region is long enough and of which twice as many take twice as long; {loops} were \
             taken: a fixed cost may be part of the number"
        ),
        "give it longer with --budget",
    )
}

/// `other-work`: the main thread of a program waited in `waiting` of `runs` runs, in the fastest for `fastest.0` of `fastest.1`
/// seconds, while others used its processors for `others_s` in all runs.
pub fn other_work(waiting: usize, runs: usize, fastest: (f64, f64), others_s: f64) -> Caveat {
    let (waited, wall, others) = (time(fastest.0), time(fastest.1), time(others_s));
    Caveat::new(
        "other-work",
        format!(
            "other work ran on the program's processors: in {waiting} of {runs} runs its main thread waited for more than 5 % of \
             the time, in the fastest for {waited} of {wall}; others used {others} of processor time there"
        ),
        "stop other work, or choose idle processors",
    )
}

/// `other-work`: threads or processes of a program were preempted `switches` times in `runs` runs of `wall_s` in all, while
/// others used its processors for `others_s`.
pub fn preempted(switches: f64, runs: usize, others_s: f64, wall_s: f64) -> Caveat {
    let (each, others, wall) = (switches / runs as f64, time(others_s), time(wall_s));
    Caveat::new(
        "other-work",
        format!(
            "other work ran on the program's processors: it was preempted {each:.0} times a run, and others used {others} of \
             processor time there while {runs} runs took {wall}"
        ),
        "stop other work, or choose idle processors",
    )
}

/// `left-behind`: a program ended before processes that it had started.
pub fn left_behind(processes: u32, runs: u32, of: u32) -> Caveat {
    let word = if processes == 1 { "process" } else { "processes" };
    Caveat::new(
        "left-behind",
        format!(
            "{processes} {word} outlived the program, in {runs} of {of} runs, and were ended: their work is not in the times"
        ),
        "let the program wait for the processes it starts",
    )
}

/// `failing-runs`: runs of a program failed, with these exit codes so often each, and count all the same.
pub fn failing_runs(codes: &[(i32, u32)], of: usize) -> Caveat {
    let failed: u32 = codes.iter().map(|(_, runs)| runs).sum();
    let each: Vec<_> = codes.iter().map(|(code, runs)| format!("code {code} in {runs}")).collect();
    Caveat::new(
        "failing-runs",
        format!("{failed} of {of} runs failed ({}), and count all the same: failures are ignored", each.join(", ")),
        "leave out --ignore-failure where a failing run does less work",
    )
}

/// `misplaced`: a program ran on processors other than those it was bound to.
pub fn misplaced(on: &[u32], given: &[u32]) -> Caveat {
    Caveat::new(
        "misplaced",
        format!(
            "threads of the program were seen on processors {}, which were not among the given {}",
            list(on),
            list(given)
        ),
        "remove the program's own binding (taskset, numactl, its flags), or let it place its threads: --place none",
    )
}

/// `threads-unheeded`: a program uses fewer threads than asked for.
pub fn too_few_threads(asked: u32, had: u32) -> Caveat {
    unheeded(format!("the program was told to use {asked} threads, and was never seen with more than {had}"))
}

/// `threads-unheeded`: a program uses more threads than asked for.
pub fn too_many_threads(asked: u32, most: u32, crowded: u32, looks: u32) -> Caveat {
    unheeded(format!(
        "the program was told to use {asked} threads, and more were runnable in {crowded} of {looks} snapshots, up to {most} at once"
    ))
}

fn unheeded(cause: String) -> Caveat {
    Caveat::new(
        "threads-unheeded",
        cause,
        "pass the number as the program expects it: {threads} in the command, or a variable that it reads",
    )
}

/// `unpinned`: unbound threads moved between processors.
pub fn unpinned(moved: usize, taken: usize) -> Caveat {
    Caveat::new(
        "unpinned",
        format!("threads moved between processors in {moved} of {taken} samples"),
        "bind the threads to processors",
    )
}

/// `waited`: threads waited for a processor in `waits` of `taken` samples of a method that counts them all.
pub fn waited(method: &str, waits: usize, taken: usize) -> Caveat {
    Caveat::new(
        "waited",
        format!(
            "threads waited for a processor in {waits} of {taken} samples, for over 1 % of the time; method {method} counts them all, \
             so that the waits are part of the number"
        ),
        "stop other work, or use --method adaptive, which leaves such samples out",
    )
}

/// `unwatched`: the kernel's statistics could not be read.
pub fn unwatched() -> Caveat {
    Caveat::new(
        "unwatched",
        "the kernel's scheduling statistics of the threads could not be read: disturbed samples were not recognised",
        "use a kernel with CONFIG_SCHED_INFO and a readable /proc",
    )
}

/// `late-starts`: announcements of starts arrived after the start; of operations that were `stamped` one by one, or of regions.
pub fn late_starts(late: f64, starts: f64, stamped: bool) -> Caveat {
    let effect = if stamped {
        "operations count from the last rank's start, and the others may have worked ahead"
    } else {
        "the samples include the delay"
    };
    Caveat::new(
        "late-starts",
        format!(
            "a rank began late by more than 1 % in {late} of {starts} starts, because it heard of them too late: {effect}"
        ),
        "give every rank a processor of its own; where it has one, start by the barrier instead",
    )
}

/// `clock-bound`: what the common clock may be off by is no small part of the times it bounds.
pub fn clock_bound(bound_s: f64, timed_s: f64) -> Caveat {
    Caveat::new(
        "clock-bound",
        format!(
            "the ranks' clocks agree to within {} at most, {} of the {} that lie between two of their readings: where a message takes \
             longer one way than back, ranks start apart by as much",
            time(bound_s),
            percent(bound_s / timed_s),
            time(timed_s)
        ),
        "take longer samples (--loops), or start by the barrier (--sync barrier) and compare",
    )
}

/// `fastest-rank`: the fastest rank's time stands for all, and hides how long the slowest took, or that no message had come by then.
pub fn fastest_rank(fastest_s: f64, slowest_s: f64, unreached_s: Option<f64>) -> Caveat {
    let [fastest, slowest] = [fastest_s, slowest_s].map(time);
    let unreached = unreached_s.map_or_else(String::new, |one_way_s| {
        format!(", and a message takes {} one way between the ranks furthest apart: the fastest was done before one could come", time(one_way_s))
    });
    Caveat::new(
        "fastest-rank",
        format!("the time is that of the fastest rank, {fastest}; the slowest took {slowest}{unreached}"),
        "read the slowest rank's time: --combine max, or --method paw16, which takes it as PAW's code does",
    )
}

/// `reduced-precision`: the answer is within the bound, but worse than healthy code's.
pub fn reduced_precision(check: &Check) -> Caveat {
    let note = if check.note.is_empty() { String::new() } else { format!(" ({})", check.note) };
    Caveat::new(
        "reduced-precision",
        format!(
            "{}: error {:.2} of at most {:.2}, more than full precision leaves{note}",
            check.method, check.error, check.bound
        ),
        "look for a lower-precision mode of the library",
    )
}

/// `unchecked`: the answer was not checked.
pub fn unchecked() -> Caveat {
    Caveat::unchecked("was interrupted")
}

fn list(cpus: &[u32]) -> String {
    cpus.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// Seconds with the prefix that suits them.
fn time(seconds: f64) -> String {
    let scales = [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs")];
    let (scale, unit) = scales.into_iter().find(|(scale, _)| seconds >= *scale).unwrap_or((1e-9, "ns"));
    format!("{:.3} {unit}", seconds / scale)
}
