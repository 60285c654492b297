//! Control flow between the instructions of a function.

use std::collections::{BTreeMap, BTreeSet};

use iced_x86::{FlowControl, Instruction, OpKind};

use super::{callee, jump_table};
use crate::function_table::Function;
use crate::image::Image;

/// Functions that do not return to their caller: no flow goes past a call of them.
const ENDING: &[&str] =
    &["abort", "exit", "_exit", "__stack_chk_fail", "_Unwind_Resume", "__cxa_throw", "__cxa_rethrow", "__assert_fail"];

/// Instructions that are run one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Index of its first instruction.
    pub start: usize,
    /// Index after its last instruction.
    pub end: usize,
    /// Blocks to which it goes, within the function.
    pub successors: Vec<usize>,
    /// Blocks that go to it.
    pub predecessors: Vec<usize>,
}

/// The blocks of a function, and what is not known of the flow between them.
pub(super) struct Flow {
    pub(super) blocks: Vec<Block>,
    pub(super) unknown_jumps: Vec<u64>,
}

/// Where an instruction goes: targets within the function, and whether the next one follows.
struct Step {
    targets: Vec<u64>,
    falls_through: bool,
}

/// Splits the instructions into blocks and joins these.
pub(super) fn flow(image: &Image, function: &Function, instructions: &[Instruction]) -> Flow {
    let mut unknown_jumps = Vec::new();
    let mut steps: BTreeMap<usize, Step> = BTreeMap::new();
    let index_of = |address: u64| instructions.binary_search_by_key(&address, Instruction::ip).ok();
    let mut firsts = BTreeSet::from([0]);
    for (index, instruction) in instructions.iter().enumerate() {
        let Some(step) = step(image, function, instructions, index) else {
            if is_ending(image, instruction) {
                steps.insert(index, Step { targets: Vec::new(), falls_through: false });
                firsts.insert(index + 1);
            }
            continue;
        };
        if instruction.flow_control() == FlowControl::IndirectBranch && step.targets.is_empty() && !is_tail(instruction)
        {
            unknown_jumps.push(instruction.ip());
        }
        firsts.extend(step.targets.iter().filter_map(|target| index_of(*target)));
        firsts.insert(index + 1);
        steps.insert(index, step);
    }
    firsts.remove(&instructions.len());
    let starts: Vec<usize> = firsts.into_iter().collect();
    let block_of = |index: usize| starts.partition_point(|start| *start <= index) - 1;
    let ends = starts.iter().skip(1).copied().chain([instructions.len()]);
    let mut blocks: Vec<Block> = starts
        .iter()
        .zip(ends)
        .map(|(start, end)| Block { start: *start, end, successors: Vec::new(), predecessors: Vec::new() })
        .collect();
    for block in 0..blocks.len() {
        let last = blocks[block].end - 1;
        let mut next: BTreeSet<usize> = BTreeSet::new();
        if steps.get(&last).is_none_or(|step| step.falls_through) && last + 1 < instructions.len() {
            next.insert(block_of(last + 1));
        }
        let targets = steps.get(&last).map(|step| step.targets.as_slice()).unwrap_or_default();
        next.extend(targets.iter().filter_map(|target| index_of(*target)).map(block_of));
        for successor in &next {
            blocks[*successor].predecessors.push(block);
        }
        blocks[block].successors = next.into_iter().collect();
    }
    Flow { blocks, unknown_jumps }
}

/// Where a branch goes; `None` for what only goes on.
fn step(image: &Image, function: &Function, instructions: &[Instruction], index: usize) -> Option<Step> {
    let instruction = &instructions[index];
    let direct = || match instruction.op0_kind() {
        OpKind::NearBranch16 | OpKind::NearBranch32 | OpKind::NearBranch64 => vec![instruction.near_branch_target()],
        _ => Vec::new(),
    };
    match instruction.flow_control() {
        FlowControl::Next | FlowControl::Call | FlowControl::IndirectCall | FlowControl::Interrupt => None,
        FlowControl::UnconditionalBranch => Some(Step { targets: direct(), falls_through: false }),
        FlowControl::ConditionalBranch | FlowControl::XbeginXabortXend => {
            Some(Step { targets: direct(), falls_through: true })
        }
        FlowControl::IndirectBranch => {
            let targets = jump_table::targets(image, function, instructions, index);
            Some(Step { targets, falls_through: false })
        }
        FlowControl::Return | FlowControl::Exception => Some(Step { targets: Vec::new(), falls_through: false }),
    }
}

/// Whether it is a call of a function that does not return.
fn is_ending(image: &Image, instruction: &Instruction) -> bool {
    instruction.flow_control() == FlowControl::Call
        && callee(image, instruction)
            .is_some_and(|name| ENDING.contains(&name.as_str()) || name.contains("core9panicking"))
}

/// Whether the jump goes to another function through a word that the loader fills.
fn is_tail(instruction: &Instruction) -> bool {
    instruction.op0_kind() == OpKind::Memory && instruction.is_ip_rel_memory_operand()
}
