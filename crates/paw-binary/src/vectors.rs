//! Vector registers of a loop, and the moves by which a changed loop fills them.

use iced_x86::{Code, EncodingKind, Instruction, MemoryOperand, OpKind, Register};

use crate::dataflow::{Effects, Place, gathers};
use crate::encode;

/// How a loop uses vector registers.
#[derive(Debug)]
pub(crate) struct Vectors {
    encoding: Encoding,
    /// The number of a register that the loop does not use, if there is one.
    free: Option<u32>,
    /// The number of another one, for zeros, if there is one and the loop gathers.
    zeros: Option<u32>,
    single: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Encoding {
    Legacy,
    Vex,
    Evex,
}

impl Vectors {
    /// Those of the loop of `instructions`.
    pub fn of(instructions: &[Instruction], effects: &[Effects]) -> Self {
        let of = |instruction: &Instruction| match instruction.op_code().encoding() {
            EncodingKind::EVEX => Encoding::Evex,
            EncodingKind::VEX => Encoding::Vex,
            _ => Encoding::Legacy,
        };
        let places = effects.iter().flat_map(|effects| effects.reads.iter().chain(&effects.writes));
        let used: Vec<u32> = places.filter_map(number).collect();
        let names = || instructions.iter().map(|i| format!("{:?}", i.mnemonic()).to_lowercase());
        let count = |ends: [&str; 2]| names().filter(|name| ends.iter().any(|end| name.ends_with(end))).count();
        let mut unused = (0..16).rev().filter(|number| !used.contains(number));
        Self {
            encoding: instructions.iter().map(of).max().unwrap_or(Encoding::Legacy),
            free: unused.next(),
            zeros: unused.next().filter(|_| instructions.iter().any(gathers)),
            single: count(["ps", "ss"]) > count(["pd", "sd"]),
        }
    }

    /// Fills the free register with a constant, of those at the addresses `constants`, and that of zeros.
    pub fn prologue(&self, constants: [u64; 2]) -> Vec<Instruction> {
        let from = constants[usize::from(self.single)];
        let memory = MemoryOperand::with_base_displ(Register::RIP, from as i64);
        let made = self.free.and_then(|free| {
            let (code, register) = self.full_move(free);
            Instruction::with2(code, register, memory).ok()
        });
        let zeros = self.zeros.and_then(|number| {
            let zero = Register::XMM0 + number;
            Instruction::with3(Code::VEX_Vxorps_xmm_xmm_xmmm128, zero, zero, zero).ok()
        });
        made.into_iter().chain(zeros).collect()
    }

    /// The register of zeros, as wide as `like`.
    pub fn zero(&self, like: Register) -> Option<Register> {
        self.zeros.map(|number| vector(number, like.size()))
    }

    /// The move of a whole register, and the register numbered `number` in its width.
    fn full_move(&self, number: u32) -> (Code, Register) {
        match self.encoding {
            Encoding::Legacy => (Code::Movups_xmm_xmmm128, Register::XMM0 + number),
            Encoding::Vex => (Code::VEX_Vmovups_ymm_ymmm256, Register::YMM0 + number),
            Encoding::Evex => (Code::EVEX_Vmovups_zmm_k1z_zmmm512, Register::ZMM0 + number),
        }
    }

    /// An instruction that gives `place` a value that hangs on nothing.
    pub fn anew(&self, place: Place) -> Option<Instruction> {
        let Place::Register(register) = place else { return None };
        if register.is_gpr64() && register != Register::RSP {
            let low = Register::EAX + (register as u32 - Register::RAX as u32);
            return Instruction::with2(Code::Mov_r32_imm32, low, 3).ok();
        }
        let number = number(&place)?;
        let (code, to) = self.full_move(number);
        match self.free {
            Some(free) => Instruction::with2(code, to, self.full_move(free).1).ok(),
            None => {
                let zero = Register::XMM0 + number;
                match self.encoding {
                    Encoding::Legacy => Instruction::with2(Code::Xorps_xmm_xmmm128, zero, zero).ok(),
                    _ if number < 16 => Instruction::with3(Code::VEX_Vxorps_xmm_xmm_xmmm128, zero, zero, zero).ok(),
                    _ => None,
                }
            }
        }
    }

    /// `instruction` with a register in place of its operand in memory.
    pub fn in_register(&self, instruction: &Instruction) -> Option<Instruction> {
        let at = (0..instruction.op_count()).find(|at| instruction.op_kind(*at) == OpKind::Memory)?;
        encode::in_register(instruction, at, self.stand_in(instruction)?)
    }

    /// The register that stands in for an operand in memory.
    fn stand_in(&self, instruction: &Instruction) -> Option<Register> {
        let registers = (0..instruction.op_count()).filter(|at| instruction.op_kind(*at) == OpKind::Register);
        let first = registers.map(|at| instruction.op_register(at)).find(|r| !r.is_k())?;
        if !first.is_vector_register() {
            return first.is_gpr().then(|| sized(first, instruction.memory_size().size()));
        }
        let bytes = if instruction.is_broadcast() { first.size() } else { instruction.memory_size().size() };
        let number = self.free.unwrap_or(number(&Place::Register(first.full_register()))?);
        Some(vector(number, bytes))
    }

    /// The load of the operand in memory of `instruction`, into the register of its result.
    pub fn load(&self, instruction: &Instruction) -> Option<Instruction> {
        let result = instruction.op0_register();
        if !result.is_vector_register() {
            return None;
        }
        let number = number(&Place::Register(result.full_register()))?;
        let size = instruction.memory_size();
        let bytes = if instruction.is_broadcast() { size.element_size() } else { size.size() };
        let code = self.load_code(bytes)?;
        let memory = MemoryOperand::new(
            instruction.memory_base(),
            instruction.memory_index(),
            instruction.memory_index_scale(),
            instruction.memory_displacement64() as i64,
            if instruction.memory_displ_size() == 0 { 0 } else { 8 },
            false,
            instruction.segment_prefix(),
        );
        Instruction::with2(code, vector(number, bytes), memory).ok()
    }

    fn load_code(&self, bytes: usize) -> Option<Code> {
        Some(match (self.encoding, bytes) {
            (Encoding::Legacy, 4) => Code::Movss_xmm_xmmm32,
            (Encoding::Legacy, 8) => Code::Movsd_xmm_xmmm64,
            (Encoding::Legacy, 16) => Code::Movups_xmm_xmmm128,
            (Encoding::Vex, 4) => Code::VEX_Vmovss_xmm_m32,
            (Encoding::Vex, 8) => Code::VEX_Vmovsd_xmm_m64,
            (Encoding::Vex, 16) => Code::VEX_Vmovups_xmm_xmmm128,
            (Encoding::Vex, 32) => Code::VEX_Vmovups_ymm_ymmm256,
            (Encoding::Evex, 4) => Code::EVEX_Vmovss_xmm_k1z_m32,
            (Encoding::Evex, 8) => Code::EVEX_Vmovsd_xmm_k1z_m64,
            (Encoding::Evex, 16) => Code::EVEX_Vmovups_xmm_k1z_xmmm128,
            (Encoding::Evex, 32) => Code::EVEX_Vmovups_ymm_k1z_ymmm256,
            (Encoding::Evex, 64) => Code::EVEX_Vmovups_zmm_k1z_zmmm512,
            _ => return None,
        })
    }
}

/// The number of a vector register.
fn number(place: &Place) -> Option<u32> {
    match place {
        Place::Register(register) if register.is_vector_register() => Some(register.number() as u32),
        _ => None,
    }
}

/// The vector register numbered `number` that holds `bytes`.
fn vector(number: u32, bytes: usize) -> Register {
    match bytes {
        0..=16 => Register::XMM0 + number,
        17..=32 => Register::YMM0 + number,
        _ => Register::ZMM0 + number,
    }
}

/// The part of a general-purpose register that has `bytes` bytes.
fn sized(register: Register, bytes: usize) -> Register {
    let number = register.full_register() as u32 - Register::RAX as u32;
    match bytes {
        4 => Register::EAX + number,
        2 => Register::AX + number,
        1 => register,
        _ => Register::RAX + number,
    }
}
