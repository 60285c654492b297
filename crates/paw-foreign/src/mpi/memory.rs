//! Memory that MPI reads and writes, and parts of it as arguments of calls.
#![allow(unsafe_code)]

use std::alloc::{self, Layout};
use std::ffi::c_void;
use std::fmt;
use std::ptr::{self, NonNull};
use std::rc::Rc;

use super::abi::Datatype;
use super::device_memory::{DeviceBuffer, Residence};
use super::error::{MpiError, MpiFault};
use crate::device::{Device, DeviceResult, HostMemory};

/// All messages begin on a page, so that alignment is the same for all.
const ALIGNMENT_BYTES: usize = 4096;

/// Memory of fixed size that calls read and write.
///
/// Bytes are copied in and out, never borrowed: a transfer in flight, or another process, may change them at any time. The content
/// of a part is unspecified while a transfer is pending.
#[derive(Debug)]
pub struct Memory {
    base: NonNull<u8>,
    size_bytes: usize,
    owner: Owner,
}

/// Who frees a memory, and how the processor reaches it.
enum Owner {
    /// This, by the allocator.
    Us,
    /// The library: memory of a window, which outlives this or is never freed.
    Window,
    /// A device: the processor reaches it by copies.
    Device(Box<DeviceBuffer>),
    /// A device's driver, which moves it to who uses it, and frees it with this.
    Managed { _freed: Box<HostMemory> },
}

impl fmt::Debug for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Owner::Us => "Us",
            Owner::Window => "Window",
            Owner::Device(_) => "Device",
            Owner::Managed { .. } => "Managed",
        })
    }
}

/// A part of a memory: what a call sends, or where it receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    offset_bytes: usize,
    count: i32,
    kind: Datatype,
}

impl Part {
    /// `count` elements of `kind` from `offset_bytes` on; a negative count is none.
    pub const fn new(offset_bytes: usize, count: i32, kind: Datatype) -> Self {
        Self { offset_bytes, count: if count < 0 { 0 } else { count }, kind }
    }

    /// Where it begins.
    #[inline]
    pub const fn offset_bytes(self) -> usize {
        self.offset_bytes
    }

    /// How many elements it has, as MPI counts.
    #[inline]
    pub const fn count(self) -> i32 {
        self.count
    }

    /// How many elements it has.
    #[inline]
    pub const fn len(self) -> usize {
        self.count as usize
    }

    /// Whether it has no element.
    pub const fn is_empty(self) -> bool {
        self.count == 0
    }

    /// The datatype of its elements.
    #[inline]
    pub const fn kind(self) -> Datatype {
        self.kind
    }

    /// Its size; a count of 31 bits cannot overflow with eight bytes an element.
    #[inline]
    pub const fn bytes(self) -> usize {
        self.count as usize * self.kind.bytes()
    }

    /// The elements of `other` at the offset of this.
    #[inline]
    pub(super) const fn like(self, other: Part) -> Part {
        Part { offset_bytes: self.offset_bytes, ..other }
    }

    /// No element, at the same offset: an acknowledgement.
    pub const fn empty(self) -> Part {
        Part { count: 0, ..self }
    }
}

impl Memory {
    /// Zeroed memory that begins on a page; every page has been touched.
    pub fn new(size_bytes: usize) -> Result<Memory, MpiError> {
        let refused = || MpiError::from(MpiFault::NoMemory { size_bytes });
        let layout = Self::layout(size_bytes).ok_or_else(refused)?;
        // SAFETY: the layout has at least one byte.
        let base = unsafe { alloc::alloc(layout) };
        let base = NonNull::new(base).ok_or_else(refused)?;
        // SAFETY: the allocation has that many bytes, and nobody else knows it. Zeros are written, not asked for, so that
        // every page is there before anything is measured.
        unsafe { ptr::write_bytes(base.as_ptr(), 0, layout.size()) };
        Ok(Self { base, size_bytes, owner: Owner::Us })
    }

    /// The memory of a window that the library allocated, set to zeros.
    ///
    /// # Safety
    /// `base` must be the start of that many bytes, which stay until this is dropped.
    pub(crate) unsafe fn of_window(base: *mut u8, size_bytes: usize) -> Rc<Memory> {
        let base = NonNull::new(base).unwrap_or(NonNull::dangling());
        // SAFETY: the caller vouches for the bytes; where there are none, any address will do.
        unsafe { ptr::write_bytes(base.as_ptr(), 0, size_bytes) };
        Rc::new(Self { base, size_bytes, owner: Owner::Window })
    }

    /// Zeroed memory of `device` that begins where the device's allocations do.
    pub fn on_device(device: &Device, size_bytes: usize, residence: Residence) -> DeviceResult<Memory> {
        let bytes = size_bytes.max(1);
        let (at, owner) = match residence {
            Residence::Device => {
                let buffer = DeviceBuffer::new(device, bytes)?;
                (buffer.address()?, Owner::Device(Box::new(buffer)))
            }
            Residence::Managed => {
                let managed = device.managed_memory(bytes)?;
                (managed.address()?, Owner::Managed { _freed: Box::new(managed) })
            }
        };
        let base = NonNull::new(ptr::with_exposed_provenance_mut::<u8>(at)).unwrap_or(NonNull::dangling());
        Ok(Self { base, size_bytes, owner })
    }

    /// Its size.
    #[inline]
    pub fn size_bytes(&self) -> usize {
        self.size_bytes
    }

    /// Copies `bytes` in at `offset_bytes`. Panics where they do not lie in this memory, as a slice would.
    pub fn write(&self, offset_bytes: usize, bytes: &[u8]) {
        let target = self.stretch(offset_bytes, bytes.len());
        if let Owner::Device(buffer) = &self.owner {
            // What does not arrive there shows in the answer's check.
            let _ = buffer.write(offset_bytes, bytes);
            return;
        }
        // SAFETY: the stretch lies in this memory, and the caller's slice cannot overlap it, as it is never borrowed.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), target, bytes.len()) };
    }

    /// Copies the bytes from `offset_bytes` on into `bytes`. Panics where they do not lie in this memory.
    pub fn read_into(&self, offset_bytes: usize, bytes: &mut [u8]) {
        let source = self.stretch(offset_bytes, bytes.len());
        if let Owner::Device(buffer) = &self.owner {
            if buffer.read(offset_bytes, bytes).is_err() {
                // No content of a message: a device that does not answer fails the answer's check.
                bytes.fill(0xff);
            }
            return;
        }
        // SAFETY: the stretch lies in this memory, and the caller's slice cannot overlap it, as it is never borrowed.
        unsafe { ptr::copy_nonoverlapping(source, bytes.as_mut_ptr(), bytes.len()) };
    }

    /// Sets every byte of `part` to `byte`. Panics where it does not lie in this memory.
    pub fn fill(&self, part: Part, byte: u8) {
        if matches!(self.owner, Owner::Device(_)) {
            self.write(part.offset_bytes, &vec![byte; part.bytes()]);
            return;
        }
        let target = self.stretch(part.offset_bytes, part.bytes());
        // SAFETY: the part lies in this memory.
        unsafe { ptr::write_bytes(target, byte, part.bytes()) };
    }

    /// A copy of the bytes of `part`. Panics where it does not lie in this memory.
    pub fn read(&self, part: Part) -> Vec<u8> {
        self.stretch(part.offset_bytes, part.bytes());
        let mut bytes = vec![0; part.bytes()];
        self.read_into(part.offset_bytes, &mut bytes);
        bytes
    }

    /// Writes doubles at `offset_bytes`. Panics where they do not lie in this memory.
    pub fn write_doubles(&self, offset_bytes: usize, values: &[f64]) {
        self.write(offset_bytes, words(values.iter().map(|value| value.to_ne_bytes())).as_flattened());
    }

    /// The doubles of `part`, whatever its kind says. Panics where it does not lie in this memory.
    pub fn read_doubles(&self, part: Part) -> Vec<f64> {
        self.read(part).as_chunks().0.iter().map(|word| f64::from_ne_bytes(*word)).collect()
    }

    /// Writes 64-bit integers at `offset_bytes`. Panics where they do not lie in this memory.
    pub fn write_integers(&self, offset_bytes: usize, values: &[i64]) {
        self.write(offset_bytes, words(values.iter().map(|value| value.to_ne_bytes())).as_flattened());
    }

    /// The 64-bit integers of `part`, whatever its kind says. Panics where it does not lie in this memory.
    pub fn read_integers(&self, part: Part) -> Vec<i64> {
        self.read(part).as_chunks().0.iter().map(|word| i64::from_ne_bytes(*word)).collect()
    }

    /// Whether it is memory of a device.
    #[inline]
    pub(crate) fn is_on_device(&self) -> bool {
        matches!(self.owner, Owner::Device(_))
    }

    /// Where `part` begins, if it lies in this memory.
    #[inline]
    pub(crate) fn address(&self, part: Part) -> Result<*mut c_void, MpiError> {
        if part.offset_bytes.saturating_add(part.bytes()) > self.size_bytes {
            return Err(outside(part, self.size_bytes));
        }
        // SAFETY: the offset is at most the size, so the address is in the allocation or one past its end.
        Ok(unsafe { self.base.as_ptr().add(part.offset_bytes) }.cast())
    }

    fn stretch(&self, offset_bytes: usize, size_bytes: usize) -> *mut u8 {
        let end = offset_bytes.saturating_add(size_bytes);
        assert!(end <= self.size_bytes, "bytes {offset_bytes}..{end} lie in a memory of {} bytes", self.size_bytes);
        // SAFETY: the offset is at most the size, so the address is in the allocation or one past its end.
        unsafe { self.base.as_ptr().add(offset_bytes) }
    }

    fn layout(size_bytes: usize) -> Option<Layout> {
        Layout::from_size_align(size_bytes.max(1), ALIGNMENT_BYTES).ok()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let (Owner::Us, Some(layout)) = (&self.owner, Self::layout(self.size_bytes)) {
            // SAFETY: `new` allocated it with this layout.
            unsafe { alloc::dealloc(self.base.as_ptr(), layout) };
        }
    }
}

fn words(words: impl Iterator<Item = [u8; 8]>) -> Vec<[u8; 8]> {
    words.collect()
}

#[cold]
pub(crate) fn outside(part: Part, size_bytes: usize) -> MpiError {
    let Part { offset_bytes, count, kind } = part;
    MpiFault::Outside { offset_bytes, count, kind, size_bytes }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_go_in_and_out_and_no_further() {
        let memory = Memory::new(20).expect("there is memory");
        memory.write_integers(4, &[7, -1]);
        assert_eq!(memory.read_integers(Part::new(4, 2, Datatype::Int64)), [7, -1]);
        memory.fill(Part::new(12, 1, Datatype::Double), 0);
        assert_eq!(memory.read(Part::new(0, 20, Datatype::Byte)), [&[0; 4][..], &[7], &[0; 15]].concat());
        assert!(memory.address(Part::new(20, 0, Datatype::Double)).is_ok());
        assert!(memory.address(Part::new(13, 1, Datatype::Double)).is_err());
        assert!(memory.address(Part::new(usize::MAX, 1, Datatype::Byte)).is_err());
        assert!(std::panic::catch_unwind(|| Memory::new(1).map(|one| one.write(1, &[0]))).is_err());
    }

    #[test]
    fn the_memory_of_a_window_is_left_to_the_library() {
        let mut pages = [1_u8; 16];
        // SAFETY: `pages` has 8 bytes more than that, and outlives the memory.
        let memory = unsafe { Memory::of_window(pages.as_mut_ptr(), 8) };
        memory.write(7, &[3]);
        drop(memory);
        assert_eq!(pages, [0, 0, 0, 0, 0, 0, 0, 3, 1, 1, 1, 1, 1, 1, 1, 1]);
    }
}
