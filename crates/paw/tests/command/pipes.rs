//! Readers that go away.

use std::io::Read;
use std::process::Stdio;

use crate::workplace::{TINY, Workplace};

/// Paw's standard output is closed before it writes: it goes quietly.
fn closed(workplace: &Workplace, args: &str) {
    let script = format!("($PAW {args}; echo $? >code) | :; cat code");
    // The shell's reader ends at once; whether paw meets a closed pipe or writes first, it must not complain.
    let ran = workplace.shell(&script);
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("0\n", ""), "{args}");
}

#[test]
fn a_reader_that_is_gone_is_no_error() {
    let workplace = Workplace::new();
    assert_eq!(workplace.paw(&format!("{TINY} --out r")).code, 0);
    for args in
        ["", "list", "list --environment", "machine", "completions bash", "export r --format json", "report r --out -"]
    {
        closed(&workplace, args);
    }
    closed(&workplace, TINY);
}

#[test]
fn a_reader_that_leaves_after_a_line_is_no_error() {
    let workplace = Workplace::new();
    assert_eq!(
        workplace.paw("run dgemm --set n=8 --provider embedded --threads 1 --reps 3000 --loops 1 --quiet --out r").code,
        0
    );
    let mut child = workplace
        .process("export r --format csv --samples")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // More than a pipe holds is still to come when the reader closes it.
    let mut first = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap()), (Some(0), String::new()));
}

#[test]
fn a_full_device_is_an_error_with_a_sentence() {
    let ran = Workplace::new().shell("$PAW list >/dev/full");
    assert_eq!(ran.code, 7);
    assert!(ran.err.contains("cannot write to standard output"), "{}", ran.err);
}
