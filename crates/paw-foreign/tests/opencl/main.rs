//! OpenCL for real, on PoCL: the host's processor as a device. Every test runs in a process of its own, because the
//! loader and PoCL look at their environment once.

mod copies;
mod discovery;
mod gates;
mod opened;
mod pairs;
mod products;
mod programs;
mod rusticl;
