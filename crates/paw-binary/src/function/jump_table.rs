//! Targets of jumps through tables, as compilers make them of `switch`.
//!
//! gcc and clang write tables of 32-bit distances from the table's own address (position-independent code: `lea`, `movsxd`, `add`, `jmp`),
//! or of 64-bit addresses that the jump reads itself. Unoptimised code takes more instructions for the same.

use iced_x86::{Instruction, Mnemonic, OpKind, Register};

use crate::function_table::Function;
use crate::image::Image;

/// Instructions before a jump in which its table and its bound are looked for.
const NEAR: usize = 40;
/// Most entries of a table whose bound is not found.
const TARGETS_MAX: usize = 4096;

/// How the words of a table are read.
#[derive(Clone, Copy)]
enum Words {
    Distances,
    Addresses,
}

/// Targets of the indirect jump at `index`, within the function; none if its table is not recognised.
pub(super) fn targets(image: &Image, function: &Function, instructions: &[Instruction], index: usize) -> Vec<u64> {
    let jump = &instructions[index];
    let near = &instructions[index.saturating_sub(NEAR)..index];
    let bound = bound(near);
    for (table, words) in tables(jump, near, instructions) {
        if image.is_code(table) && function.start <= table && table < function.end {
            continue;
        }
        let found = read(image, function, instructions, table, words, bound);
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

/// Addresses that may be the jump's table, the likeliest first.
fn tables(jump: &Instruction, near: &[Instruction], all: &[Instruction]) -> Vec<(u64, Words)> {
    let is_absolute = |i: &Instruction| {
        i.memory_base() == Register::None && i.memory_index() != Register::None && i.memory_index_scale() == 8
    };
    if jump.op0_kind() == OpKind::Memory {
        if is_absolute(jump) {
            return vec![(jump.memory_displacement64(), Words::Addresses)];
        }
        let base = jump.memory_base();
        return loaded(near, base).chain(loaded(all, base)).map(|table| (table, Words::Addresses)).collect();
    }
    let read_address = near.iter().rev().find(|i| {
        i.mnemonic() == Mnemonic::Mov
            && i.op0_kind() == OpKind::Register
            && i.op1_kind() == OpKind::Memory
            && is_absolute(i)
    });
    let absolute = read_address.map(|i| (i.memory_displacement64(), Words::Addresses));
    let bases = near.iter().rev().filter(|i| matches!(i.mnemonic(), Mnemonic::Movsxd | Mnemonic::Mov));
    let bases = bases.filter(|i| i.op1_kind() == OpKind::Memory && i.memory_base() != Register::RIP);
    let hoisted = bases.take(2).flat_map(|i| [i.memory_base(), i.memory_index()]).flat_map(|r| loaded(all, r));
    let any = near.iter().rev().filter(|i| i.mnemonic() == Mnemonic::Lea && i.is_ip_rel_memory_operand());
    let distances = any.map(Instruction::ip_rel_memory_address).chain(hoisted).map(|table| (table, Words::Distances));
    distances.chain(absolute).collect()
}

/// Addresses that `lea` loads into `register`, the last first.
fn loaded(instructions: &[Instruction], register: Register) -> impl Iterator<Item = u64> {
    let leas = instructions
        .iter()
        .rev()
        .filter(move |i| i.mnemonic() == Mnemonic::Lea && i.op0_register() == register && i.is_ip_rel_memory_operand());
    leas.map(Instruction::ip_rel_memory_address)
}

/// How many entries the comparison before the jump lets pass.
fn bound(near: &[Instruction]) -> Option<usize> {
    let above = near
        .iter()
        .rposition(|i| matches!(i.mnemonic(), Mnemonic::Ja | Mnemonic::Jae | Mnemonic::Jbe | Mnemonic::Jb))?;
    let compare = near[..above].iter().rev().find(|i| i.mnemonic() == Mnemonic::Cmp)?;
    let is_number = !matches!(compare.op1_kind(), OpKind::Register | OpKind::Memory);
    let last = is_number.then(|| compare.immediate(1))?;
    let count = match near[above].mnemonic() {
        Mnemonic::Ja | Mnemonic::Jbe => last.checked_add(1)?,
        _ => last,
    };
    usize::try_from(count).ok().filter(|count| *count <= TARGETS_MAX)
}

/// The entries of the table, as far as they are places where instructions of the function begin or code elsewhere.
fn read(
    image: &Image,
    function: &Function,
    instructions: &[Instruction],
    table: u64,
    words: Words,
    bound: Option<usize>,
) -> Vec<u64> {
    let width = match words {
        Words::Distances => 4,
        Words::Addresses => 8,
    };
    let most = bound.unwrap_or(TARGETS_MAX);
    let mut targets = Vec::new();
    for word in image.bytes_at(table, (most * width) as u64).chunks_exact(width) {
        let number = word.iter().rev().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        let target = match words {
            Words::Distances => table.wrapping_add_signed(i64::from(number as u32 as i32)),
            Words::Addresses => number,
        };
        let is_here = (function.start..function.end).contains(&target);
        if is_here && instructions.binary_search_by_key(&target, Instruction::ip).is_ok() {
            targets.push(target);
        } else if bound.is_none() || !image.is_code(target) {
            break;
        }
    }
    targets.sort_unstable();
    targets.dedup();
    targets
}
