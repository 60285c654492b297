//! Drivers that are not there, not right, or do not start: each one sentence with a way out.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use paw_foreign::device::{Backend, discover, open};

use crate::child::in_child;

/// What discovery says is missing; opening says the same.
fn missing() -> String {
    let found = discover(Backend::Hip);
    assert!(found.devices.is_empty());
    let why = found.missing.expect("there is no device");
    assert_eq!(open(Backend::Hip, &[0]).err().as_ref(), Some(&why));
    why
}

#[track_caller]
fn says(words: &[&str]) {
    let why = missing();
    words.iter().for_each(|word| assert!(why.contains(word), "{word}: {why}"));
}

fn does_not_start(name: &str, code: &str, words: &[&str]) {
    in_child(name, &[("MOCK_HIP_INIT_ERROR", code)], || {
        says(&["libmock_hip.so", "hipInit", code]);
        says(words);
    });
}

#[test]
fn a_failure_that_nobody_knows_is_reported_by_its_number() {
    does_not_start("faults::a_failure_that_nobody_knows_is_reported_by_its_number", "777", &["does not start"]);
}

#[test]
fn no_device_behind_a_driver_that_starts_is_reported() {
    in_child("faults::no_device_behind_a_driver_that_starts_is_reported", &[("MOCK_HIP_DEVICES", "0")], || {
        says(&["has no device", "HIP_VISIBLE_DEVICES"]);
    });
}

#[test]
fn a_library_that_is_not_there_is_reported() {
    let nowhere = ("PAW_HIP_LIBRARY", "/nowhere/libamdhip64.so.6");
    in_child("faults::a_library_that_is_not_there_is_reported", &[nowhere], || {
        says(&["/nowhere/libamdhip64.so.6", "PAW_HIP_LIBRARY", "does not exist"]);
    });
}

/// A file for a test, in a directory that goes with it.
fn file(bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a directory for the test");
    let path = directory.path().join("libamdhip64.so.6");
    fs::write(&path, bytes).expect("a file of the test");
    (directory, path)
}

fn with_library(name: &str, path: &Path, words: &[&str]) {
    let path = path.to_str().expect("paths of tests are text");
    in_child(name, &[("PAW_HIP_LIBRARY", path)], || says(words));
}

#[test]
fn a_file_that_is_no_library_is_reported() {
    let (_directory, path) = file(&[b'#'; 4096]);
    with_library("faults::a_file_that_is_no_library_is_reported", &path, &["does not begin as an ELF file"]);
}

/// A library that this C makes.
fn compiled(source: &str) -> (tempfile::TempDir, PathBuf) {
    let (directory, path) = file(b"");
    let c = directory.path().join("library.c");
    fs::write(&c, source).expect("a source of the test");
    let made = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&path).arg(&c).status();
    assert!(made.expect("cc is installed").success());
    (directory, path)
}

#[test]
fn a_library_of_something_else_is_reported() {
    let (_directory, path) = compiled("int something(void) { return 0; }\n");
    with_library(
        "faults::a_library_of_something_else_is_reported",
        &path,
        &["is not AMD's HIP run-time library", "hipInit"],
    );
}

#[test]
fn a_driver_that_is_too_old_is_reported_with_its_version() {
    let old =
        "int hipInit(unsigned flags) { return 0; }\nint hipRuntimeGetVersion(int *v) { *v = 40321300; return 0; }\n";
    let (_directory, path) = compiled(old);
    let words = ["too old", "HIP 4.3.21300", "hipGetDeviceCount"];
    with_library("faults::a_driver_that_is_too_old_is_reported_with_its_version", &path, &words);
}

#[test]
fn a_run_time_without_a_device_is_reported() {
    let name = "faults::a_run_time_without_a_device_is_reported";
    does_not_start(name, "100", &["hipErrorNoDevice", "/dev/kfd", "HIP_VISIBLE_DEVICES"]);
}
