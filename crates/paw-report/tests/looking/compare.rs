//! Two runs against each other.

use expect_test::expect;
use paw_data::outcome::Status;
use paw_data::run::{Record, Run};
use paw_data::sample::Samples;
use paw_report::{Colour, compare};
use unicode_width::UnicodeWidthStr;

use crate::handmade::{QUIET, absent, dgemm, hostile, imported, long, measured, run, small, three_like};

fn plain(a: &Run, b: &Run, width: usize) -> String {
    compare(std::slice::from_ref(a), std::slice::from_ref(b), width, Colour::Plain)
}

/// Three runs of the same cells, at these times in seconds, named by `side`.
fn three(side: &str, times: [[f64; 3]; 2]) -> Vec<Run> {
    let one = |i: usize| {
        let cells = times.iter().zip([64, 128]);
        named(&format!("{side}{i}"), cells.map(|(times, n)| measured(dgemm("embedded", n, 1), times[i], &QUIET)))
    };
    (0..3).map(one).collect()
}

fn named(id: &str, records: impl Iterator<Item = Record>) -> Run {
    let mut run = run(records.collect());
    id.clone_into(&mut run.header.id);
    run
}

const BASE: [[f64; 3]; 2] = [[1.00e-5, 1.02e-5, 0.99e-5]; 2];
const OTHER: [[f64; 3]; 2] = [[1.20e-5, 1.21e-5, 1.18e-5], [1.01e-5, 1.00e-5, 1.03e-5]];

fn has_a_verdict(text: &str) -> bool {
    ["FASTER", "SLOWER", "SAME"].iter().any(|word| text.contains(word))
}

#[test]
fn three_runs_a_side_have_verdicts_by_what_differs_from_run_to_run() {
    let (a, b) = (three("a", BASE), three("b", OTHER));
    let text = compare(&a, &b, 80, Colour::Plain);
    let expected = expect![[r#"
        A  a0
        A  a1
        A  a2
        B  b0
        B  b1
        B  b2
        same machine
        1 SLOWER, 1 INCONCLUSIVE
        B÷A is a ratio of times: below 1, B is faster

        dgemm  GFLOP/s  2mnk · embedded · threads=1
          n    A     B    B÷A  interval     verdict       size
         64  100  83.3  1.192  1.115…1.275  SLOWER        by 1 % or more
        128  100  99.0  1.010  0.940…1.085  INCONCLUSIVE
          INCONCLUSIVE: the interval holds 1 and reaches beyond the margin
    "#]];
    expected.assert_eq(&text);
}

#[test]
fn one_run_a_side_has_ratios_and_neither_verdicts_nor_their_number() {
    let (a, b) = two();
    for width in [32, 40, 80, 120] {
        let text = plain(&a, &b, width);
        let words = ["FASTER", "SLOWER", "SAME", "INCONCLUSIVE", "verdict "];
        assert!(words.iter().all(|word| !text.contains(word)), "{text}");
        assert!(text.contains("0.900") && text.contains("1.200"), "{text}");
    }
    let two = compare(&three("a", BASE)[..2], &three("b", BASE), 80, Colour::Plain);
    assert!(!two.contains("SAME") && two.contains("2 against 3 runs"), "{two}");
    let html = paw_report::html(&[a, b]);
    assert!(!html.contains("SLOWER") && html.contains("One run a side cannot tell"), "no verdict on the page either");
}

#[test]
fn a_renamed_program_is_compared_where_one_cell_a_side_remains() {
    let cell = |provider: &str, n: i64| measured(dgemm(provider, n, 1), 1e-5, &QUIET);
    let a = run(vec![cell("embedded", 64), cell("old", 64), cell("old", 128)]);
    let b = run(vec![cell("embedded", 64), cell("new", 64), cell("new", 128)]);
    let text = plain(&a, &b, 100);
    assert!(text.contains("3 cells in common") && text.contains("old of A with new of B"), "{text}");
    let b = run(vec![cell("new", 64), cell("newer", 64)]);
    let text = plain(&a, &b, 100);
    assert!(text.contains("no cell in common"), "two candidates are no pair: {text}");
}

#[test]
fn what_differs_is_said_where_no_cell_is_common() {
    let a = run(vec![measured(dgemm("embedded", 64, 1), 1e-5, &QUIET)]);
    let b = run(vec![measured(dgemm("openblas", 128, 1), 1e-5, &QUIET)]);
    let text = plain(&a, &b, 100);
    assert!(text.contains("no cell in common: n: 64 ≠ 128; provider: embedded ≠ openblas"), "{text}");
}

fn two() -> (Run, Run) {
    let a = run(vec![
        measured(dgemm("embedded", 64, 1), 1e-5, &QUIET),
        measured(dgemm("embedded", 128, 1), 1e-5, &QUIET),
        measured(dgemm("embedded", 256, 1), 1e-5, &QUIET),
        measured(dgemm("embedded", 512, 1), 1e-5, &QUIET),
    ]);
    let mut b = run(vec![
        measured(dgemm("embedded", 64, 1), 0.9e-5, &QUIET),
        measured(dgemm("embedded", 128, 1), 1.2e-5, &QUIET),
        measured(dgemm("embedded", 256, 1), 1e-5, &QUIET),
        measured(dgemm("embedded", 1024, 1), 1e-5, &QUIET),
    ]);
    b.header.id = "20260315T080000Z-xyz789".to_owned();
    (a, b)
}

#[test]
fn two_runs_at_80_columns() {
    let (a, b) = two();
    let expected = expect![[r#"
        A  20260314T092653Z-abc123
        B  20260315T080000Z-xyz789
        same machine
        3 cells in common: ratios, and no verdict
        one run a side cannot tell what changed from what differs from run to run; 3 a
        side decide
        1 cell only in A
        1 cell only in B
        B÷A is a ratio of times: below 1, B is faster

        dgemm  GFLOP/s  2mnk · embedded · threads=1
          n    A      B    B÷A
         64  100  111    0.900
        128  100   83.3  1.200
        256  100  100    1.000
    "#]];
    expected.assert_eq(&plain(&a, &b, 80));
}

#[test]
fn two_runs_at_40_columns() {
    let (a, b) = two();
    let expected = expect![[r#"
        A  20260314T092653Z-abc123
        B  20260315T080000Z-xyz789
        same machine
        3 cells in common: ratios, and no
        verdict
        one run a side cannot tell what changed
        from what differs from run to run; 3 a
        side decide
        1 cell only in A
        1 cell only in B
        B÷A is a ratio of times: below 1, B is
        faster

        dgemm  GFLOP/s  2mnk · embedded · threa…
          n    A      B    B÷A
         64  100  111    0.900
        128  100   83.3  1.200
        256  100  100    1.000
    "#]];
    expected.assert_eq(&plain(&a, &b, 40));
}

#[test]
fn equal_runs_are_nowhere_faster() {
    let text = compare(&three_like("a", &small()), &three_like("b", &small()), 120, Colour::Plain);
    assert!(text.contains("SAME") && !text.contains("FASTER") && !text.contains("SLOWER"), "{text}");
}

#[test]
fn one_run_that_is_named_three_times_is_one_run() {
    let (a, b) = (three("a", BASE), three("b", OTHER));
    let again = |run: &Run| vec![run.clone(), run.clone(), run.clone()];
    let text = compare(&again(&a[0]), &again(&b[0]), 100, Colour::Plain);
    assert!(!has_a_verdict(&text) && text.contains("1.200"), "{text}");
    assert!(text.contains("a0 is named 3 times in A and counts once") && text.contains("one run a side"), "{text}");
    let text = compare(&[a.clone(), again(&a[0])].concat(), &b, 100, Colour::Plain);
    assert!(text.contains("a0 is named 4 times in A") && text.contains("1.192  1.115…1.275"), "as without: {text}");
}

#[test]
fn a_run_of_both_sides_decides_nothing() {
    let (a, b) = (three("a", BASE), three("b", OTHER));
    let text = compare(&a, &[a[..1].to_vec(), b[..2].to_vec()].concat(), 100, Colour::Plain);
    assert!(!has_a_verdict(&text) && text.contains("a0 is in A and in B"), "{text}");
    let text = compare(&a, &a, 100, Colour::Plain);
    assert!(!has_a_verdict(&text) && text.contains("1.000"), "{text}");
    let text = compare(&a, &[a[..1].to_vec(), b].concat(), 100, Colour::Plain);
    assert!(!has_a_verdict(&text) && text.contains("2 against 3 runs"), "{text}");
}

#[test]
fn a_cell_with_numbers_of_too_few_runs_is_open_and_says_why() {
    let (a, mut b) = (three("a", BASE), three("b", OTHER));
    b[0].records.truncate(1);
    let text = compare(&a, &b, 100, Colour::Plain);
    assert!(text.contains("1 SLOWER, 1 INCONCLUSIVE"), "{text}");
    let row = text.lines().find(|line| line.trim_start().starts_with("128 ")).expect("the row is shown");
    assert!(row.contains("INCONCLUSIVE") && text.contains("2 runs of a side had numbers; 3 are needed"), "{text}");
    b.iter_mut().for_each(|run| run.records.truncate(1));
    b[1].records[0].samples = Samples::default();
    let text = compare(&a, &b, 100, Colour::Plain);
    assert!(!has_a_verdict(&text) && text.contains("no cell has a number in 3 runs of A"), "{text}");
}

#[test]
fn cells_without_a_number_on_either_side_are_counted_and_make_no_empty_table() {
    let bare =
        |id: &str| named(id, [64, 128].into_iter().map(|n| absent(dgemm("mkl", n, 1), Status::Skipped, "not found")));
    let text = plain(&bare("a0"), &bare("b0"), 80);
    assert!(text.contains("2 cells without a number in A and in B"), "{text}");
    assert!(text.contains("2 cells in common, and no ratio"), "{text}");
    assert!(!text.contains("B÷A") && !text.contains("dgemm"), "there is no ratio: {text}");
}

#[test]
fn different_machines_are_said_before_any_ratio() {
    let (a, mut b) = two();
    b.header.machine.identity.cpu = "Other 1".to_owned();
    b.header.machine.identity.fingerprint = "beef".to_owned();
    let text = plain(&a, &b, 80);
    let said = text.find("cpu: Example 9000 ≠ Other 1").expect("the difference is said");
    assert!(said < text.find("0.900").expect("there is a ratio"), "{text}");
    assert!(text.contains("not known to be the same machine"), "{text}");
}

#[test]
fn a_machine_nothing_is_known_of_is_not_called_the_same() {
    let (mut a, mut b) = two();
    a.header.machine = Default::default();
    b.header.machine = Default::default();
    assert!(plain(&a, &b, 80).contains("not known to be the same machine"), "{}", plain(&a, &b, 80));
}

#[test]
fn other_states_variables_and_methods_are_said() {
    let (a, mut b) = two();
    b.header.machine.state.insert("load1".to_owned(), "3.50".to_owned());
    b.header.env.clear();
    b.header.plan.method.name = "kbest".to_owned();
    let text = plain(&a, &b, 80);
    for line in ["load1: 0.10 ≠ 3.50", "OMP_NUM_THREADS: 2 ≠ not known", "method: adaptive ≠ kbest"] {
        assert!(text.contains(line), "{line} in {text}");
    }
}

#[test]
fn cells_that_do_other_work_are_not_compared() {
    let (a, mut b) = two();
    b.records[0].cell.work.flops *= 2.0;
    assert!(plain(&a, &b, 80).contains("other work"));
}

#[test]
fn imported_rows_are_compared_without_an_interval() {
    let (a, b) = (run(vec![imported(dgemm("mkl", 64, 1), 5e9)]), run(vec![imported(dgemm("mkl", 64, 1), 6e9)]));
    let text = plain(&a, &b, 80);
    assert!(text.contains("0.833") && !text.contains("INCONCLUSIVE"), "{text}");
}

#[test]
fn runs_without_a_common_cell_say_so() {
    let text = plain(&run(vec![]), &small(), 80);
    assert!(text.contains("no cell in common") && text.contains("only in B"), "{text}");
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for run in [small(), long(5), hostile()] {
        for width in [32, 40, 80, 120] {
            for line in plain(&run, &run, width).lines() {
                assert!(line.width() <= width, "{} of {width} columns: {line}", line.width());
            }
        }
    }
}

#[test]
fn a_cell_that_the_first_run_lacks_is_compared() {
    let (mut a, b) = (three("a", BASE), three("b", OTHER));
    a[0].records.truncate(1);
    a.push(named("a3", three("a", BASE)[0].records.clone().into_iter()));
    let text = compare(&a, &b, 100, Colour::Plain);
    assert!(text.contains("1 SLOWER, 1 INCONCLUSIVE") && text.contains("1.196") && text.contains("128  100"), "{text}");
    assert!(!text.contains("only in"), "{text}");
}

#[test]
fn what_a_later_run_chose_otherwise_is_said_with_its_name() {
    let (a, mut b) = (three("a", BASE), three("b", OTHER));
    b[2].header.plan.method.name = "paw16".to_owned();
    b[2].header.machine.state.insert("load1".to_owned(), "9.00".to_owned());
    let text = compare(&a, &b, 100, Colour::Plain);
    assert!(text.contains("method: adaptive ≠ paw16 (in b2)") && !text.contains("load1"), "{text}");
}
