//! Benchmarks of devices: for real on PoCL, the host's processor as one OpenCL device and as two, and on a CUDA driver of known cost.
//! Every test runs in a process of its own, because loaders and drivers look at their environment once.

mod catalogue;
mod child;
mod corrupted;
mod cuda;
mod links;
mod mock;
mod peers;
mod products;
mod right;
mod skipped;
mod unwritten;
