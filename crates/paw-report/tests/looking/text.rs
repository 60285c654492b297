//! The terminal.

use expect_test::{expect, expect_file};
use paw_data::cell::Role;
use paw_data::outcome::{CheckVerdict, Status};
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::run::{Record, Run};
use paw_report::{Colour, html, markdown, text};
use unicode_width::UnicodeWidthStr;

use crate::handmade::{
    QUIET, absent, cell, dgemm, disturbed, doubted, hostile, imported, long, measured, reference, run, small,
};

fn plain(run: &Run, width: usize) -> String {
    text(run, width, Colour::Plain)
}

#[test]
fn a_small_run_at_80_columns() {
    let expected = expect![[r#"
        dgemm     125 GFLOP/s, 89% of peak, fair (embedded, n=128, 1 thread)
        peak_f64  141 GFLOP/s (native, 1 thread)
        latency   L1 1.00 ns · L2 20.0 ns · memory 36.0 ns (memory_latency, working sets
                  16 KiB, 512 KiB, 8 MiB)
        trust     16 of 17 good: 1.5% of 136 samples were disturbed by other work: kept
                  in the file, left out of estimates.
        machine   Example 9000 · x86_64 · 1 package, 2 cores, 2 hardware threads · L1 32
                  KiB · L2 1 MiB · 8 GiB memory
        run       20260314T092653Z-abc123 · paw 0.1.0 · 2026-03-14T09:26:53Z

        dgemm  2mnk · threads=1
             n  provider  GFLOP/s     ±  of peak  samples  check  trust
            64  embedded      100  2.0%      71%        8      ✓  good
            64  openblas      111  2.0%      79%        8      ✓  good
           128  embedded      125  2.0%      89%        8      ✓  fair   misplaced
           128  openblas      119  2.4%      85%      6/8      ✓  good
        64…128  mkl       skipped: libmkl_rt.so.3: not found; looked in /usr/lib and
                          /opt/intel
           128  blis      failed: the worker was killed by signal 11
          good: repeats agree on it within ±, nine times in ten; fair: ± may be too
          narrow; poor: do not rely on it; ± is 2.0 % at least on a machine whose clock
          is not fixed
        against embedded, by rounds (÷: ratio of times; below 1 is faster)
          n  provider  embedded  value      ÷  interval     verdict  size
         64  openblas       100    111  0.900  0.900…0.900  FASTER   by 1 % or more
        128  openblas       125    119  1.049  1.016…1.083  SLOWER   by 1 % or more

        memory_latency  native · threads=1
          bytes     ns     ±  samples  check  trust
          4 KiB   1.00  2.0%        8      ✓  good
          8 KiB   1.00  2.0%        8      ✓  good
         16 KiB   1.00  2.0%        8      ✓  good
         32 KiB   4.00  2.0%        8      ✓  good
         64 KiB   8.00  2.0%        8      ✓  good
        128 KiB  12.0   2.0%        8      ✓  good
        256 KiB  16.0   2.0%        8      ✓  good
        512 KiB  20.0   2.0%        8      ✓  good
          1 MiB  24.0   2.0%        8      ✓  good
          2 MiB  28.0   2.0%        8      ✓  good
          4 MiB  32.0   2.0%        8      ✓  good
          8 MiB  36.0   2.0%        8      ✓  good

        references, measured in the same run
          peak_f64, native: 141 GFLOP/s

        samples: used/taken. Disturbed samples stay in the file and leave the estimate,
        unless fewer than three are clean.

        caveats
          misplaced (1 cell): threads ran elsewhere. → Measure on an idle machine.
    "#]];
    expected.assert_eq(&plain(&small(), 80));
}

#[test]
fn a_line_of_several_levels_has_the_word_of_the_one_known_least() {
    let mut run = small();
    assert!(plain(&run, 200).contains("memory 36.0 ns (memory_latency"), "all levels are good");
    let first_level = run.records.iter().position(|record| record.cell.point.float("bytes") == Some(16384.0)).unwrap();
    run.records[first_level] =
        doubted(run.records[first_level].clone(), "misplaced", "threads ran elsewhere", "Bind them.");
    let shown = plain(&run, 200);
    assert!(shown.contains("memory 36.0 ns, fair (memory_latency"), "{shown}");
}

#[test]
fn a_small_run_at_40_columns() {
    expect_file!["expected/small-40.txt"].assert_eq(&plain(&small(), 40));
}

#[test]
fn a_long_ladder_has_a_column_for_each_alternative() {
    let expected = expect![[r#"
        dgemm    200 GFLOP/s (embedded, n=128, 2 threads)
        trust    good: 30 of 30 measured cells are good.
        machine  Example 9000 · x86_64 · 1 package, 2 cores, 2 hardware threads · L1 32
                 KiB · L2 1 MiB · 8 GiB memory
        run      20260314T092653Z-abc123 · paw 0.1.0 · 2026-03-14T09:26:53Z

        dgemm  GFLOP/s · 2mnk
             embedded  openblas
          n  1 thread  1 thread
          8    100        90.0
         16    100        90.0
         32    100        90.0
         64    100        90.0
        128    100        90.0

             a_library_with_a_long_name   embedded
          n                    1 thread  2 threads
          8                       80.0      200
         16                       80.0      200
         32                       80.0      200
         64                       80.0      200
        128                       80.0      200

              openblas  a_library_with_a_long_name
          n  2 threads                   2 threads
          8     180                         160
         16     180                         160
         32     180                         160
         64     180                         160
        128     180                         160
          best embedded, 1 thread: 100 GFLOP/s ±2.0% at n=128
          best openblas, 1 thread: 90.0 GFLOP/s ±2.0% at n=128
          best a_library_with_a_long_name, 1 thread: 80.0 GFLOP/s ±2.0% at n=128
          best embedded, 2 threads: 200 GFLOP/s ±2.0% at n=128
          best openblas, 2 threads: 180 GFLOP/s ±2.0% at n=128
          best a_library_with_a_long_name, 2 threads: 160 GFLOP/s ±2.0% at n=128
        against embedded, by rounds (÷: ratio of times; below 1 is faster)
          n  provider                    thr      ÷  interval     verdict
          8  openblas                      1  1.111  1.111…1.111  SLOWER
          8  a_library_with_a_long_name    1  1.250  1.250…1.250  SLOWER
          8  openblas                      2  1.111  1.111…1.111  SLOWER
          8  a_library_with_a_long_name    2  1.250  1.250…1.250  SLOWER
         16  openblas                      1  1.111  1.111…1.111  SLOWER
         16  a_library_with_a_long_name    1  1.250  1.250…1.250  SLOWER
         16  openblas                      2  1.111  1.111…1.111  SLOWER
         16  a_library_with_a_long_name    2  1.250  1.250…1.250  SLOWER
         32  openblas                      1  1.111  1.111…1.111  SLOWER
         32  a_library_with_a_long_name    1  1.250  1.250…1.250  SLOWER
         32  openblas                      2  1.111  1.111…1.111  SLOWER
         32  a_library_with_a_long_name    2  1.250  1.250…1.250  SLOWER
         64  openblas                      1  1.111  1.111…1.111  SLOWER
         64  a_library_with_a_long_name    1  1.250  1.250…1.250  SLOWER
         64  openblas                      2  1.111  1.111…1.111  SLOWER
         64  a_library_with_a_long_name    2  1.250  1.250…1.250  SLOWER
        128  openblas                      1  1.111  1.111…1.111  SLOWER
        128  a_library_with_a_long_name    1  1.250  1.250…1.250  SLOWER
        128  openblas                      2  1.111  1.111…1.111  SLOWER
        128  a_library_with_a_long_name    2  1.250  1.250…1.250  SLOWER
    "#]];
    expected.assert_eq(&plain(&long(5), 80));
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for run in [small(), long(5), hostile(), run(vec![])] {
        for width in [32, 33, 40, 57, 80, 120, 200] {
            for line in plain(&run, width).lines() {
                assert!(line.width() <= width, "{} of {width} columns: {line}", line.width());
            }
        }
    }
}

#[test]
fn styles_change_no_character() {
    let run = small();
    let styled = text(&run, 80, Colour::Ansi);
    assert!(styled.contains("\u{1b}["));
    assert_eq!(strip(&styled), plain(&run, 80));
}

#[test]
fn names_cannot_steer_a_reader_of_any_printer() {
    let run = hostile();
    let mut csv = Vec::new();
    paw_data::store::csv::write(&run, &mut csv).unwrap();
    let two = paw_report::compare(std::slice::from_ref(&run), std::slice::from_ref(&run), 200, Colour::Plain);
    let shown =
        [plain(&run, 200), paw_report::markdown(&run), paw_report::html(&[run]), two, String::from_utf8(csv).unwrap()];
    for text in shown {
        assert!(text.contains("␛[31m") && text.contains("‹U+202E›"), "{text}");
        assert!(!text.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{text}");
    }
}

#[test]
fn a_run_without_cells_says_so() {
    let text = plain(&run(vec![]), 80);
    assert!(text.contains("nothing measured"), "{text}");
}

#[test]
fn a_run_of_skipped_cells_says_why_once() {
    let cells = [8, 16, 32].map(|n| absent(dgemm("mkl", n, 1), Status::Skipped, "libmkl_rt.so.3: not found"));
    let text = plain(&run(cells.to_vec()), 80);
    assert_eq!(text.matches("skipped: libmkl_rt.so.3: not found").count(), 1, "{text}");
    assert!(text.contains("8…32") && text.contains("nothing measured"), "{text}");
}

#[test]
fn benchmarks_that_are_skipped_for_one_reason_share_it() {
    let skipped = |benchmark: &str, why: &str| {
        let cell = cell("mpi", benchmark, "mpi", Quantity::Time, Point::new().with("ranks", 1));
        absent(cell, Status::Skipped, &format!("{why}. hint: mpirun -n 2 paw run {benchmark}"))
    };
    let alone = "no launcher started this process";
    let text = plain(
        &run(vec![skipped("allreduce", alone), skipped("bcast", alone), skipped("latency", "needs exactly 2 ranks")]),
        100,
    );
    assert_eq!(text.matches(alone).count(), 1, "{text}");
    assert!(
        text.contains("2 benchmarks skipped: no launcher started this process. hint: mpirun -n 2 paw run …"),
        "{text}"
    );
    assert!(text.contains("  allreduce bcast\n"), "{text}");
    assert!(text.contains("skipped: needs exactly 2 ranks. hint: mpirun -n 2 paw run latency"), "{text}");
}

#[test]
fn a_truncated_run_says_what_is_missing() {
    let mut cut = small();
    cut.end = None;
    cut.damage = Some("line 12 is cut off.".to_owned());
    cut.records[1].outcome = None;
    let text = plain(&cut, 300);
    assert!(text.contains("line 12 is cut off."), "{text}");
    assert!(text.contains("cut off before its end"), "{text}");
}

#[test]
fn a_run_that_did_not_end_well_says_so() {
    let ended = |state: &str| {
        let mut run = small();
        run.end.as_mut().expect("it has an end").state = state.to_owned();
        plain(&run, 200)
    };
    assert!(ended("interrupted").contains("was interrupted"));
    assert!(ended("unsaved").contains("Not all of the run could be saved"));
    assert!(ended("crashed").contains("ended as `crashed`"), "a state of a newer version");
    assert!(ended("done").contains("trust     16 of 17 good: 1.5% of 136 samples") && !ended("done").contains("ended"));
}

#[test]
fn disturbed_samples_that_count_are_not_called_left_out() {
    let few = || disturbed(measured(dgemm("embedded", 64, 1), 1e-5, &QUIET[..3]), 0);
    let text = plain(&run(vec![few()]), 200);
    assert!(text.contains("100% of 3 samples were disturbed by other work: they count, because"), "{text}");
    assert!(!text.contains("left out of estimates"), "{text}");
    let one = disturbed(measured(dgemm("embedded", 128, 1), 1e-5, &QUIET), 7);
    let text = plain(&run(vec![few(), one]), 200);
    assert!(text.contains("; 1 left out of estimates, 3 counted, because too few others were taken."), "{text}");
}

#[test]
fn one_process_is_not_called_the_cause_of_poor_numbers() {
    let mut single = measured(dgemm("embedded", 64, 1), 1e-5, &QUIET[..1]);
    single.samples.invocation.fill(0);
    let mut other = single.clone();
    other.cell = dgemm("embedded", 128, 1);
    let text = plain(&run(vec![single, other]), 200);
    assert!(text.contains("poor: 2 of 2 measured cells are poor.\n"), "{text}");
}

#[test]
fn times_that_are_none_are_said_to_be_the_reason() {
    for bad in [0.0, -1e-3, f64::NAN] {
        let mut record = measured(dgemm("embedded", 64, 1), 1e-5, &QUIET);
        record.samples.elapsed_s.fill(bad);
        let text = plain(&run(vec![record]), 120);
        assert!(text.contains("8 of 8 samples have no time above zero, so that none counts"), "{bad}: {text}");
        assert!(!text.contains("not timed"), "{text}");
    }
}

#[test]
fn references_have_a_line_for_each_size_the_word_of_doubt_and_the_reason_of_those_without_a_number() {
    let place = |bytes: i64| Point::new().with("bytes", bytes).with("threads", 1);
    let bandwidth = |bytes: i64| cell("memory", "cache_bandwidth", "native", Quantity::Bytes, place(bytes));
    let mut records = vec![measured(dgemm("embedded", 64, 1), 1e-5, &QUIET)];
    let of = |bytes: i64, seconds: f64, samples: usize| measured(bandwidth(bytes), seconds, &QUIET[..samples]);
    records.extend([of(1 << 14, 1e-6, 8), of(1 << 20, 1e-5, 2)].map(|own| reference(own, Role::Bandwidth)));
    let lost = absent(bandwidth(1 << 25), Status::Failed, "the worker was killed by signal 9");
    records.push(reference(lost, Role::Bandwidth));
    let run = run(records);
    let page = html(std::slice::from_ref(&run)).replace("&#x2f;", "/");
    for text in [plain(&run, 120), markdown(&run), page] {
        assert!(text.contains("16 KiB") && text.contains("1.00 TB/s") && text.contains("1 MiB"), "{text}");
        assert!(text.contains("100 GB/s, poor") && !text.contains("over 2 groups"), "{text}");
        assert!(text.contains("failed: the worker was killed by signal 9"), "{text}");
    }
}

#[test]
fn imported_rows_have_a_value_and_no_interval() {
    let text = plain(&run(vec![imported(dgemm("mkl", 64, 1), 5e9), imported(dgemm("mkl", 128, 1), 7e9)]), 80);
    let row = text.lines().find(|line| line.starts_with(" 64")).expect("the row stands there");
    assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["64", "5.00", "10", "fair"], "{text}");
}

#[test]
fn a_wrong_answer_has_no_number_and_is_the_verdict() {
    let mut record = measured(dgemm("openblas", 64, 1), 1e-5, &QUIET);
    let outcome = record.outcome.as_mut().expect("it was measured");
    outcome.status = Status::Failed;
    outcome.why = Some("element (3, 4) is off by 1e-9".to_owned());
    outcome.check.as_mut().expect("it was checked").verdict = CheckVerdict::Fail;
    let text = plain(&run(vec![record, measured(dgemm("embedded", 64, 1), 2e-5, &QUIET)]), 120);
    assert!(text.contains("wrong answers: 1 cell gave a wrong answer"), "{text}");
    assert!(text.contains("failed: element (3, 4) is off by 1e-9"), "{text}");
    assert!(!text.contains("100 GFLOP/s"), "{text}");
}

#[test]
fn a_team_that_a_fault_stopped_shows_its_samples_and_why() {
    let mut record = measured(dgemm("openmpi", 64, 1), 1e-5, &QUIET);
    record.cell.team = Some(0);
    let outcome = record.outcome.as_mut().expect("it was measured");
    (outcome.status, outcome.check) = (Status::Failed, None);
    outcome.why = Some("rank 1 on node-b gave no sign of life".to_owned());
    let text = plain(&run(vec![record.clone(), measured(dgemm("embedded", 64, 1), 2e-5, &QUIET)]), 160);
    let row =
        text.lines().find(|line| line.starts_with("openmpi ") && line.contains("100")).expect("its row stands there");
    assert!(row.contains("poor") && row.contains("failed"), "{text}");
    assert!(text.contains("failed: rank 1 on node-b gave no sign of life"), "{text}");
    // What no team measured is shown whole or not at all.
    record.cell.team = None;
    assert!(!plain(&run(vec![record]), 160).contains("100"), "{text}");
}

#[test]
fn a_busy_machine_is_called_contended() {
    let busy = disturbed(measured(dgemm("embedded", 64, 1), 1e-5, &QUIET), 4);
    let text = plain(&run(vec![busy]), 120);
    assert!(text.contains("contended:") && text.contains("50% of 8 samples were disturbed"), "{text}");
}

#[test]
fn an_axis_that_follows_the_ladder_is_not_shown() {
    let square = |n: i64| {
        let mut cell = dgemm("embedded", n, 1);
        cell.point.set("m", n.into());
        measured(cell, 1e-5, &QUIET)
    };
    let text = plain(&run(vec![square(64), square(128)]), 80);
    let header = text.lines().find(|line| line.contains("GFLOP/s") && line.contains('±')).expect("a table");
    assert!(header.trim_start().starts_with("n  GFLOP/s"), "{text}");
}

fn strip(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |out, part| out + part.split_once('m').map_or("", |(_, rest)| rest))
}

/// A record of 10⁶ operations at this rate in GFLOP/s, in a group.
fn at(gflops: f64, group: u32, mut record: Record) -> Record {
    record.cell.group = group;
    record.samples.elapsed_s.iter_mut().for_each(|seconds| *seconds *= 1e-3 / gflops);
    record
}

fn product(threads: i64) -> Record {
    measured(dgemm("embedded", 1024, threads), 1.0, &QUIET)
}

fn peak(provider: &str, threads: i64) -> Record {
    measured(cell("peak", "peak_f64", provider, Quantity::Flops, Point::new().with("threads", threads)), 1.0, &QUIET)
}

#[test]
fn the_peak_of_the_headline_is_the_one_that_its_share_is_of() {
    let roof = |record: Record| reference(record, Role::Peak);
    let others: [(&str, Vec<Record>); 5] = [
        ("one thread", vec![at(150.0, 1, product(1)), at(156.0, 1, roof(peak("native", 1)))]),
        ("a slower minute", vec![at(140.0, 1, product(2)), at(156.0, 1, roof(peak("native", 2)))]),
        ("a faster minute", vec![at(200.0, 1, product(2)), at(400.0, 1, roof(peak("native", 2)))]),
        ("a disturbed reference", vec![at(500.0, 0, disturbed(roof(peak("other", 2)), 0))]),
        ("a peak for its own sake", vec![at(156.0, 1, peak("native", 2))]),
    ];
    for (what, others) in others {
        let mut records = vec![at(285.0, 0, product(2)), at(306.0, 0, roof(peak("native", 2)))];
        records.extend(others);
        let page = plain(&run(records), 100);
        let line = |name: &str| page.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned();
        assert!(line("dgemm").contains("285 GFLOP/s, 93% of peak"), "{what}: {page}");
        assert!(line("peak_f64").contains("306 GFLOP/s"), "{what}: {page}");
    }
}
