//! Growth with the size, at one thread count, of the time or what else is looked at.

use paw_sort::OrderBy;
use paw_stats::size_model::{self, SizeModel};

use crate::application::Application;
use crate::point::Point;
use crate::scaling::axes;
use crate::scaling::sweep::{Sweep, SweepKind};

/// Growth of the time, or what else is looked at, of one program with the size, at one thread count.
#[derive(Debug, Clone, PartialEq)]
pub struct Growth<'run> {
    /// The name of its command.
    pub provider: &'run str,
    /// The axis that is the size.
    pub axis: &'run str,
    /// Values of the other axes.
    pub rest: Point,
    /// Threads.
    pub threads: u32,
    /// Whether paw set them.
    pub is_told: bool,
    /// Size and best value in the unit of the yardstick, by size.
    pub points: Vec<(f64, f64)>,
    /// The model; `None` for fewer than five sizes.
    pub model: Option<SizeModel>,
}

/// A curve for each program, thread count and value of the other axes, if it has two sizes or more.
pub(super) fn growths<'run>(sweeps: &[Sweep<'run>], app: &'run Application) -> Vec<Growth<'run>> {
    let Some(axis) = app.ladders().next() else { return Vec::new() };
    let mut found: Vec<Growth<'run>> = Vec::new();
    for sweep in sweeps.iter().filter(|s| s.kind == SweepKind::Strong) {
        let Some(size) = sweep.size.float(axis) else { continue };
        let mut rest = Point::new();
        sweep.size.iter().filter(|(a, _)| *a != axis).for_each(|(a, value)| rest.set(a, value.clone()));
        for row in &sweep.rows {
            let Some(value) = row.timing.map(|timing| timing.value()) else { continue };
            let same = |g: &&mut Growth<'run>| (g.provider, g.threads, &g.rest) == (sweep.provider, row.threads, &rest);
            match found.iter_mut().find(same) {
                Some(growth) => growth.points.push((size, value)),
                None => found.push(Growth {
                    provider: sweep.provider,
                    axis,
                    rest: rest.clone(),
                    threads: row.threads,
                    is_told: row.is_told(),
                    points: vec![(size, value)],
                    model: None,
                }),
            }
        }
    }
    found.retain(|growth| growth.points.len() > 1);
    found.order_by_key(|growth| (axes::place(growth.provider, app), growth.threads));
    found.into_iter().map(|growth| Growth { model: size_model::fit(&growth.points), ..growth }).collect()
}
