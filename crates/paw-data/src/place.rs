//! A place in a text that somebody wrote, and how a message points at it.

use std::fmt;
use std::ops::Range;
use std::path::Path;

/// A place in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Number of the line, from 1.
    pub line: usize,
    /// Number of the character in it, from 1.
    pub column: usize,
    /// How many characters of the line are meant, at least 1.
    pub width: usize,
    /// The line.
    pub text: String,
}

impl Place {
    /// The place of the bytes `span` of `text`, as far as they are in its first line; of bytes that it does not have, or that
    /// begin or end within a character, the nearest before them.
    pub fn of(text: &str, span: Range<usize>) -> Self {
        let from = text.floor_char_boundary(span.start);
        let start = text[..from].rfind('\n').map_or(0, |end| end + 1);
        let end = text[start..].find('\n').map_or(text.len(), |length| start + length);
        let to = text.floor_char_boundary(span.end.clamp(from, end.max(from)));
        let text_of = |range: Range<usize>| text[range].chars();
        Self {
            line: text[..start].matches('\n').count() + 1,
            column: text_of(start..from).count() + 1,
            width: text_of(from..to).count().max(1),
            text: text_of(start..end).map(|c| if c.is_control() { ' ' } else { c }).collect(),
        }
    }
}

/// Writes what is wrong with a file: `file:line:column: message`, then the line, and a caret below the place; without a place,
/// `file: message`.
///
/// # Errors
/// As the formatter has them.
pub fn pointed(f: &mut fmt::Formatter<'_>, path: &Path, place: Option<&Place>, message: &str) -> fmt::Result {
    let path = path.display();
    let Some(Place { line, column, width, text }) = place else {
        return write!(f, "{path}: {message}");
    };
    let margin = " ".repeat(line.to_string().len());
    let caret = " ".repeat(column - 1) + &"^".repeat(*width);
    write!(f, "{path}:{line}:{column}: {message}\n{line} | {}\n{margin} | {caret}", text.trim_end())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    struct Shown<'a>(&'a str, Range<usize>);

    impl fmt::Display for Shown<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            pointed(f, Path::new("a.toml"), Some(&Place::of(self.0, self.1.clone())), "it is wrong")
        }
    }

    #[test]
    fn characters_are_counted_and_the_line_is_shown() {
        let text = "first\n\té = 3\nlast\n";
        let at = text.find('3').unwrap();
        assert_eq!(Shown(text, at..at + 1).to_string(), "a.toml:2:6: it is wrong\n2 |  é = 3\n  |      ^");
    }

    #[test]
    fn what_goes_on_below_is_meant_in_its_first_line_alone() {
        assert_eq!(Shown("k = [\n1]", 4..8).to_string(), "a.toml:1:5: it is wrong\n1 | k = [\n  |     ^");
    }

    proptest! {
        #[test]
        fn every_range_has_a_place(text in "[aé\n\t]{0,12}", start in 0_usize..30, end in 0_usize..30) {
            let place = Place::of(&text, start..end);
            prop_assert!(place.line >= 1 && place.column >= 1 && place.width >= 1);
            prop_assert!(place.column + place.width <= place.text.chars().count() + 2);
        }
    }
}
