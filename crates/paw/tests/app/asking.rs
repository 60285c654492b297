//! What makes no sense is refused in a sentence with the way out, before anything runs or is made.

use crate::workplace::Workplace;

/// `paw app` with this line says this first, and then that there is this way out.
fn check(line: &str, code: i32, sentence: &str, rest: &str) {
    let workplace = Workplace::new();
    workplace.write("broken.toml", "paw = \"app/1\"\ncommand = [\"true\"]\nreps = \"x\n");
    workplace.write("unknown.toml", "paw = \"app/1\"\ncommand = [\"true\"]\nrepz = 3\n");
    let ran = workplace.app(line);
    assert_eq!(ran.code, code, "{line}: {}", ran.err);
    assert!(ran.sentence().contains(sentence), "{line}: {}", ran.err);
    assert!(ran.err.contains(rest), "{line}: {}", ran.err);
    assert_eq!(ran.out, "", "{line}");
    assert!(!workplace.path("r").exists(), "{line}: a directory was made");
    assert!(!ran.err.contains("panicked") && ran.err.lines().count() <= 4, "{line}: {}", ran.err);
}

#[test]
fn a_command_is_needed() {
    check("", 2, "there is no command to measure", "hint: write it after --");
    check("--", 2, "there is no command to measure", "hint: write it after --");
    check("-- ''", 2, "the command has no name: its first word is empty", "hint: write a program there");
    check("\"'' x\"", 2, "the command has no name", "");
}

#[test]
fn a_forgotten_separator_is_explained() {
    check("sleep 0.01", 2, "`0.01` is no program", "hint: one command with its arguments: paw app -- sleep 0.01");
    check("'FOO=1 sleep 1' true", 2, "is FOO the command's name, or a variable?", "'env FOO=1 sleep 1'");
    let ran = Workplace::new().app("ls -l");
    assert!(ran.code == 2 && ran.err.contains("paw app -- ls -l, or paw app 'ls -l'"), "{}", ran.err);
}

#[test]
fn what_only_a_shell_understands_is_asked_about() {
    check("'true | cat'", 2, "`true | cat` needs a shell for `|`: --shell", "");
    check("-p 'sync; echo 3 > drop' true", 2, "`sync; echo 3 > drop` needs a shell for `sync;`", "in quotes");
}

#[test]
fn work_that_is_no_number_above_0_is_refused() {
    check("--work '0 events' true", 2, "--work: `0` is 0, and there is no throughput of it", "hint: write a formula");
    check("--work '1/0 events' true", 2, "--work: `1/0` is ", "");
    check("--set n=1,2 --work 'n-2 events' -- true {n}", 2, "--work: `n-2` is -1 at n=1", "more than 0 at every point");
    check("--set m=a,b --work 'm events' -- true {m}", 2, "--work: `m` is no number at m=a", "");
}

#[test]
fn a_placeholder_without_values_is_reported_with_the_likely_one() {
    check("--set size=1,2 -- echo {sise}", 2, "`{sise}` is no placeholder here", "did you mean {size}?");
    check("--threads 1 -- echo {thread}", 2, "`{thread}` is no placeholder here", "did you mean {threads}?");
    check("-- echo {n}", 2, "`{n}` is no placeholder here", "write `{{n}}`");
    check("--set n=1 --prepare 'cp {m} x' -- echo {n}", 2, "`{m}` is no placeholder here", "{n}");
}

#[test]
fn a_parameter_that_no_command_has_is_refused() {
    check("--set n=1,2 -- true", 2, "no command has {n}", "would measure the same");
}

#[test]
fn numbers_that_are_none_are_named_with_their_flag() {
    for (flags, sentence) in [
        ("--threads 0", "--threads: `0` is zero"),
        ("--threads many", "--threads: `many` is not a whole number"),
        ("--threads 1,,2", "--threads: `` is not a whole number"),
        ("--copies 0", "--copies: `0` is zero"),
        ("--within 0", "--within: `0` is no share"),
        ("--within 5%%", "--within: `5%%` is no share"),
        ("--k 0", "--k: `0` is zero"),
        ("--min 0", "--min: `0` is zero"),
        ("--max 0", "--max: `0` is zero"),
        ("--reps 0", "--reps: `0` is zero"),
        ("--reps -1", "--reps: `-1` is negative"),
        ("--reps 99999999999", "--reps: `99999999999` is more than"),
        ("--warmup x", "--warmup: `x` is not a whole number"),
        ("--timeout 0", "--timeout: `0` is not a time"),
        ("--timeout -1", "--timeout: `-1` is not a time"),
        ("--budget soon", "--budget: `soon` is not a time"),
    ] {
        check(&format!("{flags} -- true"), 2, sentence, "");
    }
}

#[test]
fn bounds_that_cannot_be_kept_are_refused() {
    check("--min 9 --max 3 -- true", 2, "--min 9 is more than --max 3", "");
    check("--k 5 --max 3 -- true", 2, "5 runs must agree (--k 5), and at most 3 are made", "--reps 3");
    check("--k 3 --max 3 --kbest-exclusive -- true", 2, "4 runs must agree (--k 3)", "--reps 3");
    check("--method adaptive --k 3 -- true", 2, "--k and --kbest-exclusive belong to", "kbest");
}

#[test]
fn an_unknown_word_is_reported_with_the_known_ones() {
    check("--method paw -- true", 2, "`paw` is no method for applications", "kbest, csapp, adaptive");
    check("--drive ms -- true", 2, "--drive ms: there is no --metric ms=", "");
    check("--headline ms --drive ns -- true", 2, "--headline ms: there is no --metric ms=", "");
    check("--metric ms -- true", 2, "--metric: `ms` is no metric", "NAME=REGEX");
    check("--metric 'ms=(' -- true", 2, "--metric: metric ms: `(` is no regular expression", "unclosed group");
    check(
        "--verify 'stdout holds 3' -- true",
        2,
        "--verify: `stdout holds 3` is no expectation",
        "stdout contains TEXT",
    );
    check("--verify 'exit many' -- true", 2, "`exit many`", "from 0 to 255");
    check("--hash-input nowhere -- true", 2, "--hash-input: input nowhere: there is no such file", "");
    check("--set threads=1 -- true {threads}", 2, "--set threads: threads has a flag of its own", "--threads 1,2");
    check("--set n -- true {n}", 2, "`--set n` is not AXIS=VALUES", "--set n=64,100");
    check("--set n=3..1 -- true {n}", 2, "`3..1` runs backwards", "");
    check("--weak n --threads 1 --set m=1 -- true {m}", 2, "--weak n: there is no --set n=", "");
    check("--weak n --set n=1 -- true {n}", 2, "--weak n grows with the threads", "--threads");
    check("--ladder m --set n=1 -- true {n}", 2, "--ladder m: there is no --set m=", "");
    check("--fail-on faster 'true 1' true", 2, "--fail-on: `faster` is no rule", "slower=2%");
    check("--fail-on slower -- true", 2, "--fail-on needs something to compare", "paw app --fail-on slower");
    check("-n a -n b true", 2, "-n names 2 commands, and 1 have no name", "");
    check("--base \"'true\" -- true", 2, "--base: `'true` ends within a quote", "close it");
}

#[test]
fn a_formula_that_goes_wrong_is_shown_with_a_caret() {
    check("--set n=1,2 --exclude 'n >' -- true {n}", 2, "--exclude: a value is missing", "n >\n   ^\n");
    check("--set n=1,2 --exclude 'n > 1 && m > 1' -- true {n}", 2, "`m` is no axis", "n > 1 && m > 1\n         ^\n");
    check("--set n=1,2 --work '3*q events' -- true {n}", 2, "--work: `q` has no value here", "3*q\n  ^\n");
    check("--set n=1,2 --work '3*' -- true {n}", 2, "--work: a value is missing", "3*\n  ^\n");
}

#[test]
fn a_campaign_file_is_reported_by_line_and_caret() {
    check("-c broken.toml", 2, "broken.toml:3:", "3 | reps = \"x\n  |          ^\n");
    check("-c unknown.toml", 2, "unknown.toml:3:1", "repz");
    check("-c nowhere.toml", 2, "nowhere.toml: cannot be read", "");
}

#[test]
fn where_every_point_is_excluded_nothing_was_selected() {
    check("--set n=1,2 --exclude 'n > 0' -- true {n}", 6, "every point is excluded", "--dry-run");
}

#[test]
fn an_input_that_is_a_directory_is_no_input() {
    let workplace = Workplace::new();
    let ran = workplace.app("--input /tmp --reps 2 -- cat");
    assert_eq!(ran.code, 3);
    assert!(ran.err.contains("the input /tmp is a directory: name a file"), "{}", ran.err);
}
