//! What one instruction reads and writes: registers, and words of memory whose address is known.

use iced_x86::{Instruction, InstructionInfo, OpAccess, Register, UsedMemory};

use super::linear::{Linear, Location, Symbol};

/// Number of the first vector register among locations.
pub(super) const VECTORS: u16 = 16;
/// Number of the stack pointer.
pub(super) const STACK_POINTER: u16 = 4;
/// Number of the frame pointer.
pub(super) const FRAME_POINTER: u16 = 5;
/// Bytes of a word.
const WORD: usize = 8;

/// What one instruction reads and writes, registers and words of the stack.
#[derive(Debug, Clone, Default)]
pub struct Effects {
    /// Locations that it reads.
    pub reads: Vec<Location>,
    /// Locations that it writes.
    pub writes: Vec<Location>,
}

/// The register of full width that holds `register`; none for flags, segments and the like.
pub fn location(register: Register) -> Option<Location> {
    let full = register.full_register();
    if full.is_gpr64() {
        return Some(Location::Register(full.number() as u16));
    }
    full.is_vector_register().then(|| Location::Register(VECTORS + full.number() as u16))
}

/// The word at an address that is a fixed distance from a register that points to the stack, one of `pointers`, or fixed itself.
pub fn word(address: &Linear, pointers: &[u16]) -> Option<Location> {
    let mut terms = address.terms.iter();
    match (terms.next(), terms.next()) {
        (None, None) => Some(Location::Fixed(address.constant)),
        (Some((Symbol::Head(Location::Register(base)), 1)), None) if pointers.contains(base) => {
            Some(Location::Stack(*base, address.constant))
        }
        _ => None,
    }
}

/// The words from `first` on that `bytes` bytes cover.
pub(super) fn covered(first: Option<Location>, bytes: u32) -> impl Iterator<Item = Location> {
    let offsets = (0..i64::from(bytes.max(1))).step_by(WORD);
    offsets.filter_map(move |offset| {
        Some(match first? {
            Location::Stack(base, at) => Location::Stack(base, at.wrapping_add(offset)),
            Location::Fixed(at) => Location::Fixed(at.wrapping_add(offset)),
            Location::Register(_) => return None,
        })
    })
}

/// The registers among the effects of an instruction.
pub(super) fn registers(info: &InstructionInfo, effects: &mut Effects) {
    for used in info.used_registers() {
        let Some(location) = location(used.register()) else { continue };
        // The stack pointer of push, pop and call is no value that the loop computes with.
        if reads(used.access()) && location != Location::Register(STACK_POINTER) {
            effects.reads.push(location);
        }
        if writes(used.access()) {
            effects.writes.push(location);
        }
    }
    for list in [&mut effects.reads, &mut effects.writes] {
        list.sort_unstable();
        list.dedup();
    }
}

pub(super) fn reads(access: OpAccess) -> bool {
    matches!(access, OpAccess::Read | OpAccess::CondRead | OpAccess::ReadWrite | OpAccess::ReadCondWrite)
}

pub(super) fn writes(access: OpAccess) -> bool {
    matches!(access, OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite)
}

/// Whether its access to memory is that of the stack alone: saved registers and return addresses.
pub(super) fn is_implicit(instruction: &Instruction) -> bool {
    instruction.is_stack_instruction()
}

/// Bytes of an access; a gather has as many elements as its vector.
pub(super) fn access_bytes(instruction: &Instruction, memory: &UsedMemory) -> u32 {
    let element = memory.memory_size().size() as u32;
    if memory.vsib_size() == 0 {
        return element;
    }
    let registers =
        (0..instruction.op_count()).map(|op| instruction.op_register(op)).filter(|r| r.is_vector_register());
    let widest = registers.map(Register::size).max().unwrap_or(16) as u32;
    let indexes = memory.index().size() as u32 / memory.vsib_size().max(1);
    (widest / element.max(1)).min(indexes.max(1)) * element
}
