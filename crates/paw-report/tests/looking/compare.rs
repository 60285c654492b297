//! Two runs against each other.

use expect_test::expect;
use paw_data::run::Run;
use paw_report::{Colour, compare};
use unicode_width::UnicodeWidthStr;

use crate::handmade::{QUIET, dgemm, hostile, imported, long, measured, run, small};

fn plain(a: &Run, b: &Run, width: usize) -> String {
    compare(a, b, width, Colour::Plain)
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
        1 FASTER, 1 SLOWER, 1 SAME
        indicative: one run a side: what changed between the runs cannot be told from
        what changed in them
        1 cell only in A
        1 cell only in B
        B÷A is a ratio of times: below 1, B is faster

        dgemm  GFLOP/s  2mnk · embedded · threads=1
          n      A       B    B÷A  interval     verdict
         64  100.0  111.1   0.900  0.898…0.902  FASTER
        128  100.0   83.33  1.200  1.198…1.202  SLOWER
        256  100.0  100.0   1.000  0.998…1.002  SAME
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
        1 FASTER, 1 SLOWER, 1 SAME
        indicative: one run a side: what changed
        between the runs cannot be told from
        what changed in them
        1 cell only in A
        1 cell only in B
        B÷A is a ratio of times: below 1, B is
        faster

        dgemm  GFLOP/s  2mnk · embedded · threa…
          n       B    B÷A  interval     verdict
         64  111.1   0.900  0.898…0.902  FASTER
        128   83.33  1.200  1.198…1.202  SLOWER
        256  100.0   1.000  0.998…1.002  SAME
    "#]];
    expected.assert_eq(&plain(&a, &b, 40));
}

#[test]
fn a_run_against_itself_is_nowhere_faster() {
    let run = small();
    let text = plain(&run, &run, 120);
    assert!(text.contains("SAME") && !text.contains("FASTER") && !text.contains("SLOWER"), "{text}");
}

#[test]
fn different_machines_are_said_before_any_ratio() {
    let (a, mut b) = two();
    b.header.machine.identity.cpu = "Other 1".to_owned();
    b.header.machine.identity.fingerprint = "beef".to_owned();
    let text = plain(&a, &b, 80);
    let said = text.find("cpu: Example 9000 ≠ Other 1").expect("the difference is said");
    assert!(said < text.find("FASTER").expect("there is a verdict"), "{text}");
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
    assert!(text.contains("0.833") && text.contains("INCONCLUSIVE"), "{text}");
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
