//! Markdown.

use expect_test::expect_file;
use paw_report::markdown;

use crate::handmade::{hostile, run, small};

#[test]
fn a_small_run() {
    expect_file!["expected/small.md"].assert_eq(&markdown(&small()));
}

#[test]
fn rows_have_as_many_cells_as_their_header_whatever_the_names() {
    for run in [small(), hostile()] {
        let text = markdown(&run);
        let tables = text.split("\n\n").filter(|block| block.starts_with('|'));
        let mut rows = 0;
        for table in tables {
            let cells = |line: &str| line.replace(r"\|", "").matches('|').count();
            let header = cells(table.lines().next().expect("a table has a line"));
            for line in table.lines() {
                assert_eq!(cells(line), header, "{line}");
                rows += 1;
            }
        }
        assert!(rows > 10, "the tables are there");
    }
}

#[test]
fn names_are_no_markup() {
    let text = markdown(&hostile());
    // These lines are code, where markup is text.
    let code = |line: &&str| ["Method ", "Command: ", "Environment: ", "Run "].iter().any(|c| line.starts_with(c));
    let outside: Vec<&str> = text.lines().filter(|line| !code(line)).collect();
    assert!(outside.len() > 20 && !outside.iter().any(|line| line.contains("<script")));
}

#[test]
fn an_empty_run_is_a_document() {
    let text = markdown(&run(vec![]));
    assert!(text.starts_with("# node1") && text.contains("nothing measured") && text.ends_with('\n'));
}
