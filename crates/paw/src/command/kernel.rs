//! Dispatches the commands of `paw kernel`.

use paw_data::kernel::Question;
use paw_kernels::spec::KernelSpec;

use crate::cli::{KernelCommand, MatrixArgs};
use crate::exit::Code;
use crate::failure::Failure;
use crate::kernel;
use crate::roofs::Roofline;
use why::Reasons;

mod analyze;
mod counters;
mod device;
mod driver;
mod explain;
mod fit;
mod matrix;
mod new;
mod plan;
mod processors;
mod profile;
mod sensitivity;
mod setup;
mod simulation;
mod why;

/// Runs the typed command.
pub fn kernel(command: &KernelCommand) -> Result<Code, Failure> {
    match command {
        KernelCommand::New(args) => new::new(args),
        KernelCommand::Fit(args) => fit::fit(args),
        KernelCommand::Measure(args) => match kernel::described(&args.asked.spec)? {
            KernelSpec::Device(spec) if args.raw => Err(device::not_of_a_device("--raw", &spec)),
            KernelSpec::Device(spec) if args.roofline.roofline => Err(device::not_of_a_device("--roofline", &spec)),
            KernelSpec::Device(spec) => device::launch(*spec, &args.asked, Question::Measure),
            KernelSpec::Processor(_) => driver::measure(args),
        },
        KernelCommand::Check(args) => match kernel::described(&args.spec)? {
            KernelSpec::Device(spec) => device::launch(*spec, args, Question::Check),
            KernelSpec::Processor(_) => matrix::matrix(args, Question::Check, (Roofline::None, Reasons::None), &[]),
        },
        KernelCommand::Analyze(args) => analyze::analyze(args),
        KernelCommand::Sensitivity(args) => sensitivity::sensitivity(args),
        KernelCommand::Explain(args) => explain::explain(args),
        KernelCommand::Counters(args) => counters::counters(args),
        KernelCommand::Profile(args) => match kernel::described(&args.asked.spec)? {
            KernelSpec::Device(spec) => Err(device::not_of_a_device("profile", &spec)),
            KernelSpec::Processor(_) => profile::profile(args),
        },
        KernelCommand::Matrix(args) => {
            let why = if args.why { Reasons::Wanted } else { Reasons::None };
            let roofline = (args.roofline.roofline || args.why).into();
            matrix::matrix(&args.asked, question(args), (roofline, why), &args.candidates)
        }
    }
}

fn question(args: &MatrixArgs) -> Question {
    if args.search { Question::Search } else { Question::Matrix }
}
