//! Values over runs as points on a terminal.

use super::sparkline::merged;

/// Lines of a drawing.
const LINES: usize = 9;

/// `values` as lines of `width` columns at most, with `label` beside the highest and the lowest line and a mark where a level begins.
pub fn scatter(values: &[f64], cuts: &[usize], width: usize, label: impl Fn(f64) -> String) -> Vec<String> {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let labels = [label(high), label(low)];
    let margin = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0) + 1;
    let room = width.saturating_sub(margin + 1).max(1);
    let each = values.len().div_ceil(room).max(1);
    let shown = merged(values, room);
    let line_of = |value: f64| {
        let share = (value - low) / (high - low);
        if share.is_nan() { LINES / 2 } else { ((1.0 - share) * (LINES - 1) as f64).round() as usize }
    };
    let marks: Vec<usize> = cuts.iter().map(|cut| cut / each).collect();
    let letter = |line: usize, column: usize| match () {
        () if line_of(shown[column]) == line => '•',
        () if marks.contains(&column) => '┊',
        () => ' ',
    };
    let beside = |line: usize| match line {
        0 => labels[0].as_str(),
        _ if line == LINES - 1 => labels[1].as_str(),
        _ => "",
    };
    let row = |line: usize| -> String {
        let points: String = (0..shown.len()).map(|column| letter(line, column)).collect();
        format!("{:>1$}│{points}", beside(line), margin)
    };
    (0..LINES).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::scatter;

    #[test]
    fn points_lie_between_the_labels_and_levels_are_marked() {
        let lines = scatter(&[1.0, 1.0, 2.0, 2.0], &[2], 40, |value| format!("{value}"));
        assert_eq!(lines[0], " 2│  ••");
        assert_eq!(lines[8], " 1│••┊ ");
        assert!(lines.iter().all(|line| line.chars().count() <= 40));
    }

    #[test]
    fn many_values_share_columns() {
        let values: Vec<f64> = (0..1000).map(f64::from).collect();
        let lines = scatter(&values, &[], 40, |value| format!("{value:.0}"));
        assert!(lines.iter().all(|line| line.chars().count() <= 40), "{lines:?}");
    }
}
