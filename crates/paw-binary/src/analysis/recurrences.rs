//! Recurrences: values that an iteration needs from the one before it.

use std::collections::{BTreeMap, BTreeSet};

use super::evaluate::{Access, Direction, Iteration};
use super::linear::Location;
use super::operation::{Class, class, is_step};
use super::strides::{Movement, Strides};
use crate::function::{Code, Loop};

/// Definitions of one location that may reach one use; more of them are left out.
const REACHING_MAX: usize = 64;
/// Iterations between a store and the load of the same address that are looked at.
const DISTANCE_MAX: i64 = 64;
/// Accesses of a loop that are compared with each other.
const COMPARED_MAX: usize = 2000;

/// What a recurrence computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A counter or an address that grows by a step.
    Counter,
    /// Other integers.
    Integer,
    /// Floating-point values.
    Float,
    /// An address that is read from memory.
    Pointer,
}

/// Instructions that depend on each other in a circle, from one iteration to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recurrence {
    /// What it computes.
    pub kind: Kind,
    /// Whether a value goes through memory on its way.
    pub through_memory: bool,
    /// Indices of its instructions in the function, sorted.
    pub instructions: Vec<usize>,
}

/// Who needs what of whom.
#[derive(Default)]
struct Dependences {
    next: BTreeMap<usize, BTreeSet<usize>>,
    memory: BTreeSet<(usize, usize)>,
}

/// The recurrences of an innermost loop.
pub fn recurrences(code: &Code, found: &Loop, iteration: &Iteration, strides: &mut Strides<'_>) -> Vec<Recurrence> {
    let mut dependences = Dependences::default();
    through_locations(code, found, iteration, &mut dependences);
    through_memory(iteration, strides, &mut dependences);
    let circles = circles(&dependences.next);
    let all = circles.into_iter().map(|circle| recurrence(code, iteration, strides, &dependences, circle));
    all.filter(|found| found.kind == Kind::Pointer || !is_kept(code, found)).collect()
}

/// Whether a value is only kept: saved to the stack and brought back, or merged into by a gather.
fn is_kept(code: &Code, found: &Recurrence) -> bool {
    let kind = |at: &usize| class(&code.instructions()[*at]);
    let is_copy = |at: &usize| matches!(kind(at), Class::Move | Class::Shuffle | Class::Other | Class::Conversion);
    found.instructions.iter().all(is_copy)
}

fn recurrence(
    code: &Code,
    iteration: &Iteration,
    strides: &mut Strides<'_>,
    dependences: &Dependences,
    circle: Vec<usize>,
) -> Recurrence {
    let inside = |at: &usize| circle.binary_search(at).is_ok();
    let at = |index: &usize| &code.instructions()[*index];
    let through_memory = dependences.memory.iter().any(|(from, to)| inside(from) && inside(to));
    let is_pointer = iteration.accesses.iter().any(|access| {
        let is_load = access.direction == Direction::Load && access.vector_index.is_none() && inside(&access.at);
        is_load && strides.movement(&access.address) == Movement::Indirect
    });
    let kind = if circle.iter().any(|index| matches!(class(at(index)), Class::Arithmetic(_))) {
        Kind::Float
    } else if is_pointer && !through_memory {
        Kind::Pointer
    } else if circle.iter().all(|index| is_step(at(index))) {
        Kind::Counter
    } else {
        Kind::Integer
    };
    Recurrence { kind, through_memory, instructions: circle }
}

type Reaching = BTreeMap<Location, BTreeSet<usize>>;

/// Values in registers and words of the stack: within an iteration, and from its end to the next one's beginning.
fn through_locations(code: &Code, found: &Loop, iteration: &Iteration, dependences: &mut Dependences) {
    let mut ends: BTreeMap<usize, Reaching> = BTreeMap::new();
    let mut carried: Vec<(Location, usize)> = Vec::new();
    for block in &iteration.blocks {
        let before = code.blocks()[*block].predecessors.iter().filter(|p| *block != found.head && ends.contains_key(p));
        // A location that one way leaves alone may still hold what the last iteration left.
        let states: Vec<&Reaching> = before.map(|p| &ends[p]).collect();
        let mut reaching = joined(&states);
        for at in code.blocks()[*block].start..code.blocks()[*block].end {
            let Some(effects) = iteration.effects.get(&at) else { continue };
            for read in &effects.reads {
                match reaching.get(read) {
                    Some(writers) => {
                        for writer in writers {
                            if *writer == CARRIED {
                                carried.push((*read, at));
                            } else {
                                dependences.next.entry(*writer).or_default().insert(at);
                            }
                        }
                    }
                    None => carried.push((*read, at)),
                }
            }
            for write in &effects.writes {
                reaching.insert(*write, BTreeSet::from([at]));
            }
        }
        ends.insert(*block, reaching);
    }
    let last: Vec<&Reaching> = found.latches.iter().filter_map(|latch| ends.get(latch)).collect();
    let last = joined(&last);
    for (place, reader) in carried {
        for writer in last.get(&place).into_iter().flatten().filter(|writer| **writer != CARRIED) {
            dependences.next.entry(*writer).or_default().insert(reader);
            if !matches!(place, Location::Register(_)) {
                dependences.memory.insert((*writer, reader));
            }
        }
    }
}

/// Stands for what the last iteration left.
const CARRIED: usize = usize::MAX;

fn joined(states: &[&Reaching]) -> Reaching {
    let places: BTreeSet<Location> = states.iter().flat_map(|state| state.keys().copied()).collect();
    let mut joined = Reaching::new();
    for place in places {
        let mut writers = BTreeSet::new();
        for state in states {
            match state.get(&place) {
                Some(own) => writers.extend(own.iter().copied().take(REACHING_MAX)),
                None => {
                    writers.insert(CARRIED);
                }
            }
        }
        joined.insert(place, writers);
    }
    joined
}

/// Values that are stored, and loaded again in a later iteration.
fn through_memory(iteration: &Iteration, strides: &mut Strides<'_>, dependences: &mut Dependences) {
    let is_far = |access: &&Access| iteration.word(&access.address).is_none() && access.vector_index.is_none();
    let of = |direction| iteration.accesses.iter().filter(is_far).filter(move |access| access.direction == direction);
    let stores: Vec<&Access> = of(Direction::Store).take(COMPARED_MAX).collect();
    for load in of(Direction::Load).take(COMPARED_MAX) {
        let Movement::By(by) = strides.movement(&load.address) else { continue };
        for store in stores.iter().filter(|store| store.address.terms == load.address.terms) {
            let ahead = store.address.plus(&load.address, -1).constant;
            if meets(ahead, by, i64::from(store.bytes), i64::from(load.bytes)) {
                dependences.next.entry(store.at).or_default().insert(load.at);
                dependences.memory.insert((store.at, load.at));
            }
            // The next one that is loaded in the same iteration, after the store.
            if ahead == 0 && store.at < load.at {
                dependences.next.entry(store.at).or_default().insert(load.at);
            }
        }
    }
}

/// Whether a load that moves by `by` reaches, one iteration or more later, bytes stored `ahead` of it.
fn meets(ahead: i64, by: i64, stored: i64, loaded: i64) -> bool {
    if by == 0 {
        return ahead < loaded && ahead > -stored;
    }
    let later = ahead / by;
    (later - 1..=later + 1).filter(|later| (1..=DISTANCE_MAX).contains(later)).any(|later| {
        let gap = ahead.wrapping_sub(later.wrapping_mul(by));
        gap < loaded && gap > -stored
    })
}

/// Groups of nodes that reach each other, by Tarjan's algorithm without recursion; single nodes only where they reach themselves.
fn circles(next: &BTreeMap<usize, BTreeSet<usize>>) -> Vec<Vec<usize>> {
    let mut index: BTreeMap<usize, usize> = BTreeMap::new();
    let mut low: BTreeMap<usize, usize> = BTreeMap::new();
    let (mut open, mut is_open) = (Vec::new(), BTreeSet::new());
    let mut found = Vec::new();
    let empty = BTreeSet::new();
    let after = |node: usize| next.get(&node).unwrap_or(&empty);
    for start in next.keys() {
        if index.contains_key(start) {
            continue;
        }
        let mut walk = vec![(*start, after(*start).iter())];
        let number = index.len();
        index.insert(*start, number);
        low.insert(*start, number);
        open.push(*start);
        is_open.insert(*start);
        while let Some((node, rest)) = walk.last_mut() {
            let node = *node;
            match rest.next() {
                Some(to) if !index.contains_key(to) => {
                    let number = index.len();
                    index.insert(*to, number);
                    low.insert(*to, number);
                    open.push(*to);
                    is_open.insert(*to);
                    walk.push((*to, after(*to).iter()));
                }
                Some(to) => {
                    if is_open.contains(to) {
                        let least = low[&node].min(index[to]);
                        low.insert(node, least);
                    }
                }
                None => {
                    walk.pop();
                    if let Some((above, _)) = walk.last() {
                        let least = low[above].min(low[&node]);
                        low.insert(*above, least);
                    }
                    if low[&node] == index[&node] {
                        let at = open.iter().rposition(|other| *other == node).unwrap_or(0);
                        let mut circle = open.split_off(at);
                        circle.iter().for_each(|member| {
                            is_open.remove(member);
                        });
                        circle.sort_unstable();
                        if circle.len() > 1 || after(node).contains(&node) {
                            found.push(circle);
                        }
                    }
                }
            }
        }
    }
    found.sort();
    found
}
