//! The tokens of a formula: numbers, names and signs, each with its place.

use crate::error::{FormulaError, FormulaErrorKind};
use crate::limits::LENGTH_MAX;

/// All signs, longest first: the first match is taken.
const SIGNS: &[&str] =
    &["<=", ">=", "==", "!=", "&&", "||", "<", ">", "+", "-", "*", "/", "%", "^", "!", "(", ")", ","];

/// Operators of other languages with their spelling here; tried before the signs.
const SPELLINGS: &[(&str, &str)] = &[("**", "^"), ("<>", "!="), ("=<", "<="), ("=>", ">=")];

/// Half signs that mean nothing alone, with the whole sign.
const HALVES: &[(&str, &str)] = &[("=", "=="), ("&", "&&"), ("|", "||")];

/// Units after a number, as factors: bytes with the prefixes of IEC 80000-13 and of the SI.
pub(crate) const UNITS: &[(&str, f64)] = &[
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
    ("TiB", 1_099_511_627_776.0),
    ("kB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("TB", 1e12),
];

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum TokenKind<'a> {
    Number(f64),
    Name(&'a str),
    Sign(&'static str),
    End,
}

/// A token with its text and its first byte.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token<'a> {
    pub word: TokenKind<'a>,
    pub text: &'a str,
    pub position: usize,
}

impl Token<'_> {
    /// The token's name in an error message.
    pub fn shown(&self) -> String {
        if self.word == TokenKind::End { "the end".to_owned() } else { format!("`{}`", self.text) }
    }
}

/// All tokens of a text; the last one is its end.
pub(crate) fn tokens(text: &str) -> Result<Vec<Token<'_>>, FormulaError> {
    if text.len() > LENGTH_MAX {
        let beginning = &text[..text.floor_char_boundary(LENGTH_MAX)];
        return Err(FormulaError::new(FormulaErrorKind::TooLong(text.len()), beginning.len(), beginning));
    }
    let mut found = Vec::new();
    let mut position = 0;
    loop {
        position += blanks(&text[position..]);
        let (word, length) = next(&text[position..]).map_err(|fault| FormulaError::new(fault, position, text))?;
        found.push(Token { word, text: &text[position..position + length], position });
        if word == TokenKind::End {
            return Ok(found);
        }
        position += length;
    }
}

fn blanks(rest: &str) -> usize {
    rest.len() - rest.trim_start().len()
}

/// The first token of `rest` and its length in bytes.
fn next(rest: &str) -> Result<(TokenKind<'_>, usize), FormulaErrorKind> {
    let Some(first) = rest.chars().next() else { return Ok((TokenKind::End, 0)) };
    let length = number(rest);
    if length > 0 {
        let (factor, unit) = unit(&rest[length..]);
        return value(&rest[..length], factor).map(|number| (TokenKind::Number(number), length + unit));
    }
    let length = name(rest);
    if length > 0 {
        return Ok((TokenKind::Name(&rest[..length]), length));
    }
    let fits = |&&(typed, _): &&(&str, &str)| rest.starts_with(typed);
    if let Some((typed, meant)) = SPELLINGS.iter().find(fits) {
        return Err(FormulaErrorKind::Spelling { typed, meant });
    }
    if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
        return Ok((TokenKind::Sign(sign), sign.len()));
    }
    let half = HALVES.iter().find(fits);
    Err(half.map_or(FormulaErrorKind::Character(first), |(typed, meant)| FormulaErrorKind::Spelling { typed, meant }))
}

/// The number of leading bytes that form a number: digits with at most one point, and an exponent if it is complete.
fn number(rest: &str) -> usize {
    let digits = |from: usize| leading(&rest[from..], |c| c.is_ascii_digit());
    let whole = digits(0);
    let mut length = whole;
    if rest[whole..].starts_with('.') {
        let fraction = digits(whole + 1);
        if whole + fraction == 0 {
            return 0;
        }
        length = whole + 1 + fraction;
    }
    if length > 0 && rest[length..].starts_with(['e', 'E']) {
        let sign = usize::from(rest[length + 1..].starts_with(['+', '-']));
        let exponent = digits(length + 1 + sign);
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    length
}

/// The factor of the unit at the start of `rest`, after blanks, and its length in bytes; 1 and 0 if there is none.
fn unit(rest: &str) -> (f64, usize) {
    let blanks = blanks(rest);
    let length = name(&rest[blanks..]);
    let typed = &rest[blanks..blanks + length];
    UNITS.iter().find(|(unit, _)| *unit == typed).map_or((1.0, 0), |(_, factor)| (*factor, blanks + length))
}

/// The number of leading bytes that form a name.
fn name(rest: &str) -> usize {
    if rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        leading(rest, |c| c.is_ascii_alphanumeric() || c == b'_' || c == b'.')
    } else {
        0
    }
}

fn value(text: &str, factor: f64) -> Result<f64, FormulaErrorKind> {
    let value = text.parse().ok().map(|value: f64| value * factor);
    value.filter(|value| value.is_finite()).ok_or_else(|| FormulaErrorKind::Number(text.to_owned()))
}

fn leading(rest: &str, belongs: impl Fn(u8) -> bool) -> usize {
    rest.bytes().take_while(|c| belongs(*c)).count()
}
