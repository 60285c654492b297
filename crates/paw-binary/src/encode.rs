//! Machine code made of instructions.

use iced_x86::{BlockEncoder, BlockEncoderOptions, Code, FlowControl, Instruction, InstructionBlock, OpKind, Register};

/// The instructions of a changed loop.
#[derive(Debug, Default)]
pub(crate) struct LoopCode {
    all: Vec<Instruction>,
    /// How many of them are executed once, before the loop.
    once: usize,
    head: u64,
    begin: Vec<Instruction>,
    /// Where the instruction before goes on, if it does.
    next: Option<u64>,
}

impl LoopCode {
    /// The loop that is entered at `head`: `prologue` is executed once before it, `begin` at the beginning of each run through it.
    pub fn new(prologue: Vec<Instruction>, head: u64, begin: Vec<Instruction>) -> Self {
        let all: Vec<Instruction> = prologue.into_iter().map(|instruction| at(instruction, 0)).collect();
        Self { once: all.len(), all, head, begin, next: Some(head) }
    }

    /// Adds what stands for `original`; if it `is_target`, jumps to the original lead there.
    pub fn stands_for(&mut self, original: &Instruction, output: &[Instruction], is_target: bool) {
        self.go_on(original.ip());
        let mut output = output.to_vec();
        if original.ip() == self.head {
            output.splice(0..0, self.begin.clone());
        }
        if output.is_empty() && (is_target || original.ip() == self.head) {
            output.push(nop(1));
        }
        for (number, instruction) in output.into_iter().enumerate() {
            self.all.push(at(instruction, if number == 0 { original.ip() } else { 0 }));
        }
        let ends = matches!(original.flow_control(), FlowControl::UnconditionalBranch | FlowControl::Return);
        self.next = (!ends).then(|| original.next_ip());
    }

    /// Adds a jump, unless the instruction before goes on at `to` by itself.
    fn go_on(&mut self, to: u64) {
        if let Some(next) = self.next.take().filter(|next| *next != to)
            && let Ok(jump) = Instruction::with_branch(Code::Jmp_rel32_64, next)
        {
            self.all.push(at(jump, 0));
        }
    }
}

fn at(mut instruction: Instruction, ip: u64) -> Instruction {
    instruction.set_ip(ip);
    instruction
}

/// Bytes of a line of the cache, in which processors fetch instructions.
const LINE: u64 = 64;

/// The machine code of `code` at the address `to`. Its loop begins as far into a line as the original one, because that alone can cost a sixth.
pub(crate) fn encoded(mut code: LoopCode, to: u64) -> Result<Vec<u8>, String> {
    code.go_on(u64::MAX);
    let before = block(&code.all[..code.once], to)?.len() as u64;
    let room = code.head.wrapping_sub(to + before) % LINE;
    let padding = (0..room.div_ceil(9)).map(|number| nop((room - 9 * number).min(9) as usize));
    code.all.splice(code.once..code.once, padding.map(|instruction| at(instruction, 0)));
    block(&code.all, to)
}

/// The machine code of `instructions` at the address `to`.
pub(crate) fn block(instructions: &[Instruction], to: u64) -> Result<Vec<u8>, String> {
    let block = InstructionBlock::new(instructions, to);
    let encoded = BlockEncoder::encode(64, block, BlockEncoderOptions::NONE);
    encoded.map(|result| result.code_buffer).map_err(|error| format!("the changed loop cannot be encoded: {error}"))
}

/// `instruction` with `register` in place of operand `at`, which is in memory; `None` if there is no such instruction.
pub(crate) fn in_register(instruction: &Instruction, at: u32, register: Register) -> Option<Instruction> {
    let mut made = *instruction;
    made.set_is_broadcast(false);
    made.set_op_kind(at, OpKind::Register);
    made.set_op_register(at, register);
    made.set_memory_base(Register::None);
    made.set_memory_index(Register::None);
    made.set_memory_displ_size(0);
    block(&[made], 0x1000).ok().map(|_| made)
}

/// The jump of five bytes from `from` to `to`.
pub(crate) fn jump(from: u64, to: u64) -> Result<Vec<u8>, String> {
    let distance = i128::from(to) - i128::from(from) - 5;
    let distance = i32::try_from(distance).map_err(|_| "the changed loop lies too far away".to_owned())?;
    Ok([&[0xe9], &distance.to_le_bytes()[..]].concat())
}

/// A no-operation of `bytes` bytes: the forms that processors' manuals recommend (Intel SDM vol. 2, NOP), longer ones with prefixes.
pub(crate) fn nop(bytes: usize) -> Instruction {
    const FORMS: [&[u8]; 9] = [
        &[0x90],
        &[0x66, 0x90],
        &[0x0f, 0x1f, 0x00],
        &[0x0f, 0x1f, 0x40, 0x00],
        &[0x0f, 0x1f, 0x44, 0x00, 0x00],
        &[0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00],
        &[0x0f, 0x1f, 0x80, 0, 0, 0, 0],
        &[0x0f, 0x1f, 0x84, 0x00, 0, 0, 0, 0],
        &[0x66, 0x0f, 0x1f, 0x84, 0x00, 0, 0, 0, 0],
    ];
    let bytes = bytes.clamp(1, 15);
    let form = FORMS[bytes.min(9) - 1];
    let filled = [vec![0x66; bytes - form.len()], form.to_vec()].concat();
    Instruction::with_declare_byte(&filled).expect("at most fifteen bytes")
}
