//! The frame of a plot: axes, grid and the area of the data.

use crate::axis::Axis;
use crate::svg::{Anchor, Drawing};

/// Width and height of a plot in units of its view box: as wide as a telephone, so that text keeps its size there.
pub const SIZE: (f64, f64) = (420.0, 290.0);

/// Room left of the data: five digits and the gap.
const LEFT: f64 = 46.0;
/// Room above: the unit, and names of marks.
const TOP: f64 = 30.0;
/// Pixels below the plot, for ticks and the axis' name.
const BOTTOM: f64 = 40.0;

/// Two axes and their positions.
#[derive(Debug, Clone)]
pub struct Frame {
    pub x: Axis,
    pub y: Axis,
    /// Room right of the data.
    pub right: f64,
}

impl Frame {
    /// The place of a point in the drawing.
    pub fn place(&self, x: f64, y: f64) -> (f64, f64) {
        (self.across(x), self.up(y))
    }

    /// The horizontal place of `x`.
    pub fn across(&self, x: f64) -> f64 {
        LEFT + self.x.place(x) * (self.edge() - LEFT)
    }

    /// The vertical place of `y`, kept inside the frame.
    pub fn up(&self, y: f64) -> f64 {
        self.bottom() - self.y.place(y).clamp(-0.02, 1.02) * (self.bottom() - TOP)
    }

    pub fn edge(&self) -> f64 {
        SIZE.0 - self.right
    }

    pub fn top(&self) -> f64 {
        TOP
    }

    pub fn bottom(&self) -> f64 {
        SIZE.1 - BOTTOM
    }

    /// Draws grid, ticks and names.
    pub fn draw(&self, drawing: &mut Drawing, x_name: &str, y_name: &str) {
        for tick in self.y.ticks(5) {
            let y = self.up(tick.value);
            let class = if tick.label.is_empty() { "grid minor" } else { "grid" };
            drawing.line(class, (LEFT, y), (self.edge(), y));
            if !tick.label.is_empty() {
                drawing.text("tick", (LEFT - 7.0, y + 4.0), Anchor::End, &tick.label);
            }
        }
        for tick in self.x.ticks(self.labels_across()) {
            let x = self.across(tick.value);
            let length = if tick.label.is_empty() { 3.0 } else { 5.0 };
            drawing.line("axis", (x, self.bottom()), (x, self.bottom() + length));
            if !tick.label.is_empty() {
                drawing.text("tick", (x, self.bottom() + 18.0), Anchor::Middle, &tick.label);
            }
        }
        drawing.line("axis", (LEFT, self.bottom()), (self.edge(), self.bottom()));
        drawing.text("name", (LEFT - 38.0, 14.0), Anchor::Start, y_name);
        drawing.text("name", (self.edge(), SIZE.1 - 6.0), Anchor::End, x_name);
    }

    /// How many labels fit side by side under the axis.
    fn labels_across(&self) -> usize {
        let widest = self.x.ticks(64).iter().map(|t| t.label.chars().count()).max().unwrap_or(1);
        let each = 7.0 * widest as f64 + 14.0;
        (((self.edge() - LEFT) / each) as usize).clamp(2, 9)
    }
}
