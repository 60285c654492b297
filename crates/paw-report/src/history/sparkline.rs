//! A series in one line of a terminal.

/// Eighths of a column's height.
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// `values` in at most `room` columns, the latest last; where there are more values than columns each shows the median of several.
/// The lowest block is the smallest value shown, not zero.
pub fn sparkline(values: &[f64], room: usize) -> String {
    let shown = merged(values, room);
    let low = shown.iter().copied().fold(f64::INFINITY, f64::min);
    let high = shown.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let height = |value: &f64| match (value - low) / (high - low) {
        // Equal values stand in the middle.
        share if share.is_nan() => HEIGHTS[3],
        share => HEIGHTS[((share * 8.0) as usize).min(7)],
    };
    shown.iter().map(height).collect()
}

/// At most `room` values: medians of neighbours, of as many as it takes.
pub fn merged(values: &[f64], room: usize) -> Vec<f64> {
    let each = values.len().div_ceil(room.max(1)).max(1);
    values.chunks(each).filter_map(paw_stats::quantile::median).collect()
}

#[cfg(test)]
mod tests {
    use super::sparkline;

    #[test]
    fn the_line_spans_from_the_smallest_to_the_largest() {
        assert_eq!(sparkline(&[1.0, 2.0, 3.0], 10), "▁▅█");
        assert_eq!(sparkline(&[5.0, 5.0], 10), "▄▄");
        assert_eq!(sparkline(&[], 10), "");
        let many: Vec<f64> = (0..100).map(f64::from).collect();
        assert_eq!(sparkline(&many, 8).chars().count(), 8);
    }
}
