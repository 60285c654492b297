//! The innermost loops that a function runs, as instructions at their addresses.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use paw_sort::OrderBy;

use iced_x86::{FlowControl, Formatter, GasFormatter, Instruction, OpKind};

use crate::dataflow::divides;
use crate::error::BinaryError;
use crate::function::{Code, callee};
use crate::function_table::How;
use crate::image::Image;
use crate::loop_blocks::{self, LoopBlock, Way};

/// The most functions that are followed from the first one.
const FUNCTIONS_MAX: usize = 64;
/// The shortest beginning of a loop that can lead elsewhere: a jump has five bytes.
pub(crate) const JUMP_BYTES: u64 = 5;

/// An innermost loop.
#[derive(Debug, Clone)]
pub struct CodeLoop {
    /// The function that it is in.
    pub function: String,
    /// The address of its first instruction in the file.
    pub address: u64,
    /// Its instructions, in the order of their addresses in the file.
    instructions: Vec<Instruction>,
    /// Its blocks: the head, then the others in the order of their addresses.
    pub(crate) blocks: Vec<LoopBlock>,
    /// Where blocks began that were left out, because no run went there.
    pub(crate) left_out: BTreeSet<u64>,
    /// What is called there.
    calls_left_out: Vec<String>,
    /// Where code outside jumps to, and other instructions than the loop's own begin, in its first bytes.
    pub(crate) occupied: bool,
    /// The names of functions that it leads to, by the address of the instruction.
    names: BTreeMap<u64, String>,
}

impl CodeLoop {
    /// Its instructions, as if the file were loaded `bias` bytes above its own addresses.
    pub(crate) fn instructions(&self, bias: u64) -> Vec<Instruction> {
        self.instructions.iter().map(|instruction| moved(*instruction, bias)).collect()
    }

    /// Its instructions as text, in the syntax of the GNU assembler.
    pub fn listing(&self) -> Vec<String> {
        self.instructions.iter().map(|instruction| self.text(instruction)).collect()
    }

    /// An instruction as text; functions that it leads to have their names.
    pub(crate) fn text(&self, instruction: &Instruction) -> String {
        let mut text = String::new();
        GasFormatter::new().format(instruction, &mut text);
        match self.names.get(&instruction.ip()) {
            Some(name) => format!("{} {name}", text.split_whitespace().next().unwrap_or_default()),
            None => text,
        }
    }

    /// The names of the functions that it calls.
    pub fn calls(&self) -> Vec<String> {
        self.called(&self.instructions)
    }

    /// The names of the functions that it calls where no run went; see [`without`](Self::without).
    pub fn calls_left_out(&self) -> &[String] {
        &self.calls_left_out
    }

    fn called(&self, instructions: &[Instruction]) -> Vec<String> {
        let name = |call: &Instruction| {
            self.names.get(&call.ip()).cloned().unwrap_or_else(|| "a function without a name".to_owned())
        };
        let mut names: Vec<String> = instructions.iter().filter(|own| is_call(own)).map(name).collect();
        names.dedup();
        names
    }

    /// The address of each block and its number of instructions, the head first.
    pub fn blocks(&self) -> Vec<(u64, usize)> {
        let of = |block: &LoopBlock| (self.instructions[block.instructions.start].ip(), block.instructions.len());
        self.blocks.iter().map(of).collect()
    }

    /// How many ways lead through it; `None` where that cannot be counted.
    pub fn ways(&self) -> Option<u64> {
        loop_blocks::ways(&self.blocks)
    }

    /// The way through it that most runs take, by how often each block was run; `None` if it cannot be followed.
    pub fn common_way(&self, runs: &[f64]) -> Option<Way> {
        loop_blocks::common_way(&self.blocks, runs)
    }

    /// The loop without the blocks that begin at the addresses `cold`, to which no run went. Its code there stays as it is.
    #[must_use]
    pub fn without(&self, cold: &[u64]) -> Self {
        let begin = |block: &LoopBlock| self.instructions[block.instructions.start].ip();
        let is_kept = |block: &LoopBlock| begin(block) == self.address || !cold.contains(&begin(block));
        let stays: Vec<bool> = self.blocks.iter().map(is_kept).collect();
        let kept = |number: usize| {
            let of = self.blocks.iter().position(|block| block.instructions.contains(&number));
            of.is_none_or(|block| stays[block])
        };
        let numbers: Vec<usize> = (0..self.instructions.len()).filter(|number| kept(*number)).collect();
        let moved = |number: usize| numbers.partition_point(|own| *own < number);
        let renamed = |block: usize| stays[..block].iter().filter(|stays| **stays).count();
        let block = |block: &LoopBlock| LoopBlock {
            instructions: moved(block.instructions.start)..moved(block.instructions.end),
            successors: block.successors.iter().filter(|next| stays[**next]).map(|next| renamed(*next)).collect(),
        };
        let gone: Vec<Instruction> = (0..self.instructions.len())
            .filter(|number| !kept(*number))
            .map(|number| self.instructions[number])
            .collect();
        let of =
            |stay: bool| self.blocks.iter().zip(&stays).filter(move |(_, stays)| **stays == stay).map(|(own, _)| own);
        let inside = |at: u64| at > self.address && at < self.address + JUMP_BYTES;
        Self {
            function: self.function.clone(),
            address: self.address,
            instructions: numbers.iter().map(|number| self.instructions[*number]).collect(),
            blocks: of(true).map(block).collect(),
            left_out: of(false).map(begin).collect(),
            calls_left_out: self.called(&gone),
            occupied: self.occupied || gone.iter().any(|own| inside(own.ip())),
            names: self.names.clone(),
        }
    }

    /// How many instructions it has, one at least.
    pub fn count(&self) -> usize {
        self.instructions.len()
    }

    /// Bits of the widest operand on which a vector instruction of it works; 64 if there is none.
    pub fn bits(&self) -> u32 {
        self.instructions.iter().map(vector_bits).max().unwrap_or(64)
    }

    /// Divisions and square roots in it.
    pub fn divisions(&self) -> u32 {
        self.instructions.iter().filter(|instruction| divides(instruction)).count() as u32
    }
}

/// The innermost loops of the function `name` of the file at `path` and of the functions in the file that it calls.
///
/// # Errors
/// The file cannot be read, is for another processor than x86-64, or has no such function.
pub fn inner_loops(path: &Path, name: &str) -> Result<Vec<CodeLoop>, BinaryError> {
    let image = Image::open(path)?;
    Ok(followed(&image, name)?.iter().flat_map(|code| innermost(&image, code)).collect())
}

/// The code of the function `name` and of the functions of the file that it calls.
///
/// # Errors
/// The file has no such function, or its code cannot be read.
pub(crate) fn followed(image: &Image, name: &str) -> Result<Vec<Code>, BinaryError> {
    let mut wanted = vec![first(image, name)?];
    let mut codes = Vec::new();
    let mut next = 0;
    while let Some(&address) = wanted.get(next) {
        next += 1;
        let Some(function) = image.function_at(address).filter(|function| function.how != How::Stub) else { continue };
        let code = match Code::of(image, &function) {
            Ok(code) => code,
            // What is called may be anything; the function itself must be readable.
            Err(error) if next == 1 => return Err(error),
            Err(_) => continue,
        };
        let own = function.start..function.end;
        for target in code.instructions().iter().filter_map(target).filter(|at| !own.contains(at)) {
            let begins = image.function_at(target).is_some_and(|other| other.start == target);
            if begins && wanted.len() < FUNCTIONS_MAX && !wanted.contains(&target) {
                wanted.push(target);
            }
        }
        codes.push(code);
    }
    Ok(codes)
}

/// The address in the file at `path` of its function `name`.
///
/// # Errors
/// The file cannot be read, or has no such function.
pub fn address_of(path: &Path, name: &str) -> Result<u64, BinaryError> {
    first(&Image::open(path)?, name)
}

fn first(image: &Image, name: &str) -> Result<u64, BinaryError> {
    let functions = image.functions_named(name);
    let exact = functions.iter().find(|function| function.symbol.as_deref() == Some(name));
    let missing = || BinaryError::NoCode {
        path: image.path().to_owned(),
        why: format!("it has no function `{name}`; build it without stripping"),
    };
    exact.or(functions.first()).map(|function| function.start).ok_or_else(missing)
}

/// The loops of `code` in which no other loop lies.
fn innermost(image: &Image, code: &Code) -> Vec<CodeLoop> {
    let of = |found: &crate::function::Loop| {
        let mut instructions: Vec<Instruction> = code.instructions_of(found).copied().collect();
        instructions.order_by_key(Instruction::ip);
        let address = code.instructions()[code.blocks()[found.head].start].ip();
        let inside = |at: u64| at > address && at < address + JUMP_BYTES;
        let own = |at: u64| instructions.iter().any(|instruction| instruction.ip() == at);
        let foreign = code.instructions().iter().any(|other| inside(other.ip()) && !own(other.ip()));
        let entered = code.instructions().iter().filter_map(target).any(inside);
        let named = |instruction: &Instruction| Some((instruction.ip(), callee(image, instruction)?));
        let number = |at: usize| instructions.partition_point(|own| own.ip() < code.instructions()[at].ip());
        let order: Vec<usize> =
            [found.head].into_iter().chain(found.blocks.iter().copied().filter(|block| *block != found.head)).collect();
        let block = |block: &usize| {
            let block = &code.blocks()[*block];
            let begin = number(block.start);
            LoopBlock {
                instructions: begin..begin + (block.end - block.start),
                successors: block
                    .successors
                    .iter()
                    .filter_map(|next| order.iter().position(|own| own == next))
                    .collect(),
            }
        };
        CodeLoop {
            blocks: order.iter().map(block).collect(),
            left_out: BTreeSet::new(),
            calls_left_out: Vec::new(),
            function: code.function().title(),
            address,
            occupied: foreign || entered,
            names: instructions.iter().filter(|i| is_call(i)).filter_map(named).collect(),
            instructions,
        }
    };
    code.loops().iter().filter(|found| found.is_innermost).map(of).collect()
}

/// Whether an instruction calls a function.
pub(crate) fn is_call(instruction: &Instruction) -> bool {
    matches!(instruction.flow_control(), FlowControl::Call | FlowControl::IndirectCall)
}

/// The target of a direct jump or call.
pub(crate) fn target(instruction: &Instruction) -> Option<u64> {
    let direct = instruction.op_count() > 0 && instruction.op0_kind() == OpKind::NearBranch64;
    direct.then(|| instruction.near_branch_target())
}

/// The instruction `bias` bytes further, with the addresses it names.
fn moved(mut instruction: Instruction, bias: u64) -> Instruction {
    let names = target(&instruction);
    let memory = instruction.is_ip_rel_memory_operand().then(|| instruction.ip_rel_memory_address());
    instruction.set_ip(instruction.ip().wrapping_add(bias));
    if let Some(at) = names {
        instruction.set_near_branch64(at.wrapping_add(bias));
    }
    if let Some(at) = memory {
        instruction.set_memory_displacement64(at.wrapping_add(bias));
    }
    instruction
}

/// Bits that an instruction works on at once.
fn vector_bits(instruction: &Instruction) -> u32 {
    let name = format!("{:?}", instruction.mnemonic()).to_lowercase();
    let is_scalar = ["sd", "ss"].iter().any(|end| name.ends_with(end));
    let registers = (0..instruction.op_count()).filter(|at| instruction.op_kind(*at) == OpKind::Register);
    let registers = registers.map(|at| instruction.op_register(at));
    let widest = registers.filter(|r| r.is_vector_register()).map(|r| 8 * r.size() as u32).max();
    match widest {
        Some(bits) if !is_scalar => bits,
        _ => 64,
    }
}
