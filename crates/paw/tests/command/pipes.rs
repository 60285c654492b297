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
fn what_is_done_and_its_exit_code_do_not_depend_on_a_reader() {
    let workplace = Workplace::new();
    assert_eq!(workplace.paw(&format!("{TINY} --out r")).code, 0);
    assert_eq!(workplace.paw(&format!("{TINY} --out s")).code, 0);
    workplace.write(
        "c.toml",
        "paw = \"campaign/1\"\n[[step]]\nname = \"bad\"\ncommand = \"app --reps 2 --warmup 0 --quiet -- false\"\n",
    );
    for (args, code) in [
        ("history add r none s --store kept", "7"),
        ("campaign run c.toml --out d", "3"),
        ("campaign resume d", "3"),
        ("doctor --strict --no-probes --sysroot .", "0"),
    ] {
        let alone = workplace.shell(&format!("$PAW {args} >out; echo $?")).out;
        let unread = workplace.shell(&format!("($PAW {args}; echo $? >code) | :; cat code")).out;
        assert_eq!(unread, alone, "{args}");
        assert!(code == "0" || alone == format!("{code}\n"), "{args}: {alone}");
    }
    assert_eq!(workplace.names("kept").len(), 2);
    let first = workplace.shell("rm -r kept; ($PAW history add r s --store kept; echo $? >code) | :; cat code");
    assert_eq!((first.out.as_str(), workplace.names("kept").len()), ("0\n", 2));
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
