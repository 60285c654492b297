//! What every view makes of an application.

use expect_test::expect_file;
use paw_data::application::Application;
use paw_data::outcome::{Ending, Status};
use paw_data::point::Point;
use paw_data::run::{Record, Run};
use paw_report::{Colour, compare, html, markdown, text};

use crate::handmade::three_like;
use crate::html::drawings;
use crate::programs::{absent, cell, everything, kinfit, kinfit_complete, noisy, run, steady, threads, timed, weak};

fn one(record: Record) -> Run {
    run(Application { threads: threads(&[1], 2, 1), ..Application::default() }, vec![record])
}

fn solo() -> paw_data::cell::Cell {
    cell("solve", "command", Point::new().with("threads", 1))
}

/// Runs at the edge of what there is: nothing, failures, one cell, one run, a run that was cut off, no thread count.
pub fn odd() -> Vec<Run> {
    let mut cut = one(timed(solo(), &[1.0, 1.1], Ending::Interrupted, 1.0));
    cut.end = None;
    cut.records[0].outcome = None;
    let mut zero = one(timed(solo(), &[0.0, 0.0], Ending::Valid, 1.0));
    zero.header.app = Some(Application::default());
    vec![
        run(Application::default(), vec![]),
        one(absent(solo(), Status::Failed, "exit code 3")),
        one(absent(solo(), Status::Skipped, "not here")),
        one(steady(solo(), 1.0, 1.0, 0)),
        one(timed(solo(), &[1.0], Ending::Budget, 1.0)),
        one(noisy(solo(), 1.0)),
        one(steady(cell("solve", "command", Point::new()), 1.0, 1.0, 0)),
        one(steady(cell("solve", "base", Point::new()), 1.0, 1.0, 0)),
        one(Record::new(solo())),
        cut,
        zero,
    ]
}

fn all() -> Vec<Run> {
    [vec![kinfit(), kinfit_complete(), everything(), weak()], odd()].concat()
}

#[test]
fn the_measured_program_on_terminals() {
    for width in [100, 80, 40] {
        let file = format!("expected/kinfit-{width}.txt");
        expect_file![file].assert_eq(&text(&kinfit_complete(), width, Colour::Plain));
    }
}

#[test]
fn the_measured_program_as_markdown() {
    expect_file!["expected/kinfit.md"].assert_eq(&markdown(&kinfit_complete()));
}

#[test]
fn every_producer_states_its_own_protocol() {
    let program = markdown(&kinfit_complete());
    assert!(program.contains("- A sample is one run of the program"));
    assert!(!program.contains("Operands") && !program.contains("repeats the operation"), "a program has neither");
    for calls in [crate::handmade::small(), crate::kernels::matrix()] {
        let page = markdown(&calls);
        assert!(page.contains("- A sample repeats the operation") && page.contains("- Operands are allocated"));
        assert!(!page.contains("one run of the program"));
    }
}

#[test]
fn copies_metrics_and_another_command_on_a_terminal() {
    expect_file!["expected/everything-80.txt"].assert_eq(&text(&everything(), 80, Colour::Plain));
}

#[test]
fn the_raw_times_give_the_published_speed_ups() {
    let page = text(&kinfit(), 100, Colour::Plain);
    let row =
        |threads: &str| page.lines().find(|l| l.trim_start().starts_with(threads) && l.contains("valid")).unwrap();
    assert!(row("16").contains("145.2") && row("16").contains("6.75"), "{}", row("16"));
    assert!(row("32").contains("137.7") && row("32").contains("7.12") && row("32").contains("6982"), "{}", row("32"));
    let words: Vec<&str> = page.split_whitespace().collect();
    assert!(words.join(" ").contains("7.12 times as fast as the original program"), "{page}");
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for run in all() {
        for width in [32, 40, 80, 100, 200] {
            let page = text(&run, width, Colour::Plain);
            for line in page.lines() {
                assert!(unicode_width::UnicodeWidthStr::width(line) <= width, "{width}: {line}");
            }
        }
    }
}

#[test]
fn odd_runs_say_what_there_is() {
    let pages: Vec<String> = odd().iter().map(|run| text(run, 80, Colour::Plain)).collect();
    assert!(pages[0].contains("No point of the program has a number."), "{}", pages[0]);
    assert!(pages[1].contains("failed: exit code 3"), "{}", pages[1]);
    assert!(pages[2].contains("skipped: not here"), "{}", pages[2]);
    assert!(pages[5].contains("timeout"), "{}", pages[5]);
    assert!(pages[8].contains("not finished"), "{}", pages[8]);
    assert!(pages[9].contains("unfinished"), "{}", pages[9]);
    for run in odd() {
        assert!(!markdown(&run).contains("NaN"));
    }
}

#[test]
fn without_colour_there_is_no_escape_and_with_it_the_same_characters() {
    let plain = text(&everything(), 80, Colour::Plain);
    assert!(!plain.contains('\u{1b}'));
    let coloured = text(&everything(), 80, Colour::Ansi);
    assert!(coloured.contains('\u{1b}'));
}

#[test]
fn two_runs_of_a_program_are_compared_point_by_point_and_their_files_too() {
    let a = kinfit();
    let mut b = kinfit();
    let app = b.header.app.as_mut().unwrap();
    app.inputs[0].sha256 = "ffff".repeat(16);
    app.command[0] = "./faster".to_owned();
    app.variables = vec!["OMP_NUM_THREADS".to_owned(), "MKL_NUM_THREADS".to_owned()];
    for record in b.records.iter_mut().filter(|r| r.cell.provider == "command") {
        record.samples.elapsed_s.iter_mut().for_each(|t| *t *= 0.8);
    }
    let page = compare(&three_like("a", &a), &three_like("b", &b), 100, Colour::Plain);
    assert!(page.contains("20 FASTER"), "{page}");
    for told in ["input ttbar.root: 4 MiB, sha256 0123abcd0123", "command: ./ttDilepKinFit", "variables: "] {
        assert!(page.contains(told), "{told}: {page}");
    }
    let same = compare(std::slice::from_ref(&a), std::slice::from_ref(&a), 100, Colour::Plain);
    assert!(!same.contains("sha256") && !same.contains("./original"), "{same}");
}

#[test]
fn the_page_draws_speed_ups_and_no_line_to_oversubscribed_points() {
    let page = html(&[kinfit_complete()]);
    let over = |title: &str| {
        let at = page.find(title).expect("the plot is there");
        drawings(&page[at..])[0]
    };
    let threads = over("Speed-up over threads");
    assert!(threads.contains(r#"class="ideal""#));
    assert_eq!(threads.matches(r#"class="curve""#).count(), 10, "a line for each size");
    assert_eq!(threads.matches("more threads than processors").count(), 9, "one of ten failed");
    assert_eq!(threads.matches(r#"class="point hollow""#).count(), 9);
    let lines = threads.split(r#"class="curve" d=""#).skip(1).map(|rest| rest.split('"').next().unwrap());
    for line in lines {
        assert_eq!(line.matches('L').count(), 5, "six thread counts: {line}");
    }
    assert_eq!(over("Speed-up over sizes").matches(r#"class="curve""#).count(), 8, "the base, and each thread count");
    assert!(page.contains("exit code 139"));
}

#[test]
fn a_program_of_one_thread_count_is_drawn_by_its_times() {
    let point = |n: i64| Point::new().with("n", n).with("threads", 2);
    let app = Application { axes: vec!["n".to_owned()], threads: threads(&[2], 2, 1), ..Application::default() };
    let records = (1..=3).map(|n| steady(cell("solve", "command", point(n)), n as f64, 2.0, 0)).collect();
    let page = html(&[run(app, records)]);
    assert!(page.contains("Best time over sizes") && !page.contains("Speed-up over threads"));
}
