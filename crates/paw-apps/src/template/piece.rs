//! Splits a word into text and placeholders.

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Literal text.
    Text(String),
    /// A placeholder of this name.
    Place(String),
}

/// An open brace: `{`, or `{{`, which `}}` closes.
#[derive(Clone, Copy, PartialEq)]
enum Open {
    Single,
    Double,
}

/// The parts of `word`, in order.
pub(super) fn pieces(word: &str) -> Vec<Piece> {
    let (mut found, mut text, mut open) = (Vec::new(), String::new(), Vec::new());
    let mut rest = word;
    while let Some(next) = rest.chars().next() {
        let (seen, written) = match next {
            '$' if name_in_braces(&rest[1..]).is_some() => {
                let whole = name_in_braces(&rest[1..]).map_or(1, |name| name.len() + 3);
                (whole, &rest[..whole])
            }
            '{' if rest.starts_with("{{") => {
                open.push(Open::Double);
                (2, "{")
            }
            '{' => match name_in_braces(rest) {
                Some(name) => {
                    if !text.is_empty() {
                        found.push(Piece::Text(std::mem::take(&mut text)));
                    }
                    found.push(Piece::Place(name.to_owned()));
                    (name.len() + 2, "")
                }
                None => {
                    open.push(Open::Single);
                    (1, "{")
                }
            },
            '}' => (closing(rest, &mut open), "}"),
            other => (other.len_utf8(), &rest[..other.len_utf8()]),
        };
        text.push_str(written);
        rest = &rest[seen..];
    }
    if !text.is_empty() {
        found.push(Piece::Text(text));
    }
    found
}

/// Length in bytes of the closing brace at the beginning of `rest`; closes the innermost open brace.
fn closing(rest: &str, open: &mut Vec<Open>) -> usize {
    match open.last() {
        Some(Open::Double) if rest.starts_with("}}") => {
            open.pop();
            2
        }
        Some(Open::Single) => {
            open.pop();
            1
        }
        _ => 1,
    }
}

/// The name of `{name}` at the beginning of `text`.
fn name_in_braces(text: &str) -> Option<&str> {
    let (name, _) = text.strip_prefix('{')?.split_once('}')?;
    is_name(name).then_some(name)
}

fn is_name(text: &str) -> bool {
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    begins && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
