//! Small messages between all ranks, outside every timed region.
//!
//! Knows no library that carries them: MPI in production, threads in the tests.

use std::rc::Rc;

use crate::fault::Fault;

/// How the values of all ranks are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduce {
    /// The largest.
    Max,
    /// The smallest.
    Min,
    /// The sum.
    Sum,
}

/// Small messages by which ranks agree. Every rank makes the same calls in the same order; a call costs O(log P) messages of a few numbers.
///
/// A peer that is gone is a fault, never an endless wait; after a fault the channel may be unusable.
pub trait Channel {
    /// Number of this rank, from 0; 0 is the root.
    fn rank(&self) -> usize;

    /// How many ranks there are.
    fn size(&self) -> usize;

    /// The root's values, on every rank.
    fn broadcast(&self, values: &mut [f64]) -> Result<(), Fault>;

    /// Combines values element by element. Every rank gets the same bits; infinities travel, and NaN travels in sums.
    fn reduce(&self, values: &mut [f64], how: Reduce) -> Result<(), Fault>;

    /// Sends values to one rank, which must receive the same number.
    fn send(&self, to: usize, values: &[f64]) -> Result<(), Fault>;

    /// Receives what one rank sent.
    fn receive(&self, from: usize, values: &mut [f64]) -> Result<(), Fault>;

    /// Waits until every rank has called it.
    fn barrier(&self) -> Result<(), Fault>;

    /// The bytes of rank `from`, on every rank; all ranks pass slices of one length.
    fn broadcast_bytes(&self, bytes: &mut [u8], from: usize) -> Result<(), Fault>;

    /// The message of rank `from`, however long, on every rank.
    fn share(&self, message: Vec<u8>, from: usize) -> Result<Vec<u8>, Fault> {
        let mut bytes = if self.rank() == from { message } else { Vec::new() };
        let mut length = [bytes.len() as f64];
        self.reduce(&mut length, Reduce::Max)?;
        bytes.resize(length[0] as usize, 0);
        self.broadcast_bytes(&mut bytes, from)?;
        Ok(bytes)
    }
}

/// A shared channel: the team and the workloads that start in step use the same one.
impl<C: Channel + ?Sized> Channel for Rc<C> {
    fn rank(&self) -> usize {
        (**self).rank()
    }

    fn size(&self) -> usize {
        (**self).size()
    }

    fn broadcast(&self, values: &mut [f64]) -> Result<(), Fault> {
        (**self).broadcast(values)
    }

    fn reduce(&self, values: &mut [f64], how: Reduce) -> Result<(), Fault> {
        (**self).reduce(values, how)
    }

    fn send(&self, to: usize, values: &[f64]) -> Result<(), Fault> {
        (**self).send(to, values)
    }

    fn receive(&self, from: usize, values: &mut [f64]) -> Result<(), Fault> {
        (**self).receive(from, values)
    }

    fn barrier(&self) -> Result<(), Fault> {
        (**self).barrier()
    }

    fn broadcast_bytes(&self, bytes: &mut [u8], from: usize) -> Result<(), Fault> {
        (**self).broadcast_bytes(bytes, from)
    }

    fn share(&self, message: Vec<u8>, from: usize) -> Result<Vec<u8>, Fault> {
        (**self).share(message, from)
    }
}
