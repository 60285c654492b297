//! Dispatches the commands of `paw kernel`.

use paw_data::kernel::Question;
use paw_kernels::spec::KernelSpec;

use crate::cli::{KernelCommand, MatrixArgs};
use crate::exit::Code;
use crate::failure::Failure;
use crate::kernel;

mod device;
mod driver;
mod fit;
mod matrix;
mod new;
mod plan;
mod sensitivity;
mod setup;

/// Runs the typed command.
pub fn kernel(command: &KernelCommand) -> Result<Code, Failure> {
    match command {
        KernelCommand::New(args) => new::new(args),
        KernelCommand::Fit(args) => fit::fit(args),
        KernelCommand::Measure(args) => match kernel::described(&args.asked.spec)? {
            KernelSpec::Device(spec) if args.raw => Err(device::not_of_a_device("--raw", &spec)),
            KernelSpec::Device(spec) => device::launch(*spec, &args.asked, Question::Measure),
            KernelSpec::Processor(_) => driver::measure(args),
        },
        KernelCommand::Check(args) => match kernel::described(&args.spec)? {
            KernelSpec::Device(spec) => device::launch(*spec, args, Question::Check),
            KernelSpec::Processor(_) => matrix::matrix(args, Question::Check, &[]),
        },
        KernelCommand::Sensitivity(args) => sensitivity::sensitivity(args),
        KernelCommand::Matrix(args) => matrix::matrix(&args.asked, question(args), &args.candidates),
    }
}

fn question(args: &MatrixArgs) -> Question {
    if args.search { Question::Search } else { Question::Matrix }
}
