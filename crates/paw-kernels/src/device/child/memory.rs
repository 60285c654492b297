//! The arguments of a launch: arrays in the device's memory, with host copies.

use paw_devices::fault::broken;
use paw_foreign::device::{self, Device, DeviceError, DeviceMemory, HostKind, HostMemory, Queue};
use paw_measure::fault::Fault;

use crate::answers::Answer;
use crate::child::operands::begin;
use crate::element::Element;
use crate::job::{Argument, ArrayArgument, LaunchJob};
use crate::spec::Fill;

/// Bytes behind every array that a kernel must not write: the widest elements of several threads.
const MARGIN_BYTES: usize = 512;
/// The byte in the margin.
const MARGIN: u8 = 0xa5;

/// One array.
struct Operand {
    array: ArrayArgument,
    bytes: usize,
    memory: DeviceMemory,
    /// A copy of its initial contents in the device's memory, if the kernel reads and writes it.
    pristine: Option<DeviceMemory>,
    /// Its initial contents in the host's memory.
    there: HostMemory,
    /// The host's memory for an answer.
    back: Option<HostMemory>,
}

/// The arguments of a kernel.
pub(super) struct Operands {
    arrays: Vec<Operand>,
    arguments: Vec<device::Argument>,
}

impl Operands {
    /// Memory, filled as `job` says.
    ///
    /// # Errors
    /// If memory does not suffice, or a file cannot be read.
    pub fn new(device: &Device, queue: &Queue, job: &LaunchJob) -> Result<Self, Fault> {
        let kind = HostKind::named(&job.host).unwrap_or(HostKind::Pinned);
        let mut operands = Self { arrays: Vec::new(), arguments: Vec::new() };
        let mut array = |array: &ArrayArgument| -> Result<device::Argument, Fault> {
            let operand = Operand::new(device, queue, array, (kind, job.seed))?;
            let argument = operand.memory.argument();
            operands.arrays.push(operand);
            Ok(argument)
        };
        let mut arguments = Vec::new();
        for (number, argument) in (1..).zip(&job.arguments) {
            arguments.push(match argument {
                Argument::Narrow(value) => device::Argument::I32(*value),
                Argument::Whole(value) => device::Argument::I64(*value),
                Argument::Single(value) => device::Argument::F32(*value),
                Argument::Double(value) => device::Argument::F64(*value),
                Argument::Address(element, value) => array(&number_at_address(number, *element, *value))?,
                Argument::Array(one) => array(one)?,
            });
        }
        operands.arguments = arguments;
        queue.sync().map_err(broken)?;
        Ok(operands)
    }

    /// The arguments for a launch.
    pub fn arguments(&self) -> &[device::Argument] {
        &self.arguments
    }

    /// Whether all memory of the host is page-locked.
    pub fn are_locked(&self) -> bool {
        self.arrays.iter().all(|operand| operand.there.kind().is_locked())
    }

    /// The number of copies of one transfer in and out.
    pub fn copies(&self) -> u64 {
        self.arrays.iter().map(|operand| u64::from(operand.array.input) + u64::from(operand.back.is_some())).sum()
    }

    /// Queues copies that restore the initial contents of arrays that the kernel reads and writes.
    pub fn restore(&self, queue: &Queue) -> Result<(), DeviceError> {
        for operand in &self.arrays {
            if let Some(pristine) = &operand.pristine {
                queue.copy_within((&operand.memory, 0), (pristine, 0), operand.bytes)?;
            }
        }
        Ok(())
    }

    /// Queues the copies of all inputs.
    pub fn copy_in(&self, queue: &Queue) -> Result<(), DeviceError> {
        let inputs = self.arrays.iter().filter(|operand| operand.array.input);
        inputs
            .into_iter()
            .try_for_each(|operand| queue.copy_in((&operand.memory, 0), (&operand.there, 0), operand.bytes))
    }

    /// Queues the copies of all answers.
    pub fn copy_out(&self, queue: &Queue) -> Result<(), DeviceError> {
        let answers = self.arrays.iter().filter_map(|operand| operand.back.as_ref().map(|back| (operand, back)));
        answers
            .into_iter()
            .try_for_each(|(operand, back)| queue.copy_out((back, 0), (&operand.memory, 0), operand.bytes))
    }

    /// The answers, copied out.
    ///
    /// # Errors
    /// What the device refuses, and an array that was written beyond its end.
    pub fn answers(&self, queue: &Queue) -> Result<Vec<Answer<'static>>, Fault> {
        self.copy_out(queue).and_then(|()| queue.sync()).map_err(broken)?;
        let mut answers = Vec::new();
        for operand in &self.arrays {
            operand.intact(queue)?;
            let Some(back) = &operand.back else { continue };
            let mut bytes = vec![0; operand.bytes];
            back.read(0, &mut bytes).map_err(broken)?;
            let array = &operand.array;
            answers.push(Answer { name: array.name.clone().into(), element: array.element, bytes: bytes.into() });
        }
        Ok(answers)
    }
}

/// A number passed by address, as an array of one element.
fn number_at_address(number: usize, element: Element, value: f64) -> ArrayArgument {
    ArrayArgument {
        name: format!("argument {number}"),
        element,
        len: 1,
        fill: Fill::Constant(value),
        file: None,
        output: false,
        input: true,
        written: true,
    }
}

impl Operand {
    fn new(
        device: &Device,
        queue: &Queue,
        array: &ArrayArgument,
        (kind, seed): (HostKind, u64),
    ) -> Result<Self, Fault> {
        let too_much = || Fault::Missing(format!("`{}` is larger than any memory; choose a smaller point", array.name));
        let bytes = array.len.checked_mul(array.element.bytes()).and_then(|bytes| usize::try_from(bytes).ok());
        let bytes = bytes.filter(|bytes| *bytes < isize::MAX as usize - MARGIN_BYTES).ok_or_else(too_much)?;
        let memory = device.memory(bytes + MARGIN_BYTES).map_err(broken)?;
        let there = device.host_memory(bytes + MARGIN_BYTES, kind).map_err(broken)?;
        let mut begins = vec![0; bytes];
        begin(array, seed, &mut begins)?;
        let send = || {
            there.write(0, &begins)?;
            there.write(bytes, &[MARGIN; MARGIN_BYTES])?;
            queue.copy_in((&memory, 0), (&there, 0), bytes + MARGIN_BYTES)?;
            let changes = array.input && array.written;
            let pristine = if changes { Some(device.memory(bytes)?) } else { None };
            if let Some(pristine) = &pristine {
                queue.copy_within((pristine, 0), (&memory, 0), bytes)?;
            }
            let back = if array.output { Some(device.host_memory(bytes, kind)?) } else { None };
            Ok((pristine, back))
        };
        let (pristine, back) = send().map_err(broken)?;
        Ok(Self { array: array.clone(), bytes, memory, pristine, there, back })
    }

    /// # Errors
    /// A byte behind it was written.
    fn intact(&self, queue: &Queue) -> Result<(), Fault> {
        let look = || {
            queue.copy_out((&self.there, self.bytes), (&self.memory, self.bytes), MARGIN_BYTES)?;
            queue.sync()?;
            let mut margin = [0; MARGIN_BYTES];
            self.there.read(self.bytes, &mut margin)?;
            Ok(margin)
        };
        let margin: [u8; MARGIN_BYTES] = look().map_err(broken)?;
        match margin.iter().position(|byte| *byte != MARGIN) {
            None => Ok(()),
            Some(at) => {
                let array = &self.array;
                let width = array.element.bytes() as usize;
                let (name, index) = (&array.name, array.len + (at / width) as u64);
                Err(Fault::Broken(format!(
                    "`{name}` was written beyond its end, first at `{name}[{index}]` of {}",
                    array.len
                )))
            }
        }
    }
}
