//! Whether a kernel's answers are right: one call on fresh data, held against what the order says.

use std::path::Path;

use paw_data::kernel::Tolerance;
use paw_data::outcome::{Accuracy, Check, CheckVerdict};
use paw_measure::fault::Fault;

use super::operands::{Layout, Operands};
use super::timed_call::TimedCall;
use crate::accuracy::{Comparison, RESULT};
use crate::answers::{self, Answer, Numbers};
use crate::job::Answers;
use crate::load::call;
use crate::load::library::Function;

/// Calls the kernel on fresh data, and does with its answers what its order says.
///
/// # Errors
/// Where it cannot be called, writes beside an array, or what it is held against cannot be read.
pub(super) fn check(kernel: &TimedCall) -> Result<Check, Fault> {
    let tolerance = kernel.job.tolerance;
    let answered = || Answered::by(kernel, kernel.function);
    match &kernel.job.answers {
        Answers::Write(path) => {
            answers::write(path, &answered()?.answers())?;
            Ok(passed("it is the reference"))
        }
        Answers::Against(path) => {
            let reference = answers::read(path)?;
            Ok(compared("comparison with the reference build", &answered()?.answers(), &reference, tolerance))
        }
        Answers::AgainstNumbers(path) => against_numbers(path, &answered()?.answers(), tolerance),
        Answers::AgainstFunction(name) => {
            let reference = kept(Answered::by(kernel, kernel.library.function(name)?)?);
            Ok(compared(
                &format!("comparison with the function `{name}`"),
                &answered()?.answers(),
                &reference,
                tolerance,
            ))
        }
        Answers::Repeatable => {
            let first = kept(answered()?);
            let exact = Tolerance { relative: 0.0, ulp: 0 };
            let mut check = compared("two calls on equal data", &answered()?.answers(), &first, exact);
            if check.accuracy.is_some() && !check.note.is_empty() {
                check.note = format!("two calls on equal data do not agree: {}", check.note);
            }
            Ok(check)
        }
    }
}

/// A kernel that was called once on data of its own.
#[derive(Debug)]
struct Answered {
    operands: Operands,
    result: Option<Answer<'static>>,
}

impl Answered {
    /// Calls `function` as `kernel` is called. The arrays lie tight, so that what is read beside them shows too.
    fn by(kernel: &TimedCall, function: Function) -> Result<Self, Fault> {
        let operands = Operands::new(&kernel.job, Layout::Tight)?;
        let bytes = {
            let _inside = kernel.environment.enter();
            call::result(function, &operands.registers, kernel.job.result)
        };
        operands.intact()?;
        let answer = |element| Answer { name: RESULT.into(), element, bytes: bytes.into() };
        Ok(Self { operands, result: kernel.job.result.map(answer) })
    }

    /// Its answers: the outputs in their order, then the result.
    fn answers(&self) -> Vec<Answer<'_>> {
        self.operands.outputs().chain(self.result.clone()).collect()
    }
}

/// The answers alone, their arrays given back.
fn kept(answered: Answered) -> Vec<Answer<'static>> {
    let own = |answer: Answer<'_>| Answer {
        name: answer.name.into_owned().into(),
        element: answer.element,
        bytes: answer.bytes.into_owned().into(),
    };
    answered.answers().into_iter().map(own).collect()
}

pub(crate) fn against_numbers(path: &Path, answers: &[Answer<'_>], tolerance: Tolerance) -> Result<Check, Fault> {
    let method = format!("comparison with the numbers of {}", path.display());
    Ok(match answers::numbers(path, answers)? {
        Numbers::Fitting(reference) => compared(&method, answers, &reference, tolerance),
        Numbers::Unlike(why) => failed(&method, why, tolerance),
    })
}

pub(crate) fn passed(method: &str) -> Check {
    let (method, note) = (method.to_owned(), String::new());
    Check { method, error: 0.0, bound: 0.0, verdict: CheckVerdict::Pass, note, accuracy: None }
}

/// A check that failed before a number was compared.
fn failed(method: &str, note: String, tolerance: Tolerance) -> Check {
    let (method, bound) = (method.to_owned(), tolerance.relative);
    Check { method, error: f64::NAN, bound, verdict: CheckVerdict::Fail, note, accuracy: None }
}

/// Holds `answers` against `reference`.
pub(crate) fn compared(method: &str, answers: &[Answer<'_>], reference: &[Answer<'_>], tolerance: Tolerance) -> Check {
    if let Some(why) = unlike(answers, reference) {
        return failed(method, why, tolerance);
    }
    let mut comparison = Comparison::within(tolerance);
    for (answer, reference) in answers.iter().zip(reference) {
        comparison.add(&answer.name, answer.element, &answer.bytes, &reference.bytes);
    }
    let found = comparison.finish();
    let Accuracy { relative_max, wrong, .. } = found.accuracy;
    let verdict = if wrong == 0 { CheckVerdict::Pass } else { CheckVerdict::Fail };
    let (method, bound) = (method.to_owned(), tolerance.relative);
    Check { method, error: relative_max, bound, verdict, note: found.note, accuracy: Some(Box::new(found.accuracy)) }
}

/// Why `answers` and `reference` cannot be compared number by number, where they cannot.
fn unlike(answers: &[Answer<'_>], reference: &[Answer<'_>]) -> Option<String> {
    if answers.is_empty() {
        return Some(
            "the kernel has no answer to check: give it a result, or say which array is its output".to_owned(),
        );
    }
    let names = |answers: &[Answer<'_>]| answers.iter().map(|a| format!("`{}`", a.name)).collect::<Vec<_>>().join(", ");
    if !answers.iter().map(|a| &a.name).eq(reference.iter().map(|a| &a.name)) {
        return Some(format!(
            "the kernel's answers are {}, and those of the reference {}",
            names(answers),
            names(reference)
        ));
    }
    answers.iter().zip(reference).find_map(|(answer, reference)| {
        let kind = |answer: &Answer<'_>| format!("{} numbers of type {}", answer.len(), answer.element.name());
        let (mine, theirs) = (kind(answer), kind(reference));
        (mine != theirs).then(|| format!("`{}` holds {mine}, and in the reference {theirs}", answer.name))
    })
}
