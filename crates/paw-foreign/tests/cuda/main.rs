//! The CUDA back-end against a driver without a device, whose cost is known.

mod child;
mod copies;
mod discovery;
mod faults;
mod gates;
mod memories;
mod pairs;
mod products;
mod programs;
