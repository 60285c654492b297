//! The arguments of a call: arrays, allocated and filled, and the registers that pass them.

use paw_machine::root::Root;
use paw_machine::topology::MachineMemory;
use paw_measure::fault::Fault;

use crate::answers::{self, Answer};
use crate::element::Element;
use crate::generate;
use crate::job::{Argument, ArrayArgument, CallJob};
use crate::load::arguments::Arguments;
use crate::load::guard::{Guarded, PagePlacement};
use crate::spec::Fill;

/// The placement of arrays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// Each ends at its guard page, so that an access beyond it faults.
    Tight,
    /// Each begins within its page where the last one ended, as arrays side by side do.
    Successive,
}

/// The arguments of one set of calls.
#[derive(Debug)]
pub(super) struct Operands {
    /// The arguments, with the arrays and the numbers that are passed by their address.
    pub arguments: Arguments,
    /// Name, type and index among the arrays of each output.
    outputs: Vec<(String, Element, usize)>,
}

impl Operands {
    /// Fresh memory, filled as `job` says, which touches every page.
    ///
    /// # Errors
    /// Memory does not suffice, or there are more arguments than registers.
    pub fn new(job: &CallJob, layout: Layout) -> Result<Self, Fault> {
        suffice(job, MachineMemory::read(&Root::host()).available_bytes)?;
        let mut operands = Self { arguments: Arguments::default(), outputs: Vec::new() };
        for (number, argument) in (1..).zip(&job.arguments) {
            match argument {
                // Two's complement: a narrow number is the low bits of a wide one, extended by its sign.
                Argument::Whole(value) => operands.arguments.push_whole(value.cast_unsigned())?,
                Argument::Narrow(value) => operands.arguments.push_whole(i64::from(*value).cast_unsigned())?,
                Argument::Single(value) => operands.arguments.push_single(*value)?,
                Argument::Double(value) => operands.arguments.push_double(*value)?,
                Argument::Address(element, value) => {
                    let label = format!("the number that argument {number} points at");
                    let array = operands.make(&label, *element, 1, layout)?;
                    generate::fill(array.bytes_mut(), *element, Fill::Constant(*value), job.seed, &label)?;
                }
                Argument::Array(array) => operands.array(array, job.seed, layout)?,
            }
        }
        Ok(operands)
    }

    fn array(&mut self, array: &ArrayArgument, seed: u64, layout: Layout) -> Result<(), Fault> {
        let ArrayArgument { name, element, len, output, .. } = array;
        let made = self.make(&format!("array `{name}`"), *element, *len, layout)?;
        begin(array, seed, made.bytes_mut())?;
        if *output {
            self.outputs.push((name.clone(), *element, self.arguments.arrays().len() - 1));
        }
        Ok(())
    }

    /// Allocates `len` numbers and passes their address.
    fn make(&mut self, label: &str, element: Element, len: u64, layout: Layout) -> Result<&mut Guarded, Fault> {
        let place = match layout {
            Layout::Tight => PagePlacement::Tight,
            Layout::Successive => PagePlacement::After(self.arguments.arrays().last().map_or(0, Guarded::end)),
        };
        self.arguments.push_array(Guarded::new(label, len, element.bytes(), place)?)
    }

    /// The current contents of the output arrays.
    pub fn outputs(&self) -> impl Iterator<Item = Answer<'_>> {
        let answer = |(name, element, place): &'_ (String, Element, usize)| (name.clone(), *element, *place);
        self.outputs.iter().map(answer).map(|(name, element, place)| {
            let bytes = self.arguments.arrays()[place].bytes().into();
            Answer { name: name.into(), element, bytes }
        })
    }
}

/// # Errors
/// The arrays of `job` need more than `available_bytes`: a system that grants more kills processes later.
fn suffice(job: &CallJob, available_bytes: u64) -> Result<(), Fault> {
    let bytes = |argument: &Argument| match argument {
        Argument::Array(array) => u128::from(array.len) * u128::from(array.element.bytes()),
        _ => 0,
    };
    let wanted: u128 = job.arguments.iter().map(bytes).sum();
    // Zero means unknown.
    if available_bytes > 0 && wanted > u128::from(available_bytes) {
        return Err(Fault::Missing(format!(
            "the arrays need {wanted} bytes of memory, and {available_bytes} are free; choose a smaller size"
        )));
    }
    Ok(())
}

/// Writes the initial numbers of an array.
///
/// # Errors
/// Its file cannot be read, or does not fit.
pub(crate) fn begin(array: &ArrayArgument, seed: u64, bytes: &mut [u8]) -> Result<(), Fault> {
    let ArrayArgument { name, element, fill, file, .. } = array;
    let Some(path) = file else { return generate::fill(bytes, *element, *fill, seed, name) };
    bytes.copy_from_slice(&answers::beginning(path, name, *element, bytes.len())?);
    Ok(())
}
