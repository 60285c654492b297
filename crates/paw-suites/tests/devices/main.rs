//! Benchmarks of devices, for real, on PoCL: the host's processor as one OpenCL device, and as two. Every test runs in a process of its
//! own, because the loader and PoCL look at their environment once.

mod catalogue;
mod child;
mod products;
mod right;
mod skipped;
