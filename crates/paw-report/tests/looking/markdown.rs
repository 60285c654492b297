//! Markdown.

use expect_test::expect;
use paw_report::markdown;

use crate::handmade::{hostile, run, small};

#[test]
fn a_small_run() {
    let expected = expect![[r#"
        # node1 · 2026-03-14T09:26:53Z

        - **dgemm**: 125.0 GFLOP/s, 89% of peak, fair (embedded, n=128, 1 thread)
        - **peak_f64**: 140.8 GFLOP/s (native, 1 thread)
        - **latency**: L1 1.00 ns · L2 20.0 ns · memory 36.0 ns (memory_latency, working sets 16 KiB, 512 KiB, 8 MiB)
        - **trust**: good. 1.5% of 136 samples were disturbed by other work: kept in the file, left out of estimates. Nothing speaks against 15 of 17 measured cells.
        - **machine**: Example 9000 · x86_64 · 1 package, 2 cores, 2 hardware threads · L1 32 KiB · L2 1 MiB · 8 GiB memory

        ## dgemm

        2mnk · threads=1

        | n | provider | GFLOP/s | ± | share | samples | check | trust |
        | --: | :-- | --: | --: | :-- | :-- | :-- | :-- |
        | 64 | embedded | 100.0 | 0.3% | 71% of peak | 8 | right | good |
        | 64 | openblas | 111.1 | 0.3% | 79% of peak | 8 | right | good |
        | 128 | embedded | 125.0 | 0.3% | 89% of peak | 8 | right | fair: unconverged |
        | 128 | openblas | 119 | 2.0% | 85% of peak | 6/8 | right | fair: unconverged |

        - mkl, n=64…128: skipped: libmkl_rt.so.3: not found; looked in /usr/lib and /opt/intel
        - blis, n=128: failed: the worker was killed by signal 11

        ## memory_latency

        native · threads=1

        | bytes | ns | ± | share | samples | check | trust |
        | --: | --: | --: | :-- | :-- | :-- | :-- |
        | 4 KiB | 1.000 | 0.3% |  | 8 | right | good |
        | 8 KiB | 1.000 | 0.3% |  | 8 | right | good |
        | 16 KiB | 1.000 | 0.3% |  | 8 | right | good |
        | 32 KiB | 4.000 | 0.3% |  | 8 | right | good |
        | 64 KiB | 8.000 | 0.3% |  | 8 | right | good |
        | 128 KiB | 12.00 | 0.3% |  | 8 | right | good |
        | 256 KiB | 16.00 | 0.3% |  | 8 | right | good |
        | 512 KiB | 20.00 | 0.3% |  | 8 | right | good |
        | 1 MiB | 24.00 | 0.3% |  | 8 | right | good |
        | 2 MiB | 28.00 | 0.3% |  | 8 | right | good |
        | 4 MiB | 32.00 | 0.3% |  | 8 | right | good |
        | 8 MiB | 36.00 | 0.3% |  | 8 | right | good |

        ## References, measured in the same rounds

        - peak_f64, native: 140.8 GFLOP/s

        ## Caveats

        - **unconverged** (2 cells): the interval is ±2 %; elsewhere with other numbers. → Measure on an idle machine.

        ## How it was measured

        Method `adaptive`.

        - 1 warm-up sample before each series, not counted.
        - A sample repeats the operation until it lasts at least 1000 clock overheads and 1.00 ms; twice the repetitions must take twice the time.
        - A series ends when the 95 % interval of its median is within ±1.0%, after 16 to 128 samples (6 suffice where one lasts longer than a second).
        - The headline is the median of the samples that nothing disturbed; ± is half the 95 % order-statistic interval of that median.
        - Operands are allocated and touched once and live through the series.

        Command: `paw run dgemm --set n=64,128`

        Environment: `OMP_NUM_THREADS=2`

        Run `20260314T092653Z-abc123`, paw 0.1.0
    "#]];
    expected.assert_eq(&markdown(&small()));
}

#[test]
fn rows_have_as_many_cells_as_their_header_whatever_the_names() {
    for run in [small(), hostile()] {
        let text = markdown(&run);
        let tables = text.split("\n\n").filter(|block| block.starts_with('|'));
        let mut rows = 0;
        for table in tables {
            let cells = |line: &str| line.replace(r"\|", "").matches('|').count();
            let header = cells(table.lines().next().expect("a table has a line"));
            for line in table.lines() {
                assert_eq!(cells(line), header, "{line}");
                rows += 1;
            }
        }
        assert!(rows > 10, "the tables are there");
    }
}

#[test]
fn names_are_no_markup() {
    let text = markdown(&hostile());
    // These lines are code, where markup is text.
    let code = |line: &&str| ["Method ", "Command: ", "Environment: ", "Run "].iter().any(|c| line.starts_with(c));
    let outside: Vec<&str> = text.lines().filter(|line| !code(line)).collect();
    assert!(outside.len() > 20 && !outside.iter().any(|line| line.contains("<script")));
}

#[test]
fn an_empty_run_is_a_document() {
    let text = markdown(&run(vec![]));
    assert!(text.starts_with("# node1") && text.contains("nothing measured") && text.ends_with('\n'));
}
