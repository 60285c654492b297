//! The command as a user starts it.

use assert_cmd::Command;

fn ttbar(flags: &[&str]) -> Command {
    let mut command = Command::cargo_bin("ttbar").expect("the binary is built");
    command.args(flags).env_remove("OMP_NUM_THREADS").env_remove("RAYON_NUM_THREADS");
    command
}

/// The value of a line `name: value`.
fn value(output: &str, name: &str) -> String {
    let line = output.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    line.unwrap_or_else(|| panic!("no line {name}: in {output}")).to_owned()
}

fn succeeds(mut command: Command) -> String {
    String::from_utf8(command.assert().success().stderr("").get_output().stdout.clone()).expect("text")
}

#[test]
fn every_line_is_a_name_and_a_value() {
    let output = succeeds(ttbar(&["--variations", "1", "--threads", "2"]));
    assert!(output.lines().all(|line| line.split_once(": ").is_some()), "{output}");
    assert_eq!(["events", "passed", "threads"].map(|name| value(&output, name)), ["5738", "1867", "2"]);
    assert!(u64::from_str_radix(value(&output, "checksum").trim_start_matches("0x"), 16).is_ok());
    for clock in ["Generate", "KinFit"] {
        let time = value(&output, clock);
        let milliseconds: f64 = time.strip_suffix(" ms").expect("in milliseconds").parse().expect("a number");
        assert!(milliseconds > 0.0);
    }
}

#[test]
fn threads_come_from_the_variables_of_other_programs() {
    let mut openmp = ttbar(&["--variations", "1"]);
    openmp.env("OMP_NUM_THREADS", "3,2").env("RAYON_NUM_THREADS", "2");
    assert_eq!(value(&succeeds(openmp), "threads"), "3");
    let mut rayon = ttbar(&["--variations", "1"]);
    rayon.env("OMP_NUM_THREADS", "").env("RAYON_NUM_THREADS", "2");
    assert_eq!(value(&succeeds(rayon), "threads"), "2");
}

#[test]
fn the_check_closes() {
    assert_eq!(value(&succeeds(ttbar(&["--check"])), "closed"), "1867");
}

#[test]
fn what_is_not_understood_is_refused_in_one_sentence() {
    let cases: [(&[&str], &str); 8] = [
        (&["--variations", "0"], "--variations"),
        (&["--variations", "many"], "--variations"),
        (&["--threads", "0"], "--threads"),
        (&["--threads", "-1"], "--threads"),
        (&["--chunk", "0"], "--chunk"),
        (&["--schedule", "guided"], "--schedule"),
        (&["--check", "--threads", "2"], "--check"),
        (&["extra"], "extra"),
    ];
    for (flags, named) in cases {
        let assert = ttbar(flags).assert().code(2).stdout("");
        let message = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert!(message.lines().count() == 1 && message.contains(named), "{flags:?}: {message}");
    }
    let assert = ttbar(&[]).env("OMP_NUM_THREADS", "all").assert().code(2);
    let message = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(message.lines().count() == 1 && message.contains("OMP_NUM_THREADS=all"), "{message}");
}

#[test]
fn help_names_every_flag() {
    let help = succeeds(ttbar(&["--help"]));
    for flag in ["--variations", "--threads", "--schedule", "--chunk", "--device", "--check"] {
        assert!(help.contains(flag), "{flag}: {help}");
    }
}
