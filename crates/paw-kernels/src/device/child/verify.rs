//! Whether a kernel's answers are right: one launch on fresh data, held against what the order says.

use paw_data::kernel::Tolerance;
use paw_data::outcome::Check;
use paw_devices::fault::broken;
use paw_foreign::device::Kernel;
use paw_measure::fault::Fault;

use super::OpenDevice;
use super::memory::Operands;
use super::timed_launch::TimedLaunch;
use crate::answers::{self, Answer};
use crate::child::verify::{against_numbers, compared, passed};
use crate::job::Answers;

/// Launches the kernel on fresh data, and does with its answers what its order says.
///
/// # Errors
/// Where it cannot be launched, writes beside an array, or what it is held against cannot be read.
pub(super) fn check(launch: &TimedLaunch) -> Result<Check, Fault> {
    let job = &launch.job;
    let mine = answers_of(launch, &launch.kernel)?;
    match &job.answers {
        Answers::Write(path) => {
            answers::write(path, &mine)?;
            Ok(passed("it is the reference"))
        }
        Answers::Against(path) => {
            Ok(compared("comparison with the processor", &mine, &answers::read(path)?, job.tolerance))
        }
        Answers::AgainstNumbers(path) => against_numbers(path, &mine, job.tolerance),
        Answers::AgainstFunction(name) => {
            let no_kernel =
                |error| Fault::Broken(format!("the reference `{name}` is no kernel of the source: {error}"));
            let reference = launch.program.program.kernel(name).map_err(no_kernel)?;
            let reference = answers_of(launch, &reference)?;
            Ok(compared(&format!("comparison with the kernel `{name}`"), &mine, &reference, job.tolerance))
        }
        Answers::Repeatable => {
            let exact = Tolerance { relative: 0.0, ulp: 0 };
            let mut check = compared("two launches on equal data", &answers_of(launch, &launch.kernel)?, &mine, exact);
            if check.accuracy.is_some() && !check.note.is_empty() {
                check.note = format!("two launches on equal data do not agree: {}", check.note);
            }
            Ok(check)
        }
    }
}

fn answers_of(launch: &TimedLaunch, kernel: &Kernel) -> Result<Vec<Answer<'static>>, Fault> {
    let OpenDevice { queue, .. } = &*launch.open;
    let operands = Operands::new(launch.open.device(), queue, &launch.job)?;
    queue.launch(kernel, launch.grid(), operands.arguments()).and_then(|()| queue.sync()).map_err(broken)?;
    operands.answers(queue)
}
