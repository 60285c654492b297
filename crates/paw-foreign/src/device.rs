//! Accelerators behind one table of calls: devices of CUDA, OpenCL and Level Zero, found and opened at run time.
//!
//! A back-end implements [`Driver`], calls on plain numbers. Everybody else uses [`Device`] and the objects it makes, which check
//! sizes against allocations and release what they own. Nothing here reads a clock of the host: times are those that a device took
//! between two marks.

mod cuda;
mod discovery;
mod driver;
mod error;
mod facts;
mod gemm;
mod gpu;
mod handles;
mod hip;
mod host;
mod host_memory;
mod level_zero;
mod managed;
mod memory;
mod opencl;
pub(crate) mod opened;
mod peer;
mod program;
mod span;
mod table;

pub(crate) use cuda::null;
pub(crate) use discovery::collectives;
pub use discovery::{discover, environment, open};
pub use driver::Driver;
pub use error::{DeviceError, DeviceResult};
pub use facts::{Backend, Capabilities, DeviceFacts, DeviceKind, DeviceState, FoundDevices, HostKind, PcieLink};
pub use gemm::{Element, GemmKind, GemmMath, GemmOperands};
pub use handles::{Device, Gate, GemmPlan, Kernel, Mark, Program, Queue};
pub use host_memory::HostMemory;
pub use managed::Side;
pub use memory::DeviceMemory;
pub use peer::{LinkKind, LinkLimit, Mover, PeerAccess, PeerCopy};
pub use program::{Argument, Builtin, FmaKind, Grid, KernelFacts, Source};
pub use span::{ObjectHandle, Span};
