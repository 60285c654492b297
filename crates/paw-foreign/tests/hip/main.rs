//! The HIP back-end against a run time without a device, whose cost is known.

mod child;
mod copies;
mod discovery;
mod faults;
mod gates;
mod memories;
mod pairs;
mod products;
mod programs;
