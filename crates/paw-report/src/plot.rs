//! Plots of a run as SVG whose colours come from the style sheet around them.

use std::collections::HashSet;

pub mod ablations;
pub mod accuracy;
pub mod builds;
pub mod curve;
pub mod flame;
pub mod frame;
pub mod heat_map;
mod label;
pub mod layout;
pub mod lines;
pub mod ratio;
pub mod roofline;
pub mod scaling;
pub mod sensitivity;
pub mod sizes;
pub mod spread;
pub mod strip;

/// Links from points of plots to the rows of their cells.
#[derive(Debug, Clone, Default)]
pub struct RowLinks {
    /// The prefix of a cell's number in the identifier of its row.
    pub prefix: String,
    /// The cells that have a row.
    pub present: HashSet<u32>,
}

impl RowLinks {
    /// The link to the row of `cell`; empty where it has none.
    pub fn link(&self, cell: u32) -> String {
        if self.present.contains(&cell) { format!("#{}{cell}", self.prefix) } else { String::new() }
    }
}
