//! Kernels: the fastest right build, the effect of the protocol's settings, and the accuracy of answers.

mod answers;
pub mod builds;
mod chapter;
pub mod curves;
pub mod figure;
mod finding;
pub mod protocol;
mod roofline;
mod sentence;
pub mod verdict;

pub use chapter::{chapter, launched};
pub use finding::findings;
pub use roofline::under_roofs;

use paw_data::kernel::{Kernel, Question};
use paw_data::matrix::Matrix;
use paw_data::run::Run;
use paw_data::sensitivity::Sensitivity;

/// A kernel's run, as its question wants it analysed.
#[derive(Debug)]
pub enum KernelAnalysis<'run> {
    /// Builds, by their speed.
    Builds(Matrix<'run>),
    /// Builds, by their answers alone.
    Answers(Matrix<'run>),
    /// Curves over warm-up, repetitions and size, and the ends of caches.
    Curves(Sensitivity<'run>),
}

impl<'run> KernelAnalysis<'run> {
    /// The analysis of `run`; `None` where no kernel was measured.
    pub fn of(run: &'run Run) -> Option<Self> {
        // Kernels of devices are shown as benchmarks are.
        let kernel = run.header.kernel.as_ref().filter(|kernel| kernel.device.is_empty())?;
        if kernel.question == Question::Analyze {
            return None;
        }
        if let Some(sensitivity) = Sensitivity::of(run) {
            return Some(KernelAnalysis::Curves(sensitivity));
        }
        let matrix = Matrix::of(run)?;
        let is_check = matrix.kernel.question == Question::Check;
        Some(if is_check { KernelAnalysis::Answers(matrix) } else { KernelAnalysis::Builds(matrix) })
    }

    /// The kernel.
    pub fn kernel(&self) -> &'run Kernel {
        match self {
            KernelAnalysis::Builds(matrix) | KernelAnalysis::Answers(matrix) => matrix.kernel,
            KernelAnalysis::Curves(sensitivity) => sensitivity.kernel,
        }
    }
}
