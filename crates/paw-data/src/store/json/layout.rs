//! JSON with line ends, made of JSON without: a type has one writer in the program, that of the lines of a run.

use std::io::{self, Write};

/// Where arrays stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Arrays {
    /// Those of the outermost object hold entries, each on lines of its own; all others hold numbers or words, and stay on one line.
    Columns,
    /// Each value of an array has a line.
    Lines,
}

/// Writes JSON that comes without white space, in any pieces, with two blanks for each level.
pub(in crate::store) struct JsonLayout<'a> {
    out: &'a mut dyn Write,
    arrays: Arrays,
    laid: Vec<u8>,
    at: At,
    level: usize,
    objects: usize,
    /// Arrays within which everything is on one line.
    flat: usize,
}

/// What stands before the next byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    Value,
    /// The beginning of an array or object that has lines.
    Beginning,
    Text,
    /// The backslash of a text.
    Escape,
}

impl<'a> JsonLayout<'a> {
    /// A layout of one value, which goes to `out`.
    pub(in crate::store) fn new(out: &'a mut dyn Write, arrays: Arrays) -> Self {
        Self { out, arrays, laid: Vec::new(), at: At::Value, level: 0, objects: 0, flat: 0 }
    }

    /// Writes the next piece.
    pub(in crate::store) fn write(&mut self, json: &[u8]) -> io::Result<()> {
        json.iter().for_each(|byte| self.lay(*byte));
        self.out.write_all(&self.laid)?;
        self.laid.clear();
        Ok(())
    }

    /// Ends the last line.
    pub(in crate::store) fn end(self) -> io::Result<()> {
        self.out.write_all(b"\n")?;
        self.out.flush()
    }

    fn lay(&mut self, byte: u8) {
        let at = std::mem::replace(&mut self.at, At::Value);
        match (at, byte) {
            (At::Text, b'\\') => self.at = At::Escape,
            (At::Text, b'"') => {}
            (At::Text | At::Escape, _) => self.at = At::Text,
            (_, b']' | b'}') => return self.close(at, byte),
            _ => {
                if at == At::Beginning {
                    self.break_line();
                }
                return self.place(byte);
            }
        }
        self.laid.push(byte);
    }

    fn place(&mut self, byte: u8) {
        self.laid.push(byte);
        match byte {
            b'"' => self.at = At::Text,
            b'[' if self.flat > 0 || (self.arrays == Arrays::Columns && self.objects > 1) => self.flat += 1,
            b'[' => self.open(),
            b'{' => {
                self.objects += 1;
                self.open();
            }
            b',' if self.flat == 0 => self.break_line(),
            b':' if self.flat == 0 => self.laid.push(b' '),
            _ => {}
        }
    }

    fn open(&mut self) {
        if self.flat == 0 {
            self.level += 1;
            self.at = At::Beginning;
        }
    }

    fn close(&mut self, at: At, byte: u8) {
        self.objects -= usize::from(byte == b'}');
        if self.flat == 0 {
            self.level -= 1;
            if at != At::Beginning {
                self.break_line();
            }
        } else if byte == b']' {
            self.flat -= 1;
        }
        self.laid.push(byte);
    }

    fn break_line(&mut self) {
        self.laid.push(b'\n');
        self.laid.resize(self.laid.len() + 2 * self.level, b' ');
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Arrays, JsonLayout};

    fn laid(json: &[u8], arrays: Arrays, piece: usize) -> String {
        let mut out = Vec::new();
        let mut layout = JsonLayout::new(&mut out, arrays);
        json.chunks(piece).for_each(|piece| layout.write(piece).unwrap());
        layout.end().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn lines_are_those_of_serde() {
        let value = json!({
            "a": [1, [2.5, null], {}, []], "b": {"c": "x,y:[{\"\\", "d": {}}, "e": "\u{1b}µ", "f": [], "g": [{"h": [true]}],
        });
        let text = serde_json::to_vec(&value).unwrap();
        for piece in [1, 3, text.len()] {
            assert_eq!(laid(&text, Arrays::Lines, piece), format!("{value:#}\n"));
        }
        assert_eq!(laid(b"[1,2]", Arrays::Lines, 1), "[\n  1,\n  2\n]\n");
    }

    #[test]
    fn columns_of_entries_stay_on_one_line() {
        let text = br#"{"a":[{"b":[1,{"c":[2]}],"d":{}}],"e":[]}"#;
        let expected =
            "{\n  \"a\": [\n    {\n      \"b\": [1,{\"c\":[2]}],\n      \"d\": {}\n    }\n  ],\n  \"e\": []\n}\n";
        assert_eq!(laid(text, Arrays::Columns, 2), expected);
    }
}
