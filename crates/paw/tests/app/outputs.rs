//! What becomes of what a program prints.

use std::fs;

use crate::workplace::{Ran, Workplace};

/// The mebibytes that `spin` prints in these tests; then it prints a last line.
const MIB: u64 = 20;

fn run(flags: &str) -> (Workplace, Ran) {
    let workplace = Workplace::new();
    let ran = workplace.app(&format!("--reps 2 {flags} -- $SPIN --print-mb {MIB}"));
    assert_eq!(ran.code, 0, "{flags}: {}", ran.err);
    (workplace, ran)
}

fn kept(workplace: &Workplace) -> Option<u64> {
    fs::metadata(workplace.path("r/logs/0000.out")).ok().map(|data| data.len())
}

#[test]
fn output_that_nobody_reads_is_discarded() {
    for flags in ["", "--output null"] {
        let (workplace, _) = run(flags);
        assert_eq!(kept(&workplace), None, "{flags}");
        assert_eq!(workplace.run().header.app.expect("facts").output, "discarded");
        assert!(workplace.read("r/report.html").contains("The standard output of the programs: discarded."));
    }
}

#[test]
fn of_output_that_is_searched_both_ends_are_kept() {
    for flags in ["--verify 'stdout contains spin spin'", "--metric 'last=last ([0-9]+)'", "--output pipe"] {
        let workplace = Workplace::new();
        let ran =
            workplace.app(&format!("--reps 2 {flags} -- sh -c '$SPIN --print-mb {MIB}; printf \"\\nlast 7\\n\"'"));
        assert_eq!(ran.code, 0, "{flags}: {}", ran.err);
        let said = workplace.read("r/logs/0000.out");
        assert!(said.len() < 200 << 10, "{flags}: {} bytes", said.len());
        assert!(said.contains("bytes were left out here") && said.ends_with("\nlast 7\n"), "{flags}");
    }
}

#[test]
fn output_that_is_compared_or_wanted_is_kept_whole() {
    let workplace = Workplace::new();
    workplace.write("five", "12345\n");
    let ran = workplace.app("--reps 2 --verify 'stdout equals five' -- echo 12345");
    assert_eq!((ran.code, kept(&workplace)), (0, Some(6)), "{}", ran.err);
    let (workplace, _) = run("--keep-output");
    assert!(kept(&workplace) >= Some(MIB << 20));
}

#[test]
fn output_goes_where_it_is_sent() {
    let workplace = Workplace::new();
    let ran = workplace.app("--reps 2 --warmup 1 --output said -- echo 12345");
    assert_eq!((ran.code, workplace.read("said").as_str()), (0, "12345\n"), "{}", ran.err);
    for flags in ["--show-output", "--output inherit"] {
        let ran = Workplace::new().app(&format!("--reps 2 --warmup 1 {flags} -- echo 12345"));
        let said = ran.out.lines().filter(|line| *line == "12345").count();
        assert_eq!(said, 3, "{flags}: {}", ran.out);
    }
}

#[test]
fn what_is_needed_is_not_thrown_away() {
    for flags in [
        "--output null --metric 'x=([0-9])'",
        "--show-output --verify 'stdout contains 1'",
        "--output pipe --verify 'stdout equals x'",
    ] {
        let ran = Workplace::new().app(&format!("{flags} -- echo 1"));
        assert_eq!(ran.code, 2, "{flags}");
        assert!(ran.err.contains("--metric or --verify reads what the program prints, which is "), "{}", ran.err);
    }
}

#[test]
fn a_failure_has_its_last_words_though_output_is_discarded() {
    let ran = Workplace::new().app("--reps 2 -- sh -c 'echo of no use; echo no such galaxy >&2; exit 3'");
    assert_eq!(ran.code, 3);
    assert!(ran.err.contains("| no such galaxy") && ran.err.contains("its output was discarded"), "{}", ran.err);
}
