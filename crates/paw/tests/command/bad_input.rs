//! Flags that mean nothing: one clear sentence, exit 2, nothing left behind.

use crate::workplace::Workplace;

/// `args` are refused with this code, and a sentence that holds `part`.
fn refused(args: &str, code: i32, part: &str) {
    let workplace = Workplace::new();
    let ran = workplace.paw(args);
    assert_eq!(ran.code, code, "{args}: {}{}", ran.out, ran.err);
    assert!(ran.err.contains(part), "{args}: {}", ran.err);
    assert_eq!(ran.out, "", "{args}");
    assert!(workplace.names(".").is_empty(), "{args} left {:?}", workplace.names("."));
}

#[test]
fn axes_are_read_strictly() {
    refused("run dgemm --set n=0", 2, "--set n: `0` is zero: at least 1 is needed");
    refused("run dgemm --set n=-8", 2, "--set n: `-8` is negative: at least 1 is needed");
    refused("run dgemm --set n=8..x", 2, "--set n: `x` is not a whole number");
    refused("run dgemm --set n=64..8", 2, "`64..8` runs backwards");
    refused("run dgemm --set n=4K", 2, "`4K` is 1000 to some and 1024 to others: write 4KB or 4KiB");
    refused("run dgemm --set n", 2, "`--set n` is not AXIS=VALUES");
    refused("run dgemm --set transa=Q", 2, "`Q` is not one of N, T");
    refused("run dgemm --set alpha=one", 2, "`one` is not a number");
    refused("run dgemm --set transc=N", 2, "did you mean `transa`?");
    refused("run dgemm --set threads=2", 2, "--threads 1,2");
    refused("run dgemm --set shape=flat", 2, "`flat` is not one of square, rank-k, panel, tall, inner");
    refused("run dgemm --set shape=tall --set k=40", 2, "--set shape: it decides k, which is set too");
    refused("run core_clock --set n=8", 2, "nothing that was selected has an axis `n`");
}

#[test]
fn counts_and_times_are_read_strictly() {
    refused("run dgemm --threads 0", 2, "--threads: `0` is zero");
    refused("run dgemm --threads many", 2, "write numbers, socket, cores, all, oversubscribed or topology");
    refused("run dgemm --threads 9999999999", 2, "--threads: 9999999999 threads at once are more than paw starts here");
    refused("run dgemm --threads 2147483648", 2, "64 for each of");
    refused("app --threads 2147483648 -- true", 2, "2147483648 threads at once are more than paw starts here");
    refused("app --copies 2147483648 -- true", 2, "--copies: 2147483648 copies at once are more than paw starts here");
    refused("run dgemm --budget 2", 2, "--budget: `2` is not a time: write 90s, 2m or 1h30m");
    refused("run device_burn --for 2", 2, "--for: `2` is not a time: write 90s, 2m or 1h30m");
    refused("run device_burn --for 500ms", 2, "--for 500ms: a load lasts whole seconds");
    refused("run dgemm --for 60s", 2, "--for 60s: nothing that was selected is a load that lasts");
    refused("run device_burn --for 60s --set seconds=6", 2, "--for and --set seconds are the same");
    refused("run dgemm --reps none", 2, "--reps: `none` is not a whole number");
    refused("run dgemm --reps -1", 2, "-1");
    refused("run dgemm --method kbset", 2, "did you mean `kbest`?");
    refused("run dgemm --seed x", 2, "invalid value 'x'");
    refused("run dgemm --format yaml", 2, "[possible values: text, json, csv, md]");
}

#[test]
fn a_provider_that_is_none_is_refused() {
    refused("run dgemm --set n=8 --provider embeded", 2, "embeded");
    refused("run dgemm --set n=8 --provider ./no/such/libblas.so", 2, "no/such/libblas.so");
}

#[test]
fn a_file_that_is_no_blas_costs_its_own_cells_only() {
    let workplace = Workplace::new();
    std::fs::write(workplace.path("libfake.so"), "not a library").unwrap();
    let args = "run dgemm --set n=8 --reps 6 --loops 10 --threads 1 --quiet --provider embedded,./libfake.so";
    let ran = workplace.paw(&format!("{args} --out a"));
    assert_eq!(ran.code, 0, "a skipped cell is a result: {}{}", ran.out, ran.err);
    assert!(ran.out.contains("./libfake.so: cannot be loaded"), "{}", ran.out);
    assert!(ran.out.contains("embedded"), "{}", ran.out);
    assert_eq!(workplace.paw(&format!("{args} --require --out b")).code, 4);
}

#[test]
fn a_size_beyond_memory_says_how_much_is_needed_and_there() {
    let workplace = Workplace::new();
    let args = "run dgemm --set n=1000000 --provider embedded --threads 1 --quiet";
    let ran = workplace.paw(&format!("{args} --out a"));
    assert_eq!(ran.code, 0, "a skipped cell is a result: {}", ran.err);
    assert!(ran.out.contains("GB of memory") && ran.out.contains("are free"), "{}", ran.out);
    assert_eq!(workplace.paw(&format!("{args} --require --out b")).code, 4);
}

#[test]
fn samples_are_csv() {
    refused("export nowhere --format json --samples", 2, "--samples goes with --format csv only");
}

#[test]
fn an_error_in_paw_toml_names_its_line() {
    let workplace = Workplace::new();
    std::fs::write(workplace.path("paw.toml"), "# libraries\nblass = \"x\"\n").unwrap();
    let ran = workplace.paw("run dgemm --set n=8 --dry-run");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("paw.toml:2: unknown field `blass`, expected `blas` or `history`"), "{}", ran.err);
}

#[test]
fn paw_toml_names_libraries() {
    let workplace = Workplace::new();
    std::fs::write(workplace.path("libmine.so"), "").unwrap();
    std::fs::write(workplace.path("paw.toml"), "blas = \"libmine.so\"\n").unwrap();
    let out = workplace.paw("run dgemm --set n=8 --threads 1 --dry-run --format csv").out;
    assert!(out.contains(",embedded,") && out.contains(",mine,"), "{out}");
    let set = workplace.paw_with(&[("PAW_BLAS_LIBRARY", "./libmine.so")], "run dgemm --set n=8 --dry-run --format csv");
    assert!(set.out.contains(",mine,"), "{}", set.out);
}
