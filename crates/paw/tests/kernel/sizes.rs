//! Sizes that fit, a kernel that begins, and one build at one size.

use crate::place::{QUICK, examples, kernel, run, wrong};

/// First and last number and the recommended one of a level's row.
fn row(out: &str, level: &str) -> [u64; 3] {
    let line = out.lines().find(|line| line.starts_with(level)).unwrap_or_else(|| panic!("no {level} in {out}"));
    let cells: Vec<&str> = line.split_whitespace().collect();
    [cells[1], cells[2], cells[3]].map(|cell| cell.parse().unwrap())
}

#[test]
fn sizes_are_the_largest_whose_arrays_fit() {
    let place = examples();
    let fit = |line: &str| kernel(&place, &format!("fit product.toml --caches 32K,256K,4M {line}")).out;
    assert_eq!(row(&fit(""), "L1"), [84, 1, 84]);
    assert_eq!(row(&fit(""), "L2"), [241, 156, 241]);
    assert_eq!(row(&fit("--rule l1=1"), "L1")[0], 89);
    assert_eq!(row(&fit("--rule l1=0.97"), "L1")[0], 88);
}

#[test]
fn a_new_kernel_of_every_language_measures_with_right_answers() {
    ::workplace::needs!(GXX, GFORTRAN);
    for language in ["c", "c++", "fortran", "rust"] {
        let place = examples();
        let made = kernel(&place, &format!("new fresh --language {language}"));
        assert_eq!(made.code, 0, "{language}: {}", made.err);
        let ran = kernel(&place, &format!("matrix fresh.toml --levels L1 --flags -O2 --out r {QUICK}"));
        assert_eq!(ran.code, 0, "{language}: {}{}", ran.err, ran.out);
        let run = run(&place);
        assert!(!run.records.is_empty() && wrong(&run).is_empty(), "{language}: {}", ran.out);
        assert!(ran.out.contains("✓ exact"), "{language}: {}", ran.out);
        let again = kernel(&place, &format!("new fresh --language {language}"));
        assert_ne!(again.code, 0);
        assert!(again.err.contains("fresh.toml"), "{}", again.err);
    }
}

#[test]
fn a_kernel_is_named_as_its_function_can_be() {
    let place = examples();
    for name in ["2fast", "no-name", "'a b'", "a.b"] {
        let ran = kernel(&place, &format!("new {name}"));
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{name}");
        assert!(ran.err.starts_with("paw: "), "{}", ran.err);
    }
}

#[test]
fn raw_numbers_are_as_many_as_were_asked_for_and_nothing_else() {
    let place = examples();
    let ran =
        kernel(&place, "measure product.toml --n 88 --warmup 10 --reps 20 --metas 31 --compiler gcc --raw --out r");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let numbers: Vec<f64> = ran.out.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(numbers.len(), 31, "{}", ran.out);
    assert!(numbers.iter().all(|ticks| *ticks > 0.0), "{}", ran.out);
}

#[test]
fn a_region_of_a_few_ticks_is_refused() {
    let place = examples();
    let ran =
        kernel(&place, "measure dot.toml --n 1 --reps 1 --warmup 0 --metas 6 --compiler gcc --out r --raw --quiet");
    assert_eq!(ran.code, 3, "{}{}", ran.err, ran.out);
    let line = ran.line("fewer than");
    assert!(line.contains("ticks"), "{line}");
}
