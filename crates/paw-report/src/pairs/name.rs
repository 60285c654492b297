//! What a cell is called: cells of two runs with the same name are compared.

use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};

use paw_data::application;
use paw_data::cell::Cell;
use paw_data::kernel;
use paw_data::point::AxisValue;

/// Benchmark, provider and axes of a cell, the axes in any order, and whether the user named it; values that are written alike are alike.
#[derive(Debug, Clone, Copy)]
pub(super) struct Name<'r> {
    pub cell: &'r Cell,
    /// A hash of benchmark, provider and axes: a name is looked up several times and hashed once.
    hash: u64,
}

impl<'r> Name<'r> {
    pub fn of(cell: &'r Cell) -> Self {
        let mut axes_hash = 0_u64;
        let mut text = String::new();
        for (axis, value) in cell.point.iter() {
            text.clear();
            let _ = write!(text, "{axis}={value}");
            // A sum, which knows no order.
            axes_hash = axes_hash.wrapping_add(hash(&text));
        }
        Self { cell, hash: hash(&(&cell.benchmark, &cell.provider, axes_hash)) }
    }

    /// Whether the user named the benchmark: a program or a kernel.
    pub fn is_own(&self) -> bool {
        self.cell.suite == kernel::SUITE || self.cell.suite == application::SUITE
    }

    /// The axes by name.
    pub fn axes(&self) -> Vec<(&'r str, String)> {
        let mut axes: Vec<_> = self.cell.point.iter().map(|(axis, value)| (axis, value.to_string())).collect();
        axes.sort_unstable();
        axes
    }
}

impl PartialEq for Name<'_> {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (self.cell, other.cell);
        let written_alike = |a: &AxisValue, b: &AxisValue| a == b || a.to_string() == b.to_string();
        self.hash == other.hash
            && (&a.benchmark, &a.provider, self.is_own()) == (&b.benchmark, &b.provider, other.is_own())
            && a.point.iter().count() == b.point.iter().count()
            && a.point.iter().all(|(axis, value)| b.point.value(axis).is_some_and(|other| written_alike(value, other)))
    }
}

impl Eq for Name<'_> {}

impl Hash for Name<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

fn hash(of: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use paw_data::point::Point;
    use paw_data::quantity::Quantity;

    use super::*;

    fn cell(suite: &str, benchmark: &str, provider: &str, point: Point) -> Cell {
        Cell::new(suite, benchmark, provider, Quantity::Flops, point)
    }

    #[test]
    fn neither_the_order_of_axes_nor_the_type_of_a_value_makes_another_name() {
        let alike = [
            Point::new().with("n", 64).with("alpha", 1.0).with("trans", "2"),
            Point::new().with("alpha", 1).with("trans", 2).with("n", 64.0),
            Point::new().with("trans", "2").with("n", "64").with("alpha", "1"),
        ];
        let cells = alike.map(|point| cell("blas", "dgemm", "embedded", point));
        let names: HashSet<Name<'_>> = cells.iter().map(Name::of).collect();
        assert_eq!(names.len(), 1, "{names:?}");
    }

    #[test]
    fn benchmark_provider_suite_and_every_axis_make_another_name() {
        let point = || Point::new().with("n", 64).with("threads", 2);
        let cells = [
            cell("blas", "dgemm", "embedded", point()),
            cell("blas", "sgemm", "embedded", point()),
            cell("blas", "dgemm", "openblas", point()),
            cell(application::SUITE, "dgemm", "embedded", point()),
            cell("blas", "dgemm", "embedded", Point::new().with("n", 64)),
            cell("blas", "dgemm", "embedded", Point::new().with("n", 2).with("threads", 64)),
            cell("blas", "dgemm", "embedded", point().with("beta", 0.5)),
        ];
        let names: HashSet<Name<'_>> = cells.iter().map(Name::of).collect();
        assert_eq!(names.len(), cells.len(), "{names:?}");
    }
}
