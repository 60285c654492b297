//! Classes of strides: by how much the address of an access moves from one iteration to the next.

use std::collections::{BTreeMap, BTreeSet};

use iced_x86::{Instruction, Register};

use super::effects::location;
use super::evaluate::{Access, Direction, Iteration, held};
use super::linear::{Linear, Location, Symbol};
use crate::function::Code;

/// Values that depend on values that depend on others are followed so far.
const DEPTH_MAX: u32 = 48;

/// Instructions that make an index vector are followed so far.
const VECTOR_DEPTH_MAX: u32 = 8;

/// How far a value moves in an iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Movement {
    /// By this much.
    By(i64),
    /// By a distance that is the same in every iteration, and not known here.
    Constant,
    /// As values in memory say.
    Indirect,
    /// Not known.
    Unknown,
}

/// What is known of one access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stride {
    /// The same address in every iteration.
    Zero,
    /// Element after element, without gaps.
    Unit,
    /// Elements at a distance, in bytes where it is known.
    Distance(Option<i64>),
    /// Where values in memory say.
    Indirect,
    /// Not known.
    Unknown,
}

/// The strides of all accesses of an iteration, in their order, and how far each moves.
pub struct Strides<'a> {
    code: &'a Code,
    iteration: &'a Iteration,
    known: BTreeMap<Symbol, Movement>,
    written: BTreeSet<AddressKey>,
}

/// Accesses that move together: the symbols of their address, their direction, and by how much they move.
type Stream = (Vec<(Symbol, i64)>, Direction, i64);

/// An address as a key.
type AddressKey = (Vec<(Symbol, i64)>, i64);

impl<'a> Strides<'a> {
    /// Of this iteration.
    pub fn new(code: &'a Code, iteration: &'a Iteration) -> Self {
        let stores = iteration.accesses.iter().filter(|access| access.direction == Direction::Store);
        let written = stores.map(|access| key(&access.address)).collect();
        Self { code, iteration, known: BTreeMap::new(), written }
    }

    /// How far a sum moves.
    pub fn movement(&mut self, sum: &Linear) -> Movement {
        self.movement_within(sum, 0)
    }

    /// The strides of all accesses.
    pub fn all(&mut self) -> Vec<Stride> {
        let accesses = &self.iteration.accesses;
        let movements: Vec<Movement> = accesses.iter().map(|access| self.of_access(access)).collect();
        let mut groups: BTreeMap<Stream, Vec<(i64, i64)>> = BTreeMap::new();
        for (access, movement) in accesses.iter().zip(&movements) {
            if let Movement::By(by) = movement {
                let group = groups.entry((key(&access.address).0, access.direction, *by)).or_default();
                group.push((access.address.constant, i64::from(access.bytes)));
            }
        }
        let class = |(access, movement): (&Access, &Movement)| match movement {
            Movement::By(0) => Stride::Zero,
            Movement::By(by) if access.vector_index.is_some() => Stride::Distance(Some(*by)),
            Movement::By(by) => tiled(&groups[&(key(&access.address).0, access.direction, *by)], *by),
            Movement::Constant => Stride::Distance(None),
            Movement::Indirect => Stride::Indirect,
            Movement::Unknown => Stride::Unknown,
        };
        accesses.iter().zip(&movements).map(class).collect()
    }

    fn of_access(&mut self, access: &Access) -> Movement {
        let by = self.movement(&access.address);
        let Some(index) = access.vector_index else { return by };
        match self.index_vector(index, access.at) {
            Movement::By(0) if by == Movement::By(0) => Movement::Constant,
            Movement::By(0) => by,
            moved => moved,
        }
    }

    /// How the elements of an index vector move: not at all, by a vector that is added, or as values in memory say.
    fn index_vector(&mut self, index: Register, at: usize) -> Movement {
        location(index).map_or(Movement::Unknown, |place| self.vector(place, at, 0))
    }

    /// How the vector in `place` moves, as it is before the instruction `at`. One that was spilled to the stack is not followed.
    fn vector(&mut self, place: Location, at: usize, depth: u32) -> Movement {
        let writes = |(_, effects): &(&usize, &super::effects::Effects)| effects.writes.contains(&place);
        let writers: Vec<usize> = self.iteration.effects.iter().filter(writes).map(|(at, _)| *at).collect();
        let Some(last) = writers.iter().rev().find(|writer| **writer < at).or(writers.last()).copied() else {
            return Movement::By(0);
        };
        if depth > VECTOR_DEPTH_MAX || !is_vector_sum(&self.code.instructions()[last]) {
            return Movement::Unknown;
        }
        let mut total = Movement::By(0);
        let reads = self.iteration.effects[&last].reads.clone();
        for read in reads {
            // A sum with itself is a counter.
            let moved = if read == place && last >= at {
                Movement::Constant
            } else {
                self.vector_or_counter(read, place, last, depth)
            };
            total = joined(total, moved);
        }
        let loads = self.iteration.accesses.iter().filter(|a| a.at == last && a.direction == Direction::Load);
        for load in loads.cloned().collect::<Vec<_>>() {
            let moved = match self.movement(&load.address) {
                Movement::By(0) if !self.written.contains(&key(&load.address)) => Movement::By(0),
                _ if matches!(self.iteration.word(&load.address), Some(Location::Stack(..))) => Movement::Unknown,
                _ => Movement::Indirect,
            };
            total = joined(total, moved);
        }
        total
    }

    fn vector_or_counter(&mut self, read: Location, place: Location, at: usize, depth: u32) -> Movement {
        let before = self.iteration.effects.range(..at).any(|(_, effects)| effects.writes.contains(&read));
        if read == place && !before { Movement::Constant } else { self.vector(read, at, depth + 1) }
    }

    fn movement_within(&mut self, sum: &Linear, depth: u32) -> Movement {
        let mut total = Movement::By(0);
        for (symbol, factor) in &sum.terms {
            total = match (total, self.of_symbol(*symbol, depth)) {
                (Movement::By(a), Movement::By(b)) => Movement::By(a.wrapping_add(b.wrapping_mul(*factor))),
                (Movement::Indirect, _) | (_, Movement::Indirect) => Movement::Indirect,
                (Movement::Unknown, _) | (_, Movement::Unknown) => Movement::Unknown,
                _ => Movement::Constant,
            };
        }
        total
    }

    fn of_symbol(&mut self, symbol: Symbol, depth: u32) -> Movement {
        if let Some(known) = self.known.get(&symbol) {
            return *known;
        }
        if depth > DEPTH_MAX {
            return Movement::Unknown;
        }
        // A value that depends on itself otherwise than by a sum is not known.
        self.known.insert(symbol, Movement::Unknown);
        let movement = match symbol {
            Symbol::Head(place) => self.of_head(place, depth),
            Symbol::Loaded(access) => {
                let address = self.iteration.accesses[access].address.clone();
                let is_kept = !self.written.contains(&key(&address));
                match self.movement_within(&address, depth + 1) {
                    Movement::By(0) if is_kept => Movement::By(0),
                    _ => Movement::Indirect,
                }
            }
            Symbol::Product(number) => self.of_product(number, depth),
            Symbol::Derived(_) => Movement::Indirect,
            Symbol::Unknown(_) => Movement::Unknown,
        };
        self.known.insert(symbol, movement);
        movement
    }

    /// A product moves by a constant where one factor does and the other does not move.
    fn of_product(&mut self, number: usize, depth: u32) -> Movement {
        let (first, second) = self.iteration.products[number].clone();
        match (self.movement_within(&first, depth + 1), self.movement_within(&second, depth + 1)) {
            (Movement::By(0), Movement::By(0)) => Movement::By(0),
            (Movement::By(0), Movement::By(_) | Movement::Constant) => Movement::Constant,
            (Movement::By(_) | Movement::Constant, Movement::By(0)) => Movement::Constant,
            (Movement::Indirect, _) | (_, Movement::Indirect) => Movement::Indirect,
            _ => Movement::Unknown,
        }
    }

    fn of_head(&mut self, place: Location, depth: u32) -> Movement {
        let change = held(&self.iteration.end, place).plus(&Linear::symbol(Symbol::Head(place)), -1);
        if let Some(by) = change.as_number() {
            return Movement::By(by);
        }
        // A pointer that is read from what it points to.
        if change.terms.contains_key(&Symbol::Head(place)) && change.is_loaded() {
            return Movement::Indirect;
        }
        match self.movement_within(&change, depth + 1) {
            Movement::By(0) => Movement::Constant,
            Movement::Indirect => Movement::Indirect,
            _ => Movement::Unknown,
        }
    }
}

/// The movement of a sum of two.
fn joined(a: Movement, b: Movement) -> Movement {
    match (a, b) {
        (Movement::By(0), other) | (other, Movement::By(0)) => other,
        (Movement::Indirect, _) | (_, Movement::Indirect) => Movement::Indirect,
        (Movement::Unknown, _) | (_, Movement::Unknown) => Movement::Unknown,
        _ => Movement::Constant,
    }
}

/// Whether the elements of the result are sums or multiples of those of its operands, in their order.
fn is_vector_sum(instruction: &Instruction) -> bool {
    let name = format!("{:?}", instruction.mnemonic()).to_lowercase();
    let stems = [
        "padd",
        "psub",
        "psll",
        "pmull",
        "pmuld",
        "pmulu",
        "movdq",
        "movap",
        "movup",
        "pmovsx",
        "pmovzx",
        "pbroadcast",
        "por",
    ];
    stems.iter().any(|stem| name.trim_start_matches('v').starts_with(stem))
}

fn key(address: &Linear) -> AddressKey {
    (address.terms.iter().map(|(symbol, count)| (*symbol, *count)).collect(), address.constant)
}

/// The stride of accesses of one stream, each an offset and a size, that move by `by` together: unrolled loops have several.
fn tiled(parts: &[(i64, i64)], by: i64) -> Stride {
    let Some(span) = by.checked_abs() else { return Stride::Unknown };
    let mut spans: Vec<(i64, i64)> = parts.iter().map(|(offset, bytes)| (offset.rem_euclid(span), *bytes)).collect();
    spans.sort_unstable();
    spans.dedup();
    let covered: i64 = spans.iter().map(|(_, bytes)| *bytes).fold(0, i64::saturating_add);
    let mut reached = spans.first().map_or(0, |(first, _)| *first);
    let from = reached;
    let has_gap = spans.iter().any(|(offset, bytes)| {
        let gap = *offset > reached;
        reached = reached.max(offset.saturating_add(*bytes));
        gap
    });
    if !has_gap && reached - from >= span && covered >= span {
        return Stride::Unit;
    }
    let count = spans.len() as i64;
    let spacing = if span % count == 0 { span / count } else { span };
    let is_even = spans.windows(2).all(|pair| pair[1].0 - pair[0].0 == spacing);
    Stride::Distance(Some(if is_even { spacing * by.signum() } else { by }))
}
