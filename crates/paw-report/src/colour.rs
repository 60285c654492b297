//! Whether text carries terminal styles.

/// Whether text carries ANSI styles. A caller that prints through a stripping stream may always ask for [`Colour::Ansi`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// Characters only.
    Plain,
    /// ANSI escape sequences around what they style.
    Ansi,
}
