//! What a kernel's run says about its own protocol: warm-up, repetitions and size, one at a time; derived when looked at, never stored.

mod curve;
mod step;

pub use curve::{Curve, Factor, Spot};
pub use step::{Boundary, Step};

use crate::kernel::{Kernel, Question};
use crate::run::Run;

/// What a run says about its own protocol.
#[derive(Debug, Clone, PartialEq)]
pub struct Sensitivity<'run> {
    /// The kernel.
    pub kernel: &'run Kernel,
    /// A curve for each factor and build: warm-up, repetitions, size.
    pub curves: Vec<Curve<'run>>,
    /// Where the data no longer fit a cache: the sizes on both sides, of each build.
    pub steps: Vec<Step<'run>>,
}

impl<'run> Sensitivity<'run> {
    /// What `run` says; `None` where it was not asked.
    pub fn of(run: &'run Run) -> Option<Self> {
        let kernel = run.header.kernel.as_ref()?;
        match kernel.question {
            Question::Sensitivity | Question::Residency => {}
            Question::Matrix | Question::Measure | Question::Check | Question::Search => return None,
        }
        let curves = match kernel.question {
            Question::Residency => curve::whole(run),
            _ => curve::curves(run),
        };
        let boundaries = Boundary::of(kernel);
        let steps = curves.iter().filter(|c| c.factor == Factor::Size).flat_map(|c| step::steps(c, &boundaries));
        Some(Self { kernel, steps: steps.collect(), curves })
    }

    /// Where the caches end, as sizes.
    pub fn boundaries(&self) -> Vec<Boundary<'run>> {
        Boundary::of(self.kernel)
    }
}
