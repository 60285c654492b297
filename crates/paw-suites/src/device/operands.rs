//! The operands of a product on a device, filled and read by the host in pieces.

use paw_foreign::device::{Device, DeviceError, DeviceMemory, GemmOperands, HostKind, HostMemory, Queue};

use crate::device::gemm_check::Problem;
use crate::device::operand::Operand;

/// Bytes of page-locked memory for filling operands and reading results; more is no faster.
const STAGING_BYTES: usize = 16 << 20;
/// All bits set: a NaN in every type of float.
const POISON: u8 = 0xff;

/// Two inputs and an output on a device, with copies on the host if they are transferred repeatedly.
pub(crate) struct Operands {
    device: Device,
    a: DeviceMemory,
    b: DeviceMemory,
    c: DeviceMemory,
    /// Contents of A and B.
    values: [Operand; 2],
    mirror: Option<[HostMemory; 3]>,
}

impl Operands {
    /// A, B and C of a matrix product; A and B are filled.
    pub(crate) fn of_product(device: &Device, queue: &Queue, problem: &Problem) -> Result<Self, DeviceError> {
        let (square, kind) = (problem.n * problem.n, problem.kind);
        let (input, output) = (square * kind.input().bytes(), square * kind.output().bytes());
        Self::new(device, queue, [input, input, output], [&problem.a, &problem.b])
    }

    /// Two inputs filled with `values`, and an output; `bytes` are their sizes.
    pub(crate) fn new(
        device: &Device,
        queue: &Queue,
        bytes: [usize; 3],
        values: [&Operand; 2],
    ) -> Result<Self, DeviceError> {
        let [a, b, c] = bytes.map(|bytes| device.memory(bytes));
        let operands =
            Self { device: device.clone(), a: a?, b: b?, c: c?, values: values.map(Operand::clone), mirror: None };
        operands.fill(queue)?;
        Ok(operands)
    }

    /// The operands' addresses on the device.
    #[inline]
    pub(crate) fn places(&self) -> GemmOperands {
        GemmOperands { a: self.a.at(0), b: self.b.at(0), c: self.c.at(0) }
    }

    fn fill(&self, queue: &Queue) -> Result<(), DeviceError> {
        let staging = self.staging()?;
        let mut piece = vec![0; staging.bytes()];
        for (memory, values) in [&self.a, &self.b].into_iter().zip(&self.values) {
            for (from, bytes) in pieces(memory.bytes(), staging.bytes()) {
                values.write(from / values.element_bytes(), &mut piece[..bytes]);
                staging.write(0, &piece[..bytes])?;
                queue.copy_in((memory, from), (&staging, 0), bytes)?;
                queue.sync()?;
            }
        }
        Ok(())
    }

    fn staging(&self) -> Result<HostMemory, DeviceError> {
        let largest = self.a.bytes().max(self.b.bytes()).max(self.c.bytes());
        self.device.host_memory(largest.min(STAGING_BYTES), HostKind::Pinned)
    }

    /// Keeps copies of all three on the host, from and to which they are transferred.
    pub(crate) fn mirror(&mut self, kind: HostKind) -> Result<(), DeviceError> {
        let host = |memory: &DeviceMemory| self.device.host_memory(memory.bytes(), kind);
        let mirror = [host(&self.a)?, host(&self.b)?, host(&self.c)?];
        for (memory, values) in mirror.iter().zip(&self.values) {
            let mut piece = vec![0; memory.bytes().min(STAGING_BYTES)];
            for (from, bytes) in pieces(memory.bytes(), STAGING_BYTES) {
                values.write(from / values.element_bytes(), &mut piece[..bytes]);
                memory.write(from, &piece[..bytes])?;
            }
        }
        self.mirror = Some(mirror);
        Ok(())
    }

    /// Queues the copies of A and B to the device; nothing if they are not mirrored.
    #[inline]
    pub(crate) fn copy_in(&self, queue: &Queue) -> Result<(), DeviceError> {
        let Some([a, b, _]) = &self.mirror else { return Ok(()) };
        queue.copy_in((&self.a, 0), (a, 0), a.bytes())?;
        queue.copy_in((&self.b, 0), (b, 0), b.bytes())
    }

    /// Queues the copy of C to the host; nothing if it is not mirrored.
    #[inline]
    pub(crate) fn copy_out(&self, queue: &Queue) -> Result<(), DeviceError> {
        let Some([_, _, c]) = &self.mirror else { return Ok(()) };
        queue.copy_out((c, 0), (&self.c, 0), c.bytes())
    }

    /// Sets C to NaN on device and host, so that an element that is not written shows; mirrored inputs are NaN on the device too.
    pub(crate) fn poison(&self, queue: &Queue) -> Result<(), DeviceError> {
        queue.fill(&self.c, POISON)?;
        queue.sync()?;
        let Some([_, _, c]) = &self.mirror else { return Ok(()) };
        queue.fill(&self.a, POISON)?;
        queue.fill(&self.b, POISON)?;
        queue.sync()?;
        let piece = vec![POISON; c.bytes().min(STAGING_BYTES)];
        pieces(c.bytes(), STAGING_BYTES).try_for_each(|(from, bytes)| c.write(from, &piece[..bytes]))
    }

    /// Passes all of C to `show`, from its mirror if it has one, in pieces of whole elements.
    pub(crate) fn read(&self, queue: &Queue, mut show: impl FnMut(&[u8])) -> Result<(), DeviceError> {
        let staging = self.staging()?;
        let mut piece = vec![0; staging.bytes()];
        for (from, bytes) in pieces(self.c.bytes(), staging.bytes()) {
            match &self.mirror {
                Some([_, _, c]) => c.read(from, &mut piece[..bytes])?,
                None => {
                    queue.copy_out((&staging, 0), (&self.c, from), bytes)?;
                    queue.sync()?;
                    staging.read(0, &mut piece[..bytes])?;
                }
            }
            show(&piece[..bytes]);
        }
        Ok(())
    }
}

/// Offsets and lengths of pieces of at most `most` bytes.
fn pieces(bytes: usize, most: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..bytes).step_by(most.max(1)).map(move |from| (from, most.min(bytes - from)))
}
