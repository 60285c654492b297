//! A loop without a part of itself: machine code that is led to in place of the loop, as MAQAO's DECAN did (Koliai et al., "Quantifying
//! performance bottleneck cost through differential analysis", ICS 2013).

use iced_x86::{Code, FlowControl, Instruction, MemoryOperand, Register};
use paw_data::explanation::Ablation;

use crate::code_loop::CodeLoop;
use crate::encode::{LoopCode, encoded, jump};
use crate::page;

mod work;

use work::{Action, Chains, Work};

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
        return Some(
            "the loop has an indirect jump, whose targets are not known here; build it with `-fno-jump-tables`"
                .to_owned(),
        );
    }
    own.occupied.then(|| {
        "the beginning of the loop has no room for a jump of five bytes; build it with `-funroll-loops`".to_owned()
    })
}

/// `own` changed by `ablation`, at `to`.
///
/// # Errors
/// The loop cannot be led elsewhere, or has nothing that this ablation would change.
pub fn changed(own: &CodeLoop, ablation: Ablation, to: Destination) -> Result<Change, String> {
    if let Some(why) = fixed(own) {
        return Err(why);
    }
    let mut work = Work::new(own, ablation, to);
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
        Ablation::OnePage => work.lead_to_page(Chains::Kept),
        Ablation::NoFloat => work.each(Work::without_float),
        Ablation::NoMemory => work.each(Work::without_memory),
        Ablation::NoChain => work.cut(),
        Ablation::NoDivision => work.each(Work::without_division),
        Ablation::NoOperations => work.each(|work, at| (!work.control[at]).then_some(Action::Nop)),
        Ablation::ArithmeticAlone => {
            work.each(Work::without_memory);
            work.cut();
        }
        Ablation::AccessesAlone => {
            work.each(Work::without_float);
            work.lead_to_page(Chains::Cut);
            work.cut();
        }
        Ablation::DivisionsAlone => {
            work.each(Work::divisions_alone);
            work.cut();
        }
    }
    if ablation != Ablation::Copy && work.count == 0 && !work.is_all(ablation) {
        return Err(work.nothing());
    }
    work.finish(own, to)
}

fn is_call(instruction: &Instruction) -> bool {
    matches!(instruction.flow_control(), FlowControl::Call | FlowControl::IndirectCall)
}

/// `own` with a counter at each of its blocks, in the words of the page from `counter` on.
///
/// # Errors
/// The loop cannot be led elsewhere.
pub fn counted(own: &CodeLoop, counter: u64, to: Destination) -> Result<Change, String> {
    if let Some(why) = fixed(own) {
        return Err(why);
    }
    let at = own.address.wrapping_add(to.bias);
    let counters = (0..).map(|number| counter + 8 * number);
    let begins: Vec<u64> = own.blocks().into_iter().map(|(address, _)| address.wrapping_add(to.bias)).collect();
    let begins: Vec<(u64, Vec<Instruction>)> = begins
        .into_iter()
        .zip(counters)
        .map(|(begin, word)| Ok((begin, one_more(to, word)?)))
        .collect::<Result<_, String>>()?;
    let of = |address: u64| begins.iter().find(|(begin, _)| *begin == address).map(|(_, count)| count.as_slice());
    let mut code = LoopCode::new(Vec::new(), at, of(at).unwrap_or_default().to_vec());
    for instruction in own.instructions(to.bias) {
        let count = of(instruction.ip()).filter(|_| instruction.ip() != at).unwrap_or_default();
        code.stands_for(&instruction, &[count, &[instruction]].concat(), true);
    }
    Ok(Change {
        code: encoded(code, to.code)?,
        jump: jump(at, to.code)?,
        at,
        page: vec![0; page::BYTES],
        changed: 0,
        left: String::new(),
    })
}

/// Adds one to the word of the page at `counter`, and leaves registers and flags as they are.
fn one_more(to: Destination, counter: u64) -> Result<Vec<Instruction>, String> {
    let words = [page::SAVED, counter].map(|at| MemoryOperand::with_base_displ(Register::RIP, (to.page + at) as i64));
    let made = [
        Instruction::with2(Code::Mov_rm64_r64, words[0], Register::RAX),
        Instruction::with2(Code::Mov_r64_rm64, Register::RAX, words[1]),
        // Unlike an addition, this leaves the flags as they are.
        Instruction::with2(Code::Lea_r64_m, Register::RAX, MemoryOperand::with_base_displ(Register::RAX, 1)),
        Instruction::with2(Code::Mov_rm64_r64, words[1], Register::RAX),
        Instruction::with2(Code::Mov_r64_rm64, Register::RAX, words[0]),
    ];
    made.into_iter().collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())
}
