//! Escaping: text and code without markup of Markdown or HTML.

use crate::wrap::printable;

/// `text` with the markup of Markdown and HTML escaped.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '|' | '*' | '`' | '[' | ']' | '\\' | '#' | '~' => out.extend(['\\', c]),
            // GitHub's Markdown takes an underline between letters and digits literally.
            c => out.push(c),
        }
    }
    out
}

/// Text as code, whatever it contains.
pub fn code(text: &str) -> String {
    let text = printable(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    if longest == 0 { format!("`{text}`") } else { format!("{fence} {text} {fence}") }
}
