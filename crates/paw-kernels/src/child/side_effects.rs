//! Side effects of a function beyond its answers: changed inputs, writes to `const` arrays, a changed floating-point mode, leaked memory.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

use paw_data::kernel::Restore;
use paw_data::outcome::Caveat;
use paw_measure::fault::Fault;

use super::operands::{Layout, Operands};
use crate::accuracy::{Comparison, RESULT};
use crate::element::Element;
use crate::job::{Argument, CallJob};
use crate::load::environment::Environment;
use crate::load::heap;
use crate::load::library::Function;
use crate::number::Number;
use crate::spec::Fill;

/// A call that takes longer is not repeated to look for a leak.
const LEAK_CALL_MAX: Duration = Duration::from_millis(50);
/// Output arrays larger than this are taken to be written only: telling takes copies of them.
const READS_BYTES_MAX: u64 = 256 << 20;
/// Calls after which the heap is read; the first of them may fill a cache of the function's own.
const LEAK_CALLS: u32 = 6;

/// Side effects that one call on fresh data showed.
#[derive(Debug, Clone, Default)]
pub(super) struct SideEffects {
    /// Index among the arrays and label of each input that calls change.
    pub changed: Vec<(usize, String)>,
    /// Labels of `const` arrays that it wrote to.
    const_written: Vec<String>,
    /// Labels of answers that the call left as they were.
    unwritten: Vec<String>,
    /// Labels of answers that are not a number throughout.
    meaningless: Vec<String>,
    /// The floating-point mode before and after, if it changed.
    mode: Option<(Environment, Environment)>,
    /// Bytes that each call leaves allocated.
    leaked_bytes: usize,
    /// The time of the call that was observed.
    call: Duration,
}

/// An array of a job: an argument that is an array, or a number passed by its address.
struct ArrayRole {
    label: String,
    is_output: bool,
    is_const: bool,
    element: Element,
    bytes: u64,
}

impl SideEffects {
    /// Calls `function` on fresh data of `job` and looks for side effects.
    ///
    /// # Errors
    /// Memory does not suffice, or the function writes beside an array.
    pub fn observe(job: &CallJob, function: Function, environment: Environment) -> Result<Self, Fault> {
        let roles = roles(job);
        let mut operands = Operands::new(job, Layout::Successive)?;
        let before = hashes(&operands);
        let start = Instant::now();
        let (result, left) = {
            let _inside = environment.enter();
            (operands.arguments.result(function, job.result), Environment::current())
        };
        let took = start.elapsed();
        operands.arguments.intact()?;
        let mode = (left != environment).then_some((environment, left));
        let mut effects = Self { mode, call: took, ..Self::default() };
        let after = hashes(&operands);
        let (same, differing): (Vec<usize>, Vec<usize>) =
            (0..roles.len()).filter(|at| roles[*at].is_output).partition(|at| before[*at] == after[*at]);
        let is_nan = |at: &usize| is_nan_throughout(roles[*at].element, operands.arguments.arrays()[*at].bytes());
        effects.meaningless.extend(differing.into_iter().filter(is_nan).map(|at| roles[at].label.clone()));
        if job.result.is_some_and(|element| is_nan_throughout(element, &result)) {
            effects.meaningless.push(RESULT.to_owned());
        }
        drop(operands);
        let same: Vec<usize> = same.into_iter().filter(|at| roles[*at].bytes <= READS_BYTES_MAX).collect();
        let unwritten = unwritten(&same, job, function, environment)?;
        effects.unwritten = unwritten.into_iter().map(|at| roles[at].label.clone()).collect();
        let mut suspects = Vec::new();
        for (at, role) in roles.iter().enumerate().filter(|(at, _)| before[*at] != after[*at]) {
            match role {
                ArrayRole { is_const: true, .. } => effects.const_written.push(role.label.clone()),
                ArrayRole { is_output: false, .. } => effects.changed.push((at, role.label.clone())),
                _ if role.bytes <= READS_BYTES_MAX => suspects.push(at),
                _ => {}
            }
        }
        if !suspects.is_empty() && reads(&suspects, job, function, environment)? {
            effects.changed.extend(suspects.iter().map(|at| (*at, roles[*at].label.clone())));
        }
        effects.changed.sort_unstable();
        Ok(effects)
    }

    /// Looks for a leak by further calls, if calls are short and the function leaves its inputs as they are: others may not bear them.
    ///
    /// # Errors
    /// As for [`SideEffects::observe`].
    pub fn look_for_leak(&mut self, job: &CallJob, function: Function, environment: Environment) -> Result<(), Fault> {
        if self.changed.is_empty() && self.call <= LEAK_CALL_MAX {
            self.leaked_bytes = leaked(job, function, environment)?;
        }
        Ok(())
    }

    /// # Errors
    /// The function changes its inputs, and the spec does not say when they are restored.
    pub fn timed_as(&self, restore: Option<Restore>) -> Result<(), Fault> {
        if self.changed.is_empty() || restore.is_some() {
            return Ok(());
        }
        Err(Fault::Broken(format!("{}; {RESTORE}", self.sentence())))
    }

    fn sentence(&self) -> String {
        format!(
            "it changes its input {}: only the first call would work on the data of the spec",
            labels(self.changed.iter().map(|(_, label)| label))
        )
    }

    /// The findings as caveats.
    pub fn caveats(&self, restore: Option<Restore>) -> Vec<Caveat> {
        let mut found = Vec::new();
        if !self.changed.is_empty() && restore.is_none() {
            found.push(Caveat::new("input-changed", self.sentence(), RESTORE));
        }
        if !self.const_written.is_empty() {
            let cause =
                format!("it writes to {}, which the signature declares const", labels(self.const_written.iter()));
            found.push(Caveat::new("const-written", cause, "remove `const` from the signature, or fix the source"));
        }
        if !self.unwritten.is_empty() {
            let cause = format!(
                "it writes nothing to its answer {}: a check of what the array begins with is none",
                labels(self.unwritten.iter())
            );
            found.push(Caveat::new(
                Caveat::ANSWER_UNWRITTEN,
                cause,
                "correct which array is the `output`, or the source",
            ));
        }
        if !self.meaningless.is_empty() {
            let cause = format!(
                "its answer {} is NaN in every element, and one NaN is as right as another",
                labels(self.meaningless.iter())
            );
            found.push(Caveat::new(
                Caveat::ANSWER_NAN,
                cause,
                "give the inputs other contents (`fill`), or correct the source",
            ));
        }
        if let Some((before, after)) = self.mode {
            let cause = format!("a call leaves another floating-point mode behind: {}", after.changes(before));
            found.push(Caveat::new(
                "float-mode-changed",
                cause,
                "restore the mode in the source, or set it for all calls with --float",
            ));
        }
        if self.leaked_bytes > 0 {
            let cause = format!("each call leaves {} bytes allocated", self.leaked_bytes);
            found.push(Caveat::new(
                "memory-grows",
                cause,
                "free what a call allocates: valgrind or -fsanitize=leak show where",
            ));
        }
        found
    }
}

/// The way out for a function that changes its inputs.
const RESTORE: &str = "set `restore` under [measure], or --restore: \"call\" restores them before each call, which is timed alone, \"sample\" before each sample";

fn labels<'l>(labels: impl Iterator<Item = &'l String>) -> String {
    labels.map(|label| format!("`{label}`")).collect::<Vec<_>>().join(", ")
}

/// The role of each array of `job`, in the order of [`Operands`].
fn roles(job: &CallJob) -> Vec<ArrayRole> {
    let role = |(number, argument): (usize, &Argument)| match argument {
        Argument::Array(array) => {
            let bytes = array.len * array.element.bytes();
            let (label, element) = (array.name.clone(), array.element);
            Some(ArrayRole { label, is_output: array.output, is_const: !array.written, element, bytes })
        }
        Argument::Address(element, _) => {
            let label = format!("argument {number}");
            Some(ArrayRole { label, is_output: false, is_const: false, element: *element, bytes: 8 })
        }
        _ => None,
    };
    (1..).zip(&job.arguments).filter_map(role).collect()
}

/// Whether every number in `bytes` is NaN.
fn is_nan_throughout(element: Element, bytes: &[u8]) -> bool {
    match element {
        Element::F32 => bytes.chunks_exact(f32::BYTES).all(|own| f32::read(own).is_nan()),
        Element::F64 => bytes.chunks_exact(f64::BYTES).all(|own| f64::read(own).is_nan()),
        _ => false,
    }
}

/// A hash of the contents of each array.
fn hashes(operands: &Operands) -> Vec<u64> {
    let hash = |bytes: &[u8]| {
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        hasher.finish()
    };
    operands.arguments.arrays().iter().map(|array| hash(array.bytes())).collect()
}

/// Makes `calls` calls in `environment`; the environment that they leave.
fn call(operands: &mut Operands, function: Function, environment: Environment, calls: u64) -> Environment {
    let _inside = environment.enter();
    operands.arguments.run(function, calls);
    Environment::current()
}

/// The least number of bytes by which the heap grew in each of the last calls; 0 if it did not grow in one.
fn leaked(job: &CallJob, function: Function, environment: Environment) -> Result<usize, Fault> {
    let mut operands = Operands::new(job, Layout::Successive)?;
    let mut least = usize::MAX;
    call(&mut operands, function, environment, 1);
    let mut before = heap::bytes_in_use();
    for _ in 0..LEAK_CALLS {
        call(&mut operands, function, environment, 1);
        let now = heap::bytes_in_use();
        least = least.min(now.saturating_sub(before));
        before = now;
    }
    operands.arguments.intact()?;
    Ok(least)
}

/// Which of the output arrays `same`, which a call left as they were, it leaves so whatever they hold.
fn unwritten(same: &[usize], job: &CallJob, function: Function, environment: Environment) -> Result<Vec<usize>, Fault> {
    if same.is_empty() {
        return Ok(Vec::new());
    }
    let (before, after) = written(&refilled(same, job), function, environment, same)?;
    Ok(same.iter().enumerate().filter(|(i, _)| before[*i] == after[*i]).map(|(_, at)| *at).collect())
}

/// `job` with other initial contents of the output arrays `which`.
fn refilled(which: &[usize], job: &CallJob) -> CallJob {
    let mut other = job.clone();
    let arrays = other.arguments.iter_mut().filter(|a| matches!(a, Argument::Array(_) | Argument::Address(..)));
    for (at, argument) in arrays.enumerate() {
        if let (Argument::Array(array), true) = (argument, which.contains(&at)) {
            let is_constant = array.file.is_none() && matches!(array.fill, Fill::Constant(value) if value != 0.0);
            array.fill = if is_constant { Fill::Zero } else { Fill::Constant(unlike_zero(array.element)) };
            array.file = None;
        }
    }
    other
}

/// Whether the answers depend on the initial contents of the output arrays `suspects`: calls twice, with the job's contents and with others,
/// and compares the elements that were written.
fn reads(suspects: &[usize], job: &CallJob, function: Function, environment: Environment) -> Result<bool, Fault> {
    let other = refilled(suspects, job);
    let (before, after) = written(job, function, environment, suspects)?;
    let (other_before, mut other_after) = written(&other, function, environment, suspects)?;
    let roles: Vec<Element> = elements(job);
    let mut comparison = Comparison::within(job.tolerance);
    for (i, at) in suspects.iter().enumerate() {
        let width = roles[*at].bytes() as usize;
        for from in (0..after[i].len()).step_by(width) {
            let element = from..from + width;
            // An element that no call wrote differs by its fill alone.
            let is_kept = before[i][element.clone()] == after[i][element.clone()]
                && other_before[i][element.clone()] == other_after[i][element.clone()];
            if is_kept {
                other_after[i][element.clone()].copy_from_slice(&after[i][element]);
            }
        }
        comparison.add("", roles[*at], &other_after[i], &after[i]);
    }
    Ok(comparison.finish().accuracy.wrong > 0)
}

/// A number that shows in a sum, and is a small index.
fn unlike_zero(element: Element) -> f64 {
    if element.is_float() { 1e9 } else { 1.0 }
}

fn elements(job: &CallJob) -> Vec<Element> {
    let element = |argument: &Argument| match argument {
        Argument::Array(array) => Some(array.element),
        Argument::Address(element, _) => Some(*element),
        _ => None,
    };
    job.arguments.iter().filter_map(element).collect()
}

type Contents = Vec<Vec<u8>>;

/// The contents of the arrays `at` before and after one call.
fn written(
    job: &CallJob,
    function: Function,
    environment: Environment,
    at: &[usize],
) -> Result<(Contents, Contents), Fault> {
    let mut operands = Operands::new(job, Layout::Successive)?;
    let contents = |operands: &Operands| -> Contents {
        at.iter().map(|at| operands.arguments.arrays()[*at].bytes().to_vec()).collect()
    };
    let before = contents(&operands);
    call(&mut operands, function, environment, 1);
    operands.arguments.intact()?;
    Ok((before, contents(&operands)))
}
