//! The answer for a single program: a few lines, and all of it on demand.

use crate::workplace::Workplace;

#[test]
fn a_single_program_is_answered_in_six_lines() {
    let workplace = Workplace::new();
    let ran = workplace.shell("COLUMNS=80 exec $PAW app --out r --reps 5 -- true 2>&1");
    let said = ran.out;
    assert!(said.lines().count() <= 6, "{said}");
    for part in ["true  ", "median ", "memory ≤ ", "trust  ", "saved in ", "/r: "] {
        assert!(said.contains(part), "`{part}` is missing:\n{said}");
    }
    assert!(!said.contains("parallel program") && !said.contains("warning"), "{said}");
    let whole = workplace.shell("exec $PAW show r");
    assert_eq!(whole.code, 0, "{}", whole.err);
    for part in ["machine  ", "command  true", "what a run used"] {
        assert!(whole.out.contains(part), "`{part}` is missing:\n{}", whole.out);
    }
    assert!(!whole.out.contains("parallel program"), "{}", whole.out);
    let verbose = workplace.shell("exec $PAW app -v --reps 5 -- true");
    assert!(verbose.out.contains("command  true") && verbose.err.contains("measuring 1 cell"), "{}", verbose.err);
    assert_eq!(workplace.shell("exec $PAW show nothing").code, 7);
}

#[test]
fn memory_above_the_launcher_s_is_the_program_s() {
    let program = "import os; held = bytearray(50_000_000)";
    let ran = Workplace::new().shell(&format!("exec $PAW app --reps 2 --warmup 0 -- python3 -c '{program}'"));
    assert!(ran.out.contains("memory ") && !ran.out.contains("≤"), "{}{}", ran.out, ran.err);
}
