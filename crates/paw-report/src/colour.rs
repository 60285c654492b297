//! Whether text carries terminal styles, and which.

use anstyle::{AnsiColor, Style};

/// Whether text carries ANSI styles. A caller that prints through a stripping stream may always ask for [`Colour::Ansi`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// No styles.
    Plain,
    /// ANSI escape sequences around what they style.
    Ansi,
}

pub const STRONG: Style = Style::new().bold();
/// The style of details of less importance.
pub const FAINT: Style = Style::new().dimmed();
/// The style of good numbers.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// The style of doubtful numbers.
pub const DOUBT: Style = AnsiColor::Yellow.on_default();
/// The style of errors.
pub const BAD: Style = AnsiColor::Red.on_default().bold();

impl Colour {
    /// `text` in `style`, unchanged for [`Colour::Plain`].
    pub fn paint(self, text: &str, style: Style) -> String {
        match self {
            Colour::Ansi if !text.is_empty() && style != Style::new() => format!("{style}{text}{style:#}"),
            _ => text.to_owned(),
        }
    }

    /// Every line of `text`, faint.
    pub fn faint(self, text: &str) -> String {
        text.lines().map(|line| format!("{}\n", self.paint(line, FAINT))).collect()
    }
}
