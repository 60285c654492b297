//! Short parts of a program's output, to be quoted in a sentence.

/// Length of an excerpt in characters: one line of a terminal.
pub const CHARS_MAX: usize = 80;

/// The beginning of `line`, without control characters; a longer one ends with `…`.
pub fn excerpt(line: &str) -> String {
    let mut shown: String = line.trim_end().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if let Some((end, _)) = shown.char_indices().nth(CHARS_MAX) {
        shown.truncate(end);
        shown.push('…');
    }
    shown
}

/// The last line of `text` that is not blank; `None` where there is none.
pub fn last_line(text: &str) -> Option<String> {
    text.lines().rev().find(|line| !line.trim().is_empty()).map(excerpt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_cut_and_control_characters_are_blanks() {
        assert_eq!(excerpt("a\tb\u{1b}[0m \r"), "a b [0m");
        assert_eq!(excerpt(&"é".repeat(81)), "é".repeat(80) + "…");
        assert_eq!(excerpt(&"é".repeat(80)), "é".repeat(80));
    }

    #[test]
    fn the_last_line_that_says_something_is_taken() {
        assert_eq!(last_line("one\ntwo\n\n \n"), Some("two".to_owned()));
        assert_eq!(last_line("\n"), None);
    }
}
