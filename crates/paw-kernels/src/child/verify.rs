//! Checks a kernel's answers: calls it on fresh data and compares as the job says.

use std::path::Path;

use paw_data::kernel::Tolerance;
use paw_data::outcome::{Accuracy, Check, CheckVerdict};
use paw_measure::fault::Fault;

use crate::accuracy::Comparison;
use crate::answers::{self, Answer, Numbers};
use crate::job::Answers;

/// A kernel that can be called or launched once on fresh data.
pub(crate) trait CheckedKernel {
    /// The owner of one call's answers.
    type Held: Held;

    /// The use of the answers, and their tolerance.
    fn wanted(&self) -> (&Answers, Tolerance);

    /// Words for messages: for two calls, for the reference, and for another function.
    fn words(&self) -> [&'static str; 3];

    /// Calls the kernel once, or the function `function` of its program.
    ///
    /// # Errors
    /// It cannot be called, or writes beside an array.
    fn answer(&self, function: Option<&str>) -> Result<Self::Held, Fault>;
}

/// The answers of one call, with the memory that owns them.
pub(crate) trait Held {
    /// The outputs in their order, then the result.
    fn answers(&self) -> Vec<Answer<'_>>;
}

impl Held for Vec<Answer<'static>> {
    fn answers(&self) -> Vec<Answer<'_>> {
        self.iter().map(Answer::borrowed).collect()
    }
}

/// Calls `subject` on fresh data and checks or writes its answers as its job says.
///
/// # Errors
/// It cannot be called, writes beside an array, or what it is compared with cannot be read.
pub(crate) fn check(subject: &impl CheckedKernel) -> Result<Check, Fault> {
    let (answers, tolerance) = subject.wanted();
    let [two, reference, function] = subject.words();
    match answers {
        Answers::Write(path) => {
            answers::write(path, &subject.answer(None)?.answers())?;
            Ok(passed("it is the reference"))
        }
        Answers::Against(path) => {
            let theirs = answers::read(path)?;
            Ok(compared(&format!("comparison with {reference}"), &subject.answer(None)?.answers(), &theirs, tolerance))
        }
        Answers::AgainstNumbers(path) => against_numbers(path, &subject.answer(None)?.answers(), tolerance),
        Answers::AgainstFunction(name) => {
            let theirs = kept(&subject.answer(Some(name))?);
            let method = format!("comparison with {function} `{name}`");
            Ok(compared(&method, &subject.answer(None)?.answers(), &theirs, tolerance))
        }
        Answers::Repeatable => {
            let first = kept(&subject.answer(None)?);
            let exact = Tolerance { relative: 0.0, ulp: 0 };
            let method = format!("{two} on equal data");
            let mut check = compared(&method, &subject.answer(None)?.answers(), &first, exact);
            if check.accuracy.is_some() && !check.note.is_empty() {
                check.note = format!("{method} do not agree: {}", check.note);
            }
            Ok(check)
        }
    }
}

/// Copies of the answers, without the memory of the call.
fn kept(held: &impl Held) -> Vec<Answer<'static>> {
    let own = |answer: Answer<'_>| Answer {
        name: answer.name.into_owned().into(),
        element: answer.element,
        bytes: answer.bytes.into_owned().into(),
    };
    held.answers().into_iter().map(own).collect()
}

fn against_numbers(path: &Path, answers: &[Answer<'_>], tolerance: Tolerance) -> Result<Check, Fault> {
    let method = format!("comparison with the numbers of {}", path.display());
    Ok(match answers::numbers(path, answers)? {
        Numbers::Fitting(reference) => compared(&method, answers, &reference, tolerance),
        Numbers::Unlike(why) => failed(&method, why, tolerance),
    })
}

fn passed(method: &str) -> Check {
    let (method, note) = (method.to_owned(), String::new());
    Check { method, error: 0.0, bound: 0.0, verdict: CheckVerdict::Pass, note, accuracy: None }
}

/// A check that failed before a number was compared.
fn failed(method: &str, note: String, tolerance: Tolerance) -> Check {
    let (method, bound) = (method.to_owned(), tolerance.relative);
    Check { method, error: f64::NAN, bound, verdict: CheckVerdict::Fail, note, accuracy: None }
}

/// Compares `answers` with `reference`, element by element.
fn compared(method: &str, answers: &[Answer<'_>], reference: &[Answer<'_>], tolerance: Tolerance) -> Check {
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

/// Why `answers` and `reference` cannot be compared number by number; `None` if they can.
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
        let kind = |answer: &Answer<'_>| format!("{} numbers of type {}", answer.elements(), answer.element.name());
        let (mine, theirs) = (kind(answer), kind(reference));
        (mine != theirs).then(|| format!("`{}` holds {mine}, and in the reference {theirs}", answer.name))
    })
}
