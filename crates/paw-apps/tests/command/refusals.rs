//! Commands that cannot be started: each is told in a sentence, and the launcher lives on.

use std::fs;
use std::path::Path;

use crate::place::Place;
use paw_apps::launch::{Launch, Sink};
use paw_apps::launcher::Launcher;

/// Writes an executable file.
fn executable(place: &Place, name: &str, content: &[u8]) -> String {
    use std::os::unix::fs::PermissionsExt;
    let path = place.path(name);
    fs::write(&path, content).expect("a file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("its permissions");
    path.display().to_string()
}

/// The launch of `make` is refused with a sentence that holds `words`; afterwards the same launcher runs something.
fn check(make: impl FnOnce(&Place) -> Launch, words: &str) {
    let mut place = Place::new();
    let pid = place.launcher.pid();
    let launch = make(&place);
    let why = place.refused(&launch);
    assert!(why.contains(words), "{why}");
    let next = place.launch(&["true"]);
    place.run(&next);
    assert_eq!(place.launcher.pid(), pid, "the launcher lives on");
}

#[test]
fn a_program_that_is_nowhere_in_the_path() {
    check(|place| place.launch(&["no-such-program"]), "no-such-program is not in PATH (");
}

#[test]
fn no_program_at_all() {
    check(|place| place.launch(&[]), "no command was given");
}

#[test]
fn a_file_that_is_not_executable() {
    check(
        |place| {
            fs::write(place.path("data"), "").expect("a file");
            place.launch(&[&place.path("data").display().to_string()])
        },
        "/data is not executable (chmod +x ",
    );
}

#[test]
fn a_file_that_is_no_program() {
    check(|place| place.launch(&[&executable(place, "text", b"just words\n")]), "/text is no program for this system");
}

#[test]
fn a_script_without_its_interpreter() {
    let script = |place: &Place| executable(place, "script", b"#!/no/such/interpreter\n");
    check(|place| place.launch(&[&script(place)]), "the interpreter that it names is not");
}

#[test]
fn arguments_that_are_too_long() {
    // Above MAX_ARG_STRLEN of execve(2), 32 pages, also where a page has 64 KiB.
    let long = "x".repeat(4 << 20);
    check(|place| place.launch(&["true", &long]), "are longer than this system takes");
}

#[test]
fn a_word_with_a_zero_byte() {
    check(|place| place.launch(&["echo", "a\0b"]), "holds a zero byte");
}

#[test]
fn a_directory_that_is_not_there() {
    let launch = |place: &Place| Launch { directory: Some(place.path("gone")), ..place.launch(&["true"]) };
    check(launch, "/gone to run in: No such file or directory");
}

#[test]
fn a_directory_that_is_a_file() {
    let launch = |place: &Place| Launch { directory: Some("/dev/null".into()), ..place.launch(&["true"]) };
    check(launch, "/dev/null is not a directory to run in");
}

#[test]
fn an_input_that_is_not_there() {
    let launch = |place: &Place| Launch { stdin: Some(place.path("gone")), ..place.launch(&["true"]) };
    check(launch, "/gone cannot be read: No such file or directory");
}

#[test]
fn an_output_in_a_directory_that_is_not_there() {
    let launch = |place: &Place| Launch { stdout: Sink::File(place.path("gone/stdout")), ..place.launch(&["true"]) };
    check(launch, "gone/stdout cannot be written: No such file or directory");
}

#[test]
fn processors_that_are_not_here() {
    let launch = |place: &Place| Launch { cpus: vec![0, 60_000], ..place.launch(&["true"]) };
    check(launch, "processors [0, 60000] are not all here");
    let launch = |place: &Place| Launch { cpus: vec![u32::MAX], ..place.launch(&["true"]) };
    check(launch, "are not all here");
}

#[test]
fn a_second_copy_that_cannot_start_ends_the_first() {
    let launch = |place: &Place| Launch {
        copies: 2,
        copy_cpus: vec![vec![], vec![60_000]],
        ..place.launch(&["sleep", "100000"])
    };
    check(launch, "processors [60000] are not all here");
}

#[test]
fn a_time_that_is_none() {
    check(|place| Launch { timeout_s: Some(-1.0), ..place.launch(&["true"]) }, "-1 s is no time to wait for");
}

#[test]
fn a_launcher_that_is_none() {
    let told = |program: &str| Launcher::start(Path::new(program), &[]).expect_err("it is no launcher").to_string();
    assert_eq!(told("/bin/true"), "/bin/true is no launcher: it exited with code 0");
    assert!(told("/no/such/file").starts_with("the launcher /no/such/file cannot be started: "));
}
