//! Whether a kernel's answers are right: one launch on fresh data, held against what the order says.

use paw_data::kernel::Tolerance;
use paw_data::outcome::Check;
use paw_devices::fault::broken;
use paw_foreign::device::Kernel;
use paw_measure::fault::Fault;

use super::OpenDevice;
use super::launch::Launching;
use super::memory::Operands;
use crate::answers::{self, Answer};
use crate::child::verify::{against_numbers, compared, passed};
use crate::order::Answers;

/// Launches the kernel on fresh data, and does with its answers what its order says.
///
/// # Errors
/// Where it cannot be launched, writes beside an array, or what it is held against cannot be read.
pub(super) fn check(launching: &Launching) -> Result<Check, Fault> {
    let order = &launching.order;
    let mine = answers_of(launching, &launching.kernel)?;
    match &order.answers {
        Answers::Write(path) => {
            answers::write(path, &mine)?;
            Ok(passed("it is the reference"))
        }
        Answers::Against(path) => {
            Ok(compared("comparison with the processor", &mine, &answers::read(path)?, order.tolerance))
        }
        Answers::AgainstNumbers(path) => against_numbers(path, &mine, order.tolerance),
        Answers::AgainstFunction(name) => {
            let no_kernel =
                |error| Fault::Broken(format!("the reference `{name}` is no kernel of the source: {error}"));
            let reference = launching.program.program.kernel(name).map_err(no_kernel)?;
            let reference = answers_of(launching, &reference)?;
            Ok(compared(&format!("comparison with the kernel `{name}`"), &mine, &reference, order.tolerance))
        }
        Answers::Repeatable => {
            let exact = Tolerance { relative: 0.0, ulp: 0 };
            let mut check =
                compared("two launches on equal data", &answers_of(launching, &launching.kernel)?, &mine, exact);
            if check.accuracy.is_some() && !check.note.is_empty() {
                check.note = format!("two launches on equal data do not agree: {}", check.note);
            }
            Ok(check)
        }
    }
}

fn answers_of(launching: &Launching, kernel: &Kernel) -> Result<Vec<Answer<'static>>, Fault> {
    let OpenDevice { queue, .. } = &*launching.open;
    let operands = Operands::new(launching.open.device(), queue, &launching.order)?;
    queue.launch(kernel, launching.grid(), operands.arguments()).and_then(|()| queue.sync()).map_err(broken)?;
    operands.answers(queue)
}
