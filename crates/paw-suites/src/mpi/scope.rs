//! The ranks that call a collective together.

use paw_data::axis;
use paw_data::point::Point;

/// The ranks that call together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// All ranks.
    World,
    /// The ranks of each node, all nodes at once.
    Node,
}

impl Scope {
    /// The scope of a point; all ranks if it has none.
    pub fn of(point: &Point) -> Self {
        if point.text(axis::SCOPE) == Some("node") { Self::Node } else { Self::World }
    }
}
