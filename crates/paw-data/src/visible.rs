//! Text whose control characters can be seen: a name must not control a terminal, or reorder a line.

use std::borrow::Cow;
use std::io::{self, Write};

/// `text` with the picture of each control character in its place (`␛` of escape), and `‹U+202E›` for those without one: the second
/// block of controls, and marks of direction (Unicode Standard Annex 9).
pub fn visible(text: &str) -> Cow<'_, str> {
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if is_plain || !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\0'..='\u{1f}' => out.extend(char::from_u32('␀' as u32 + c as u32)),
            '\u{7f}' => out.push('␡'),
            c if is_hidden(c) => out.push_str(&format!("‹U+{:04X}›", c as u32)),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

fn is_hidden(c: char) -> bool {
    let is_of_direction =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    // Both blocks of controls.
    matches!(c, '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}') || is_of_direction
}

/// A writer of text that makes control characters but line ends visible.
#[derive(Debug)]
pub struct Visible<W: Write> {
    out: W,
    /// The beginning of a character whose end was not written yet.
    begun: Vec<u8>,
}

impl<W: Write> Visible<W> {
    /// A writer to `out`.
    pub fn new(out: W) -> Self {
        Self { out, begun: Vec::new() }
    }
}

impl<W: Write> Write for Visible<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.begun.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.begun) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.begun.len(),
        };
        let rest = self.begun.split_off(whole);
        let text = std::mem::replace(&mut self.begun, rest);
        for line in String::from_utf8_lossy(&text).split_inclusive('\n') {
            let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
            self.out.write_all(visible(line).as_bytes())?;
            self.out.write_all(end.as_bytes())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_and_marks_of_direction_are_seen() {
        assert_eq!(visible("a\u{1b}[31mb\r\u{7f}"), "a␛[31mb␍␡");
        assert_eq!(visible("x\u{202e}y\u{9b}z\u{2069}"), "x‹U+202E›y‹U+009B›z‹U+2069›");
        assert_eq!(visible("µs, ± 3 %, 日本"), "µs, ± 3 %, 日本");
    }

    #[test]
    fn a_character_written_in_parts_is_one() {
        let mut out = Visible::new(Vec::new());
        for byte in "µ\u{202e},\n\u{1b}".as_bytes() {
            out.write_all(&[*byte]).unwrap();
        }
        assert_eq!(String::from_utf8(out.out).unwrap(), "µ‹U+202E›,\n␛");
    }
}
