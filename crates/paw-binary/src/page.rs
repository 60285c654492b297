//! The page of data to which a changed loop's loads and stores are led.

use std::collections::BTreeMap;

use iced_x86::{Instruction, MemorySize, Register};

use crate::dataflow::{Effects, Place, gathers};

/// Bytes of the page.
pub(crate) const BYTES: usize = 4096;
/// Where a counter keeps a register.
pub(crate) const SAVED: u64 = 128;
/// Where constants lie: 1.5 in double, then in single precision, a vector each.
const CONSTANTS: u64 = 0;
/// Where the operands begin.
const FIRST: u64 = 256;
/// Bytes of an operand: the widest vector.
const SLOT: u64 = 64;
/// Operands that are loaded from; the others are stored to.
const LOADS: u64 = 40;
const STORES: u64 = 20;

/// The operands of a page.
#[derive(Debug)]
pub(crate) struct Page {
    address: u64,
    slots: BTreeMap<(Operand, bool), u64>,
    contents: Vec<u8>,
    zeros: bool,
}

type Operand = (Register, Register, u32, u64);

fn operand(instruction: &Instruction) -> Operand {
    let displacement = instruction.memory_displacement64();
    (instruction.memory_base(), instruction.memory_index(), instruction.memory_index_scale(), displacement)
}

impl Page {
    /// A page at `address` for the loop of `instructions`.
    pub fn new(address: u64, instructions: &[Instruction]) -> Self {
        let mut contents = vec![0; BYTES];
        for (at, chunk) in contents[CONSTANTS as usize..SAVED as usize].chunks_mut(8).enumerate() {
            chunk.copy_from_slice(&if at < 8 { one_double() } else { one_single() });
        }
        // A number that is loaded may be the index of a gather.
        Self { address, slots: BTreeMap::new(), contents, zeros: instructions.iter().any(gathers) }
    }

    /// The addresses of the constants, in double and in single precision.
    pub fn constants(&self) -> [u64; 2] {
        [self.address + CONSTANTS, self.address + CONSTANTS + SLOT]
    }

    /// The address for the operand of `instruction`. What is stored has addresses of its own, so that no load waits for a store.
    pub fn slot(&mut self, instruction: &Instruction, stored: bool) -> u64 {
        let number = self.slots.keys().filter(|(_, other)| *other == stored).count() as u64;
        let number = if stored { LOADS + number % STORES } else { number % LOADS };
        // Not at the same place in every line: cores have banks, and loads of two lines from the same bank wait for each other.
        let within = number * instruction.memory_size().size().max(1) as u64 % SLOT;
        let place = *self.slots.entry((operand(instruction), stored)).or_insert(FIRST + SLOT * number + within);
        let begin = match instruction.memory_size().element_type() {
            MemorySize::Float64 => one_double(),
            MemorySize::Float32 => one_single(),
            _ => [0; 8],
        };
        if !self.zeros {
            let begin_of_slot = (place - place % SLOT) as usize;
            let slot = &mut self.contents[begin_of_slot..begin_of_slot + SLOT as usize];
            slot.chunks_mut(8).for_each(|chunk| chunk.copy_from_slice(&begin));
        }
        self.address + place
    }

    /// Its contents.
    pub fn bytes(self) -> Vec<u8> {
        self.contents
    }
}

fn one_double() -> [u8; 8] {
    1.5_f64.to_le_bytes()
}

fn one_single() -> [u8; 8] {
    let one = 1.5_f32.to_le_bytes();
    std::array::from_fn(|at| one[at % 4])
}

/// Whether the operand may be led to the page: it is no constant, not on the stack, and its address is not in a vector.
pub(crate) fn movable(instruction: &Instruction) -> bool {
    let base = instruction.memory_base();
    !gathers(instruction) && !matches!(base, Register::RIP | Register::EIP | Register::RSP | Register::ESP)
}

/// Leads the operand in memory of `instruction` to the address `to`.
pub(crate) fn redirect(instruction: &mut Instruction, to: u64) {
    instruction.set_memory_base(Register::RIP);
    instruction.set_memory_index(Register::None);
    instruction.set_memory_index_scale(1);
    instruction.set_memory_displ_size(8);
    instruction.set_memory_displacement64(to);
    instruction.set_segment_prefix(Register::None);
}

/// Whether the address of the operand stays the same throughout the loop.
pub(crate) fn is_invariant(instruction: &Instruction, effects: &[Effects]) -> bool {
    let parts = [instruction.memory_base(), instruction.memory_index()];
    let parts = parts.into_iter().filter(|r| !matches!(r, Register::None | Register::RIP));
    parts.map(|r| Place::Register(r.full_register())).all(|r| !effects.iter().any(|e| e.writes.contains(&r)))
}
