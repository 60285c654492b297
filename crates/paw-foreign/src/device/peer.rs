//! Copies between two devices, and the links that they go over: plain data.

use super::facts::PcieLink;
use super::span::Span;

/// What the device that queues a copy does with the peer's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PeerAccess {
    /// It reads it.
    Read,
    /// It writes it.
    Write,
}

/// Who moves the bytes of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mover {
    /// A copy engine of the device.
    Engine,
    /// A kernel on the device.
    Kernel,
}

/// A copy between the memory of the device that queues it and a peer's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeerCopy {
    /// The memory of the device that queues it.
    pub own: Span,
    /// Number of the peer.
    pub peer_index: u32,
    /// The memory of the peer.
    pub theirs: Span,
    /// How many bytes.
    pub bytes: usize,
    /// Whether the peer's memory is read or written.
    pub access: PeerAccess,
    /// Who moves them.
    pub mover: Mover,
}

/// A kind of link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LinkKind {
    /// PCI Express.
    Pcie,
    /// NVIDIA's NVLink.
    NvLink,
    /// NVIDIA's NVLink-C2C, between the processor and the device of one module (Grace Hopper).
    C2c,
}

/// What a link carries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkLimit {
    /// Its kind.
    pub kind: LinkKind,
    /// Bytes a second in one direction, at most.
    pub bytes_s: f64,
}

impl LinkLimit {
    /// A PCIe link at its fastest; `None` where its generation is not known.
    pub fn pcie(link: PcieLink) -> Option<Self> {
        Some(Self { kind: LinkKind::Pcie, bytes_s: link.peak_bytes_s()? })
    }
}
