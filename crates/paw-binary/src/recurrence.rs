//! The longest chain of instructions from one run through a loop to the next.

use std::collections::BTreeMap;

use paw_sort::OrderBy;

use iced_x86::Instruction;

use crate::code_loop::CodeLoop;
use crate::dataflow::{Effects, Place, divides, gathers, moves};
use crate::forwarding::{Forwarding, forwarded};
use crate::loop_blocks::{LoopBlock, Way, carried};

/// Where a chain passes through an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Through {
    /// From an operand to the result.
    Operand,
    /// From the address of an operand in memory to the result.
    Address,
    /// From a value that is stored to the load that takes it.
    Memory,
}

/// A chain from one run through a loop to the next.
#[derive(Debug, Clone, PartialEq)]
pub struct Chain {
    /// Core cycles of one run through the loop.
    pub cycles: f64,
    /// Its instructions, by their numbers in the loop.
    pub links: Vec<usize>,
}

/// How far a value that the loop carries has come, and through what.
#[derive(Debug, Clone, Default)]
struct Reached {
    cycles: f64,
    links: Vec<usize>,
}

/// The longest chain of the runs through `own` that go `way`, by `latency`, which gives the cycles of each instruction by its number;
/// `None` if there is none.
pub fn longest(own: &CodeLoop, way: &Way, latency: impl Fn(usize, Through) -> f64) -> Option<Chain> {
    let all = own.instructions(0);
    let instructions: Vec<Instruction> = way.instructions.iter().map(|number| all[*number]).collect();
    let effects = Effects::of(&instructions);
    let latency = |at: usize, through: Through| latency(way.instructions[at], through);
    let straight = [LoopBlock { instructions: 0..instructions.len(), successors: vec![0] }];
    let (within, later): (Vec<_>, Vec<_>) = forwarded(&instructions, &effects).into_iter().partition(|f| f.runs == 0);
    let mut sources: Vec<Source> = carried(&straight, &effects).into_iter().map(Source::Place).collect();
    sources.extend(later.into_iter().map(Source::Stored));
    let steps: Vec<Vec<Option<Reached>>> = sources
        .iter()
        .map(|source| {
            let found = followed(*source, (&instructions, &effects), &within, &latency);
            sources.iter().map(|to| found.at(*to)).collect()
        })
        .collect();
    let runs: Vec<usize> = sources.iter().map(|source| source.runs()).collect();
    let found = best_cycle(&steps, &runs)?;
    Some(Chain { links: found.links.iter().map(|link| way.instructions[*link]).collect(), ..found })
}

/// What carries a value to the next run through the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Place(Place),
    Stored(Forwarding),
}

impl Source {
    /// Runs through the loop after which the value is taken.
    fn runs(self) -> usize {
        match self {
            Self::Place(_) => 1,
            Self::Stored(forwarding) => forwarding.runs as usize,
        }
    }
}

/// What a value from the beginning of the loop has reached at its end.
struct Found {
    places: BTreeMap<Place, Reached>,
    stored: BTreeMap<usize, Reached>,
}

impl Found {
    fn at(&self, source: Source) -> Option<Reached> {
        match source {
            Source::Place(place) => self.places.get(&place).cloned(),
            Source::Stored(Forwarding { store, .. }) => self.stored.get(&store).cloned(),
        }
    }
}

fn followed(
    source: Source,
    (instructions, effects): (&[Instruction], &[Effects]),
    within: &[Forwarding],
    latency: &impl Fn(usize, Through) -> f64,
) -> Found {
    let mut found = Found { places: BTreeMap::new(), stored: BTreeMap::new() };
    if let Source::Place(place) = source {
        found.places.insert(place, Reached::default());
    }
    for (at, own) in effects.iter().enumerate() {
        let operands = own.reads.iter().filter(|place| !own.addresses.contains(place));
        let data = operands.filter_map(|place| found.places.get(place));
        let data = data.map(|reached| longer(reached, at, latency(at, Through::Operand)));
        let addresses = own.addresses.iter().filter(|_| own.loads).filter_map(|place| found.places.get(place));
        let addresses = addresses.map(|reached| longer(reached, at, latency(at, Through::Address)));
        let begin = Reached::default();
        let loaded = matches!(source, Source::Stored(Forwarding { load, .. }) if load == at).then_some(&begin);
        let stored = within.iter().filter(|own| own.load == at).filter_map(|own| found.stored.get(&own.store));
        let memory = loaded.into_iter().chain(stored).map(|reached| longer(reached, at, latency(at, Through::Memory)));
        let longest = data.chain(addresses).chain(memory).max_by(|a, b| a.cycles.total_cmp(&b.cycles));
        for place in &own.writes {
            match &longest {
                Some(reached) if !breaks(&instructions[at]) => found.places.insert(*place, reached.clone()),
                _ => found.places.remove(place),
            };
        }
        if let Some(reached) = longest.filter(|_| own.stores) {
            found.stored.insert(at, reached);
        }
    }
    found
}

/// Whether the result hangs on no operand: `vxorps x, x, x` and the like are cleared when registers are renamed.
fn breaks(instruction: &Instruction) -> bool {
    let name = format!("{:?}", instruction.mnemonic()).to_lowercase();
    let clears = ["xorps", "xorpd", "pxor", "xor"].iter().any(|own| name.trim_start_matches('v').starts_with(own));
    let last = instruction.op_count().saturating_sub(1);
    clears && last >= 1 && instruction.op_register(last) == instruction.op_register(last - 1)
}

fn longer(reached: &Reached, at: usize, cycles: f64) -> Reached {
    Reached { cycles: reached.cycles + cycles, links: reached.links.iter().copied().chain([at]).collect() }
}

/// Runs through the loop that a cycle of sources may take.
const RUNS_MAX: usize = 4;

/// The cycle of sources with the largest mean of a run through the loop, by paths of one to [`RUNS_MAX`] runs (R. Karp, "A characterization
/// of the minimum cycle mean in a digraph", 1978, has the exact method; loops carry few values). `runs` is what a step to a source takes.
fn best_cycle(steps: &[Vec<Option<Reached>>], runs: &[usize]) -> Option<Chain> {
    let count = steps.len();
    let mut best: Option<Chain> = None;
    // The longest paths of each number of runs, from each source to each other.
    let mut paths: Vec<Vec<Vec<Option<Reached>>>> = Vec::new();
    for length in 1..=RUNS_MAX {
        let longest = |from: usize, to: usize| {
            let before = length.checked_sub(runs[to])?;
            if before == 0 {
                return steps[from][to].clone();
            }
            let over =
                (0..count).filter_map(|by| Some((paths[before - 1][from][by].as_ref()?, steps[by][to].as_ref()?)));
            let cycles = |(a, b): &(&Reached, &Reached)| a.cycles + b.cycles;
            let (first, second) = over.max_by(|a, b| cycles(a).total_cmp(&cycles(b)))?;
            let links = first.links.iter().chain(&second.links).copied().collect();
            Some(Reached { cycles: first.cycles + second.cycles, links })
        };
        let matrix: Vec<Vec<_>> = (0..count).map(|from| (0..count).map(|to| longest(from, to)).collect()).collect();
        for reached in (0..count).filter_map(|own| matrix[own][own].as_ref()) {
            let cycles = reached.cycles / length as f64;
            if cycles > 0.0 && best.as_ref().is_none_or(|best| cycles > best.cycles + 1e-9) {
                best = Some(Chain { cycles, links: reached.links.clone() });
            }
        }
        paths.push(matrix);
    }
    best
}

/// What the instructions of a chain are: `additions`, `multiplications`, in the order of their number.
pub fn made_of(own: &CodeLoop, links: &[usize]) -> String {
    let instructions = own.instructions(0);
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for link in links {
        let kind = kind(&instructions[*link]);
        match counts.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, count)) => *count += 1,
            None => counts.push((kind, 1)),
        }
    }
    counts.order_by_key(|count| std::cmp::Reverse(count.1));
    let names: Vec<&str> = counts.into_iter().take(3).map(|(kind, _)| kind).collect();
    names.join(" and ")
}

fn kind(instruction: &Instruction) -> &'static str {
    let name = format!("{:?}", instruction.mnemonic()).to_lowercase();
    let name = name.trim_start_matches('v');
    let begins = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
    match () {
        () if divides(instruction) => "divisions and roots",
        () if begins(&["fmadd", "fmsub", "fnmadd", "fnmsub"]) => "fused multiply-adds",
        () if begins(&["add", "padd", "sub", "psub", "inc", "dec", "adc"]) => "additions",
        () if begins(&["mul", "pmul", "imul", "mulx"]) => "multiplications",
        () if begins(&["max", "min", "pmax", "pmin"]) => "minima and maxima",
        () if gathers(instruction) || moves(instruction) || begins(&["mov"]) => "loads and stores",
        () => "other instructions",
    }
}
