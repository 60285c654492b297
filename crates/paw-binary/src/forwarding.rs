//! Values that go through memory: stored, and loaded again in the same run through a loop or a few runs later.

use iced_x86::{Instruction, Register};

use crate::dataflow::{Effects, Place, accesses, gathers};

/// Runs through the loop within which a stored value is still on its way to memory.
const RUNS: i64 = 4;

/// A load that takes what a store has left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Forwarding {
    /// The load, by its number in the loop.
    pub load: usize,
    /// The store.
    pub store: usize,
    /// How many runs through the loop later; 0 in the same.
    pub runs: u32,
}

/// An operand in memory, and where it is in the first run through the loop against the values that registers have at its beginning.
struct Operand {
    registers: [Register; 2],
    scale: u32,
    /// The displacement, with what the registers have grown by before the instruction.
    offset: i64,
    bytes: i64,
    /// By how much the address grows in a run.
    stride: i64,
}

/// All such pairs, for each load the store that comes last before it.
pub(crate) fn forwarded(instructions: &[Instruction], effects: &[Effects]) -> Vec<Forwarding> {
    let used = |at: &usize| accesses(&instructions[*at], &effects[*at]) && !gathers(&instructions[*at]);
    let memory: Vec<(usize, Operand)> =
        (0..instructions.len()).filter(used).filter_map(|at| Some((at, operand(at, instructions, effects)?))).collect();
    let mut pairs = Vec::new();
    for (load, loaded) in memory.iter().filter(|(at, _)| effects[*at].loads) {
        let stores = memory.iter().filter(|(at, _)| effects[*at].stores);
        let feeding = stores.filter_map(|(store, stored)| {
            let runs = runs(stored, loaded, store < load)?;
            Some(Forwarding { load: *load, store: *store, runs })
        });
        pairs.extend(feeding.min_by_key(|pair| (pair.runs, std::cmp::Reverse(pair.store))));
    }
    pairs
}

fn operand(at: usize, instructions: &[Instruction], effects: &[Effects]) -> Option<Operand> {
    let own = &instructions[at];
    let registers = [own.memory_base(), own.memory_index()];
    let scale = own.memory_index_scale();
    let growth = |until: usize| -> Option<i64> {
        let [base, index] = registers.map(|register| grown(register, &instructions[..until], &effects[..until]));
        Some(base? + index? * i64::from(scale))
    };
    let offset = (own.memory_displacement64() as i64).wrapping_add(growth(at)?);
    let bytes = own.memory_size().size() as i64;
    Some(Operand { registers, scale, offset, bytes, stride: growth(instructions.len())? })
}

/// After how many runs `loaded` reaches bytes that `stored` has left; `None` if it does not, or too late to wait for them.
fn runs(stored: &Operand, loaded: &Operand, before: bool) -> Option<u32> {
    if stored.registers != loaded.registers || stored.scale != loaded.scale {
        return None;
    }
    let ahead = stored.offset.wrapping_sub(loaded.offset);
    let first = i64::from(!before);
    let meets = |runs: &i64| {
        let gap = ahead.wrapping_sub(runs.wrapping_mul(loaded.stride));
        gap < loaded.bytes && gap > -stored.bytes
    };
    (first..=RUNS).find(meets).map(|runs| runs as u32)
}

/// By how much `register` grows in these instructions, if that is constant.
fn grown(register: Register, instructions: &[Instruction], effects: &[Effects]) -> Option<i64> {
    use iced_x86::Mnemonic::{Add, Dec, Inc, Lea, Sub};
    // The address of the next instruction is part of the displacement.
    if matches!(register, Register::None | Register::RIP | Register::EIP) {
        return Some(0);
    }
    let place = Place::Register(register.full_register());
    let writers = instructions.iter().zip(effects).filter(|(_, effects)| effects.writes.contains(&place));
    let steps = writers.map(|(instruction, _)| {
        let constant = |at| (instruction.op_count() > at).then(|| instruction.try_immediate(at).ok()).flatten();
        match instruction.mnemonic() {
            Add => constant(1).map(|value| value as i64),
            Sub => constant(1).map(|value| (value as i64).wrapping_neg()),
            Inc => Some(1),
            Dec => Some(-1),
            Lea if instruction.memory_base() == register && instruction.memory_index() == Register::None => {
                Some(instruction.memory_displacement64() as i64)
            }
            _ => None,
        }
    });
    steps.sum()
}
