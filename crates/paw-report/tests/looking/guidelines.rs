//! Collectives that take longer than others that do their work, as every view shows them.

use paw_data::run::{Record, Run};
use paw_report::{Colour, html, markdown, text};

use crate::handmade::{self, QUIET, measured};
use crate::html::balanced;
use crate::ranks::{collective, team};

/// A call of `benchmark` with `n` elements on four ranks that takes so many microseconds.
fn call(benchmark: &str, n: i64, cadence: &str, us: f64) -> Record {
    measured(collective(benchmark, n, cadence, 4, 0).cell, us * 1e-6, &QUIET)
}

fn of(records: Vec<Record>) -> Run {
    Run { teams: vec![team(0, 4)], ..handmade::run(records) }
}

/// What the terminal shows below the heading of guidelines; nothing without it.
fn told(run: &Run) -> String {
    let all = text(run, 200, Colour::Plain);
    let below = all.split_once("\ncollectives that take longer than others that do their work\n");
    below.map(|(_, rest)| rest.split("\n\n").next().unwrap_or_default().trim().to_owned()).unwrap_or_default()
}

/// Allreduce of 64 elements in so many microseconds, beside a reduce and a broadcast of 20 µs each.
fn allreduce(us: f64, cadence: &str) -> Run {
    let calls = [("allreduce", us), ("reduce", 20.0), ("bcast", 20.0)];
    of(calls.map(|(name, us)| call(name, 64, cadence, us)).to_vec())
}

#[test]
fn an_allreduce_beyond_reduce_and_broadcast_is_told_with_figures_and_a_way() {
    let run = allreduce(80.0, "isolated");
    let expected = "allreduce n=64 takes 80.0 µs, at least 1.92 times as long as reduce n=64 and bcast n=64 one after the other: 40.0 µs. → try another of the library's algorithms for this call, by the variables that its manual names, or another library";
    let line = told(&run).split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(line, expected);
    let marked = markdown(&run);
    assert!(marked.contains("## Collectives that take longer than others that do their work\n"), "{marked}");
    assert!(marked.contains("one after the other: 40.0 µs"), "{marked}");
    let page = html(std::slice::from_ref(&run));
    balanced(&page);
    assert!(page.contains("one after the other: 40.0 µs"), "the page has the line");
}

#[test]
fn what_intervals_do_not_part_is_not_told() {
    // The intervals are 2 % wide on each side, and two processes of one program differ by up to 5 %.
    assert_eq!(told(&allreduce(40.0, "isolated")), "");
    assert_eq!(told(&allreduce(43.0, "isolated")), "");
    assert_ne!(told(&allreduce(45.0, "isolated")), "");
}

#[test]
fn calls_back_to_back_decide_nothing() {
    assert_eq!(told(&allreduce(80.0, "streaming")), "");
}

#[test]
fn other_sizes_and_teams_are_not_set_against_each_other() {
    let fewer = of(vec![
        call("allreduce", 64, "isolated", 80.0),
        call("reduce", 8, "isolated", 20.0),
        call("bcast", 64, "isolated", 20.0),
    ]);
    assert_eq!(told(&fewer), "", "eight elements are not 64");
    let mut apart = allreduce(80.0, "isolated");
    apart.records[1].cell.team = Some(1);
    apart.teams.push(team(1, 4));
    assert_eq!(told(&apart), "");
}

#[test]
fn more_elements_stand_for_fewer_and_gathered_ones_are_counted() {
    // Four ranks gather 64 elements each: a broadcast of 256 would do, so one of 1000 does.
    let run = |elements| {
        of(vec![
            call("allgather", 64, "isolated", 80.0),
            call("gather", 64, "isolated", 20.0),
            call("bcast", elements, "isolated", 20.0),
        ])
    };
    assert!(told(&run(1000)).contains("gather n=64 and bcast n=1000 one after the other"), "{}", told(&run(1000)));
    assert_eq!(told(&run(255)), "");
}

#[test]
fn one_line_a_collective_holds_its_clearest_case_and_counts_the_others() {
    let cells = [64, 4096].map(|n| {
        [("allreduce", 50.0 + n as f64 * 0.01), ("reduce", 20.0), ("bcast", 20.0)]
            .map(|(name, us)| call(name, n, "isolated", us))
    });
    let run = of(cells.into_iter().flatten().chain([call("barrier", 1, "isolated", 90.0)]).collect());
    let lines = told(&run).split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(lines.matches(" → ").count(), 2, "{lines}");
    assert!(lines.starts_with("allreduce n=4096 takes"), "{lines}");
    assert!(lines.contains("and so in 2 cells in all"), "{lines}");
}
