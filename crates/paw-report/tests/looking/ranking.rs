//! What is said of alternatives: the fastest, a tie, and what is not decided.

use paw_data::application::{Application, NamedCommand, Reference};
use paw_data::outcome::Ending;
use paw_data::point::Point;
use paw_data::run::{Record, Run};
use paw_report::{Colour, text};

use crate::programs::{cell, run, steady, threads, timed};

/// A run of commands named `a`, `b` … with these records.
fn of(records: Vec<Record>) -> Run {
    let named = |record: &Record| {
        let name = record.cell.provider.to_string();
        NamedCommand { command: vec![format!("./{name}")], name }
    };
    let mut commands: Vec<NamedCommand> = records.iter().map(named).collect();
    let first = commands.remove(0);
    run(Application { name: first.name, command: first.command, others: commands, ..Application::default() }, records)
}

fn quiet(name: &str, time_s: f64) -> Record {
    steady(cell("solve", name, Point::new()), time_s, 1.0, 0)
}

/// A program whose runs differ by a third, unlike those of any other.
fn wild(name: &str, time_s: f64) -> Record {
    let times: Vec<f64> = (0..16).map(|i| time_s * (1.0 + 0.06 * f64::from((i * 7 + 3) % 6))).collect();
    timed(cell("solve", name, Point::new()), &times, Ending::Valid, 1.0)
}

#[track_caller]
fn check(records: Vec<Record>, sentence: &str) {
    let page = text(&of(records), 100, Colour::Plain);
    let words = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.starts_with(&format!("solve {sentence}")), "{sentence}\n{page}");
}

#[test]
fn the_fastest_is_named_with_its_ratio_and_what_ties_with_it() {
    check(vec![quiet("a", 1.2), quiet("b", 1.0)], "Fastest: b (1.007 s), 1.200 times (99%: 1.200…1.200) as fast as a.");
    let three = vec![quiet("a", 1.2), quiet("b", 1.0), quiet("c", 1.0)];
    check(three, "Fastest: b (1.007 s), 1.200 times (99%: 1.200…1.200) as fast as a; c ties with b.");
    let many = ["a", "b", "c", "d", "e", "f"].iter().zip(1..).map(|(name, n)| quiet(name, f64::from(n))).collect();
    check(many, "Fastest: a (1.007 s), 2.000 times (99%: 2.000…2.000) as fast as b, 3.000 times");
}

#[test]
fn a_tie_is_said_as_a_tie() {
    check(
        vec![quiet("a", 1.0), quiet("b", 1.0), quiet("c", 1.0)],
        "A tie: a (1.007 s), b and c, within 1% (ratio of times, 99%: 1.000…1.000).",
    );
}

#[test]
fn what_rounds_do_not_separate_is_not_decided() {
    check(vec![quiet("a", 1.1), wild("b", 1.0)], "Which is fastest is not decided: a (1.108 s) or b (it takes 1.0");
    let page = text(&of(vec![quiet("a", 1.1), wild("b", 1.0), quiet("c", 2.0)]), 100, Colour::Plain);
    let words = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("rounds would tell). a is 1.818 times") && !words.contains("Fastest"), "{page}");
}

/// One program at these thread counts with these times, all in the same rounds.
fn sweep(times_s: &[f64]) -> Run {
    let counts: Vec<u32> = (1..).take(times_s.len()).collect();
    let row = |(threads, time_s): (&u32, &f64)| {
        steady(cell("solve", "command", Point::new().with("threads", i64::from(*threads))), *time_s, 1.0, 0)
    };
    let records = counts.iter().zip(times_s).map(row).collect();
    run(Application { threads: threads(&counts, 4, 1), ..Application::default() }, records)
}

#[test]
fn a_thread_count_is_the_fastest_where_the_rounds_say_so() {
    let words = |run: &Run| text(run, 100, Colour::Plain).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words(&sweep(&[1.0, 0.6])).starts_with("solve Fastest: 2 threads: 600.0 ms"),
        "{}",
        words(&sweep(&[1.0, 0.6]))
    );
    let tied = sweep(&[1.0, 0.6, 0.6]);
    assert!(words(&tied).starts_with("solve Fastest seen: 2 threads: 600.0 ms"), "{}", words(&tied));
    // What was measured one after the other is no better known.
    let mut apart = sweep(&[1.0, 0.6]);
    (0..).zip(&mut apart.records).for_each(|(group, record)| record.cell.group = group);
    assert!(words(&apart).starts_with("solve Fastest seen: 2 threads: 600.0 ms"), "{}", words(&apart));
}

#[test]
fn a_table_names_what_its_ratios_are_over() {
    let words = |run: &Run| text(run, 100, Colour::Plain).split_whitespace().collect::<Vec<_>>().join(" ");
    let mut run = of(vec![quiet("a", 1.0), quiet("b", 2.0)]);
    run.header.app.as_mut().unwrap().against = Some(Reference::Command("a".into()));
    assert!(words(&run).contains("÷: time over that of a, by rounds"), "{}", words(&run));
    (0..).zip(&mut run.records).for_each(|(group, record)| record.cell.group = group);
    let page = words(&run);
    assert!(page.contains("÷: time over that of a, by medians") && !page.contains("in a round"), "{page}");
    run.records.pop();
    assert!(!words(&run).contains("in the last column"), "{}", words(&run));
}
