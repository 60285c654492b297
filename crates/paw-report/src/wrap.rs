//! Text wrapped to the width of a terminal.

use std::borrow::Cow;

use paw_data::visible::visible;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Width of `text` in terminal columns.
pub fn width(text: &str) -> usize {
    text.width()
}

/// `text` with blanks for tabs and line ends, and other control characters made visible: a name must not control the terminal.
pub fn printable(text: &str) -> Cow<'_, str> {
    if text.contains(['\t', '\n']) {
        Cow::Owned(visible(&text.replace(['\t', '\n'], " ")).into_owned())
    } else {
        visible(text)
    }
}

/// `text` in lines of at most `width` columns, broken at blanks, and inside a word only where the word alone is too wide.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = vec![String::new()];
    for word in printable(text).split_whitespace() {
        let line = lines.last_mut().expect("there is always a last line");
        let gap = usize::from(!line.is_empty());
        if line.width() + gap + word.width() <= width {
            line.push_str(if gap == 1 { " " } else { "" });
            line.push_str(word);
        } else {
            let fresh = if line.is_empty() { lines.pop() } else { None };
            lines.extend(pieces(word, width, fresh.unwrap_or_default()));
        }
    }
    lines
}

/// `word` cut into pieces of at most `width` columns.
fn pieces(word: &str, width: usize, start: String) -> Vec<String> {
    let mut pieces = vec![start];
    for c in word.chars() {
        let piece = pieces.last_mut().expect("there is always a last piece");
        if piece.width() + c.width().unwrap_or(0) > width && !piece.is_empty() {
            pieces.push(c.to_string());
        } else {
            piece.push(c);
        }
    }
    pieces
}

/// `text` cut to `width` columns, with an ellipsis where something is missing.
pub fn shorten(text: &str, width: usize) -> String {
    let text = printable(text);
    if text.width() <= width {
        return text.into_owned();
    }
    if width == 0 {
        return String::new();
    }
    let mut short = String::new();
    for c in text.chars() {
        if short.width() + c.width().unwrap_or(0) + 1 > width {
            break;
        }
        short.push(c);
    }
    short + "…"
}

/// `label` in the margin and `text` beside it, wrapped with a hanging indent of `indent` columns; a label too wide for
/// the margin gets its own line.
pub fn hang(label: &str, text: &str, indent: usize, width: usize) -> String {
    let (label, indent) = (&printable(label), indent.min(width / 2));
    let beside = label.width() < indent;
    let mut out = if beside { String::new() } else { shorten(label, width) + "\n" };
    for (i, line) in wrap(text, width - indent).iter().enumerate() {
        let margin = if i == 0 && beside { label } else { "" };
        let pad = " ".repeat(indent - margin.width());
        out.push_str(&format!("{margin}{pad}{line}\n"));
    }
    out
}

/// `name` cut in its middle to at most `room` columns, because the ends of flags differ.
pub fn abridge(name: &str, room: usize) -> String {
    let letters: Vec<char> = printable(name).chars().collect();
    if width(name) <= room || letters.len() <= room {
        return letters.into_iter().collect();
    }
    let tail = room.saturating_sub(1) / 2;
    let head = room.saturating_sub(1) - tail;
    letters[..head].iter().chain(&['…']).chain(&letters[letters.len() - tail..]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_blanks_and_long_words_are_cut() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("/a/very/long/path x", 6), ["/a/ver", "y/long", "/path", "x"]);
        assert_eq!(wrap("", 10), [""]);
    }

    #[test]
    fn an_ellipsis_counts_as_a_column() {
        assert_eq!(shorten("abcdef", 4), "abc…");
        assert_eq!(shorten("abcd", 4), "abcd");
    }

    #[test]
    fn a_label_stands_in_the_margin() {
        assert_eq!(hang("peak", "aa bb cc", 6, 12), "peak  aa bb\n      cc\n");
        assert_eq!(hang("long label", "aa bb", 6, 12), "long label\n      aa bb\n");
    }

    #[test]
    fn a_long_name_keeps_both_its_ends() {
        assert_eq!(abridge("gcc -Ofast -march=native [expf]", 16), "gcc -Ofa… [expf]");
        assert_eq!(abridge("gcc -O2", 16), "gcc -O2");
        assert_eq!(abridge("gcc -O2", 1), "…");
    }
}
