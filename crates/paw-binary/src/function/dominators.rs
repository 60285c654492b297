//! Dominators: which blocks every way to a block passes.
//!
//! The algorithm is that of Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001).

use super::blocks::Block;

/// Blocks in reverse postorder from the function's entry, and from blocks that no known way reaches (landing pads, targets of unknown jumps).
pub(super) struct ReversePostorder {
    /// The blocks, entry first.
    pub(super) blocks: Vec<usize>,
    /// Place of each block in that order.
    pub(super) place: Vec<usize>,
    /// The root from which each block is first reached.
    pub(super) root: Vec<usize>,
}

/// Orders the blocks.
pub(super) fn order(blocks: &[Block]) -> ReversePostorder {
    let mut root = vec![usize::MAX; blocks.len()];
    let mut place = vec![0; blocks.len()];
    let mut ordered = Vec::with_capacity(blocks.len());
    // Blocks without predecessors first, then what is left: unreachable cycles.
    let orphans = (1..blocks.len()).filter(|block| blocks[*block].predecessors.is_empty());
    for start in std::iter::once(0).chain(orphans).chain(1..blocks.len()) {
        if start >= blocks.len() || root[start] != usize::MAX {
            continue;
        }
        let mut finished = postorder(blocks, start, &mut root);
        finished.reverse();
        for block in finished {
            place[block] = ordered.len();
            ordered.push(block);
        }
    }
    ReversePostorder { blocks: ordered, place, root }
}

/// Unvisited blocks from `start` on, each after those that follow it.
fn postorder(blocks: &[Block], start: usize, root: &mut [usize]) -> Vec<usize> {
    let mut finished = Vec::new();
    let mut stack = vec![(start, 0)];
    root[start] = start;
    while let Some((block, next)) = stack.pop() {
        match blocks[block].successors.get(next) {
            Some(successor) => {
                stack.push((block, next + 1));
                if root[*successor] == usize::MAX {
                    root[*successor] = start;
                    stack.push((*successor, 0));
                }
            }
            None => finished.push(block),
        }
    }
    finished
}

/// The immediate dominator of each block; a root is its own. Ways from one root into blocks of an earlier one are left out, so that a
/// landing pad does not break the loop to which it returns.
pub(super) fn immediate(blocks: &[Block], order: &ReversePostorder) -> Vec<usize> {
    let mut dominator = vec![usize::MAX; blocks.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for block in &order.blocks {
            let root = order.root[*block];
            let mut found = if root == *block { *block } else { usize::MAX };
            if root != *block {
                let known = blocks[*block].predecessors.iter().filter(|p| order.root[**p] == root);
                for predecessor in known.filter(|p| dominator[**p] != usize::MAX) {
                    found =
                        if found == usize::MAX { *predecessor } else { common(*predecessor, found, &dominator, order) };
                }
            }
            if dominator[*block] != found {
                dominator[*block] = found;
                changed = true;
            }
        }
    }
    dominator
}

fn common(mut a: usize, mut b: usize, dominator: &[usize], order: &ReversePostorder) -> usize {
    while a != b {
        while order.place[a] > order.place[b] {
            a = dominator[a];
        }
        while order.place[b] > order.place[a] {
            b = dominator[b];
        }
    }
    a
}

/// Whether every way to `block` passes `by`.
pub(super) fn dominates(by: usize, mut block: usize, dominators: &[usize], order: &ReversePostorder) -> bool {
    while order.place[block] > order.place[by] && dominators[block] != block && dominators[block] != usize::MAX {
        block = dominators[block];
    }
    block == by
}
