//! A matrix as a heat map: the more, the darker.

use crate::svg::{Anchor, Drawing};

/// Shades of a heat map; the style sheet has a class for each.
pub const STEPS: usize = 8;

/// Width of the matrix.
const WIDTH: f64 = 480.0;
/// Width of a square at most.
const SQUARE_MAX: f64 = 56.0;
/// Width of a square from which on its number is written into it.
const NUMBERED: f64 = 30.0;
/// Room for labels.
const MARGIN: (f64, f64) = (36.0, 22.0);
/// Labels along a side at most.
const LABELS_MAX: usize = 32;

/// The step of `value` among `steps` steps of equal ratios from `least` to `most`, from 0.
pub fn step_of(value: f64, least: f64, most: f64, steps: usize) -> usize {
    let share = (value / least).ln() / (most / least).ln();
    // All alike: no step.
    if share.is_finite() { ((share * steps as f64).max(0.0) as usize).min(steps - 1) } else { 0 }
}

/// A square: its step among [`STEPS`], its number, and the link to its row.
pub type Square = (usize, String, String);

/// A matrix to be drawn.
pub struct HeatMap<'a> {
    /// Labels of the rows.
    pub rows: Vec<String>,
    /// Labels of the columns.
    pub columns: Vec<String>,
    /// Whether a line divides row `i` from row `i + 1`, and column from column.
    pub apart: Vec<bool>,
    /// For screen readers.
    pub label: String,
    /// The square in a row and a column; `None` where there is none.
    pub cell: &'a dyn Fn(usize, usize) -> Option<Square>,
}

impl HeatMap<'_> {
    /// The drawing.
    pub fn svg(&self) -> String {
        let (rows, columns) = (self.rows.len(), self.columns.len());
        let side = (WIDTH / columns.max(rows) as f64).min(SQUARE_MAX);
        let mut drawing = Drawing::new();
        self.labels(&mut drawing, side);
        for row in 0..rows {
            for column in 0..columns {
                if let Some(square) = (self.cell)(row, column) {
                    self.square(&mut drawing, (row, column), side, &square);
                }
            }
        }
        let (width, height) = (side * columns as f64, side * rows as f64);
        for (i, _) in self.apart.iter().enumerate().filter(|(_, apart)| **apart) {
            let at = side * (i + 1) as f64;
            drawing.line("axis", (MARGIN.0 + at, MARGIN.1), (MARGIN.0 + at, MARGIN.1 + height));
            drawing.line("axis", (MARGIN.0, MARGIN.1 + at), (MARGIN.0 + width, MARGIN.1 + at));
        }
        let size = ((MARGIN.0 + width + 4.0).max(MARGIN.0 + WIDTH), MARGIN.1 + height + 4.0);
        drawing.finish("plot heat", size, &self.label)
    }

    fn labels(&self, drawing: &mut Drawing, side: f64) {
        let stride = |labels: &[String]| labels.len().div_ceil(LABELS_MAX).max(1);
        let middle = |i: usize| side * (i as f64 + 0.5);
        for (i, label) in self.columns.iter().enumerate().step_by(stride(&self.columns)) {
            drawing.text("mark", (MARGIN.0 + middle(i), MARGIN.1 - 7.0), Anchor::Middle, label);
        }
        for (i, label) in self.rows.iter().enumerate().step_by(stride(&self.rows)) {
            drawing.text("mark", (MARGIN.0 - 6.0, MARGIN.1 + middle(i) + 4.0), Anchor::End, label);
        }
    }

    fn square(&self, drawing: &mut Drawing, (row, column): (usize, usize), side: f64, (step, text, link): &Square) {
        let corner = (MARGIN.0 + side * column as f64, MARGIN.1 + side * row as f64);
        // Where squares are small, a link for each would make the page long.
        let is_numbered = side >= NUMBERED;
        if is_numbered {
            drawing.open("cell", link);
            drawing.title(&format!("{} - {}: {text}", self.rows[row], self.columns[column]));
        }
        drawing.rectangle(&format!("square step{step}"), corner, (side, side));
        if is_numbered {
            drawing.text("number", (corner.0 + side / 2.0, corner.1 + side / 2.0 + 4.0), Anchor::Middle, text);
            drawing.close(link);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{STEPS, step_of};

    #[test]
    fn steps_are_of_equal_ratios() {
        assert_eq!([1.0, 1.9, 2.1, 3.9, 4.1, 15.9, 16.0].map(|v| step_of(v, 1.0, 16.0, 4)), [0, 0, 1, 1, 2, 3, 3]);
        assert_eq!(step_of(5.0, 5.0, 5.0, STEPS), 0, "all alike");
    }
}
