//! What holds, what does not, and the sentence that says so.

use super::*;
use crate::launch::Sink;

fn outputs(stdout: &str, stderr: &str) -> Outputs {
    let output = |text: &str| Output { text: text.to_owned(), ..Default::default() };
    Outputs { stdout: output(stdout), stderr: output(stderr) }
}

fn check(expectation: &str, exit: i32, outputs: &Outputs) -> Result<(), String> {
    Expectation::parse(expectation).unwrap().check(exit, outputs, Path::new("."))
}

#[track_caller]
fn differs(expectation: &str, outputs: &Outputs, sentence: &str) {
    assert_eq!(check(expectation, 3, outputs).unwrap_err(), sentence);
}

#[test]
fn what_is_as_expected_passes() {
    let outputs = outputs("read 5738\nfitted 1867 events\n", "warning\n");
    for expectation in [
        "exit 3",
        "stdout contains 1867",
        "stdout contains fitted 1867 events",
        "stderr contains warning",
        "stdout matches ^fitted [0-9]+ events$",
    ] {
        assert_eq!(check(expectation, 3, &outputs), Ok(()), "{expectation}");
    }
}

#[test]
fn what_differs_is_one_sentence_with_an_excerpt() {
    let outputs = outputs("read 5738\nfitted 1866 events\n\n", "no such file\n");
    differs("exit 0", &outputs, "exit code 3, not 0; stderr ends with `no such file`");
    differs("stdout contains 1867", &outputs, "stdout does not contain `1867`; it ends with `fitted 1866 events`");
    differs("stdout matches ^x$", &outputs, "nothing in stdout fits `^x$`; it ends with `fitted 1866 events`");
    let nothing = Outputs::default();
    differs("exit 0", &nothing, "exit code 3, not 0");
    differs("stderr contains ok", &nothing, "stderr does not contain `ok`; it is empty");
}

#[test]
fn a_cut_output_is_said_to_be_cut() {
    let mut outputs = outputs("end\n", "");
    outputs.stdout.left_out = 5000;
    differs(
        "stdout contains 1867",
        &outputs,
        "stdout does not contain `1867`; 5000 bytes of it were not read, and it ends with `end`",
    );
}

#[test]
fn files_are_compared_where_the_program_ran() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
    write("out.dat", "1\n2\n");
    write("my ref.dat", "1\n3\n");
    let path = directory.path().join("out.dat");
    let outputs = Outputs::read(&Sink::File(path), &Sink::Null, [0; 2], 1).unwrap();
    let check = |text: &str| Expectation::parse(text).unwrap().check(0, &outputs, directory.path());

    assert_eq!(check("file out.dat equals out.dat"), Ok(()));
    assert_eq!(check("stdout equals out.dat"), Ok(()));
    let reference = directory.path().join("my ref.dat").display().to_string();
    let sentence = |name: &str| format!("{name} differs from {reference} in line 2: `2` instead of `3`");
    assert_eq!(check("file out.dat equals my ref.dat"), Err(sentence("out.dat")));
    assert_eq!(check("stdout equals my ref.dat"), Err(sentence("stdout")));
    assert!(check("file none.dat equals out.dat").unwrap_err().contains("none.dat cannot be read: "));

    write("my ref.dat", "1\n2");
    let end = format!("out.dat differs from {reference} in how line 2 ends, `2`");
    assert_eq!(check("file out.dat equals my ref.dat"), Err(end));
    write("my ref.dat", "1\n");
    let longer = format!("out.dat differs from {reference} in line 2: `2` instead of its end");
    assert_eq!(check("file out.dat equals my ref.dat"), Err(longer));
}

#[test]
fn exit_code_0_is_expected_first_unless_another_is_named() {
    let typed = |texts: &[&str]| -> Vec<String> {
        let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
        Expectation::all(&texts).unwrap().into_iter().map(|expectation| expectation.typed).collect()
    };
    assert_eq!(typed(&[]), ["exit 0"]);
    assert_eq!(typed(&["stdout contains a"]), ["exit 0", "stdout contains a"]);
    assert_eq!(typed(&["stdout contains a", "exit 3"]), ["exit 3", "stdout contains a"]);
}

#[test]
fn what_is_not_understood_is_told_with_what_there_is() {
    let error = |text: &str| Expectation::parse(text).unwrap_err().to_string();
    assert_eq!(
        error("stdot contains 1"),
        format!("`stdot contains 1` is no expectation: did you mean `stdout`?; there are: {FORMS}")
    );
    assert_eq!(
        error("stdout contain 1"),
        format!("`stdout contain 1` is no expectation: did you mean `contains`?; there are: {FORMS}")
    );
    for text in ["", "stdout", "stdout contains", "stdout contains ", "file a", "file  equals b"] {
        assert_eq!(error(text), format!("`{text}` is no expectation; there are: {FORMS}"));
    }
    for code in ["", "256", "-1", "ok"] {
        assert_eq!(error(&format!("exit {code}")), format!("`exit {code}`: an exit code is a number from 0 to 255"));
    }
    assert_eq!(error("stdout matches ("), "`stdout matches (`: no regular expression: unclosed group");
}
