//! A text between quotation marks in TOML, and where each of its characters stands in the file.

use std::ops::Range;

use super::page::Page;

/// A text as it is meant, and where it stands.
pub(super) struct Quoted<'a> {
    pub text: &'a str,
    span: Range<usize>,
    /// The byte of the file where each byte of the text stands, and where its end does.
    places: Option<Vec<usize>>,
}

impl<'a> Quoted<'a> {
    /// The text that the bytes `span` of a page stand for.
    pub fn new(page: &Page<'_>, text: &'a str, span: Range<usize>) -> Self {
        let places = page.text.get(span.clone()).and_then(read).filter(|(found, _)| found == text);
        let places = places.map(|(_, places)| places.iter().map(|at| span.start + at).collect());
        Self { text, span, places }
    }

    /// Where the bytes `part` of the text stand in the file; the whole, quotation marks too, where that cannot be told.
    pub fn span(&self, part: Range<usize>) -> Range<usize> {
        let place = |at: usize| self.places.as_ref()?.get(at).copied();
        match (place(part.start), place(part.end)) {
            (Some(start), Some(end)) => start..end.max(start),
            _ => self.span.clone(),
        }
    }

    /// Where all of it stands, without quotation marks.
    pub fn inside(&self) -> Range<usize> {
        self.span(0..self.text.len())
    }
}

/// What a string stands for (TOML 1.1, "String"), and the byte in `raw` of each of its bytes and of its end. `None` where this
/// reader does not understand it; TOML's own has read it before.
fn read(raw: &str) -> Option<(String, Vec<usize>)> {
    let mark = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|mark| raw.starts_with(mark))?;
    let inner = raw.strip_prefix(mark)?.strip_suffix(mark)?;
    // The line feed behind three opening marks is no part of the text.
    let skipped = if mark.len() == 3 {
        inner.len() - inner.strip_prefix("\r\n").or(inner.strip_prefix('\n')).unwrap_or(inner).len()
    } else {
        0
    };
    let (mut text, mut places, mut at) = (String::new(), Vec::new(), skipped);
    while let Some(c) = inner[at..].chars().next() {
        let (meant, length) =
            if c == '\\' && mark.starts_with('"') { escape(&inner[at..])? } else { (Some(c), c.len_utf8()) };
        text.extend(meant);
        places.resize(text.len(), mark.len() + at);
        at += length;
    }
    places.push(mark.len() + inner.len());
    Some((text, places))
}

/// The character that an escape sequence stands for, if any, and how many bytes it takes.
fn escape(rest: &str) -> Option<(Option<char>, usize)> {
    let kind = rest[1..].chars().next()?;
    let digits = match kind {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ if kind.is_ascii_whitespace() => return Some((None, rest.len() - rest[1..].trim_ascii_start().len())),
        _ => {
            let meant = "btnfre\"\\".find(kind).and_then(|at| "\u{8}\t\n\u{c}\r\u{1b}\"\\".chars().nth(at))?;
            return Some((Some(meant), 2));
        }
    };
    let code = u32::from_str_radix(rest.get(2..2 + digits)?, 16).ok()?;
    Some((Some(char::from_u32(code)?), 2 + digits))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn escapes_take_more_room_in_the_file_than_in_the_text() {
        let (text, places) = read(r#""a\tb\u00e9c\\""#).unwrap();
        assert_eq!(text, "a\tbéc\\");
        assert_eq!(places, [1, 2, 4, 5, 5, 11, 12, 14]);
        let (text, places) = read("\"\"\"\na \\\n   b\"\"\"").unwrap();
        assert_eq!((text.as_str(), places), ("a b", vec![4, 5, 11, 12]));
        assert_eq!(read(r"'a\t'").unwrap(), (r"a\t".to_owned(), vec![1, 2, 3, 4]));
    }

    proptest! {
        #[test]
        fn a_string_is_read_as_toml_reads_it(inner in r#"([a-zé' \[\]*]|\\[tn"\\]|\\u00e9|\\x41){0,12}"#) {
            let raw = format!("\"{inner}\"");
            let table: toml::Table = toml::from_str(&format!("k = {raw}")).unwrap();
            let (text, places) = read(&raw).unwrap();
            prop_assert_eq!(Some(text.as_str()), table["k"].as_str());
            prop_assert_eq!(places.len(), text.len() + 1);
        }
    }
}
