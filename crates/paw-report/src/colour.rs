//! Whether text carries terminal styles, and which.

use anstyle::{AnsiColor, Style};

/// Whether text carries ANSI styles. A caller that prints through a stripping stream may always ask for [`Colour::Ansi`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// Characters only.
    Plain,
    /// ANSI escape sequences around what they style.
    Ansi,
}

/// Titles.
pub const STRONG: Style = Style::new().bold();
/// What may be overlooked.
pub const FAINT: Style = Style::new().dimmed();
/// What can be trusted.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// What is to be doubted.
pub const DOUBT: Style = AnsiColor::Yellow.on_default();
/// What is wrong.
pub const BAD: Style = AnsiColor::Red.on_default().bold();

impl Colour {
    /// `text` in `style`, or as it is where nothing is styled.
    pub fn paint(self, text: &str, style: Style) -> String {
        match self {
            Colour::Ansi if !text.is_empty() && style != Style::new() => format!("{style}{text}{style:#}"),
            _ => text.to_owned(),
        }
    }

    /// Every line of `text` as what may be overlooked.
    pub fn faint(self, text: &str) -> String {
        text.lines().map(|line| format!("{}\n", self.paint(line, FAINT))).collect()
    }
}
