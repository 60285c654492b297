//! What an iteration of an innermost loop does to registers and to the stack, as sums of what they held at its beginning.
//!
//! One walk through the blocks, each after those before it. Where ways meet with different values the value is unknown: increments
//! on ways that exclude each other are never added up. Sums are those of whole numbers: an index that wraps at 32 bits is not seen.

use std::collections::{BTreeMap, BTreeSet};

use iced_x86::{
    FlowControl, Instruction, InstructionInfo, InstructionInfoFactory, Mnemonic, OpKind, Register, UsedMemory,
};

use super::effects::{
    Effects, FRAME_POINTER, STACK_POINTER, VECTORS, access_bytes, covered, is_implicit, location, reads, registers,
    word, writes,
};
use super::linear::{Linear, Location, Symbol};
use crate::function::{Code, Loop, topological};

/// Terms of a sum; a longer one is unknown.
const TERMS_MAX: usize = 8;
/// Registers that a call may change, by the System V ABI: `rax`, `rcx`, `rdx`, `rsi`, `rdi`, `r8` to `r11`.
const CLOBBERED: [u16; 9] = [0, 1, 2, 6, 7, 8, 9, 10, 11];
/// Vector registers, all of which a call may change.
const VECTOR_COUNT: u16 = 32;

/// Which way data goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// From memory.
    Load,
    /// To memory.
    Store,
}

/// One access to memory by one instruction.
#[derive(Debug, Clone)]
pub struct Access {
    /// Index of the instruction in the function.
    pub at: usize,
    /// Which way.
    pub direction: Direction,
    /// Bytes.
    pub bytes: u32,
    /// The address.
    pub address: Linear,
    /// The vector register whose elements are added to the address, where it gathers or scatters.
    pub vector_index: Option<Register>,
}

/// An iteration as evaluated.
#[derive(Debug, Clone, Default)]
pub struct Iteration {
    /// Blocks, each after those before it.
    pub blocks: Vec<usize>,
    /// Accesses to memory in that order.
    pub accesses: Vec<Access>,
    /// Factors of the products that sums have.
    pub products: Vec<(Linear, Linear)>,
    /// Effects of each instruction, by its index.
    pub effects: BTreeMap<usize, Effects>,
    /// What locations hold at the end, those that changed.
    pub end: State,
    /// Numbers of the registers that point to the stack: the frame pointer is one where the function sets it so, else it is like others.
    pointers: Vec<u16>,
}

impl Iteration {
    /// The word of the stack, or at a fixed address, that `address` is.
    pub fn word(&self, address: &Linear) -> Option<Location> {
        word(address, &self.pointers)
    }
}

fn pointers(code: &Code) -> Vec<u16> {
    let sets = |i: &Instruction| {
        let moves =
            i.mnemonic() == Mnemonic::Mov && i.op1_kind() == OpKind::Register && i.op1_register() == Register::RSP;
        let adds = i.mnemonic() == Mnemonic::Lea && i.memory_base() == Register::RSP;
        i.op0_kind() == OpKind::Register && i.op0_register() == Register::RBP && (moves || adds)
    };
    let has_frame = code.instructions().iter().any(sets);
    std::iter::once(STACK_POINTER).chain(has_frame.then_some(FRAME_POINTER)).collect()
}

/// Values of locations; one that is missing has the value of the beginning.
pub type State = BTreeMap<Location, Linear>;

struct Evaluation<'a> {
    code: &'a Code,
    factory: InstructionInfoFactory,
    iteration: Iteration,
    unknowns: usize,
}

/// Evaluates an iteration; `None` if the loop holds another cycle.
pub fn evaluate(code: &Code, found: &Loop) -> Option<Iteration> {
    let blocks = topological(code, found)?;
    let iteration = Iteration { blocks: blocks.clone(), pointers: pointers(code), ..Iteration::default() };
    let mut evaluation = Evaluation { code, factory: InstructionInfoFactory::new(), iteration, unknowns: 0 };
    let mut ends: BTreeMap<usize, State> = BTreeMap::new();
    for block in &blocks {
        let before = code.blocks()[*block].predecessors.iter().filter(|p| *block != found.head && ends.contains_key(p));
        let states: Vec<&State> = before.map(|p| &ends[p]).collect();
        let mut state = evaluation.merged(&states);
        for at in code.blocks()[*block].start..code.blocks()[*block].end {
            evaluation.step(at, &mut state);
        }
        ends.insert(*block, state);
    }
    let last: Vec<&State> = found.latches.iter().filter_map(|latch| ends.get(latch)).collect();
    evaluation.iteration.end = evaluation.merged(&last);
    Some(evaluation.iteration)
}

impl Evaluation<'_> {
    fn fresh(&mut self, is_loaded: bool) -> Linear {
        self.unknowns += 1;
        Linear::symbol(if is_loaded { Symbol::Derived(self.unknowns) } else { Symbol::Unknown(self.unknowns) })
    }

    /// One state of several: what they agree on.
    fn merged(&mut self, states: &[&State]) -> State {
        let Some((first, others)) = states.split_first() else { return State::new() };
        if others.is_empty() {
            return (*first).clone();
        }
        let locations: BTreeSet<Location> = states.iter().flat_map(|state| state.keys().copied()).collect();
        let mut merged = State::new();
        for location in locations {
            let value = held(first, location);
            let agree = others.iter().all(|other| held(other, location) == value);
            let is_loaded = states.iter().any(|state| held(state, location).is_loaded());
            merged.insert(location, if agree { value } else { self.fresh(is_loaded) });
        }
        merged
    }

    /// One instruction: its accesses, its effects, and the values that it leaves.
    fn step(&mut self, at: usize, state: &mut State) {
        let instruction = self.code.instructions()[at];
        let info = self.factory.info(&instruction).clone();
        let mut effects = Effects::default();
        let mut loaded: Option<Linear> = None;
        let mut stored: Option<Location> = None;
        for memory in info.used_memory() {
            if is_implicit(&instruction) {
                continue;
            }
            let bytes = access_bytes(&instruction, memory);
            let address = self.address(memory, &instruction, state);
            let word = self.iteration.word(&address).filter(|_| memory.vsib_size() == 0);
            if reads(memory.access()) {
                loaded = Some(self.read(at, bytes, &address, word, state, &mut effects, memory));
            }
            if writes(memory.access()) {
                stored = word.or(stored);
                effects.writes.extend(covered(word, bytes));
                self.access(at, Direction::Store, bytes, address, memory);
            }
        }
        registers(&info, &mut effects);
        let value = self.value(&instruction, &effects, loaded.as_ref(), state);
        let is_call = matches!(instruction.flow_control(), FlowControl::Call | FlowControl::IndirectCall);
        // A called function gives the stack pointer back as it was.
        effects.writes.retain(|place| !is_call || *place != Location::Register(STACK_POINTER));
        for location in effects.writes.clone() {
            let value = match location {
                Location::Register(STACK_POINTER) => {
                    held(state, location).plus(&Linear::number(i64::from(instruction.stack_pointer_increment())), 1)
                }
                _ => value.clone(),
            };
            let value = if instruction.mnemonic() == Mnemonic::Sub && location == Location::Register(STACK_POINTER) {
                self.fresh(false)
            } else {
                value
            };
            state.insert(location, value);
        }
        if let Some(first) = stored {
            self.spread(&instruction, &info, first, &value, state);
        }
        if is_call {
            self.clobber(&mut effects, state);
        }
        self.iteration.effects.insert(at, effects);
    }

    /// A call takes its first argument and gives its result in vector register 0, and keeps none of the registers that callees may use.
    fn clobber(&mut self, effects: &mut Effects, state: &mut State) {
        effects.reads.push(Location::Register(VECTORS));
        let vectors = VECTORS..VECTORS + VECTOR_COUNT;
        for place in CLOBBERED.into_iter().chain(vectors).map(Location::Register) {
            let unknown = self.fresh(false);
            state.insert(place, unknown);
            effects.writes.push(place);
        }
    }

    #[allow(clippy::too_many_arguments, reason = "one access has this many facts")]
    fn read(
        &mut self,
        at: usize,
        bytes: u32,
        address: &Linear,
        word: Option<Location>,
        state: &State,
        effects: &mut Effects,
        memory: &UsedMemory,
    ) -> Linear {
        effects.reads.extend(covered(word, bytes));
        self.access(at, Direction::Load, bytes, address.clone(), memory);
        match word {
            Some(word) => held(state, word),
            None => Linear::symbol(Symbol::Loaded(self.iteration.accesses.len() - 1)),
        }
    }

    fn access(&mut self, at: usize, direction: Direction, bytes: u32, address: Linear, memory: &UsedMemory) {
        let vector_index = (memory.vsib_size() != 0).then(|| memory.index());
        self.iteration.accesses.push(Access { at, direction, bytes, address, vector_index });
    }

    /// A wide value that goes to the stack leaves its parts in every word that it covers.
    fn spread(
        &mut self,
        instruction: &Instruction,
        info: &InstructionInfo,
        first: Location,
        value: &Linear,
        state: &mut State,
    ) {
        let bytes = info.used_memory().iter().map(|memory| access_bytes(instruction, memory)).max().unwrap_or(0);
        for place in covered(Some(first), bytes).skip(1) {
            let part = self.fresh(value.is_loaded());
            state.insert(place, part);
        }
    }

    fn address(&self, memory: &UsedMemory, instruction: &Instruction, state: &State) -> Linear {
        if memory.base() == Register::RIP || instruction.is_ip_rel_memory_operand() {
            return Linear::number(instruction.ip_rel_memory_address() as i64);
        }
        let mut address = Linear::number(memory.displacement() as i64);
        if let Some(base) = location(memory.base()) {
            address = address.plus(&held(state, base), 1);
        }
        if memory.vsib_size() == 0
            && let Some(index) = location(memory.index())
        {
            address = address.plus(&held(state, index), i64::from(memory.scale()));
        }
        address
    }

    /// The value that an instruction leaves in what it writes.
    fn value(&mut self, i: &Instruction, effects: &Effects, loaded: Option<&Linear>, state: &State) -> Linear {
        let known = self.sum(i, loaded, state).or_else(|| self.product(i, loaded, state));
        let known = known.filter(|sum| sum.terms.len() <= TERMS_MAX);
        known.unwrap_or_else(|| {
            let from_memory = loaded.is_some_and(Linear::is_loaded);
            let is_loaded = from_memory || effects.reads.iter().any(|read| held(state, *read).is_loaded());
            self.fresh(is_loaded)
        })
    }

    /// The product of two values that are not numbers: an index times a stride that is known at run time.
    fn product(&mut self, i: &Instruction, loaded: Option<&Linear>, state: &State) -> Option<Linear> {
        if i.mnemonic() != Mnemonic::Imul || i.op_count() != 2 {
            return None;
        }
        let first = held(state, location(i.op0_register())?);
        let second = match i.op1_kind() {
            OpKind::Register => held(state, location(i.op1_register())?),
            _ => loaded.cloned()?,
        };
        self.iteration.products.push((first, second));
        Some(Linear::symbol(Symbol::Product(self.iteration.products.len() - 1)))
    }

    /// The value as a sum, for the instructions that addresses are computed with.
    fn sum(&self, i: &Instruction, loaded: Option<&Linear>, state: &State) -> Option<Linear> {
        let operand = |op: u32| match i.op_kind(op) {
            OpKind::Register => location(i.op_register(op)).map(|location| held(state, location)),
            OpKind::Memory => loaded.cloned(),
            OpKind::NearBranch16 | OpKind::NearBranch32 | OpKind::NearBranch64 => None,
            _ => Some(Linear::number(i.immediate(op) as i64)),
        };
        // A memory operand that is only written has no value of its own.
        match i.mnemonic() {
            Mnemonic::Mov
            | Mnemonic::Movsxd
            | Mnemonic::Movsx
            | Mnemonic::Movzx
            | Mnemonic::Movq
            | Mnemonic::Vmovq
            | Mnemonic::Movd
            | Mnemonic::Vmovd => operand(1),
            Mnemonic::Cdqe | Mnemonic::Cwde => Some(held(state, Location::Register(0))),
            Mnemonic::Lea => Some(self.lea(i, state)),
            Mnemonic::Add => Some(operand(0)?.plus(&operand(1)?, 1)),
            Mnemonic::Sub | Mnemonic::Xor
                if i.op0_kind() == OpKind::Register
                    && i.op0_register() == i.op1_register()
                    && i.op1_kind() == OpKind::Register =>
            {
                Some(Linear::number(0))
            }
            Mnemonic::Sub => Some(operand(0)?.plus(&operand(1)?, -1)),
            Mnemonic::Inc => Some(operand(0)?.plus(&Linear::number(1), 1)),
            Mnemonic::Dec => Some(operand(0)?.plus(&Linear::number(1), -1)),
            Mnemonic::Neg => Some(operand(0)?.times(-1)),
            Mnemonic::Shl | Mnemonic::Sal if i.op1_kind() != OpKind::Register => {
                Some(operand(0)?.times(1_i64.checked_shl(i.immediate(1) as u32)?))
            }
            Mnemonic::Imul if i.op_count() == 3 => Some(operand(1)?.times(operand(2)?.as_number()?)),
            _ => None,
        }
    }

    fn lea(&self, i: &Instruction, state: &State) -> Linear {
        if i.is_ip_rel_memory_operand() {
            return Linear::number(i.ip_rel_memory_address() as i64);
        }
        let mut address = Linear::number(i.memory_displacement64() as i64);
        if let Some(base) = location(i.memory_base()) {
            address = address.plus(&held(state, base), 1);
        }
        if let Some(index) = location(i.memory_index()) {
            address = address.plus(&held(state, index), i64::from(i.memory_index_scale()));
        }
        address
    }
}

/// What a location holds.
pub fn held(state: &State, location: Location) -> Linear {
    state.get(&location).cloned().unwrap_or_else(|| Linear::symbol(Symbol::Head(location)))
}
