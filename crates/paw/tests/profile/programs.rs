//! Programs.

use crate::sources::{EXPONENTIAL, FAMILY, GENERATED, SPLIT, allowed, built, percent, profile, run};

#[test]
fn a_known_split_comes_back_with_its_loops_and_lines() {
    let place = built(SPLIT, "-O1 -g");
    let Some(ran) = allowed(place.run("$PAW profile --hz 3989 --out run --quiet -- ./program 1.2")) else { return };
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let found = profile(&place, "run");
    for (name, expected) in [("large", 70.0), ("middle", 20.0), ("small", 10.0)] {
        let share = percent(&found, name);
        assert!((share - expected).abs() < 3.0, "{name}: {share} % in {}", ran.out);
    }
    let first = found.loop_times()[0];
    assert!(found.loop_title(first.index).starts_with("program.c:"), "{}", ran.out);
    assert!(ran.out.contains("of the processor time") && ran.out.contains("in large (program)"), "{}", ran.out);
    let line = &found.line_times()[0];
    assert!(line.file.ends_with("program.c") && line.line == 10, "{line:?}");
    // Every format is drawn from the file.
    let csv = place.run("$PAW export run --format csv").out;
    let row = csv.lines().find(|row| row.contains("function_time") && row.contains(",large,"));
    assert!(row.is_some_and(|row| row.contains("program")), "{csv}");
    let page = place.read("run/report.html");
    assert!(page.contains("class=\"plot flame\"") && page.contains(">large</text>"), "no flame graph in the report");
    assert!(place.run("$PAW export run --format md").out.contains("| large |"));
}

#[test]
fn time_in_a_library_is_never_that_of_a_neighbour() {
    let place = built(EXPONENTIAL, "-O1");
    let Some(ran) = allowed(place.run("$PAW profile --out run --quiet -- ./program")) else { return };
    let found = profile(&place, "run");
    let in_libm: Vec<_> = found
        .function_times()
        .into_iter()
        .filter(|time| time.own.share > 0.02)
        .filter(|time| {
            let module = found.functions[time.function as usize].module;
            found.module_name(module).starts_with("libm")
        })
        .map(|time| found.title(time.function))
        .collect();
    assert!(!in_libm.is_empty(), "{}", ran.out);
    for name in in_libm {
        let is_nameless = name.starts_with("unnamed function at +0x") || name.starts_with("code of no known function");
        assert!(name.contains("exp") || is_nameless, "{name} has the time of exp");
    }
    let main = percent(&found, "main");
    assert!(main > 1.0, "{}", ran.out);
}

#[test]
#[cfg(target_arch = "x86_64")]
fn code_that_a_program_makes_has_the_name_that_it_wrote_down() {
    let place = built(GENERATED, "-O1");
    let ran = place.run("$PAW profile --out run --quiet -- ./program");
    let found = profile(&place, "run");
    let map = format!("/tmp/perf-{}.map", found.threads[0].pid);
    std::fs::remove_file(&map).expect("the program wrote it");
    for name in ["made while it ran", "code that the program made"] {
        let share = percent(&found, name);
        assert!((share - 50.0).abs() < 15.0, "{name}: {share} % in {}", ran.out);
    }
    assert!(found.modules.iter().any(|module| module.path == map), "{:?}", found.modules);
    assert!(found.notes.iter().any(|note| note.contains("perf-PID.map")), "{:?}", found.notes);
}

#[test]
fn a_stripped_program_says_what_would_tell() {
    let place = built(SPLIT, "-O1 -s");
    let Some(ran) = allowed(place.run("$PAW profile --out run --quiet -- ./program 0.3")) else { return };
    assert!(ran.out.contains("unnamed function at +0x") && ran.out.contains("(program)"), "{}", ran.out);
    let notes = profile(&place, "run").notes.join(" ");
    assert!(notes.contains("without a name") && notes.contains("-s"), "{notes}");
    let place = built(SPLIT, "-O1");
    let Some(_) = allowed(place.run("$PAW profile --out run --quiet -- ./program 0.3")) else { return };
    assert!(profile(&place, "run").notes.join(" ").contains("-g"));
}

/// A program that deletes its own file.
const GONE: &str = "#include <unistd.h>
int main(int count, char **words) {
    volatile double x = count;
    unlink(words[0]);
    for (long i = 0; i < 60000000; i++) x = x * 1.0000001;
    return 0;
}";

#[test]
fn a_program_whose_file_is_gone_was_not_stripped_for_that() {
    let place = built(GONE, "-O1 -g");
    let Some(ran) = allowed(place.run("$PAW profile --out run --quiet -- ./program")) else { return };
    let notes = profile(&place, "run").notes.join(" ");
    assert!(notes.contains("Functions of one file are not known") && notes.contains("program"), "{}", ran.out);
    assert!(!notes.contains("stripped"), "{notes}");
}

#[test]
fn threads_and_children_have_rows_of_their_own() {
    let place = built(FAMILY, "-O1 -g");
    let Some(ran) = allowed(place.run("$PAW profile --hz 1999 --out run --quiet -- ./program")) else { return };
    let found = profile(&place, "run");
    let busy = found.thread_times().into_iter().filter(|time| time.own.share > 0.15).count();
    assert_eq!(busy, 4, "{}", ran.out);
    assert!(ran.out.contains("processes and threads"), "{}", ran.out);
}

#[test]
fn a_program_that_ends_at_once_has_no_sample_and_says_why() {
    let place = built("int main(void) { return 0; }", "-O1");
    let Some(ran) = allowed(place.run("$PAW profile --hz 20 --out run --quiet -- ./program")) else { return };
    assert_eq!(ran.code, 0);
    assert!(ran.out.contains("no sample: it ran ") && ran.out.contains("--hz"), "{}", ran.out);
}

#[test]
fn missing_samples_are_noticed_by_the_processor_time() {
    let place = built(SPLIT, "-O1 -g");
    let Some(_) = allowed(place.run("$PAW profile --hz 50000 --out run --quiet -- ./program 0.2")) else { return };
    let mut found = profile(&place, "run");
    assert!(found.sampling.expected > 0.0);
    // A ring that was full would have kept half of them.
    found.sampling.expected = found.sampling.samples as f64 * 2.0 + 100.0;
    let missing = found.missing().expect("half are missing");
    assert!((0.4..0.6).contains(&missing), "{missing}");
}

#[test]
fn a_program_that_fails_is_said_and_is_an_exit_code() {
    let place = built(SPLIT, "-O1");
    let Some(ran) = allowed(place.run("$PAW profile --out run -- ./program 0.05 9")) else { return };
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.err.contains("exit code 9"), "{}", ran.err);
    assert_eq!(run(&place, "run").profiles[0].sampling.ended, "exit code 9");
}

#[test]
fn what_cannot_be_sampled_is_one_sentence() {
    let place = built("int main(void) { return 0; }", "-O1");
    for (args, code, said) in [
        ("--hz 0 -- ./program", 2, "--hz: 0"),
        ("--hz 1000000 -- ./program", 2, "1 to 100000"),
        ("--pid 4194303999", 2, "invalid value"),
        ("-- ./nowhere", 2, "./nowhere cannot be started"),
        ("", 2, "required"),
    ] {
        let ran = place.run(&format!("$PAW profile --quiet {args}"));
        assert!([code, 4].contains(&ran.code) && (ran.code == 4 || ran.err.contains(said)), "{args}: {}", ran.err);
    }
    let ran = place.run("$PAW profile --quiet --pid 4194300");
    assert!(ran.code == 4 && ran.err.contains("nothing can be sampled"), "{}", ran.err);
}

#[test]
fn a_running_process_is_sampled_until_it_ends() {
    let place = built(SPLIT, "-O1 -g");
    let script = "./program 1.5 & $PAW profile --pid $! --duration 20s --out run --quiet; wait";
    let Some(ran) = allowed(place.run(script)) else { return };
    let found = profile(&place, "run");
    assert!(found.sampling.samples > 0, "{}{}", ran.out, ran.err);
    assert!(percent(&found, "large") + percent(&found, "middle") + percent(&found, "small") > 50.0, "{}", ran.out);
}
