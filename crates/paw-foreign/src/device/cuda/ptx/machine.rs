//! A machine that runs the PTX of the embedded kernels, thread by thread: it knows the instructions that they have and no others.

use std::collections::BTreeMap;

/// The bits of a register, whatever its type.
type Registers = BTreeMap<String, u64>;

/// A kernel, its parameters, and a grid of one block after the other.
pub(super) struct Machine<'t> {
    lines: Vec<&'t str>,
    labels: BTreeMap<&'t str, usize>,
    parameters: BTreeMap<String, u64>,
    /// Memory, from address 0 on.
    pub(super) memory: Vec<u8>,
    /// Instructions that were executed, by their first word.
    pub(super) counts: BTreeMap<String, u64>,
}

impl<'t> Machine<'t> {
    /// The kernel of that name in a text, with these parameters and this memory.
    pub(super) fn new(text: &'t str, name: &str, parameters: &[u64], memory: Vec<u8>) -> Self {
        let head = format!(".entry {name}(");
        let text = &text[text.find(&head).unwrap_or_else(|| panic!("no {name}")) + head.len()..];
        let (declared, text) = text.split_once(')').unwrap();
        let names = declared.split(',').map(|declared| declared.split_whitespace().last().unwrap().to_owned());
        // A vector of registers has braces of its own: the body ends with a brace that begins a line.
        let (body, _) = text.split_once("\n}").unwrap();
        let lines = body.lines().flat_map(|line| line.split_inclusive([';', ':'])).map(str::trim);
        let lines: Vec<&str> =
            lines.filter(|line| !line.is_empty() && !line.starts_with('.') && *line != "{").collect();
        let labels = lines.iter().enumerate().filter_map(|(at, line)| Some((line.strip_suffix(':')?, at))).collect();
        Self {
            labels,
            parameters: names.zip(parameters.iter().copied()).collect(),
            lines,
            memory,
            counts: BTreeMap::new(),
        }
    }

    /// Runs all threads of `blocks` blocks of `threads` threads each.
    pub(super) fn run(&mut self, blocks: u32, threads: u32) {
        for (block, thread) in (0..blocks).flat_map(|block| (0..threads).map(move |thread| (block, thread))) {
            let special = [("%ctaid.x", block), ("%ntid.x", threads), ("%tid.x", thread), ("%nctaid.x", blocks)];
            let mut registers = special.map(|(name, value)| (name.to_owned(), value.into())).into_iter().collect();
            let mut at = 0;
            while let Some(line) = self.lines.get(at).copied() {
                at = self.step(line, at, &mut registers);
            }
        }
    }

    /// Executes a line, and says which is next.
    fn step(&mut self, line: &str, at: usize, registers: &mut Registers) -> usize {
        if line.ends_with(':') {
            return at + 1;
        }
        let line = line.trim_end_matches(';');
        let line = match line.strip_prefix('@') {
            Some(rest) => {
                let (flag, rest) = rest.split_once(' ').unwrap();
                if value(flag, registers) == 0 {
                    return at + 1;
                }
                rest.trim()
            }
            None => line,
        };
        let (word, operands) = line.split_once(' ').unwrap_or((line, ""));
        *self.counts.entry(word.to_owned()).or_default() += 1;
        let operands = operands.replace(['{', '}', '[', ']'], " ");
        let operands: Vec<&str> = operands.split(',').map(str::trim).collect();
        match word {
            "ret" => usize::MAX,
            "bra" => self.labels[operands[0]],
            _ if word.starts_with("ld.param") => {
                registers.insert(operands[0].to_owned(), self.parameters[operands[1]]);
                at + 1
            }
            _ if word.starts_with("ld.global") || word.starts_with("st.global") => {
                self.move_global(word, &operands, registers);
                at + 1
            }
            _ => {
                let found =
                    computed(word, &operands[1..].iter().map(|name| value(name, registers)).collect::<Vec<_>>());
                registers.insert(operands[0].to_owned(), found);
                at + 1
            }
        }
    }

    fn move_global(&mut self, word: &str, operands: &[&str], registers: &mut Registers) {
        let size = if word.ends_with("64") { 8 } else { 4 };
        let is_load = word.starts_with("ld");
        let (names, place) = match is_load {
            true => (&operands[..operands.len() - 1], operands[operands.len() - 1]),
            false => (&operands[1..], operands[0]),
        };
        let from = value(place, registers) as usize;
        // Vectors are aligned to all their bytes (PTX ISA, Alignment).
        assert_eq!(from % (size * names.len()), 0, "{word} at {from}");
        for (slot, name) in self.memory[from..from + size * names.len()].chunks_exact_mut(size).zip(names) {
            if is_load {
                let mut bytes = [0; 8];
                bytes[..size].copy_from_slice(slot);
                registers.insert((*name).to_owned(), u64::from_le_bytes(bytes));
            } else {
                slot.copy_from_slice(&value(name, registers).to_le_bytes()[..size]);
            }
        }
    }
}

/// A register, or a number that is written out.
fn value(name: &str, registers: &Registers) -> u64 {
    if name == "0f00000000" {
        return 0;
    }
    name.parse().unwrap_or_else(|_| *registers.get(name).unwrap_or_else(|| panic!("{name} was never set")))
}

/// The result of an instruction without memory.
fn computed(word: &str, of: &[u64]) -> u64 {
    let single = |at: usize| f32::from_bits(of[at] as u32);
    let double = |at: usize| f64::from_bits(of[at]);
    let float = |value: f32| u64::from(value.to_bits());
    match word {
        "mov.u32" | "mov.s32" | "mov.u64" | "cvt.u64.u32" | "cvta.to.global.u64" => of[0],
        "shl.b64" => of[0] << of[1],
        "shr.u64" => of[0] >> of[1],
        "add.u64" => of[0].wrapping_add(of[1]),
        "mul.lo.u64" => of[0].wrapping_mul(of[1]),
        "mad.lo.u64" => of[0].wrapping_mul(of[1]).wrapping_add(of[2]),
        "mad.lo.u32" | "mad.lo.s32" => u64::from((of[0] as u32).wrapping_mul(of[1] as u32).wrapping_add(of[2] as u32)),
        "add.s32" => u64::from((of[0] as u32).wrapping_add(of[1] as u32)),
        "sub.u32" => u64::from((of[0] as u32).wrapping_sub(of[1] as u32)),
        "setp.ge.u64" => u64::from(of[0] >= of[1]),
        "setp.ne.u64" | "setp.ne.u32" => u64::from(of[0] != of[1]),
        "setp.eq.u32" => u64::from(of[0] == of[1]),
        "setp.lt.u32" => u64::from(of[0] < of[1]),
        "cvt.rn.f64.u32" => f64::from(of[0] as u32).to_bits(),
        "cvt.rn.f32.u32" => float(of[0] as u32 as f32),
        "add.rn.f64" => (double(0) + double(1)).to_bits(),
        "mul.rn.f64" => (double(0) * double(1)).to_bits(),
        "fma.rn.f64" => double(0).mul_add(double(1), double(2)).to_bits(),
        "add.rn.f32" => float(single(0) + single(1)),
        "fma.rn.f32" => float(single(0).mul_add(single(1), single(2))),
        other => panic!("the machine does not know {other}"),
    }
}
