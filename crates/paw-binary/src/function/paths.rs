//! The number of ways through a loop.

use std::collections::BTreeMap;

use super::{Code, Loop};

/// Ways from the head of an innermost loop back to it, counted and never listed; `None` if the loop holds another cycle.
/// A count that does not fit is the largest number.
pub fn paths(code: &Code, found: &Loop) -> Option<u64> {
    let ordered = topological(code, found)?;
    let mut ways: BTreeMap<usize, u64> = BTreeMap::from([(found.head, 1)]);
    let mut back = 0_u64;
    for block in ordered {
        let here = ways.get(&block).copied().unwrap_or(0);
        for next in &code.blocks()[block].successors {
            if *next == found.head {
                back = back.saturating_add(here);
            } else if found.blocks.binary_search(next).is_ok() {
                let there = ways.entry(*next).or_insert(0);
                *there = there.saturating_add(here);
            }
        }
    }
    Some(back)
}

/// The blocks of a loop, each after those that go to it, the head first; `None` if the loop holds another cycle.
pub(crate) fn topological(code: &Code, found: &Loop) -> Option<Vec<usize>> {
    let inside = |block: &usize| found.blocks.binary_search(block).is_ok();
    let mut waiting: BTreeMap<usize, usize> = BTreeMap::new();
    for block in found.blocks.iter().filter(|block| **block != found.head) {
        let before = code.blocks()[*block].predecessors.iter().filter(|p| inside(p)).count();
        waiting.insert(*block, before);
    }
    let mut ready = vec![found.head];
    let mut ordered = Vec::with_capacity(found.blocks.len());
    while let Some(block) = ready.pop() {
        ordered.push(block);
        for next in code.blocks()[block].successors.iter().filter(|next| inside(next) && **next != found.head) {
            let left = waiting.get_mut(next)?;
            *left = left.checked_sub(1)?;
            if *left == 0 {
                ready.push(*next);
            }
        }
    }
    (ordered.len() == found.blocks.len()).then_some(ordered)
}
