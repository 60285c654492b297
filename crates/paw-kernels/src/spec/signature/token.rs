//! The tokens of a declaration in C.

use std::ops::Range;

/// A word, a number, a text in quotation marks, or one sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'a> {
    /// The text; empty for the end.
    pub text: &'a str,
    /// Its first byte in the declaration.
    pub at: usize,
}

impl Token<'_> {
    /// Its bytes in the declaration.
    pub fn range(&self) -> Range<usize> {
        self.at..self.at + self.text.len()
    }

    /// Whether the token is a word.
    pub fn is_word(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
    }

    /// The token's name in an error message.
    pub fn shown(&self) -> String {
        if self.text.is_empty() { "the end".to_owned() } else { format!("`{}`", self.text) }
    }
}

/// All tokens of a text; the last is the end.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = match first {
            _ if first.is_whitespace() => {
                at += first.len_utf8();
                continue;
            }
            _ if rest.starts_with("...") => 3,
            '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
            _ => match rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len()) {
                0 => first.len_utf8(),
                word => word,
            },
        };
        found.push(Token { text: &rest[..length], at });
        at += length;
    }
    found.push(Token { text: "", at: text.len() });
    found
}
