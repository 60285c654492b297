//! The arguments of a function, and the only safe functions that call it.

use paw_measure::clock::Clock;
use paw_measure::fault::Fault;

use crate::element::Element;
use crate::load::call::{self, Call, Registers};
use crate::load::flush::Lines;
use crate::load::guard::Guarded;
use crate::load::library::Function;
use crate::load::region::{self, CallMode};

/// Arrays, and the registers that pass them and numbers to a function.
///
/// Every address in the registers belongs to an array that lives as long as they do. Calls borrow the arrays exclusively, so that no slice
/// of them exists while the function writes. The job description guarantees that the function takes these arguments.
#[derive(Debug, Default)]
pub(crate) struct Arguments {
    arrays: Vec<Guarded>,
    registers: Registers,
}

impl Arguments {
    /// Adds a whole number.
    pub fn push_whole(&mut self, value: u64) -> Result<(), Fault> {
        self.registers.push_whole(value)
    }

    /// Adds a double-precision number.
    pub fn push_double(&mut self, value: f64) -> Result<(), Fault> {
        self.registers.push_double(value)
    }

    /// Adds a single-precision number.
    pub fn push_single(&mut self, value: f32) -> Result<(), Fault> {
        self.registers.push_single(value)
    }

    /// Adds an array, by its address.
    pub fn push_array(&mut self, array: Guarded) -> Result<&mut Guarded, Fault> {
        self.registers.push_whole(array.address())?;
        self.arrays.push(array);
        Ok(self.arrays.last_mut().expect("one was added"))
    }

    /// The arrays, in the order in which they were added.
    pub fn arrays(&self) -> &[Guarded] {
        &self.arrays
    }

    /// # Errors
    /// A byte beside an array was written.
    pub fn intact(&self) -> Result<(), Fault> {
        self.arrays.iter().try_for_each(Guarded::intact)
    }

    /// Calls `function` `calls` times.
    pub fn run(&mut self, function: Function, calls: u64) {
        let call = Call::new(function, &self.registers);
        // SAFETY: the arrays of the registers live and are borrowed exclusively; the job says that the function takes these arguments.
        unsafe { region::run(call, calls) };
    }

    /// Ticks of `clock` that `loops` calls of `function` take.
    pub fn time(&mut self, function: Function, mode: CallMode, loops: u64, clock: &Clock) -> u64 {
        let call = Call::new(function, &self.registers);
        let lines = Lines::of(&self.arrays);
        // SAFETY: as for `run`.
        unsafe { region::time(call, mode, &lines, loops, clock) }
    }

    /// Ticks of `clock` that `loops` calls of `function` take, each timed alone, on arrays that get back `contents` by their index before it.
    pub fn time_each(
        &mut self,
        function: Function,
        contents: &[(usize, Vec<u8>)],
        mode: CallMode,
        loops: u64,
        clock: &Clock,
    ) -> u64 {
        let mut ticks = 0_u64;
        for _ in 0..loops {
            self.restore(contents);
            ticks = ticks.wrapping_add(self.time(function, mode, 1, clock));
        }
        ticks
    }

    /// Gives arrays back `contents`, by their index.
    pub fn restore(&mut self, contents: &[(usize, Vec<u8>)]) {
        for (at, bytes) in contents {
            self.arrays[*at].bytes_mut().copy_from_slice(bytes);
        }
    }

    /// Calls `function` once. Its result of type `element` as it lies in memory; empty if it has none.
    pub fn result(&mut self, function: Function, element: Option<Element>) -> Vec<u8> {
        // SAFETY: as for `run`, and the job says which result the function has.
        unsafe { call::result(function, &self.registers, element) }
    }
}

/// Checks that this processor's calling convention is known.
///
/// # Errors
/// It is not.
pub(crate) fn known_here() -> Result<(), Fault> {
    if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
        return Ok(());
    }
    let here = std::env::consts::ARCH;
    Err(Fault::Missing(format!(
        "how a kernel is called is known for x86-64 and AArch64 only, and this machine is {here}"
    )))
}
