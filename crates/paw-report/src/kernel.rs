//! Kernels: which build is the fastest and right, what the protocol's own numbers do to the result, and what answers are like.

pub mod answers;
pub mod builds;
pub mod curves;
pub mod figure;
pub mod markdown;
pub mod protocol;
pub mod sentence;
pub mod text;
pub mod verdict;

use paw_data::kernel::{Kernel, Question};
use paw_data::matrix::Matrix;
use paw_data::run::Run;
use paw_data::sensitivity::Sensitivity;

use crate::sheet::Sheet;

/// What a viewer has room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Columns of the longest bar; `None` where there are no bars.
    pub bar: Option<usize>,
    /// Columns of a build's name; `None` where it has a line of its own.
    pub name: Option<usize>,
}

/// Widths from which bars have room, and their lengths.
const BARS: [(usize, usize); 5] = [(160, 24), (120, 16), (96, 10), (72, 8), (38, 6)];
/// Terminals narrower than this have no room for names beside numbers.
const NARROW: usize = 64;
/// Most columns of a name.
const NAME: usize = 60;

impl Room {
    /// As much as there is, and no bars: pages draw them.
    pub const FREE: Room = Room { bar: None, name: Some(usize::MAX) };

    /// Of a terminal of `width` columns: at most two fifths of it are a build's name.
    pub fn of(width: usize) -> Self {
        let bar = BARS.iter().find(|(from, _)| width >= *from).map(|(_, room)| *room);
        Self { bar, name: (width >= NARROW).then(|| (width * 2 / 5).min(NAME)) }
    }
}

/// A kernel's run as its question has it looked at.
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
    /// The look at `run`; `None` where no kernel was measured.
    pub fn of(run: &'run Run) -> Option<Self> {
        // What a device does is told by the tables of all benchmarks.
        run.header.kernel.as_ref().filter(|kernel| kernel.device.is_empty())?;
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

    /// All tables, as far as there is `room`.
    pub fn sheets(&self, room: Room) -> Vec<Sheet> {
        let mut sheets = match self {
            KernelAnalysis::Builds(matrix) => {
                let panels = matrix.panels.iter().map(|panel| builds::panel(panel, room));
                panels.chain([builds::residency(matrix, room)]).collect()
            }
            KernelAnalysis::Answers(matrix) => vec![answers::answers(matrix, room)],
            KernelAnalysis::Curves(sensitivity) => {
                let curves = sensitivity.curves.iter().map(|curve| curves::curve(sensitivity, curve, room));
                std::iter::once(curves::steps(sensitivity)).chain(curves).collect()
            }
        };
        sheets.retain(|sheet| !sheet.is_empty());
        sheets
    }
}
