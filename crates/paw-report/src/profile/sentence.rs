//! What a profile says, in sentences.

use paw_data::profile::{FunctionTime, Profile, SamplerKind, Share};

use crate::model::Sentence;
use crate::number::{duration, plural, significant};

/// Functions that the sentence on top names.
const NAMED: usize = 3;
/// The end of a process that was not started by paw, whose status nobody told.
const WATCHED: &str = "while it was sampled";
/// Share below which a function is not named there.
const WORTH_NAMING: f64 = 0.02;
/// Part of misplaced samples from which on nothing is concluded from them.
const MISPLACED: f64 = 0.1;
/// Share of a function's own time from which on a loop is said to have most of it.
const MOST: f64 = 0.5;

/// The sentence on top: where most of the time was.
pub fn conclusion(profile: &Profile) -> String {
    let times = profile.function_times();
    let Some(first) = times.first().filter(|_| profile.sampling.samples > 0) else { return no_sample(profile) };
    if let Some(part) = misplaced(profile) {
        return format!(
            "it used {} of processor time, and it is not known where: {:.0} % of the samples are in threads that did not use it.",
            duration(profile.sampling.processor_s),
            100.0 * part
        );
    }
    let all = duration(profile.sampling.processor_s);
    let mut text = format!(
        "{} of the processor time ({} of {all}) in {}{}",
        shared(&first.own),
        duration(first.own.seconds),
        named(profile, first),
        most_in_a_loop(profile, first)
    );
    let others = times.iter().skip(1).take(NAMED - 1).filter(|time| time.own.share >= WORTH_NAMING);
    for time in others {
        text += &format!("; {} in {}", shared(&time.own), named(profile, time));
    }
    text + "."
}

/// The part of the samples that are in wrong threads, where it is large enough to change what a profile says.
pub fn misplaced(profile: &Profile) -> Option<f64> {
    profile.sampling.misplaced.filter(|part| *part >= MISPLACED)
}

/// `71.2 ± 1.9 %`.
pub fn shared(share: &Share) -> String {
    format!("{:.1} ± {} %", 100.0 * share.share, half(share))
}

/// Half the interval of a share in percent, which many samples make small and never 0: `1.9`, `<0.1`.
pub fn half(share: &Share) -> String {
    let shown = format!("{:.1}", 100.0 * share.half);
    if shown == "0.0" && share.half > 0.0 { "<0.1".to_owned() } else { shown }
}

fn named(profile: &Profile, time: &FunctionTime) -> String {
    let Some(function) = profile.functions.get(time.function as usize) else { return String::new() };
    let title = profile.title(time.function);
    if function.name.is_none() { title } else { format!("{title} ({})", profile.module_name(function.module)) }
}

fn most_in_a_loop(profile: &Profile, time: &FunctionTime) -> String {
    let of_it = |index: u32| profile.loops.get(index as usize).is_some_and(|found| found.function == time.function);
    let loops = profile.loop_times();
    let longest = loops.iter().find(|found| of_it(found.index));
    let most = longest.filter(|found| found.own.samples as f64 >= MOST * time.own.samples as f64);
    most.map_or_else(String::new, |found| {
        let title = profile.loop_title(found.index);
        format!(", {} in its loop {title}", shared(&found.own))
    })
}

fn no_sample(profile: &Profile) -> String {
    let sampling = &profile.sampling;
    let period = duration(1.0 / sampling.hz.max(1.0));
    let ran = duration(sampling.elapsed_s);
    let busy = duration(sampling.processor_s);
    format!(
        "no sample: it ran {ran} and used a processor for {busy}, and a sample is taken after each {period} of processor time; a longer run, or a higher --hz, shows more."
    )
}

/// How many samples there are, and whether all came.
pub fn tally(profile: &Profile) -> String {
    let sampling = &profile.sampling;
    let samples = plural(usize::try_from(sampling.samples).unwrap_or(usize::MAX), "sample");
    let rate = if sampling.processor_s > 0.0 { sampling.samples as f64 / sampling.processor_s } else { f64::NAN };
    let rate = if rate.is_finite() && sampling.samples > 0 {
        format!(", {} Hz of {} asked for", significant(rate, 3), sampling.hz)
    } else {
        String::new()
    };
    format!("{samples} in {} of processor time{rate}", duration(sampling.processor_s))
}

/// Warnings, and what was not sampled.
pub fn remarks(profile: &Profile) -> Vec<Sentence> {
    let mut remarks: Vec<Sentence> = by_signals(profile).into_iter().collect();
    let sampling = &profile.sampling;
    if let Some(missing) = profile.missing().filter(|_| sampling.sampler == SamplerKind::Sigprof) {
        remarks.push(Sentence {
            label: "samples are missing".to_owned(),
            text: format!(
                "{:.0} % of those that {} of processor time should have given: the kernel counts by its tick, which a busy machine makes irregular; a system call, however long, has one; and signals that come at the same time are one; shares are right only as far as what is missing was like the rest",
                100.0 * missing,
                duration(sampling.processor_s),
            ),
        });
    } else if let Some(missing) = profile.missing() {
        let throttled = match sampling.throttled {
            0 => String::new(),
            times => format!("; the kernel stopped sampling {}", plural(times as usize, "time")),
        };
        remarks.push(Sentence {
            label: "samples are missing".to_owned(),
            text: format!(
                "{:.0} % of those that {} of processor time should have given ({} told by the kernel{throttled}): shares are right only as far as what is missing was like the rest; a lower --hz loses fewer",
                100.0 * missing,
                duration(sampling.processor_s),
                sampling.lost,
            ),
        });
    }
    if let Some(kernel_s) = sampling.unsampled_kernel_s {
        remarks.push(Sentence::from(format!(
            "{} in the kernel are not in the table: only root, or a kernel.perf_event_paranoid below 2, may sample it",
            duration(kernel_s.max(0.0))
        )));
    }
    if let Some(part) = sampling.misplaced {
        remarks.push(Sentence {
            label: "samples are misplaced".to_owned(),
            text: format!(
                "{:.0} % were taken in other threads than those that used the time, by the processor time of each: threads that block SIGPROF leave it to others; only perf_event tells where they were",
                100.0 * part
            ),
        });
    }
    if let Some(children_s) = sampling.unsampled_children_s.filter(|seconds| *seconds >= CHILDREN_S) {
        remarks.push(Sentence::from(format!(
            "children's {} of processor time were not sampled, and are in no table: the timer of SIGPROF is not handed down to them; name the child's program in place of its parent, or let perf_event sample",
            duration(children_s)
        )));
    }
    if !sampling.ended.is_empty() && sampling.ended.as_str() != "exit code 0" && sampling.ended.as_str() != WATCHED {
        remarks.push(Sentence { label: "failed".to_owned(), text: format!("it ended with {}", sampling.ended) });
    }
    remarks
}

/// Processor time of children below which nothing is said: the kernel's own rounding.
const CHILDREN_S: f64 = 0.01;

/// That signals sampled, and why.
fn by_signals(profile: &Profile) -> Option<Sentence> {
    let sampling = &profile.sampling;
    let why = sampling.refused.as_deref().map(|why| format!(", because {why}")).unwrap_or_default();
    let text = format!("{} times a second at most{why}", sampling.hz);
    let label = "sampled by SIGPROF".to_owned();
    (sampling.sampler == SamplerKind::Sigprof).then_some(Sentence { label, text })
}

/// How `profiles` were sampled, in sentences.
pub fn protocol(profiles: &[Profile]) -> Vec<String> {
    let is_used = |sampler| profiles.iter().any(|profile| profile.sampling.sampler == sampler);
    let clocks = [
        (
            SamplerKind::PerfEvent,
            "A clock of each thread's processor time (perf_event's cpu-clock) interrupts it at regular intervals and notes the next instruction; waiting threads give no samples.",
        ),
        (
            SamplerKind::Sigprof,
            "A timer of the program's processor time (ITIMER_PROF) sends SIGPROF to a thread that runs, at the kernel's tick; the tracer (ptrace) notes the thread's next instruction and takes the signal away. Waiting threads give no samples; a program in step with the tick is sampled at the same places again and again.",
        ),
    ];
    let rules = [
        "± is half the 95 % interval of a proportion, 1.96·√(p(1−p)/N); it grows where a program repeats itself in step with the clock.",
        "A function has the samples within the range of its symbol, or of its unwinding table; a sample outside all of these is nobody's, and never its neighbour's.",
        "The interrupt may come an instruction late: loops are exact, single lines only roughly.",
        "Callers are found by frame pointers. A function compiled without them (the default of optimising compilers; -fno-omit-frame-pointer) hides its callers or skips one; its own time is right.",
    ];
    let clocks = clocks.into_iter().filter(|(sampler, _)| is_used(*sampler)).map(|(_, text)| text);
    clocks.chain(rules).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_half_of_an_interval_is_small_and_never_0() {
        let of = |samples, all| shared(&Share::new(samples, all, 1.0));
        assert_eq!([of(700, 1000), of(700_000, 1_000_000)], ["70.0 ± 2.8 %", "70.0 ± 0.1 %"]);
        assert_eq!(of(90_000_000, 1_000_000_000), "9.0 ± <0.1 %");
    }
}
