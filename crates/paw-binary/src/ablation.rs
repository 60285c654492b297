//! A loop without a part of itself: machine code that is led to in place of the loop, as MAQAO's DECAN did (Koliai et al., "Quantifying
//! performance bottleneck cost through differential analysis", ICS 2013).

use std::collections::BTreeSet;

use iced_x86::{Code, FlowControl, Instruction, MemoryOperand, OpKind, Register};
use paw_data::explanation::Ablation;

use crate::code_loop::{CodeLoop, target};
use crate::dataflow::{Effects, Place, accesses, addressing, control, divides, gathers, is_vector, moves};
use crate::encode::{LoopCode, encoded, jump};
use crate::forwarding::{Forwarding, forwarded};
use crate::page::{self, Page};
use crate::vectors::Vectors;

/// Where changed code and its page will lie in memory.
#[derive(Debug, Clone, Copy)]
pub struct Destination {
    /// Bytes by which the file lies above its own addresses.
    pub bias: u64,
    /// The address of the code.
    pub code: u64,
    /// The address of the page of data.
    pub page: u64,
}

/// Machine code in place of a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The code.
    pub code: Vec<u8>,
    /// The jump to it.
    pub jump: Vec<u8>,
    /// Where the jump is written: the beginning of the loop in memory.
    pub at: u64,
    /// What the page holds at first.
    pub page: Vec<u8>,
    /// Instructions that were removed or rewritten.
    pub changed: u32,
    /// What had to stay, in words; empty if nothing.
    pub left: String,
}

/// Why a loop cannot be led elsewhere; `None` if it can.
pub fn fixed(own: &CodeLoop) -> Option<String> {
    let indirect = |i: &Instruction| matches!(i.flow_control(), FlowControl::IndirectBranch | FlowControl::Interrupt);
    if own.instructions(0).iter().any(indirect) {
        return Some("the loop has an indirect jump, whose targets are not known".to_owned());
    }
    own.occupied.then(|| "the beginning of the loop has no room for a jump of five bytes".to_owned())
}

/// `own` changed by `ablation`, at `to`.
///
/// # Errors
/// The loop cannot be led elsewhere, or has nothing that this ablation would change.
pub fn changed(own: &CodeLoop, ablation: Ablation, to: Destination) -> Result<Change, String> {
    if let Some(why) = fixed(own) {
        return Err(why);
    }
    let mut work = Work::new(own, to);
    let calls = work.instructions.iter().any(is_call);
    match ablation {
        Ablation::Copy => {}
        Ablation::NoCalls if calls => work.each(|work, at| is_call(&work.instructions[at]).then_some(Action::Remove)),
        Ablation::NoCalls => return Err("it calls nothing".to_owned()),
        _ if calls => {
            return Err(
                "the loop calls another function: what that does cannot be taken apart here, nor has the loop a bound"
                    .to_owned(),
            );
        }
        Ablation::OnePage => work.lead_to_page(),
        Ablation::NoFloat => work.each(Work::without_float),
        Ablation::NoMemory => work.each(Work::without_memory),
        Ablation::NoChain => work.cut(),
        Ablation::NoDivision => work.each(|work, at| divides(&work.instructions[at]).then_some(Action::Calculation)),
        Ablation::NoOperations => work.each(|work, at| (!work.control[at]).then_some(Action::Nop)),
        Ablation::ArithmeticAlone => {
            work.cut();
            work.each(Work::without_memory);
        }
        Ablation::AccessesAlone => {
            work.cut();
            work.each(Work::without_float);
            work.lead_to_page();
        }
        Ablation::DivisionsAlone => {
            work.cut();
            work.each(Work::divisions_alone);
        }
    }
    if ablation != Ablation::Copy && work.count == 0 {
        return Err("it has nothing of this kind".to_owned());
    }
    work.finish(own, to)
}

/// What becomes of an instruction.
enum Action {
    /// It goes.
    Remove,
    /// It goes; what it loads is still loaded.
    Calculation,
    /// Its operand in memory becomes a register.
    Memory,
    /// It loads; its register gets another value, so that nothing waits for the one before.
    Load,
    /// A no-operation of its length takes its place.
    Nop,
}

fn is_call(instruction: &Instruction) -> bool {
    matches!(instruction.flow_control(), FlowControl::Call | FlowControl::IndirectCall)
}

/// A loop being changed.
struct Work {
    instructions: Vec<Instruction>,
    effects: Vec<Effects>,
    control: Vec<bool>,
    targets: BTreeSet<u64>,
    vectors: Vectors,
    page: Page,
    /// What stands for each instruction.
    output: Vec<Vec<Instruction>>,
    /// What is done at the beginning of each run through the loop.
    begin: Vec<Instruction>,
    count: u32,
    left: BTreeSet<&'static str>,
}

impl Work {
    fn new(own: &CodeLoop, to: Destination) -> Self {
        let instructions = own.instructions(to.bias);
        let effects = Effects::of(&instructions);
        Self {
            control: control(&instructions, &effects),
            targets: instructions.iter().filter_map(target).collect(),
            vectors: Vectors::of(&instructions, &effects),
            page: Page::new(to.page, &instructions),
            output: instructions.iter().map(|instruction| vec![*instruction]).collect(),
            begin: Vec::new(),
            count: 0,
            left: BTreeSet::new(),
            instructions,
            effects,
        }
    }

    /// Decides on every instruction.
    fn each(&mut self, decide: impl Fn(&mut Self, usize) -> Option<Action>) {
        for at in 0..self.instructions.len() {
            let Some(action) = decide(self, at) else { continue };
            let replaced = match action {
                Action::Remove => Some(Vec::new()),
                Action::Load => self.given(at),
                Action::Nop => Some(vec![crate::encode::nop(self.instructions[at].len())]),
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

    /// What gives the registers that a load fills a value that hangs on nothing.
    fn given(&self, at: usize) -> Option<Vec<Instruction>> {
        let places = self.effects[at].writes.iter().filter(|place| **place != Place::Flags);
        Some(places.filter_map(|place| self.vectors.anew(*place)).collect())
    }

    /// Arithmetic on vector registers goes; what writes general-purpose registers or flags stays, since control may hang on it.
    fn without_float(&mut self, at: usize) -> Option<Action> {
        let (instruction, effects) = (&self.instructions[at], &self.effects[at]);
        let on_vectors = effects.writes.iter().chain(&effects.reads).any(is_vector);
        if !on_vectors || effects.stores || gathers(instruction) || (moves(instruction) && effects.loads) {
            return None;
        }
        if effects.writes_scalar() {
            self.left.insert("instructions that write flags or general-purpose registers");
            return None;
        }
        Some(Action::Calculation)
    }

    /// Loads and stores go, except those that control hangs on.
    fn without_memory(&mut self, at: usize) -> Option<Action> {
        let (instruction, effects) = (&self.instructions[at], &self.effects[at]);
        if !accesses(instruction, effects) {
            return None;
        }
        if self.control[at] {
            self.left.insert("loads that the end of the loop hangs on");
            return None;
        }
        let loads = gathers(instruction) || moves(instruction) || is_scalar_load(instruction);
        Some(match (effects.stores, loads) {
            (true, _) => Action::Remove,
            (false, true) => Action::Load,
            (false, false) => Action::Memory,
        })
    }

    /// All goes but divisions, roots and control; their operands come from registers.
    fn divisions_alone(&mut self, at: usize) -> Option<Action> {
        match (divides(&self.instructions[at]), self.control[at]) {
            (true, _) if self.effects[at].loads => Some(Action::Memory),
            (true, _) | (_, true) => None,
            _ => Some(Action::Remove),
        }
    }

    /// Every access of memory goes to the page, except to the stack, to constants, and to what has its addresses in a vector.
    fn lead_to_page(&mut self) {
        for at in 0..self.instructions.len() {
            let effects = &self.effects[at];
            let movable = accesses(&self.instructions[at], effects) && page::movable(&self.instructions[at]);
            if gathers(&self.instructions[at]) {
                self.left.insert("gathers, whose addresses are in a vector");
            }
            if !movable || self.control[at] {
                continue;
            }
            let kept = page::is_invariant(&self.instructions[at], &self.effects);
            let place = self.page.slot(&self.instructions[at], effects.stores && !kept);
            if let Some(own) = self.output[at].iter_mut().find(|own| own.memory_base() != Register::None) {
                page::redirect(own, place);
                self.count += 1;
            }
        }
    }

    /// Registers that carry a value to the next run through the loop begin anew, unless addresses or control hang on them.
    fn cut(&mut self) {
        let all = vec![true; self.instructions.len()];
        let addressing = addressing(&self.instructions, &self.effects, &all);
        let keeps = |at: usize| self.control[at] || addressing[at];
        let kept: BTreeSet<Place> =
            (0..self.effects.len()).filter(|at| keeps(*at)).flat_map(|at| self.effects[at].writes.clone()).collect();
        for place in carried(&self.effects).difference(&kept) {
            if let Some(anew) = self.vectors.anew(*place) {
                self.begin.push(anew);
                self.count += 1;
            }
        }
        for Forwarding { load, .. } in forwarded(&self.instructions, &self.effects).iter().filter(|own| own.runs > 0) {
            let load = *load;
            if keeps(load) {
                self.left.insert("values in memory that addresses or the end of the loop hang on");
                continue;
            }
            let (place, stores) = (self.page.slot(&self.instructions[load], false), self.effects[load].stores);
            if stores {
                self.left.insert("what is read and written in memory by one instruction");
            } else {
                page::redirect(&mut self.output[load][0], place);
                self.count += 1;
            }
        }
    }

    fn finish(self, own: &CodeLoop, to: Destination) -> Result<Change, String> {
        let at = own.address.wrapping_add(to.bias);
        let mut code = LoopCode::new(self.vectors.prologue(self.page.constants()), at, self.begin);
        for (instruction, output) in self.instructions.iter().zip(&self.output) {
            code.stands_for(instruction, output, self.targets.contains(&instruction.ip()));
        }
        let left: Vec<&str> = self.left.into_iter().collect();
        Ok(Change {
            code: encoded(code, to.code)?,
            jump: jump(at, to.code)?,
            at,
            page: self.page.bytes(),
            changed: self.count,
            left: left.join("; "),
        })
    }
}

/// Whether it loads into a general-purpose register and does nothing else.
fn is_scalar_load(instruction: &Instruction) -> bool {
    let name = format!("{:?}", instruction.mnemonic());
    name.starts_with("Mov") && instruction.op0_kind() == OpKind::Register
}

/// Registers that are read before they are written and written later: they carry a value around the loop.
pub(crate) fn carried(effects: &[Effects]) -> BTreeSet<Place> {
    let (mut live, mut written) = (BTreeSet::new(), BTreeSet::new());
    for effects in effects {
        live.extend(effects.reads.difference(&written).copied());
        written.extend(effects.writes.iter().copied());
    }
    live.intersection(&written).filter(|place| **place != Place::Flags).copied().collect()
}

/// `loops` with a counter in each, the number of runs through it, at the page's words in their order.
///
/// # Errors
/// The loop cannot be led elsewhere.
pub fn counted(own: &CodeLoop, counter: u64, to: Destination) -> Result<Change, String> {
    if let Some(why) = fixed(own) {
        return Err(why);
    }
    let instructions = own.instructions(to.bias);
    let words = [page::SAVED, counter].map(|at| MemoryOperand::with_base_displ(Register::RIP, (to.page + at) as i64));
    let made = [
        Instruction::with2(Code::Mov_rm64_r64, words[0], Register::RAX),
        Instruction::with2(Code::Mov_r64_rm64, Register::RAX, words[1]),
        // Unlike an addition, this leaves the flags as they are.
        Instruction::with2(Code::Lea_r64_m, Register::RAX, MemoryOperand::with_base_displ(Register::RAX, 1)),
        Instruction::with2(Code::Mov_rm64_r64, words[1], Register::RAX),
        Instruction::with2(Code::Mov_r64_rm64, Register::RAX, words[0]),
    ];
    let begin = made.into_iter().collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
    let at = own.address.wrapping_add(to.bias);
    let mut code = LoopCode::new(Vec::new(), at, begin);
    instructions.iter().for_each(|instruction| code.stands_for(instruction, &[*instruction], true));
    Ok(Change {
        code: encoded(code, to.code)?,
        jump: jump(at, to.code)?,
        at,
        page: vec![0; page::BYTES],
        changed: 0,
        left: String::new(),
    })
}
