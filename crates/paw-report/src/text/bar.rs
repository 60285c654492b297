//! A bar on a terminal, in eighths of a column.

/// Eighths of a block.
const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
/// The mark of a place beyond a bar.
pub const MARK: char = '┆';

/// A bar of `length` in `room` columns, with a mark at `mark` where it does not reach that.
pub fn bar(length: f64, mark: Option<f64>, room: usize) -> String {
    let eighths = (length * 8.0).round().clamp(0.0, room as f64 * 8.0) as usize;
    let mark = mark.map(|mark| (mark.round() as usize).clamp(1, room) - 1);
    let cell = |i: usize| match eighths.saturating_sub(i * 8) {
        8.. => '█',
        0 if Some(i) == mark => MARK,
        part => EIGHTHS[part],
    };
    (0..room).map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::bar;

    #[test]
    fn a_bar_ends_in_eighths_and_the_mark_stands_behind_it() {
        assert_eq!(bar(2.5, Some(6.0), 8), "██▌  ┆  ");
        assert_eq!(bar(8.0, Some(8.0), 8), "████████");
        assert_eq!(bar(0.0, Some(1.0), 4), "┆   ");
        assert_eq!(bar(1.0, None, 3), "█  ");
    }
}
