//! A place in a user's text, and the message that points at it.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

/// A place in a text: bytes of one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Number of the line, from 1.
    pub line: usize,
    /// Number of the character in it, from 1.
    pub column: usize,
    /// The bytes of `text` that are meant; none at the end of a line.
    pub span: Range<usize>,
    /// The line, without its end.
    pub text: String,
}

impl Place {
    /// The place of the bytes `span` of `text`, limited to their first line. Ends past the text or within a character move back to
    /// the nearest character.
    pub fn of(text: &str, span: Range<usize>) -> Self {
        let [from, to] = [span.start, span.end].map(|at| text.floor_char_boundary(at));
        let start = text[..from].rfind('\n').map_or(0, |end| end + 1);
        let line = text[start..].lines().next().unwrap_or_default();
        let [from, to] = [from, to.max(from)].map(|at| line.len().min(at - start));
        Self {
            line: text[..start].matches('\n').count() + 1,
            column: line[..from].chars().count() + 1,
            span: from..to,
            text: line.to_owned(),
        }
    }
}

/// Writes what is wrong with a file: `file:line:column: message`, then the line, and a caret below the place; without a place,
/// `file: message`. A line too long for a terminal is cut around the place, and control characters have visible symbols.
///
/// # Errors
/// As the formatter has them.
pub fn pointed(f: &mut fmt::Formatter<'_>, path: &Path, place: Option<&Place>, message: &str) -> fmt::Result {
    let path = path.display();
    let Some(Place { line, column, span, text }) = place else {
        return write!(f, "{path}: {message}");
    };
    let title = Level::ERROR.no_name().primary_title(format!("{path}:{line}:{column}: {message}"));
    let caret = AnnotationKind::Primary.span(span.clone());
    let report = [title.element(Snippet::source(text).line_start(*line).annotation(caret))];
    f.write_str(&Renderer::plain().render(&report))
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

    #[track_caller]
    fn check(text: &str, span: Range<usize>, shown: &str) {
        assert_eq!(Shown(text, span).to_string().strip_prefix("a.toml:"), Some(shown));
    }

    #[test]
    fn the_caret_is_below_the_place_whatever_is_before_it() {
        check("first\n\té = 3\nlast\n", 12..13, "2:6: it is wrong\n  |\n2 |     é = 3\n  |         ^");
        check("k = \"日本\" 5", 13..14, "1:10: it is wrong\n  |\n1 | k = \"日本\" 5\n  |            ^");
        check("k = 3\r\nl = 4\r\n", 11..13, "2:5: it is wrong\n  |\n2 | l = 4\n  |     ^");
        check("k =", 3..3, "1:4: it is wrong\n  |\n1 | k =\n  |    ^");
        check("k = \u{1b}[m5", 7..8, "1:8: it is wrong\n  |\n1 | k = ␛[m5\n  |        ^");
    }

    #[test]
    fn of_a_place_that_goes_on_below_only_the_first_line_is_marked() {
        check("k = [\n1]", 4..8, "1:5: it is wrong\n  |\n1 | k = [\n  |     ^");
    }

    #[test]
    fn a_huge_line_is_cut_around_the_place() {
        let text = format!("k = \"{}\" 5", "x".repeat(1 << 20));
        let shown = Shown(&text, text.len() - 1..text.len()).to_string();
        let [title, _, line, caret] = shown.lines().collect::<Vec<_>>()[..] else { panic!("{shown}") };
        assert_eq!(title, "a.toml:1:1048584: it is wrong");
        assert!(line.len() <= 150 && line.ends_with("x\" 5") && caret.len() == line.len(), "{shown}");
    }

    proptest! {
        #[test]
        fn every_range_has_a_place(text in "[aé日\n\r\t\u{1b}\u{200d}\u{301}\u{202e}]{0,12}", start in 0_usize..40, end in 0_usize..40) {
            let place = Place::of(&text, start..end);
            prop_assert!(place.line >= 1 && place.column >= 1);
            let shown = Shown(&text, start..end).to_string();
            prop_assert!(shown.ends_with('^') && shown.lines().count() == 4, "{shown}");
        }
    }
}
