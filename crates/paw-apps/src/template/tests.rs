//! Braces in commands.

use proptest::prelude::*;

use super::*;

fn words(argv: &[&str]) -> Template {
    Template::words(&argv.iter().map(|&word| word.to_owned()).collect::<Vec<_>>())
}

fn value(name: &str) -> Option<String> {
    match name {
        "n" => Some("512".to_owned()),
        "threads" => Some("4".to_owned()),
        _ => None,
    }
}

#[track_caller]
fn becomes(word: &str, expected: &str) {
    assert_eq!(words(&[word]).fill(&value).unwrap(), [expected], "{word}");
}

#[test]
fn placeholders_are_filled_wherever_they_stand() {
    becomes("{n}", "512");
    becomes("--n={n}x{threads}.out", "--n=512x4.out");
    becomes("{n}{n}", "512512");
    becomes("{threads", "{threads");
}

#[test]
fn doubled_braces_are_braces() {
    becomes("{{n}}", "{n}");
    becomes("{{{n}}}", "{512}");
    becomes("{{", "{");
    becomes("{{}}", "{}");
    becomes(r#"{{"a": {"b": {n}}}}"#, r#"{"a": {"b": 512}}"#);
}

#[test]
fn braces_that_hold_no_name_stay() {
    for word in ["{}", "{1..3}", r#"{"a": 1}"#, r#"{"a":{"b":1}}"#, "{ x; }", "}}", "a{,b}", "{a-b}", "é{ü}"] {
        becomes(word, word);
    }
    becomes(r#"{"a":{"n":{n}}}"#, r#"{"a":{"n":512}}"#);
}

#[test]
fn variables_of_the_shell_are_left_to_it() {
    becomes("${HOME}/$n/${n}", "${HOME}/$n/${n}");
    becomes("${x:-{n}}", "${x:-512}");
}

#[test]
fn a_shells_text_is_one_word_of_sh() {
    let template = Template::shell("./fit {n} | tee out");
    assert_eq!(template.fill(&value).unwrap(), ["sh", "-c", "./fit 512 | tee out"]);
    assert_eq!(template.typed(), ["./fit {n} | tee out"]);
    assert!(template.is_shell() && !words(&["sh"]).is_shell());
}

#[test]
fn names_come_once_each_in_their_order() {
    assert_eq!(words(&["{n}", "{threads}{n}", "{{x}}"]).names(), ["n", "threads"]);
}

#[test]
fn an_unknown_placeholder_is_named_with_those_there_are() {
    let error = words(&["{n}", "{threds}"]).check(&["threads", "n"]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`{threds}` is no placeholder here; there are {threads}, {n}; did you mean {threads}?; for the braces themselves write `{{threds}}`"
    );
    let error = words(&["{x}"]).fill(&value).unwrap_err();
    assert_eq!(error.to_string(), "`{x}` is no placeholder here; for the braces themselves write `{{x}}`");
    assert_eq!(words(&["{n}"]).check(&["n"]), Ok(()));
}

#[test]
fn a_line_is_split_as_a_shell_splits_it() {
    let template = Template::parse_line(r#"./fit --title 'two words' "a {n}" b\ c"#).unwrap();
    assert_eq!(template.fill(&value).unwrap(), ["./fit", "--title", "two words", "a 512", "b c"]);
    assert_eq!(Template::parse_line("  "), Err(TemplateError::Empty));
    let error = Template::parse_line("./fit 'half").unwrap_err();
    assert_eq!(error.to_string(), "`./fit 'half` ends within a quote or behind a backslash: close it");
}

proptest! {
    #[test]
    fn text_with_its_braces_doubled_comes_back(text in r#"[a-z{}"$ .:0-9]{0,12}"#) {
        // A closing brace doubles with the opening one it belongs to, as the table says.
        prop_assume!(!text.contains("${"));
        let balanced = {
            let mut depth = 0;
            text.chars().all(|c| { depth += i32::from(c == '{') - i32::from(c == '}'); depth >= 0 }) && depth == 0
        };
        prop_assume!(balanced);
        let doubled = text.replace('{', "{{").replace('}', "}}");
        prop_assert_eq!(words(&[&doubled]).fill(&|_| None).unwrap(), [text]);
    }

    #[test]
    fn no_word_makes_it_panic(word in "\\PC{0,20}") {
        let _ = words(&[&word]).fill(&|name| Some(name.to_owned()));
    }
}

#[test]
fn words_for_a_shell_alone_are_asked_about() {
    for (line, word) in [
        ("true | cat", "|"),
        ("make && ./a", "&&"),
        ("sync; true", "sync;"),
        ("sort < in", "<"),
        ("./a >out", ">out"),
        ("./a 2>&1", "2>&1"),
        ("./a \"x\" || true", "||"),
        ("./a &", "&"),
    ] {
        let found = Template::parse_line(line).unwrap_err();
        assert_eq!(found, TemplateError::Shell { text: line.to_owned(), word: word.to_owned() }, "{line}");
    }
    for line in [
        "expr 3 '|' 4",
        "awk \"{ print; }\"",
        "find . -exec ls {} \\;",
        "grep 'a > b'",
        "./a --x=1>2",
        "a|b",
        "./a '' '&&'",
    ] {
        assert!(Template::parse_line(line).is_ok(), "{line}");
    }
}
