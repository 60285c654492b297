//! What a run that was cut off must still hold.

use std::fs;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::process::Signal;
use serde_json::Value;
use workplace::Workplace;

use crate::blow::{self, Blow, Struck};
use crate::subject::{self, Subject, Target};

/// FORMAT.md promises that a kill loses at most a second of samples; the rest is for a machine that is busy with other things.
const LOST_AT_MOST: Duration = Duration::from_millis(1500);

/// What is lost of the runs in `place` beyond what FORMAT.md allows, a sentence each.
pub fn losses(subject: &Subject, place: &Workplace, blow: Blow, struck: &Struck) -> Vec<String> {
    let mut lost = Vec::new();
    for (run, before) in subject.runs().iter().zip(&struck.before) {
        let text = blow::text(place, run);
        if !text.starts_with(before.as_str()) {
            lost.push(format!("{run}: lines that were in the file are gone"));
        }
        lost.extend(unreadable_line(&text).map(|line| format!("{run}: line {line} is no JSON")));
        let is_late = || {
            struck
                .at
                .is_some_and(|at| is_measuring(before) && age(place, run, at) > LOST_AT_MOST + 2 * longest_gap(before))
        };
        if kills(subject, blow) && is_late() {
            lost.push(format!("{run}: the last save was more than a second before the signal"));
        }
        if !kills(subject, blow) && subject.name != subject::CAMPAIGN.name {
            lost.extend(not_ended_in_order(&text).map(|why| format!("{run}: {why}")));
        }
    }
    if subject.name == subject::APP.name {
        lost.extend(uncounted(place, blow, struck));
    }
    lost
}

/// Whether paw is killed: by the signal, or by MPICH's mpiexec, which does not catch SIGHUP and whose proxies then kill the ranks.
fn kills(subject: &Subject, blow: Blow) -> bool {
    let by_launcher =
        subject.name == subject::MPICH.name && blow.signal == Signal::HUP && blow.target == Target::Started;
    blow.signal == Signal::KILL || by_launcher
}

/// Whether samples are in the file, and not all that will ever be.
fn is_measuring(text: &str) -> bool {
    let last = text.lines().rev().find_map(|line| serde_json::from_str::<Value>(line).ok());
    last.is_some_and(|line| line["line"] == "samples")
}

/// The longest time from the start of a sample to that of the next: where others have the processors, a sample may last seconds, and
/// until it ends there is nothing to save.
fn longest_gap(text: &str) -> Duration {
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let starts = lines.filter_map(|line| line["at_s"].as_array().cloned()).flatten();
    let mut starts_s: Vec<f64> = starts.filter_map(|start| start.as_f64()).collect();
    starts_s.sort_by(f64::total_cmp);
    let gaps = starts_s.windows(2).map(|pair| pair[1] - pair[0]);
    Duration::try_from_secs_f64(gaps.fold(0.0, f64::max)).unwrap_or_default()
}

/// How long before `at` the run was written for the last time.
fn age(place: &Workplace, run: &str, at: SystemTime) -> Duration {
    let saved = fs::metadata(place.path(run).join("run.jsonl")).and_then(|facts| facts.modified());
    saved.ok().and_then(|saved| at.duration_since(saved).ok()).unwrap_or_default()
}

/// The first line that cannot be read, the last one aside: it may have been cut.
fn unreadable_line(text: &str) -> Option<usize> {
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    whole.lines().position(|line| serde_json::from_str::<Value>(line).is_err()).map(|at| at + 1)
}

/// Why a run with samples does not have the end that a signal leaves it time for.
fn not_ended_in_order(text: &str) -> Option<&'static str> {
    let lines: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let count = |kind: &str| lines.iter().filter(|line| line["line"] == kind).count();
    match () {
        () if count("samples") == 0 => None,
        () if count("end") == 0 => Some("it has samples and no end"),
        () if count("outcome") < count("cell") => Some("a cell has no outcome"),
        () => None,
    }
}

/// Runs of the program that the file lacks: of those that ended more than a second before SIGKILL, of all after another signal.
fn uncounted(place: &Workplace, blow: Blow, struck: &Struck) -> Option<String> {
    let at = struck.at?.duration_since(UNIX_EPOCH).ok()?;
    let log = fs::read_to_string(place.path("log")).unwrap_or_default();
    let ends = log.lines().filter_map(|line| line.parse().ok()).map(Duration::from_nanos);
    let due = ends.filter(|end| blow.signal != Signal::KILL || *end + LOST_AT_MOST < at).count();
    let saved = samples(&blow::text(place, "r"));
    (saved < due).then(|| format!("the program had ended {due} times, and the run has {saved} samples"))
}

/// Samples in the text of a run.
fn samples(text: &str) -> usize {
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.filter(|line| line["line"] == "samples").filter_map(|line| line["elapsed_s"].as_array().map(Vec::len)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_was_cut_is_the_last_one() {
        assert_eq!(unreadable_line("{}\n{}\n{\"li"), None);
        assert_eq!(unreadable_line("{}\n{\"li\n{}\n"), Some(2));
        assert_eq!(unreadable_line(""), None);
    }

    #[test]
    fn a_run_with_samples_has_its_end() {
        let begun = "{\"line\":\"run\"}\n{\"line\":\"cell\"}\n";
        let sampled = format!("{begun}{{\"line\":\"samples\",\"elapsed_s\":[1.0,2.0]}}\n");
        let ended = format!("{sampled}{{\"line\":\"outcome\"}}\n{{\"line\":\"end\"}}\n");
        assert_eq!((not_ended_in_order(begun), not_ended_in_order(&ended)), (None, None));
        assert_eq!(not_ended_in_order(&sampled), Some("it has samples and no end"));
        assert_eq!(samples(&ended), 2);
        assert!(is_measuring(&sampled) && !is_measuring(&ended));
        let starts = "{\"line\":\"samples\",\"at_s\":[1.0,3.0]}\n{\"line\":\"samples\",\"at_s\":[3.5]}\n";
        assert_eq!(longest_gap(starts), Duration::from_secs(2));
    }
}
