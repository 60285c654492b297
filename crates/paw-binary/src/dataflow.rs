//! What instructions read and write, and which of them decide the course of a loop.

use std::collections::BTreeSet;

use iced_x86::{FlowControl, Instruction, InstructionInfoFactory, MemorySize, OpAccess, Register};

/// Something that carries a value from one instruction to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// A register, the widest of its name.
    Register(Register),
    /// The flags.
    Flags,
}

/// What one instruction does.
#[derive(Debug, Clone, Default)]
pub(crate) struct Effects {
    pub reads: BTreeSet<Place>,
    pub writes: BTreeSet<Place>,
    /// Registers of its addresses.
    pub addresses: BTreeSet<Place>,
    pub loads: bool,
    pub stores: bool,
}

impl Effects {
    /// Those of each instruction.
    pub fn of(instructions: &[Instruction]) -> Vec<Effects> {
        let mut factory = InstructionInfoFactory::new();
        instructions.iter().map(|instruction| Self::one(&mut factory, instruction)).collect()
    }

    fn one(factory: &mut InstructionInfoFactory, instruction: &Instruction) -> Self {
        let info = factory.info(instruction);
        let mut effects = Self::default();
        for used in info.used_registers() {
            let place = Place::Register(used.register().full_register());
            if is_read(used.access()) {
                effects.reads.insert(place);
            }
            if is_written(used.access()) {
                effects.writes.insert(place);
            }
        }
        for used in info.used_memory() {
            effects.loads |= is_read(used.access());
            effects.stores |= is_written(used.access());
            let accessed = is_read(used.access()) || is_written(used.access());
            for register in [used.base(), used.index()].into_iter().filter(|r| accessed && *r != Register::None) {
                effects.addresses.insert(Place::Register(register.full_register()));
            }
        }
        if instruction.rflags_read() != 0 {
            effects.reads.insert(Place::Flags);
        }
        if instruction.rflags_modified() != 0 {
            effects.writes.insert(Place::Flags);
        }
        effects
    }

    /// Those of `instructions` that are run one after the other, as if they were one.
    pub fn in_turn(instructions: &[Instruction]) -> Self {
        let mut all = Self::default();
        for own in Self::of(instructions) {
            all.reads.extend(own.reads.difference(&all.writes).copied().collect::<Vec<_>>());
            all.addresses.extend(own.addresses.difference(&all.writes).copied().collect::<Vec<_>>());
            all.writes.extend(own.writes);
            all.loads |= own.loads;
            all.stores |= own.stores;
        }
        all
    }

    /// Whether it writes what decides addresses or control: a general-purpose register or the flags.
    pub fn writes_scalar(&self) -> bool {
        self.writes.iter().any(|place| match place {
            Place::Flags => true,
            Place::Register(register) => register.is_gpr(),
        })
    }
}

fn is_read(access: OpAccess) -> bool {
    matches!(access, OpAccess::Read | OpAccess::CondRead | OpAccess::ReadWrite | OpAccess::ReadCondWrite)
}

fn is_written(access: OpAccess) -> bool {
    matches!(access, OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite)
}

/// Whether the place is a vector or mask register.
pub(crate) fn is_vector(place: &Place) -> bool {
    matches!(place, Place::Register(register) if register.is_vector_register() || register.is_k())
}

/// Whether the instruction divides or takes a root.
pub(crate) fn divides(instruction: &Instruction) -> bool {
    let name = format!("{:?}", instruction.mnemonic()).to_lowercase();
    // Estimates of reciprocal roots come from multipliers.
    name.contains("div") || (name.contains("sqrt") && !name.contains("rsqrt"))
}

/// Whether the instruction gathers or scatters: its addresses are in a vector register.
pub(crate) fn gathers(instruction: &Instruction) -> bool {
    instruction.memory_index().is_vector_register()
}

/// Whether it has an operand in memory that is really accessed.
pub(crate) fn accesses(instruction: &Instruction, effects: &Effects) -> bool {
    (effects.loads || effects.stores) && instruction.memory_size() != MemorySize::Unknown
}

/// Whether it only moves data between memory and a vector register, or between vector registers.
pub(crate) fn moves(instruction: &Instruction) -> bool {
    let name = format!("{:?}", instruction.mnemonic()).to_lowercase();
    let name = name.strip_prefix('v').unwrap_or(&name);
    let mask = ["movmskp", "pmovmskb", "movd", "movq"].iter().any(|other| name.starts_with(other));
    let plain = name.starts_with("mov") || name.starts_with("lddqu") || name.starts_with("broadcast");
    let exact = ["movdqa", "movdqu", "movddup"].iter().any(|move_name| name.starts_with(move_name));
    (plain && (!mask || exact)) || name.starts_with("pbroadcast") || (name == "movq" || name == "movd")
}

/// Which instructions decide how the loop goes on: its jumps but those that are `settled`, and all that their conditions hang on.
pub(crate) fn control(instructions: &[Instruction], effects: &[Effects], settled: &[bool]) -> Vec<bool> {
    needed(instructions, effects, |at| instructions[at].flow_control() != FlowControl::Next && !settled[at])
}

/// Which instructions the operands of those that are `wanted` come from.
pub(crate) fn feeding(instructions: &[Instruction], effects: &[Effects], wanted: &[bool]) -> Vec<bool> {
    let wanted = effects.iter().zip(wanted).filter(|(_, wanted)| **wanted);
    let reads = wanted.flat_map(|(effects, _)| effects.reads.iter().copied());
    let places = reads.filter(|place| *place != Place::Flags && !is_frame(place)).collect();
    grown(instructions, effects, vec![false; instructions.len()], places)
}

/// Which instructions addresses of memory hang on, for those accesses that `wanted` names.
pub(crate) fn addressing(instructions: &[Instruction], effects: &[Effects], wanted: &[bool]) -> Vec<bool> {
    let mut places: BTreeSet<Place> = BTreeSet::new();
    for (effects, _) in effects.iter().zip(wanted).filter(|(_, wanted)| **wanted) {
        places.extend(effects.addresses.iter().copied());
    }
    grown(instructions, effects, vec![false; instructions.len()], places)
}

fn needed(instructions: &[Instruction], effects: &[Effects], root: impl Fn(usize) -> bool) -> Vec<bool> {
    let marked: Vec<bool> = (0..instructions.len()).map(root).collect();
    let mut places = BTreeSet::new();
    let roots = effects.iter().zip(&marked).filter(|(_, marked)| **marked);
    roots.for_each(|(effects, _)| places.extend(effects.reads.iter().filter(|p| **p != Place::Flags).copied()));
    grown(instructions, effects, marked, places)
}

/// Marks what writes the `places`, and what those instructions need, until nothing is added. Flags are those of the nearest writer before.
fn grown(
    instructions: &[Instruction],
    effects: &[Effects],
    mut marked: Vec<bool>,
    mut places: BTreeSet<Place>,
) -> Vec<bool> {
    let count = instructions.len();
    loop {
        let mut changed = false;
        for at in 0..count {
            if marked[at] && effects[at].reads.contains(&Place::Flags) {
                let before = (1..=count).map(|back| (at + count - back) % count);
                let writer = before.into_iter().find(|other| effects[*other].writes.contains(&Place::Flags));
                if let Some(writer) = writer.filter(|writer| !marked[*writer]) {
                    marked[writer] = true;
                    changed = true;
                }
            }
            let writes = effects[at].writes.iter().any(|place| places.contains(place));
            if writes && !marked[at] {
                marked[at] = true;
                changed = true;
            }
            if marked[at] {
                let reads = effects[at].reads.iter().filter(|place| **place != Place::Flags);
                let reads: Vec<Place> = reads.filter(|place| !is_frame(place)).copied().collect();
                for place in reads {
                    changed |= places.insert(place);
                }
            }
        }
        if !changed {
            return marked;
        }
    }
}

/// Whether the place is the stack pointer, which a loop keeps.
fn is_frame(place: &Place) -> bool {
    *place == Place::Register(Register::RSP)
}
