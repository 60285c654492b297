//! Devices of Level Zero, by a loader that is none.

#[path = "../gpu/child.rs"]
mod child;
mod contents;
mod copies;
mod discovery;
mod gates;
mod given;
mod pairs;
mod products;
mod programs;
mod vendor;
