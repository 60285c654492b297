//! A loop being changed, instruction by instruction.

use std::collections::BTreeSet;

use iced_x86::{Code, FlowControl, Instruction, OpKind, Register};
use paw_data::explanation::Ablation;

use super::{Change, Destination};
use crate::analysis::operation::{Class, class};
use crate::code_loop::{CodeLoop, target};
use crate::dataflow::{Effects, Place, accesses, addressing, control, divides, feeding, gathers, is_vector, moves};
use crate::encode::{LoopCode, encoded, jump, nop};
use crate::forwarding::{Forwarding, forwarded};
use crate::loop_blocks::{LoopBlock, carried};
use crate::page::{self, Page};
use crate::vectors::Vectors;

/// What becomes of an instruction.
pub(super) enum Action {
    /// It goes.
    Remove,
    /// It goes; what it loads is still loaded.
    Calculation,
    /// Its operand in memory becomes a register.
    Memory,
    /// Its results get another value, so that nothing waits for the one before.
    Given,
    /// A no-operation of its length takes its place.
    Nop,
}

/// What stays because the time of a division hangs on its numbers, and zeros are none to divide by.
const DIVIDED: &str = "loads of whole numbers that are divided";

/// What becomes of values that go over memory to the next run through the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Chains {
    /// They still do.
    Kept,
    /// Stores go elsewhere than loads.
    Cut,
}

/// A loop being changed.
pub(super) struct Work {
    pub instructions: Vec<Instruction>,
    effects: Vec<Effects>,
    blocks: Vec<LoopBlock>,
    /// Which instructions decide how the loop goes on.
    pub control: Vec<bool>,
    /// Which instructions addresses hang on.
    addressing: Vec<bool>,
    /// Which integer instructions and loads give integer divisions their operands.
    dividing: Vec<bool>,
    /// Jumps whose way was never another one: they are none in changed loops.
    settled: Vec<bool>,
    targets: BTreeSet<u64>,
    vectors: Vectors,
    page: Page,
    /// What stands for each instruction.
    output: Vec<Vec<Instruction>>,
    /// What is done at the beginning of each run through the loop.
    begin: Vec<Instruction>,
    /// Instructions that were changed.
    pub count: u32,
    left: BTreeSet<&'static str>,
}

impl Work {
    pub fn new(own: &CodeLoop, ablation: Ablation, to: Destination) -> Self {
        let instructions = own.instructions(to.bias);
        let effects = Effects::of(&instructions);
        let one_way: Vec<Option<Vec<Instruction>>> =
            instructions.iter().map(|instruction| one_way(own, ablation, to.bias, instruction)).collect();
        let settled: Vec<bool> = one_way.iter().map(Option::is_some).collect();
        let all = vec![true; instructions.len()];
        let whole: Vec<bool> = instructions.iter().map(divides_whole).collect();
        let stays = |(instruction, one_way): (&Instruction, Option<_>)| one_way.unwrap_or_else(|| vec![*instruction]);
        Self {
            control: control(&instructions, &effects, &settled),
            addressing: addressing(&instructions, &effects, &all),
            dividing: feeding(&instructions, &effects, &whole),
            targets: instructions.iter().filter_map(target).collect(),
            vectors: Vectors::of(&instructions, &effects),
            page: Page::new(to.page, &instructions),
            output: instructions.iter().zip(one_way).map(stays).collect(),
            blocks: own.blocks.clone(),
            begin: Vec::new(),
            count: 0,
            left: BTreeSet::new(),
            settled,
            instructions,
            effects,
        }
    }

    /// Decides on every instruction.
    pub fn each(&mut self, decide: impl Fn(&mut Self, usize) -> Option<Action>) {
        for at in 0..self.instructions.len() {
            if self.settled[at] {
                continue;
            }
            let Some(action) = decide(self, at) else { continue };
            let replaced = match action {
                Action::Remove => Some(Vec::new()),
                Action::Given => Some(self.given(at)),
                Action::Nop => Some(vec![nop(self.instructions[at].len())]),
                Action::Calculation => self.loaded(at),
                Action::Memory => self.vectors.in_register(&self.output[at][0]).map(|instruction| vec![instruction]),
            };
            match replaced {
                Some(replaced) => {
                    self.count += 1;
                    self.output[at] = replaced;
                }
                None => _ = self.left.insert("an operand whose form has no other"),
            }
        }
    }

    /// What is left of a calculation: the load of its operand in memory.
    fn loaded(&self, at: usize) -> Option<Vec<Instruction>> {
        if !self.effects[at].loads {
            return Some(Vec::new());
        }
        self.vectors.load(&self.instructions[at]).map(|load| vec![load])
    }

    /// What gives the registers that an instruction writes a value that hangs on nothing.
    fn given(&self, at: usize) -> Vec<Instruction> {
        let places = self.effects[at].writes.iter().filter(|place| **place != Place::Flags);
        places.filter_map(|place| self.vectors.anew(*place)).collect()
    }

    /// Whether control or addresses hang on what the instruction does; says that it is left in for that.
    fn is_needed(&mut self, at: usize, of_control: &'static str, of_addresses: &'static str) -> bool {
        if self.control[at] {
            self.left.insert(of_control);
        } else if self.addressing[at] {
            self.left.insert(of_addresses);
        }
        self.control[at] || self.addressing[at]
    }

    /// Arithmetic on vector registers goes; what control or addresses hang on stays.
    pub fn without_float(&mut self, at: usize) -> Option<Action> {
        let (instruction, effects) = (&self.instructions[at], &self.effects[at]);
        let on_vectors = effects.writes.iter().chain(&effects.reads).any(is_vector);
        if !on_vectors || effects.stores || gathers(instruction) || (moves(instruction) && effects.loads) {
            return None;
        }
        let scalar = effects.writes_scalar();
        if self.is_needed(at, "arithmetic that the end of the loop hangs on", "arithmetic that addresses hang on") {
            return None;
        }
        if scalar && !self.writes_unread_flags(at) {
            self.left.insert("instructions that write flags or general-purpose registers");
            return None;
        }
        Some(Action::Calculation)
    }

    /// Whether all that the instruction writes are flags that nothing reads, but jumps that are none in changed loops.
    fn writes_unread_flags(&self, at: usize) -> bool {
        if self.effects[at].writes.iter().any(|place| *place != Place::Flags) {
            return false;
        }
        let count = self.effects.len();
        let after = (1..=count).map(|step| (at + step) % count);
        for next in after {
            if self.effects[next].reads.contains(&Place::Flags) && !self.settled[next] {
                return false;
            }
            if self.effects[next].writes.contains(&Place::Flags) {
                return true;
            }
        }
        true
    }

    /// Loads and stores go, except those that control hangs on.
    pub fn without_memory(&mut self, at: usize) -> Option<Action> {
        let (instruction, effects) = (&self.instructions[at], &self.effects[at]);
        if !accesses(instruction, effects) {
            return None;
        }
        if self.control[at] {
            self.left.insert("loads that the end of the loop hangs on");
            return None;
        }
        if self.dividing[at] {
            self.left.insert(DIVIDED);
            return None;
        }
        let loads = gathers(instruction) || moves(instruction) || is_scalar_load(instruction);
        Some(match (effects.stores, loads) {
            (true, _) => Action::Remove,
            (false, true) => Action::Given,
            (false, false) => Action::Memory,
        })
    }

    /// Divisions and roots go; the results of those of whole numbers, which addresses may hang on, are a small number.
    pub fn without_division(&mut self, at: usize) -> Option<Action> {
        if !divides(&self.instructions[at]) {
            return None;
        }
        if self.control[at] {
            self.left.insert("divisions that the end of the loop hangs on");
            return None;
        }
        Some(if divides_whole(&self.instructions[at]) { Action::Given } else { Action::Calculation })
    }

    /// All goes but divisions, roots and control; divisions of whole numbers, whose time hangs on the numbers, keep their operands, the others
    /// get theirs from registers.
    pub fn divisions_alone(&mut self, at: usize) -> Option<Action> {
        let (instruction, effects) = (&self.instructions[at], &self.effects[at]);
        let vector_result = effects.writes.iter().any(is_vector) && !effects.stores;
        let kept = self.control[at] || self.dividing[at] || divides_whole(instruction);
        let constant = moves(instruction) && vector_result && (!effects.loads || !page::movable(instruction));
        match divides(instruction) {
            _ if kept => None,
            true if effects.loads => Some(Action::Memory),
            true => None,
            false if constant => None,
            false if vector_result && effects.loads => Some(Action::Given),
            false => Some(Action::Remove),
        }
    }

    /// Every access of memory goes to the page, except to the stack and to constants; gathers get one element again and again.
    pub fn lead_to_page(&mut self, chains: Chains) {
        for at in 0..self.instructions.len() {
            let effects = &self.effects[at];
            if gathers(&self.instructions[at]) {
                self.gather_one(at);
                continue;
            }
            let movable = accesses(&self.instructions[at], effects) && page::movable(&self.instructions[at]);
            if !movable || self.control[at] || self.settled[at] {
                continue;
            }
            if self.dividing[at] || divides_whole(&self.instructions[at]) {
                self.left.insert(DIVIDED);
                continue;
            }
            let kept = chains == Chains::Kept && page::is_invariant(&self.instructions[at], &self.effects);
            let place = self.page.slot(&self.instructions[at], effects.stores && !kept);
            if let Some(own) = self.output[at].iter_mut().find(|own| own.memory_base() != Register::None) {
                page::redirect(own, place);
                self.count += 1;
            }
        }
    }

    /// Makes all numbers of a gather come from one address, if a register for zeros is free and the base stays the same.
    fn gather_one(&mut self, at: usize) {
        let base = self.instructions[at].memory_base();
        let moves = self.effects.iter().any(|effects| effects.writes.contains(&Place::Register(base.full_register())));
        let zero = self.vectors.zero(self.instructions[at].memory_index());
        match (zero, self.output[at].first_mut()) {
            (Some(zero), Some(own)) if !moves && !self.effects[at].stores => {
                own.set_memory_index(zero);
                self.count += 1;
            }
            _ => _ = self.left.insert("gathers or scatters, whose addresses are in a vector"),
        }
    }

    /// Registers that carry a value to the next run through the loop begin anew, unless addresses or control hang on them.
    pub fn cut(&mut self) {
        let effects: Vec<Effects> = self.output.iter().map(|own| Effects::in_turn(own)).collect();
        let keeps = |at: usize| self.control[at] || self.addressing[at];
        let kept: BTreeSet<Place> =
            (0..self.effects.len()).filter(|at| keeps(*at)).flat_map(|at| self.effects[at].writes.clone()).collect();
        for place in carried(&self.blocks, &effects).difference(&kept) {
            if let Some(anew) = self.vectors.anew(*place) {
                self.begin.push(anew);
                self.count += 1;
            }
        }
        for Forwarding { load, .. } in
            forwarded(&self.instructions, &self.effects).into_iter().filter(|own| own.runs > 0)
        {
            if self.control[load] || self.addressing[load] {
                self.left.insert("values in memory that addresses or the end of the loop hang on");
                continue;
            }
            let (place, stores) = (self.page.slot(&self.instructions[load], false), self.effects[load].stores);
            let own = self.output[load].iter_mut().find(|own| own.memory_base() != Register::None);
            match own {
                Some(_) if self.dividing[load] => _ = self.left.insert(DIVIDED),
                Some(_) if stores => _ = self.left.insert("what is read and written in memory by one instruction"),
                Some(own) => {
                    page::redirect(own, place);
                    self.count += 1;
                }
                None => {}
            }
        }
    }

    /// Whether the loop as it is has nothing but what `ablation` measures alone: it is then its own bound.
    pub fn is_all(&self, ablation: Ablation) -> bool {
        let is_wanted = |instruction: &Instruction| match ablation {
            Ablation::ArithmeticAlone => matches!(class(instruction), Class::Arithmetic(_)),
            Ablation::DivisionsAlone => divides(instruction),
            _ => false,
        };
        self.left.is_empty() && self.instructions.iter().any(is_wanted)
    }

    /// Why nothing was changed.
    pub fn nothing(&self) -> String {
        match self.words() {
            left if left.is_empty() => "it has nothing of this kind".to_owned(),
            left => format!("it has nothing of this kind but {left}"),
        }
    }

    fn words(&self) -> String {
        let left: Vec<&str> = self.left.iter().copied().collect();
        left.join("; ")
    }

    /// The machine code.
    pub fn finish(self, own: &CodeLoop, to: Destination) -> Result<Change, String> {
        let at = own.address.wrapping_add(to.bias);
        let left = self.words();
        let mut code = LoopCode::new(self.vectors.prologue(self.page.constants()), at, self.begin);
        for (instruction, output) in self.instructions.iter().zip(&self.output) {
            code.stands_for(instruction, output, self.targets.contains(&instruction.ip()));
        }
        Ok(Change {
            code: encoded(code, to.code)?,
            jump: jump(at, to.code)?,
            at,
            page: self.page.bytes(),
            changed: self.count,
            left,
        })
    }
}

/// What stands for a jump of which one way leads where no run went: nothing, a jump that is always taken, or a no-operation where all are.
fn one_way(own: &CodeLoop, ablation: Ablation, bias: u64, instruction: &Instruction) -> Option<Vec<Instruction>> {
    let left_out = |at: u64| own.left_out.contains(&at.wrapping_sub(bias));
    if ablation == Ablation::Copy || instruction.flow_control() != FlowControl::ConditionalBranch {
        return None;
    }
    let to = target(instruction)?;
    if left_out(to) {
        return Some(if ablation == Ablation::NoOperations { vec![nop(instruction.len())] } else { Vec::new() });
    }
    let always = || Instruction::with_branch(Code::Jmp_rel32_64, to).ok().map(|jump| vec![jump]);
    left_out(instruction.next_ip()).then(always).flatten()
}

/// Whether it divides whole numbers in general-purpose registers.
fn divides_whole(instruction: &Instruction) -> bool {
    let vector = instruction.op0_kind() == OpKind::Register && instruction.op0_register().is_vector_register();
    divides(instruction) && !vector
}

/// Whether it loads into a general-purpose register and does nothing else.
fn is_scalar_load(instruction: &Instruction) -> bool {
    let name = format!("{:?}", instruction.mnemonic());
    name.starts_with("Mov") && instruction.op0_kind() == OpKind::Register
}
