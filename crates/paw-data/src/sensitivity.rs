//! Sensitivity of a kernel's time to warm-up, repetitions and size, computed from a run and never stored.

mod curve;
mod footprint;
mod step;

pub use curve::{Curve, CurvePoint, Factor};
pub use step::{Boundary, CacheStep, StepRatio};

use crate::kernel::{Kernel, Question};
use crate::run::Run;
use footprint::Footprint;

/// The curves of a sensitivity analysis, and the steps at cache boundaries.
#[derive(Debug, Clone, PartialEq)]
pub struct Sensitivity<'run> {
    /// The kernel.
    pub kernel: &'run Kernel,
    /// A curve for each factor and build: warm-up, repetitions, size.
    pub curves: Vec<Curve<'run>>,
    /// The ends of the caches as sizes, smallest first.
    pub boundaries: Vec<Boundary<'run>>,
    /// The time of an iteration on both sides of these ends in each build: just past an end, then where no data stay in the cache.
    pub steps: Vec<CacheStep<'run>>,
}

impl<'run> Sensitivity<'run> {
    /// The analysis of `run`; `None` if its question was another.
    pub fn of(run: &'run Run) -> Option<Self> {
        let kernel = run.header.kernel.as_ref()?;
        match kernel.question {
            Question::Sensitivity | Question::Residency => {}
            Question::Matrix
            | Question::Measure
            | Question::Check
            | Question::Search
            | Question::Explain
            | Question::Analyze => {
                return None;
            }
        }
        let curves = match kernel.question {
            Question::Residency => curve::whole(run),
            _ => curve::curves(run),
        };
        let footprint = Footprint::of(&kernel.footprint);
        let boundaries = Boundary::of(kernel, &footprint);
        let sizes = curves.iter().filter(|curve| curve.factor == Factor::Size);
        let steps = sizes.flat_map(|curve| step::steps(curve, &boundaries, &footprint)).collect();
        Some(Self { kernel, steps, boundaries, curves })
    }
}
