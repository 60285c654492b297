//! The channel over MPI by which ranks agree, outside timed regions, in the same order on every rank, with a tag of its own.

use std::rc::Rc;

use paw_foreign::mpi::{Comm, Datatype, Memory, Op, Part};
use paw_measure::channel::{Channel, Reduce};
use paw_measure::fault::Fault;

use super::error::broken;

/// The rank that broadcasts and adds.
const ROOT: usize = 0;
/// Tag of the channel's messages; measured messages have others.
const TAG: i32 = 7;
/// Numbers sent at once; longer messages go in pieces.
const PIECE: usize = 512;

/// A channel over MPI.
#[derive(Debug, Clone)]
pub struct Control {
    comm: Comm,
    memory: Rc<Memory>,
}

impl Control {
    /// A channel over `comm`.
    pub fn new(comm: Comm) -> Result<Self, Fault> {
        let memory = Memory::new(2 * PIECE * size_of::<f64>()).map_err(broken)?;
        Ok(Self { comm, memory: Rc::new(memory) })
    }

    /// The first `count` numbers of the scratch memory.
    fn part(count: usize) -> Part {
        Part::new(0, count as i32, Datatype::Double)
    }

    /// Passes each piece of `values` through the scratch memory and `call`, and takes the result back.
    fn through(
        &self,
        values: &mut [f64],
        mut call: impl FnMut(Part, Part) -> Result<Part, Fault>,
    ) -> Result<(), Fault> {
        for piece in values.chunks_mut(PIECE) {
            let part = Self::part(piece.len());
            let second = Part::new(PIECE * size_of::<f64>(), part.count(), Datatype::Double);
            self.memory.write_doubles(0, piece);
            let result = call(part, second)?;
            piece.copy_from_slice(&self.memory.read_doubles(result));
        }
        Ok(())
    }
}

impl Channel for Control {
    fn rank(&self) -> usize {
        self.comm.rank()
    }

    fn size(&self) -> usize {
        self.comm.size()
    }

    fn broadcast(&self, values: &mut [f64]) -> Result<(), Fault> {
        self.through(values, |part, _| self.comm.bcast(&self.memory, part, ROOT).map(|()| part).map_err(broken))
    }

    fn broadcast_bytes(&self, bytes: &mut [u8], from: usize) -> Result<(), Fault> {
        for piece in bytes.chunks_mut(self.memory.size_bytes()) {
            self.memory.write(0, piece);
            let part = Part::new(0, piece.len() as i32, Datatype::Byte);
            self.comm.bcast(&self.memory, part, from).map_err(broken)?;
            self.memory.read_into(0, piece);
        }
        Ok(())
    }

    fn reduce(&self, values: &mut [f64], how: Reduce) -> Result<(), Fault> {
        self.through(values, |from, into| {
            let (comm, memory) = (&self.comm, &self.memory);
            let reduced = match how {
                Reduce::Max => comm.allreduce(memory, from, into, Op::Max),
                Reduce::Min => comm.allreduce(memory, from, into, Op::Min),
                // MPI only recommends that all ranks get the same bits (MPI 4.1, 6.9.1), and sums depend on their order: one rank adds.
                Reduce::Sum => {
                    let added = comm.reduce(memory, from, into, Op::Sum, ROOT);
                    added.and_then(|()| comm.bcast(memory, into, ROOT))
                }
            };
            reduced.map(|()| into).map_err(broken)
        })
    }

    fn send(&self, to: usize, values: &[f64]) -> Result<(), Fault> {
        for piece in values.chunks(PIECE) {
            self.memory.write_doubles(0, piece);
            self.comm.send(&self.memory, Self::part(piece.len()), to, TAG).map_err(broken)?;
        }
        Ok(())
    }

    fn receive(&self, from: usize, values: &mut [f64]) -> Result<(), Fault> {
        for piece in values.chunks_mut(PIECE) {
            let part = Self::part(piece.len());
            self.comm.recv(&self.memory, part, from, TAG).map_err(broken)?;
            piece.copy_from_slice(&self.memory.read_doubles(part));
        }
        Ok(())
    }

    fn barrier(&self) -> Result<(), Fault> {
        self.comm.barrier().map_err(broken)
    }
}
