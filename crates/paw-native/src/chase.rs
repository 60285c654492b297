//! A pointer chase: the address of each load is the result of the load before it.
#![allow(unsafe_code)]

use crate::buffer::{Aligned, OutOfMemory, Pages};

/// Bytes of a cache line on x86-64 and most AArch64 cores.
pub const LINE_BYTES: usize = 64;

/// One random cycle through all nodes of a working set. A node is the first word of a stride; it holds the address of
/// the next, as in lmbench's `lat_mem_rd` (McVoy and Staelin, USENIX 1996), but in random order, so that no prefetcher
/// knows it.
#[derive(Debug)]
pub struct Chase {
    links: Aligned<usize>,
    stride: usize,
    nodes: usize,
}

impl Chase {
    /// A cycle through a working set of `bytes`, one node every `stride_bytes` (a multiple of 8; usually
    /// [`LINE_BYTES`]), in an order that `seed` decides. There is at least one node.
    ///
    /// # Errors
    /// Where the system refuses the memory.
    ///
    /// # Panics
    /// Where the stride is zero or no multiple of 8.
    pub fn try_new(bytes: usize, stride_bytes: usize, seed: u64, pages: Pages) -> Result<Chase, OutOfMemory> {
        assert_stride(stride_bytes);
        let nodes = (bytes / stride_bytes).max(1);
        let links = Aligned::<usize>::try_new(nodes * stride_bytes / size_of::<usize>(), pages)?;
        Ok(Chase::through(links, stride_bytes, seed))
    }

    /// A cycle through `links`, as [`Chase::try_new`] makes one, for memory that the caller has placed.
    ///
    /// # Panics
    /// Where the stride is zero or no multiple of 8, or `links` are shorter.
    pub fn through(mut links: Aligned<usize>, stride_bytes: usize, seed: u64) -> Chase {
        assert_stride(stride_bytes);
        let word = size_of::<usize>();
        let stride = stride_bytes / word;
        let nodes = links.len() / stride;
        assert!(nodes > 0, "{} bytes hold no stride of {stride_bytes} bytes", links.len() * word);
        close_cycle(&mut links, stride, nodes, seed);
        let base = links.as_ptr().expose_provenance();
        for node in 0..nodes {
            links[node * stride] = base + links[node * stride] * stride * word;
        }
        Chase { links, stride, nodes }
    }

    /// The memory that the cycle goes through.
    pub fn links(&self) -> &Aligned<usize> {
        &self.links
    }

    /// Nodes on the cycle.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Bytes from the first node's stride to the last one's end.
    pub fn bytes(&self) -> usize {
        self.links.len() * size_of::<usize>()
    }

    /// Follows the cycle from node `start` for `steps` loads, each of which waits for the one before, and returns the
    /// node reached.
    ///
    /// # Panics
    /// Where `start` is no node.
    pub fn walk(&self, start: usize, steps: u64) -> usize {
        assert!(start < self.nodes, "the walk starts at node {start} of {}", self.nodes);
        let base = self.links.as_ptr();
        let mut at: *const usize = &raw const self.links[start * self.stride];
        for _ in 0..steps / UNROLL {
            for _ in 0..UNROLL {
                at = self.next(at);
            }
        }
        for _ in 0..steps % UNROLL {
            at = self.next(at);
        }
        (at as usize - base as usize) / size_of::<usize>() / self.stride
    }

    /// The node that the node at `at` points to.
    #[inline(always)]
    fn next(&self, at: *const usize) -> *const usize {
        // SAFETY: `try_new` wrote the address of a node of this buffer into every node, nothing writes since, and the
        // walk starts at a node.
        let next = unsafe { at.read() };
        // The buffer's address was made an integer by `try_new`; this makes it a pointer again.
        std::ptr::with_exposed_provenance(next)
    }

    /// Points `node` at itself, for a test that spoils the cycle.
    ///
    /// # Panics
    /// Where `node` is no node.
    pub fn trap(&mut self, node: usize) {
        assert!(node < self.nodes, "node {node} of {}", self.nodes);
        let at = &raw const self.links[node * self.stride];
        self.links[node * self.stride] = at.expose_provenance();
    }

    /// Whether the cycle visits every node once and then returns to where it began.
    pub fn is_one_cycle(&self) -> bool {
        let mut at = 0;
        for step in 1..=self.nodes {
            at = self.walk(at, 1);
            if at == 0 {
                return step == self.nodes;
            }
        }
        false
    }
}

fn assert_stride(bytes: usize) {
    assert!(bytes > 0 && bytes.is_multiple_of(8), "a stride of {bytes} bytes holds no nodes");
}

/// Steps between two checks of the loop's counter.
const UNROLL: u64 = 16;

/// Writes the number of the next node into the first word of every node, along one random cycle: Sattolo's algorithm
/// (Information Processing Letters 22, 1986), every cycle equally likely.
fn close_cycle(links: &mut [usize], stride: usize, nodes: usize, seed: u64) {
    for node in 0..nodes {
        links[node * stride] = node;
    }
    let mut random = fastrand::Rng::with_seed(seed);
    for last in (1..nodes).rev() {
        links.swap(last * stride, random.usize(..last) * stride);
    }
}

#[cfg(test)]
mod tests {
    use super::{Chase, LINE_BYTES};
    use crate::buffer::Pages;

    fn chase(bytes: usize, seed: u64) -> Chase {
        Chase::try_new(bytes, LINE_BYTES, seed, Pages::Plain).unwrap()
    }

    #[test]
    fn the_cycle_visits_every_node_once() {
        for nodes in [1, 2, 3, 64, 1000] {
            let chase = chase(nodes * LINE_BYTES, 7);
            assert_eq!(chase.nodes(), nodes);
            assert!(chase.is_one_cycle());
        }
    }

    #[test]
    fn a_walk_of_many_steps_is_many_walks_of_one() {
        let chase = chase(100 * LINE_BYTES, 3);
        let single = (0..37).fold(5, |at, _| chase.walk(at, 1));
        assert_eq!(chase.walk(5, 37), single);
        assert_eq!(chase.walk(5, 37 + 100), single);
    }

    #[test]
    fn the_seed_decides_the_order() {
        let order = |seed| -> Vec<usize> { (0..64).map(|node| chase(4096, seed).walk(node, 1)).collect() };
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
    }

    #[test]
    fn a_cycle_with_a_hole_is_noticed() {
        let mut chase = chase(64 * LINE_BYTES, 1);
        chase.trap(0);
        assert!(!chase.is_one_cycle());
    }
}
