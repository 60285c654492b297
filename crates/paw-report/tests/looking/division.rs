//! What is said of copies × threads: which division of the machine gets most done.

use paw_data::application::Application;
use paw_data::outcome::Ending;
use paw_data::point::Point;
use paw_data::run::{Record, Run};
use paw_report::{Colour, text};

use crate::programs::{cell, noisy, run, steady, threads, timed};

fn point(copies: i64, threads: i64) -> Point {
    Point::new().with("threads", threads).with("copies", copies)
}

fn quiet(copies: i64, threads: i64, time_s: f64) -> Record {
    steady(cell("solve", "command", point(copies, threads)), time_s, 1.0, 0)
}

fn of(records: Vec<Record>) -> Run {
    run(Application { threads: threads(&[1, 2], 2, 1), ..Application::default() }, records)
}

fn words(run: &Run) -> String {
    text(run, 100, Colour::Plain).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_division_that_gets_most_done_is_named_with_its_ratio() {
    let run = of(vec![quiet(1, 1, 4.0), quiet(1, 2, 2.5), quiet(2, 1, 4.1), quiet(2, 2, 5.0)]);
    // 2 ÷ 4.1 against 1 ÷ 2.5 a second.
    let page = words(&run);
    assert!(
        page.contains("Most is done by 2 copies of 1 thread (0.488 runs/s), 1.22 times (99%: 1.22…1.22)"),
        "{page}"
    );
    let page = text(&run, 100, Colour::Plain);
    let grid = page.lines().skip_while(|line| !line.starts_with("what all copies get done together, runs/s"));
    let grid: Vec<Vec<&str>> = grid.take(5).skip(1).map(|line| line.split_whitespace().collect()).collect();
    let rows: Vec<&Vec<&str>> = grid.iter().filter(|line| line.len() == 3).collect();
    assert_eq!(*rows[rows.len() - 2], ["1", "0.250", "0.400"], "{page}");
    assert_eq!(*rows[rows.len() - 1], ["2", "0.488", "0.400*"], "{page}");
}

#[test]
fn divisions_that_rounds_do_not_separate_are_not_decided() {
    let wild: Vec<f64> = (0..16).map(|i| 4.0 * (1.0 + 0.06 * f64::from((i * 7 + 3) % 6))).collect();
    let wild = timed(cell("solve", "command", point(2, 1)), &wild, Ending::Valid, 1.0);
    let page = words(&of(vec![quiet(1, 1, 4.0), quiet(1, 2, 2.3), wild, quiet(2, 2, 6.0)]));
    assert!(page.contains("Which division gets most done is not decided: 2 copies of 1 thread"), "{page}");
    assert!(page.contains("or 1 copy of 2 threads."), "{page}");
}

#[test]
fn one_thread_count_is_no_division() {
    let page = words(&of(vec![quiet(1, 1, 4.0), quiet(2, 1, 4.1)]));
    assert!(!page.contains("division") && !page.contains("get done together"), "{page}");
    let told = "2 copies at once get 1.95 times as much done as one; each takes 1.02 times as long.";
    assert!(page.contains(told), "{page}");
    let doubtful = words(&of(vec![quiet(1, 1, 4.0), noisy(cell("solve", "command", point(2, 1)), 4.1)]));
    assert!(doubtful.contains("times as long, if the times are right (timeout)."), "{doubtful}");
}

#[test]
fn copies_without_one_alone_have_a_time_and_no_gain() {
    let page = words(&of(vec![quiet(2, 1, 4.0), quiet(4, 1, 8.0)]));
    let told = "solve 4 copies at once: 8.000 s (valid). No copy ran alone: --copies 1,4 tells what they gain.";
    assert!(page.starts_with(told) && !page.contains("No point"), "{page}");
}
