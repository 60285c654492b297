//! Forms of instructions, and machine code that shows what each costs: chains in which every instruction needs the one before, and streams
//! in which none does.

use iced_x86::{
    Code, EncodingKind, FlowControl, Instruction, InstructionInfoFactory, MemoryOperand, OpAccess, OpKind, Register,
};

use crate::code_loop::CodeLoop;
use crate::dataflow::{Effects, divides, gathers, moves};
use crate::encode::{block, in_register, nop};

/// Instructions of a chain in one turn.
const CHAIN: u32 = 32;
/// Instructions of a stream in one turn: the loop around them must not count.
const STREAM: u32 = 120;
/// Registers of a stream that results go to.
const VECTORS: u32 = 12;
const SCALARS: [u32; 6] = [0, 1, 2, 8, 9, 10];
/// The registers that operands come from: `xmm15`, `rbx`.
const CONSTANT: (u32, u32) = (15, 3);
/// The address of the turn's first instruction while it is encoded.
const HEAD: u64 = 0x1_0000;

/// Machine code that repeats instructions: a function of the address of a page and of a number of turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The code.
    pub code: Vec<u8>,
    /// What the page holds at first.
    pub page: Vec<u8>,
    /// Instructions that count in one turn.
    pub instructions: u32,
}

/// What costs of instructions are measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Probe {
    /// Additions of registers, each of which needs the one before: a cycle each, on all cores.
    Additions,
    /// Multiplications each of which needs the one before.
    Multiplications,
    /// Pairs of an addition and a multiplication, each of which needs the one before.
    AdditionsAndMultiplications,
    /// Additions none of which needs another one of its turn.
    IndependentAdditions,
    /// No-operations: how many instructions the core takes in a cycle.
    Width,
    /// Loads each of whose addresses is the result of the one before.
    Load,
    /// A value that is stored and loaded again, in a general-purpose register.
    ForwardScalar,
    /// The same in a vector register.
    ForwardVector,
}

/// One form of instruction in a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// Its name: `vaddpd zmm, zmm, zmm`.
    pub name: String,
    /// The instructions of the loop that have it, by their numbers.
    pub places: Vec<usize>,
    /// The chain that shows its latency; why there is none.
    pub chain: Result<Block, String>,
    /// The stream that shows its throughput; why there is none.
    pub stream: Result<Block, String>,
}

/// The forms of the instructions of `own`, in their order; jumps are none.
pub fn forms(own: &CodeLoop) -> Vec<Form> {
    let instructions = own.instructions(0);
    let effects = Effects::of(&instructions);
    let mut forms: Vec<Form> = Vec::new();
    for (at, instruction) in instructions.iter().enumerate() {
        if instruction.flow_control() != FlowControl::Next {
            continue;
        }
        let name = name(instruction);
        match forms.iter_mut().find(|form| form.name == name) {
            Some(form) => form.places.push(at),
            None => {
                let chain = chain(instruction, &effects[at]);
                let stream = stream(instruction, &effects[at]);
                forms.push(Form { name, places: vec![at], chain, stream });
            }
        }
    }
    forms
}

/// The name of the form of an instruction.
pub(crate) fn name(instruction: &Instruction) -> String {
    let operand = |at: u32| match instruction.op_kind(at) {
        OpKind::Register => class(instruction.op_register(at)).to_owned(),
        OpKind::Memory => format!("m{}", 8 * instruction.memory_size().size()),
        _ => "imm".to_owned(),
    };
    let operands: Vec<String> = (0..instruction.op_count()).map(operand).collect();
    let name = format!("{:?}", instruction.mnemonic()).to_lowercase();
    let mask = if instruction.has_op_mask() { " {k}" } else { "" };
    format!("{name} {}{mask}", operands.join(", ")).trim_end().to_owned()
}

fn class(register: Register) -> &'static str {
    match register {
        r if r.is_xmm() => "xmm",
        r if r.is_ymm() => "ymm",
        r if r.is_zmm() => "zmm",
        r if r.is_k() => "k",
        r if r.is_gpr64() => "r64",
        r if r.is_gpr32() => "r32",
        r if r.is_gpr16() => "r16",
        r if r.is_gpr8() => "r8",
        _ => "register",
    }
}

/// The block of a probe.
///
/// # Errors
/// It cannot be encoded, which is a fault of ours.
pub fn probe(probe: Probe) -> Result<Block, String> {
    let page = |displacement| MemoryOperand::with_base_displ(Register::RDI, displacement);
    let made = |instruction: Result<Instruction, iced_x86::IcedError>| instruction.map_err(|error| error.to_string());
    let add = |register| made(Instruction::with2(Code::Add_r64_rm64, register, Register::RBX));
    let multiply = || made(Instruction::with2(Code::Imul_r32_rm32, Register::EAX, Register::EBX));
    let (turn, count) = match probe {
        Probe::Additions => (vec![add(Register::RAX)?], CHAIN),
        Probe::Multiplications => (vec![multiply()?], CHAIN),
        Probe::AdditionsAndMultiplications => (vec![add(Register::RAX)?, multiply()?], CHAIN),
        Probe::IndependentAdditions => {
            let turn = SCALARS.iter().map(|number| add(Register::RAX + *number)).collect::<Result<Vec<_>, _>>()?;
            let turns: Vec<Instruction> = turn.iter().cycle().take(STREAM as usize).copied().collect();
            return assembled(turns, STREAM, EncodingKind::Legacy);
        }
        // As long as instructions are: caches of decoded instructions hold a few of each line alone.
        Probe::Width => (vec![nop(4)], STREAM),
        Probe::Load => {
            let load = MemoryOperand::with_base(Register::RAX);
            (vec![made(Instruction::with2(Code::Mov_r64_rm64, Register::RAX, load))?], CHAIN)
        }
        Probe::ForwardScalar => (
            vec![
                made(Instruction::with2(Code::Mov_rm64_r64, page(256), Register::RCX))?,
                made(Instruction::with2(Code::Mov_r64_rm64, Register::RCX, page(256)))?,
            ],
            CHAIN,
        ),
        Probe::ForwardVector => (
            vec![
                made(Instruction::with2(Code::Movsd_xmmm64_xmm, page(256), Register::XMM0))?,
                made(Instruction::with2(Code::Movsd_xmm_xmmm64, Register::XMM0, page(256)))?,
            ],
            CHAIN,
        ),
    };
    let turns = turn.iter().cycle().take(turn.len() * count as usize).copied().collect();
    assembled(turns, count, EncodingKind::Legacy)
}

/// Chains of what cannot be measured say why.
fn unmeasured(instruction: &Instruction, effects: &Effects) -> Option<&'static str> {
    let mut factory = InstructionInfoFactory::new();
    let explicit: Vec<Register> = (0..instruction.op_count())
        .filter(|at| instruction.op_kind(*at) == OpKind::Register)
        .map(|at| instruction.op_register(at).full_register())
        .chain([instruction.memory_base().full_register(), instruction.memory_index().full_register()])
        .chain([instruction.op_mask().full_register()])
        .collect();
    let hidden = factory.info(instruction).used_registers().iter().any(|used| {
        let register = used.register().full_register();
        !explicit.contains(&register) && (register.is_gpr64() || register.is_vector_register())
    });
    let bytes = (0..instruction.op_count()).any(|at| {
        let register = instruction.op_register(at);
        instruction.op_kind(at) == OpKind::Register && (register.is_gpr8() || class(register) == "register")
    });
    match () {
        () if gathers(instruction) => Some("its addresses are in a vector"),
        () if hidden => Some("it has operands that it does not name"),
        () if bytes => Some("it works on bytes, or on registers of its own"),
        () if effects.loads && effects.stores => Some("it reads and writes memory"),
        () => None,
    }
}

/// `instruction` with registers that are chosen by the number of each operand.
fn with(instruction: &Instruction, choose: impl Fn(u32, Register) -> Register, displacement: u32) -> Instruction {
    let mut made = *instruction;
    for at in 0..made.op_count() {
        if made.op_kind(at) == OpKind::Register {
            made.set_op_register(at, choose(at, made.op_register(at)));
        }
    }
    if made.op_count() > 0 && (0..made.op_count()).any(|at| made.op_kind(at) == OpKind::Memory) {
        made.set_memory_base(Register::RDI);
        made.set_memory_index(Register::None);
        made.set_memory_index_scale(1);
        made.set_memory_displ_size(8);
        made.set_memory_displacement64(u64::from(displacement));
    }
    made
}

/// The register numbered `vector` or `scalar`, as wide as `like`.
fn numbered(like: Register, vector: u32, scalar: u32) -> Register {
    match like {
        r if r.is_xmm() => Register::XMM0 + vector,
        r if r.is_ymm() => Register::YMM0 + vector,
        r if r.is_zmm() => Register::ZMM0 + vector,
        r if r.is_k() => Register::K1,
        r if r.is_gpr64() => Register::RAX + scalar,
        r if r.is_gpr32() => Register::EAX + scalar,
        r if r.is_gpr16() => Register::AX + scalar,
        r => r,
    }
}

fn constant(like: Register) -> Register {
    numbered(like, CONSTANT.0, CONSTANT.1)
}

/// The chain of an instruction: its result is the operand of the next one.
fn chain(instruction: &Instruction, effects: &Effects) -> Result<Block, String> {
    if let Some(why) = unmeasured(instruction, effects) {
        return Err(why.to_owned());
    }
    if instruction.op_count() == 0 || instruction.op_kind(0) != OpKind::Register || effects.stores {
        return Err("it has no result in a register".to_owned());
    }
    if effects.loads && (moves(instruction) || is_scalar_move(instruction)) {
        return Err("it only loads".to_owned());
    }
    let instruction = &in_registers(instruction).ok_or("its operand in memory has no other form")?;
    let result = instruction.op_register(0);
    let alike = |register: Register| register.is_vector_register() == result.is_vector_register() && !register.is_k();
    let mut factory = InstructionInfoFactory::new();
    let access = factory.info(instruction).op_access(0);
    let is_operand = matches!(access, OpAccess::ReadWrite | OpAccess::ReadCondWrite);
    let sources: Vec<u32> = (1..instruction.op_count())
        .filter(|at| instruction.op_kind(*at) == OpKind::Register && alike(instruction.op_register(*at)))
        .collect();
    let root = divides(instruction) && instruction.op_count() > 1 && name(instruction).contains("sqrt");
    let link = if root { sources.last() } else { sources.first() };
    let link = match (is_operand && !root, link) {
        (true, _) => 0,
        (false, Some(link)) => *link,
        (false, None) => return Err("its result is no operand of its own kind".to_owned()),
    };
    if result.is_k() || (access != OpAccess::Write && !is_operand) {
        return Err("it has no result that it reads".to_owned());
    }
    let choose = |at: u32, like: Register| if at == 0 || at == link { numbered(like, 0, 0) } else { constant(like) };
    let one = with(instruction, choose, 0);
    assembled(vec![one; CHAIN as usize], CHAIN, one.op_code().encoding())
}

fn is_scalar_move(instruction: &Instruction) -> bool {
    format!("{:?}", instruction.mnemonic()).starts_with("Mov")
}

/// The instruction without an operand in memory.
fn in_registers(instruction: &Instruction) -> Option<Instruction> {
    let Some(at) = (0..instruction.op_count()).find(|at| instruction.op_kind(*at) == OpKind::Memory) else {
        return Some(*instruction);
    };
    let size =
        if instruction.is_broadcast() { instruction.op_register(0).size() } else { instruction.memory_size().size() };
    let register = match (instruction.op_register(0), size) {
        (r, 0..=16) if r.is_vector_register() => Register::XMM15,
        (r, 17..=32) if r.is_vector_register() => Register::YMM15,
        (r, _) if r.is_vector_register() => Register::ZMM15,
        (r, 4) if r.is_gpr() => Register::EBX,
        (r, 8) if r.is_gpr() => Register::RBX,
        _ => return None,
    };
    in_register(instruction, at, register)
}

/// The stream of an instruction: results go to registers in turn, operands are constants, memory is a page.
fn stream(instruction: &Instruction, effects: &Effects) -> Result<Block, String> {
    if let Some(why) = unmeasured(instruction, effects) {
        return Err(why.to_owned());
    }
    let one = |number: u32| {
        let (vector, scalar) = (number % VECTORS, SCALARS[number as usize % SCALARS.len()]);
        let writes = !effects.stores && !effects.writes.is_empty();
        let choose = |at: u32, like: Register| {
            if at == 0 && writes { numbered(like, vector, scalar) } else { constant(like) }
        };
        with(instruction, choose, 256 + 64 * (number % 40))
    };
    let all: Vec<Instruction> = (0..STREAM).map(one).collect();
    assembled(all, STREAM, instruction.op_code().encoding())
}

/// A function that repeats `turn`.
fn assembled(turn: Vec<Instruction>, count: u32, encoding: EncodingKind) -> Result<Block, String> {
    let all = function(turn, encoding).map_err(|error| error.to_string())?;
    Ok(Block { code: block(&all, 0x40_0000)?, page: page(), instructions: count })
}

fn function(turn: Vec<Instruction>, encoding: EncodingKind) -> Result<Vec<Instruction>, iced_x86::IcedError> {
    let memory = |at: u32| MemoryOperand::with_base_displ(Register::RDI, 64 * i64::from(at));
    let (load, first) = match encoding {
        EncodingKind::VEX => (Code::VEX_Vmovups_ymm_ymmm256, Register::YMM0),
        EncodingKind::EVEX => (Code::EVEX_Vmovups_zmm_k1z_zmmm512, Register::ZMM0),
        _ => (Code::Movups_xmm_xmmm128, Register::XMM0),
    };
    let mut all = vec![Instruction::with1(Code::Push_r64, Register::RBX)?];
    for number in 0..16_u32 {
        all.push(Instruction::with2(load, first + number, memory(u32::from(number != CONSTANT.0)))?);
    }
    if encoding == EncodingKind::EVEX {
        all.push(Instruction::with3(Code::VEX_Kxnorw_kr_kr_kr, Register::K1, Register::K1, Register::K1)?);
    }
    for number in [1, 2, 3, 8, 9, 10, 11] {
        all.push(Instruction::with2(Code::Mov_r32_imm32, Register::EAX + number, 3)?);
    }
    all.push(Instruction::with2(Code::Lea_r64_m, Register::RAX, memory(2))?);
    for (number, mut instruction) in turn.into_iter().enumerate() {
        instruction.set_ip(if number == 0 { HEAD } else { 0 });
        all.push(instruction);
    }
    all.push(Instruction::with1(Code::Dec_rm64, Register::RSI)?);
    all.push(Instruction::with_branch(Code::Jne_rel32_64, HEAD)?);
    if encoding != EncodingKind::Legacy {
        all.push(Instruction::with(Code::VEX_Vzeroupper));
    }
    all.push(Instruction::with1(Code::Pop_r64, Register::RBX)?);
    all.push(Instruction::with(Code::Retnq));
    Ok(all)
}

/// The page: a line of constants a little above one, so that products and quotients stay numbers; a line of other numbers; and zeros.
/// The word that a chain of loads begins with is set to its own address by who runs it.
fn page() -> Vec<u8> {
    let mut page = vec![0; 4096];
    for (at, chunk) in page[..128].chunks_mut(8).enumerate() {
        let value: f64 = if at < 8 { 1.0 + f64::EPSILON * 16_777_216.0 } else { 1.5 };
        chunk.copy_from_slice(&value.to_le_bytes());
    }
    page
}

/// Where the page holds its own address of that word.
pub const SELF_POINTER: usize = 128;
