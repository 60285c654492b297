//! Natural loops and how they are nested.

use std::collections::{BTreeMap, BTreeSet};

use paw_sort::OrderBy;

use super::blocks::Block;
use super::dominators::{ReversePostorder, dominates};

/// Blocks that are run again and again, entered at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loop {
    /// The block at which it is entered.
    pub head: usize,
    /// Its blocks, with those of loops within it, sorted.
    pub blocks: Vec<usize>,
    /// Blocks that go back to the head.
    pub latches: Vec<usize>,
    /// Index of the loop around it.
    pub parent: Option<usize>,
    /// 1 for a loop that is in no other.
    pub depth: usize,
    /// Whether no loop is within it.
    pub is_innermost: bool,
}

/// The loops, outer ones first; and blocks at which cycles are entered that have more entries than one.
pub(super) fn find(blocks: &[Block], order: &ReversePostorder, dominators: &[usize]) -> (Vec<Loop>, Vec<usize>) {
    let mut latches: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut tangled = BTreeSet::new();
    for from in &order.blocks {
        for to in blocks[*from].successors.iter().filter(|to| order.place[**to] <= order.place[*from]) {
            if dominates(*to, *from, dominators, order) {
                latches.entry(*to).or_default().push(*from);
            } else if is_cycle(blocks, order, *to, *from) {
                tangled.insert(*to);
            }
        }
    }
    let mut loops: Vec<Loop> = latches.into_iter().map(|(head, latches)| body(blocks, order, head, latches)).collect();
    loops.order_by_key(|found| (std::cmp::Reverse(found.blocks.len()), found.head));
    nest(&mut loops);
    (loops, tangled.into_iter().collect())
}

/// The loop of a head: what reaches its latches without passing the head.
fn body(blocks: &[Block], order: &ReversePostorder, head: usize, latches: Vec<usize>) -> Loop {
    let mut inside = BTreeSet::from([head]);
    let mut open = latches.clone();
    while let Some(block) = open.pop() {
        if inside.insert(block) {
            // Padding and landing pads lead into loops too, and belong to none.
            open.extend(blocks[block].predecessors.iter().filter(|before| order.root[**before] == order.root[head]));
        }
    }
    Loop { head, blocks: inside.into_iter().collect(), latches, parent: None, depth: 1, is_innermost: true }
}

/// Fills in parents; the loops are sorted by size, the largest first.
fn nest(loops: &mut [Loop]) {
    for index in 0..loops.len() {
        let head = loops[index].head;
        let parent = (0..index).rev().find(|outer| loops[*outer].blocks.binary_search(&head).is_ok());
        if let Some(parent) = parent {
            loops[parent].is_innermost = false;
            loops[index].parent = Some(parent);
            loops[index].depth = loops[parent].depth + 1;
        }
    }
}

/// Blocks that are searched for a cycle.
const SEARCHED_MAX: usize = 10_000;

/// Whether `to` leads to `from` again: the way back between them closes a cycle, and does not merely join an earlier root's blocks.
fn is_cycle(blocks: &[Block], order: &ReversePostorder, to: usize, from: usize) -> bool {
    let mut seen = BTreeSet::from([to]);
    let mut open = vec![to];
    while let Some(block) = open.pop() {
        if block == from {
            return true;
        }
        if seen.len() > SEARCHED_MAX {
            return false;
        }
        let ahead = blocks[block].successors.iter().filter(|next| order.place[**next] <= order.place[from]);
        open.extend(ahead.copied().filter(|next| seen.insert(*next)));
    }
    false
}
