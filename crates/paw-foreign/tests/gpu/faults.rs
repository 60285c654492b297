//! Drivers that are not there, not right, or do not start: each one sentence with a way out.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use paw_foreign::device::{discover, open};

use crate::child::{in_child, mock};
use crate::vendor::{ANOTHER, BACKEND, FILE, INIT, LIBRARIES, MOCK, OLD, OLD_WORDS, REMEDY, VISIBLE};

/// What discovery says is missing; opening says the same.
fn missing() -> String {
    let found = discover(BACKEND);
    assert!(found.devices.is_empty());
    let why = found.missing.expect("there is no device");
    assert_eq!(open(BACKEND, &[0]).err().as_ref(), Some(&why));
    why
}

#[track_caller]
fn says(words: &[&str]) {
    let why = missing();
    words.iter().for_each(|word| assert!(why.contains(word), "{word}: {why}"));
}

/// The mock answers its start with that code.
pub fn does_not_start(name: &str, code: &str, words: &[&str]) {
    in_child(name, &[("MOCK_INIT_ERROR", code)], || {
        says(&[MOCK, INIT, code]);
        says(words);
    });
}

#[test]
fn a_failure_that_nobody_knows_is_reported_by_its_number() {
    does_not_start("faults::a_failure_that_nobody_knows_is_reported_by_its_number", "777", &["does not start"]);
}

#[test]
fn no_device_behind_a_driver_that_starts_is_reported() {
    in_child("faults::no_device_behind_a_driver_that_starts_is_reported", &[("MOCK_DEVICES", "0")], || {
        says(&["has no device", VISIBLE]);
    });
}

#[test]
fn a_library_that_is_not_there_is_reported() {
    let nowhere = format!("/nowhere/{FILE}");
    in_child("faults::a_library_that_is_not_there_is_reported", &[(LIBRARIES[0], &nowhere)], || {
        says(&[&nowhere, LIBRARIES[0], "does not exist"]);
    });
}

/// A file for a test, in a directory that goes with it.
fn file(bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a directory for the test");
    let path = directory.path().join(FILE);
    fs::write(&path, bytes).expect("a file of the test");
    (directory, path)
}

fn with_library(name: &str, path: &Path, words: &[&str]) {
    let path = path.to_str().expect("paths of tests are text");
    in_child(name, &[(LIBRARIES[0], path)], || says(words));
}

#[test]
fn a_damaged_library_is_reported() {
    let whole = fs::read(mock()).expect("the mock is a file");
    let (_directory, path) = file(&whole[..40]);
    with_library("faults::a_damaged_library_is_reported", &path, &["it is too short", "install"]);
}

#[test]
fn a_file_that_is_no_library_is_reported() {
    let (_directory, path) = file(&[b'#'; 4096]);
    with_library("faults::a_file_that_is_no_library_is_reported", &path, &["does not begin as an ELF file"]);
}

#[test]
fn a_library_of_another_word_size_is_reported() {
    let mut bytes = fs::read(mock()).expect("the mock is a file");
    // ELF's class: 1 is 32 bits.
    bytes[4] = 1;
    let (_directory, path) = file(&bytes);
    with_library("faults::a_library_of_another_word_size_is_reported", &path, &["a library of 32 bits", REMEDY]);
}

#[test]
fn a_library_for_another_processor_is_reported() {
    let mut bytes = fs::read(mock()).expect("the mock is a file");
    // ELF's machine, two bytes: 2 is SPARC.
    (bytes[18], bytes[19]) = (2, 0);
    let (_directory, path) = file(&bytes);
    with_library("faults::a_library_for_another_processor_is_reported", &path, &["for another machine"]);
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
    with_library("faults::a_library_of_something_else_is_reported", &path, &[ANOTHER, INIT]);
}

#[test]
fn a_driver_that_is_too_old_is_reported_with_its_version() {
    let (_directory, path) = compiled(OLD);
    with_library("faults::a_driver_that_is_too_old_is_reported_with_its_version", &path, OLD_WORDS);
}
