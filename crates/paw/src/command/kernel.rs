//! `paw kernel`: what each of its commands does.

use paw_data::kernel::Question;

use crate::cli::{KernelCommand, MatrixArgs};
use crate::exit::Code;
use crate::failure::Failure;

mod driver;
mod fit;
mod matrix;
mod new;
mod sensitivity;
mod workshop;

/// Does what was typed.
pub fn kernel(command: &KernelCommand) -> Result<Code, Failure> {
    match command {
        KernelCommand::New(args) => new::new(args),
        KernelCommand::Fit(args) => fit::fit(args),
        KernelCommand::Measure(args) => driver::measure(args),
        KernelCommand::Check(args) => matrix::matrix(args, Question::Check, &[]),
        KernelCommand::Sensitivity(args) => sensitivity::sensitivity(args),
        KernelCommand::Matrix(args) => matrix::matrix(&args.asked, question(args), &args.candidates),
    }
}

fn question(args: &MatrixArgs) -> Question {
    if args.search { Question::Search } else { Question::Matrix }
}
