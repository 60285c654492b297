//! `paw doctor`: what disturbs, the script, and settings that come back whatever happens.

mod asked;

use std::fs;

use ::workplace::{Running, is_alive, wait_until};
use serde_json::Value;

use crate::workplace::{Ran, Workplace};

const CPU: &str = "sys/devices/system/cpu";

/// A machine of two processors that saves energy, and what tuning makes of its settings.
const SETTINGS: &[(&str, &str, &str)] = &[
    ("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave", "performance"),
    ("sys/devices/system/cpu/cpufreq/policy1/scaling_governor", "powersave", "performance"),
    ("sys/devices/system/cpu/intel_pstate/no_turbo", "0", "1"),
    ("sys/kernel/mm/transparent_hugepage/enabled", "always", "madvise"),
    ("proc/sys/kernel/perf_event_paranoid", "3", "1"),
];

struct Machine(Workplace);

impl Machine {
    fn new() -> Self {
        let machine = Self(Workplace::new());
        for (path, value, _) in SETTINGS {
            machine.set(path, value);
        }
        machine.set("sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never");
        machine.set("proc/cpuinfo", "processor : 0\nvendor_id : GenuineIntel\nflags : lm constant_tsc nonstop_tsc");
        machine.set("proc/loadavg", "3.50 1.00 1.00 1/200 42");
        for cpu in ["cpu0", "cpu1"] {
            machine.set(&format!("{CPU}/{cpu}/topology/core_id"), &cpu[3..]);
            machine.set(&format!("{CPU}/{cpu}/cpufreq/scaling_governor"), "powersave");
        }
        machine
    }

    fn set(&self, path: &str, value: &str) {
        let path = self.0.path("root").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("{value}\n")).unwrap();
    }

    fn values(&self) -> Vec<String> {
        SETTINGS.iter().map(|(path, ..)| self.0.read(&format!("root/{path}")).trim().to_owned()).collect()
    }

    fn paw(&self, args: &str) -> Ran {
        self.0.paw_with(&[("COLUMNS", "80")], &format!("doctor --sysroot root {args}"))
    }

    /// A command that waits until it is killed, with settings changed meanwhile; its own number stands in `pid`.
    fn tuned(&self) -> Running {
        let running = self.0.start("exec $PAW doctor --sysroot root --tune -- sh -c 'echo $$ >pid.part; mv pid.part pid; exec sleep 1000' </dev/null");
        wait_until(&self.0.path("pid"), |text| !text.is_empty());
        assert_eq!(self.values(), after());
        running
    }

    fn journal(&self) -> bool {
        self.0.path("root/run/paw/tune.json").exists()
    }
}

/// Values as the files hold them before: of choices all, with the one in force in brackets.
fn before() -> Vec<String> {
    let listed = |value| if value == "always" { "[always] madvise never" } else { value };
    SETTINGS.iter().map(|(_, before, _)| listed(*before).to_owned()).collect()
}

/// Values taken back: a test's file holds what was written last, where the kernel's lists the choices again.
fn again() -> Vec<String> {
    SETTINGS.iter().map(|(_, before, _)| (*before).to_owned()).collect()
}

fn after() -> Vec<String> {
    SETTINGS.iter().map(|(.., after)| (*after).to_owned()).collect()
}

/// What a line of flags prints at any width, in one line; narrow and plain enough at each.
fn at_all_widths(machine: &Machine, args: &str) -> Vec<String> {
    let words = |columns: &str| {
        let ran =
            machine.0.paw_with(&[("COLUMNS", columns), ("NO_COLOR", "1")], &format!("doctor --sysroot root {args}"));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
        let widest = ran.out.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= columns.parse().unwrap() && !ran.out.contains('\u{1b}'), "{widest}:\n{}", ran.out);
        ran.out.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    ["40", "80"].map(words).to_vec()
}

#[test]
fn what_disturbs_has_a_line_and_its_remedy_and_the_rest_is_counted() {
    let machine = Machine::new();
    for out in at_all_widths(&machine, "") {
        let parts = ["WARN load 3.50 fix: ", "WARN governor powersave fix: sudo cpupower", "UNKNOWN", "2 WARN"];
        for part in parts.into_iter().chain(["2 things disturb this machine", "`paw doctor --all` lists all"]) {
            assert!(out.to_lowercase().contains(&part.to_lowercase()), "{part} is missing:\n{out}");
        }
        assert!(!out.contains("INFO boost") && !out.contains("OK "), "{out}");
    }
    for out in at_all_widths(&machine, "--all") {
        assert!(out.contains("INFO boost") && !out.contains("--all"), "{out}");
    }
}

#[test]
fn a_check_by_name_says_everything_about_itself() {
    let machine = Machine::new();
    for out in at_all_widths(&machine, "governor") {
        for part in
            ["level WARN", "check governor", "value powersave", "read /sys/devices", "effect under", "root needed"]
        {
            assert!(out.contains(part), "{part} is missing:\n{out}");
        }
        assert!(out.contains("command echo performance > /sys/") && !out.contains("load"), "{out}");
    }
    let json: Vec<Value> = serde_json::from_str(&machine.paw("governor load --format json").out).unwrap();
    assert_eq!(json.iter().map(|finding| finding["id"].as_str().unwrap()).collect::<Vec<_>>(), ["load", "governor"]);
    let ran = machine.paw("govenor");
    assert!(ran.code == 2 && ran.err.contains("did you mean `governor`?"), "{}", ran.err);
}

#[test]
fn a_tuned_command_may_have_the_same_addresses_each_time() {
    let machine = Machine::new();
    let stack = |flags: &str| {
        let line = format!("exec $PAW doctor --sysroot root --tune {flags} -- sed -n '/\\[stack\\]/p' /proc/self/maps");
        let ran = machine.0.run(&line);
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran
    };
    let (one, other) = (stack("--no-aslr"), stack("--no-aslr"));
    // A container may forbid it, which is said.
    assert!(one.out == other.out && one.out.contains("[stack]") || one.err.contains("still differ"), "{}", one.err);
    if fs::read_to_string("/proc/sys/kernel/randomize_va_space").is_ok_and(|value| value.trim() == "0") {
        return;
    }
    assert_ne!(stack("").out, stack("").out, "by itself a command keeps its random layout");
}

#[test]
fn findings_are_written_in_every_format() {
    let machine = Machine::new();
    let findings: Vec<Value> = serde_json::from_str(&machine.paw("--format json").out).unwrap();
    let governor = findings.iter().find(|finding| finding["id"] == "governor").unwrap();
    assert_eq!(
        (&governor["level"], &governor["value"], &governor["root"]),
        (&"WARN".into(), &"powersave".into(), &true.into())
    );
    assert_eq!(governor["commands"].as_array().unwrap().len(), 2);
    assert!(findings.iter().all(|finding| finding["path"].as_str().is_some_and(|path| path.starts_with('/'))));
    assert!(findings.iter().any(|finding| finding["level"] == "UNKNOWN"));
    assert!(machine.paw("--format csv").out.starts_with("check,level,value,path,"));
    assert!(machine.paw("--format md").out.starts_with("| check | level |"));
    assert!(machine.0.paw_with(&[("CLICOLOR_FORCE", "1")], "doctor --sysroot root").out.contains("\u{1b}["));
}

#[test]
fn a_gate_may_ask_for_a_quiet_machine() {
    let machine = Machine::new();
    assert_eq!(machine.paw("--strict").code, 4);
    machine.set("proc/loadavg", "0.01 1.00 1.00 1/200 42");
    for cpu in ["cpu0", "cpu1"] {
        machine.set(&format!("{CPU}/{cpu}/cpufreq/scaling_governor"), "performance");
    }
    assert_eq!(machine.paw("--strict").code, 0, "{}", machine.paw("").out);
}

#[test]
fn the_script_is_one_that_a_shell_takes_and_changes_what_it_says() {
    let machine = Machine::new();
    let script = machine.paw("--fix-script");
    assert_eq!((script.code, script.err.as_str()), (0, ""));
    assert_eq!(machine.values(), before(), "nothing is changed by printing");
    assert!(script.out.starts_with("#!/bin/sh\n# ") && script.out.contains("# load: "), "{}", script.out);
    machine.0.write("fix.sh", script.out.replace(" > /", " > root/"));
    let ran = machine.0.shell("sh -n fix.sh && sh -eu fix.sh");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert_eq!(machine.values(), after());
}

#[test]
fn a_command_runs_with_changed_settings_which_come_back() {
    let machine = Machine::new();
    let governor = format!("root/{}", SETTINGS[0].0);
    machine.0.write("seen", "");
    let ran = Ran::of(machine.0.process("doctor --sysroot root --tune -- cp").args([&governor, "seen"]));
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(machine.0.read("seen").trim(), "performance", "while the command ran");
    assert_eq!(machine.values(), again());
    assert!(ran.line("scaling_governor: performance").contains("in place of powersave (2 files)"), "{}", ran.err);
    assert!(ran.err.contains("scaling_governor: powersave again (2 files)") && !machine.journal(), "{}", ran.err);
    for (command, part) in [("false", "false exited with 1"), ("no-such-program", "no-such-program cannot be started")]
    {
        let ran = machine.paw(&format!("--tune -- {command}"));
        assert_eq!((ran.code, machine.values()), (3, again()), "{}", ran.err);
        assert!(ran.err.contains(part), "{}", ran.err);
    }
}

#[test]
fn a_signal_ends_the_command_and_settings_come_back() {
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let machine = Machine::new();
        let running = machine.tuned();
        running.send(signal);
        let (status, _) = running.end();
        assert_eq!((status.code(), machine.values()), (Some(code), again()), "{signal}");
        assert!(!machine.journal() && !is_alive(&machine.0.read("pid")), "{signal}");
    }
}

/// Kills paw while a command runs with changed settings, and the command.
fn killed(machine: &Machine) {
    let running = machine.tuned();
    running.send("KILL");
    let command = machine.0.read("pid");
    machine.0.shell(&format!("kill -KILL {}", command.trim()));
    running.end();
    assert_eq!(machine.values(), after(), "nobody has restored anything");
}

#[test]
fn settings_come_back_after_paw_was_killed() {
    let machine = Machine::new();
    killed(&machine);
    let refused = machine.paw("--tune -- true");
    assert_eq!(refused.code, 7, "{}", refused.err);
    assert!(refused.err.contains("`paw doctor --restore` takes them back"), "{}", refused.err);
    let ran = machine.paw("--restore");
    assert_eq!((ran.code, machine.values()), (0, again()), "{}", ran.err);
    assert!(ran.err.contains("no_turbo: 0 again") && !machine.journal(), "{}", ran.err);
    assert!(machine.paw("--restore").err.contains("nothing to take back"));
    assert_eq!(machine.paw("--tune -- true").code, 0);
}

#[test]
fn what_somebody_else_has_changed_is_named_and_stays() {
    let machine = Machine::new();
    killed(&machine);
    machine.set(SETTINGS[1].0, "ondemand");
    let ran = machine.paw("--restore");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let mut expected = again();
    expected[1] = "ondemand".to_owned();
    assert_eq!(machine.values(), expected);
    assert!(ran.line("somebody else").contains("policy1/scaling_governor to ondemand meanwhile"), "{}", ran.err);
}

#[test]
fn settings_of_a_machine_that_was_started_again_are_left_alone() {
    let machine = Machine::new();
    machine.set("proc/sys/kernel/random/boot_id", "one");
    killed(&machine);
    machine.set("proc/sys/kernel/random/boot_id", "two");
    let ran = machine.paw("--restore");
    assert_eq!((ran.code, machine.values()), (0, after()), "{}", ran.err);
}

#[test]
fn two_do_not_tune_at_once() {
    let machine = Machine::new();
    let running = machine.tuned();
    let second = machine.paw("--tune -- true");
    assert_eq!(second.code, 7, "{}", second.err);
    assert!(second.err.contains("another `paw doctor --tune`"), "{}", second.err);
    assert_eq!(machine.paw("--restore").code, 7);
    running.send("TERM");
    running.end();
    assert_eq!(machine.values(), again());
}

#[test]
fn a_setting_that_cannot_be_written_keeps_no_command_from_running() {
    let machine = Machine::new();
    let path = machine.0.path("root").join(SETTINGS[1].0);
    fs::remove_file(&path).unwrap();
    // The kernel refuses to write this one, to root, too.
    std::os::unix::fs::symlink("/proc/sys/kernel/ostype", &path).unwrap();
    let ran = machine.paw("--tune -- true");
    assert_eq!((ran.code, machine.values().remove(0)), (0, "powersave".to_owned()), "{}", ran.err);
    assert!(
        ran.line("was not set to").contains("policy1/scaling_governor was not set to performance: "),
        "{}",
        ran.err
    );
    assert!(!machine.journal());
}

#[test]
fn a_journal_that_is_no_journal_changes_nothing() {
    let machine = Machine::new();
    fs::create_dir_all(machine.0.path("root/run")).unwrap();
    machine.0.shell("mkdir -m 700 root/run/paw");
    machine.0.write("victim", "precious");
    for (text, part) in [
        ("", "is no journal of settings"),
        ("{", "is no journal of settings"),
        (r#"{"boot":"","changes":[{"path":"/sys/../victim","before":"x","after":"precious"}]}"#, "which is no setting"),
    ] {
        machine.0.write("root/run/paw/tune.json", text);
        for args in ["--restore", "--tune -- true"] {
            let ran = machine.paw(args);
            assert_eq!((ran.code, machine.0.read("victim").as_str()), (7, "precious"), "{}", ran.err);
            assert_eq!(machine.values(), before());
            let way_out = ran.err.split_whitespace().collect::<Vec<_>>().join(" ");
            let remedy = "check them with `paw doctor --all`, then remove root/run/paw/tune.json";
            assert!(way_out.contains(part) && way_out.contains(remedy), "{}", ran.err);
        }
    }
    fs::remove_file(machine.0.path("root/run/paw/tune.json")).unwrap();
    // A writer that was killed leaves an unfinished file of another name, which is no journal.
    machine.0.write("root/run/paw/tune.json.part", "");
    assert!(machine.paw("--restore").err.contains("nothing to take back"));
    assert_eq!(machine.paw("--tune -- true").code, 0);
}

#[test]
fn a_directory_that_others_may_write_holds_no_journal() {
    let machine = Machine::new();
    fs::create_dir_all(machine.0.path("root/run")).unwrap();
    machine.0.shell("mkdir root/run/paw && chmod 777 root/run/paw");
    let ran = machine.paw("--tune -- true");
    assert_eq!((ran.code, machine.values()), (7, before()), "{}", ran.err);
    assert!(ran.err.contains("other users may write to it"), "{}", ran.err);
}

#[test]
fn flags_that_contradict_each_other_are_refused() {
    let machine = Machine::new();
    for args in ["--tune", "--tune --restore -- true", "-- true", "--fix-script --restore"] {
        assert_eq!(machine.paw(args).code, 2, "{args}");
    }
}

#[test]
fn probes_measure_this_machine_within_their_bound() {
    let ran = Workplace::new().paw("doctor --format json");
    let findings: Vec<Value> = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}{}", ran.out, ran.err));
    for id in ["processor-share", "core-clock", "hidden-smt", "first-touch", "timer-tick", "os-noise", "network-now"] {
        let found = findings.iter().find(|finding| finding["id"] == id).unwrap_or_else(|| panic!("no {id}"));
        assert!(!found["value"].as_str().unwrap().is_empty() || found["level"] == "UNKNOWN", "{found}");
    }
    assert_eq!(Workplace::new().paw("doctor --no-probes").code, 0);
}

#[test]
fn a_run_says_how_many_things_disturb_and_records_each() {
    let workplace = Workplace::new();
    let ran = workplace.paw("run dgemm --set n=8 --provider embedded --threads 1 --reps 6 --loops 10 --out run");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let text = workplace.read("run/run.jsonl");
    let header: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let machine = if header["machine"].is_null() { &header["run"]["machine"] } else { &header["machine"] };
    let caveats = machine["caveats"].as_array().cloned().unwrap_or_default();
    assert!(caveats.iter().all(|caveat| ["id", "cause", "action"].iter().all(|key| caveat[*key].is_string())));
    let said = ran.err.lines().find(|line| line.contains("this machine: `paw doctor`"));
    let expected = match caveats.len() {
        0 => None,
        1 => Some("warning: 1 thing disturbs this machine: `paw doctor`".to_owned()),
        count => Some(format!("warning: {count} things disturb this machine: `paw doctor`")),
    };
    assert_eq!(said, expected.as_deref());
    let page = workplace.read("run/report.html");
    assert!(caveats.iter().all(|caveat| page.contains(caveat["id"].as_str().unwrap())));
}
