//! Limits of rows and drawings of a page, so that a browser can open the page of a run of any size.

use crate::number;

/// Most cells of one page whose samples are drawn: each costs about three kilobytes.
const STRIPS_MAX: usize = 500;
/// Most rows of one page: a browser stays quick with this many.
const ROWS_MAX: usize = 3000;

/// The rows and drawings that a page has left.
#[derive(Debug, Default)]
pub struct Budget {
    rows: usize,
    strips: usize,
    rows_left_out: usize,
    strips_left_out: usize,
}

impl Budget {
    /// Sentences about what the page has left out since the last call.
    pub fn notes(&mut self) -> Vec<String> {
        let (rows, strips) = (std::mem::take(&mut self.rows_left_out), std::mem::take(&mut self.strips_left_out));
        let mut notes = Vec::new();
        if rows > 0 {
            notes.push(format!("{} have no row here, to keep the page quick; curves and figures count them. The run's own file has them all.", number::plural(rows, "more cell")));
        }
        if strips > 0 {
            notes.push(format!(
                "The samples of {} are not drawn here, to keep the page small. The run's own file has them all.",
                number::plural(strips, "cell")
            ));
        }
        notes
    }

    /// Whether there is room for one more row.
    pub fn row(&mut self) -> bool {
        self.rows += 1;
        self.rows_left_out += usize::from(self.rows > ROWS_MAX);
        self.rows <= ROWS_MAX
    }

    /// Whether there is room for the samples of one more cell.
    pub fn strip(&mut self) -> bool {
        self.strips += 1;
        self.strips_left_out += usize::from(self.strips > STRIPS_MAX);
        self.strips <= STRIPS_MAX
    }
}
