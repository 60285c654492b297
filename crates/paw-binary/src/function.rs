//! The code of a function: its instructions, blocks and loops.

use iced_x86::{Instruction, OpKind};

use crate::error::BinaryError;
use crate::function_table::Function;
use crate::image::{Architecture, Image};

mod blocks;
mod decode;
mod dominators;
mod jump_table;
mod natural_loops;
mod paths;

pub use blocks::Block;
pub use natural_loops::Loop;
pub use paths::paths;
pub(crate) use paths::topological;

/// The decoded code of one function of x86-64.
#[derive(Debug, Clone)]
pub struct Code {
    function: Function,
    instructions: Vec<Instruction>,
    blocks: Vec<Block>,
    loops: Vec<Loop>,
    unknown_jumps: Vec<u64>,
    tangled: Vec<u64>,
}

impl Code {
    /// Decodes `function` and finds its loops; an error if its code is not in the file or is not that of x86-64.
    pub fn of(image: &Image, function: &Function) -> Result<Self, BinaryError> {
        let refused = |why: String| BinaryError::NoCode { path: image.path().to_owned(), why };
        if *image.architecture() != Architecture::X86_64 {
            return Err(refused(format!("not supported: {}; symbols only", image.architecture())));
        }
        let instructions = decode::instructions(image, function).map_err(refused)?;
        let flow = blocks::flow(image, function, &instructions);
        let order = dominators::order(&flow.blocks);
        let dominators = dominators::immediate(&flow.blocks, &order);
        let (loops, tangled) = natural_loops::find(&flow.blocks, &order, &dominators);
        let tangled = tangled.into_iter().map(|block| instructions[flow.blocks[block].start].ip()).collect();
        let unknown_jumps = flow.unknown_jumps;
        Ok(Self { function: function.clone(), instructions, blocks: flow.blocks, loops, unknown_jumps, tangled })
    }

    /// The function.
    pub fn function(&self) -> &Function {
        &self.function
    }

    /// All instructions in the order of their addresses, which are [`Instruction::ip`].
    pub fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    /// Stretches of instructions that are run from their first to their last.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Natural loops, outer ones before those within them.
    pub fn loops(&self) -> &[Loop] {
        &self.loops
    }

    /// Addresses of indirect jumps whose targets are not known: loops through them are missing.
    pub fn unknown_jumps(&self) -> &[u64] {
        &self.unknown_jumps
    }

    /// First addresses of cycles that are entered at more than one place and hence are no natural loops.
    pub fn tangled(&self) -> &[u64] {
        &self.tangled
    }

    /// The instructions of a loop, with those of loops within it, in the order of their addresses.
    pub fn instructions_of<'a>(&'a self, found: &'a Loop) -> impl Iterator<Item = &'a Instruction> {
        found.blocks.iter().flat_map(|block| &self.instructions[self.blocks[*block].start..self.blocks[*block].end])
    }

    /// Index of the innermost loop that contains the instruction at `address`.
    pub fn innermost_at(&self, address: u64) -> Option<usize> {
        let block = self.block_at(address)?;
        let around = (0..self.loops.len()).filter(|index| self.loops[*index].blocks.binary_search(&block).is_ok());
        around.max_by_key(|index| self.loops[*index].depth)
    }

    /// Index of the block that contains the instruction at `address`.
    pub fn block_at(&self, address: u64) -> Option<usize> {
        let after = self.instructions.partition_point(|instruction| instruction.ip() <= address);
        let at = after.checked_sub(1).filter(|at| address < self.instructions[*at].next_ip())?;
        let block = self.blocks.partition_point(|block| block.start <= at).checked_sub(1)?;
        (at < self.blocks[block].end).then_some(block)
    }
}

/// The name of the function that a call or a jump out of the function goes to, where it is known.
pub fn callee(image: &Image, instruction: &Instruction) -> Option<String> {
    match instruction.op0_kind() {
        OpKind::NearBranch64 => image.called(instruction.near_branch_target()),
        OpKind::Memory if instruction.is_ip_rel_memory_operand() => {
            image.called_through(instruction.ip_rel_memory_address())
        }
        _ => None,
    }
}
