//! Devices: accelerators behind one table of calls, by CUDA or OpenCL found and opened at run time.
//!
//! [`Driver`] is what a back-end does, in calls on plain numbers; [`Device`] and what it makes are how everybody else
//! uses it: sizes are held against what was allocated, and what is made is given back. Nothing here reads a clock of the host:
//! the only times are those that a device itself took between two marks.

mod cuda;
mod discovery;
mod driver;
mod error;
mod facts;
mod gemm;
mod handles;
mod host;
mod opencl;
mod program;
mod span;
mod table;

pub use discovery::{discover, environment, open};
pub use driver::Driver;
pub use error::{DeviceError, DeviceResult};
pub use facts::{Backend, Capabilities, DeviceFacts, DeviceKind, DeviceState, FoundDevices, HostKind, PcieLink};
pub use gemm::{Element, GemmKind, GemmOperands};
pub use handles::{Device, DeviceMemory, Gate, GemmPlan, HostMemory, Kernel, Mark, Program, Queue};
pub use program::{Argument, Builtin, Grid, KernelFacts, Source};
pub use span::{ObjectHandle, Span};
