//! Numbers of a column, aligned at their decimal points.

/// Characters in place of missing digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blanks {
    /// Blanks for a font of one width.
    Terminal,
    /// Unicode's figure spaces, and a punctuation space for the point.
    Page,
}

/// Characters from the point on; the point itself is one of them.
pub fn decimals(text: &str) -> usize {
    text.find('.').map_or(0, |point| text.len() - point)
}

/// `text` with blanks behind it up to `most` characters from the point on.
pub fn aligned(text: &str, most: usize, blanks: Blanks) -> String {
    let missing = if text.is_empty() { 0 } else { most.saturating_sub(decimals(text)) };
    let blank = |i: usize| match blanks {
        Blanks::Terminal => ' ',
        Blanks::Page if i == 0 && !text.contains('.') => '\u{2008}',
        Blanks::Page => '\u{2007}',
    };
    text.chars().chain((0..missing).map(blank)).collect()
}
