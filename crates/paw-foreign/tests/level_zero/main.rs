//! Devices of Level Zero, by a loader that is none.

mod child;
mod copies;
mod discovery;
mod gates;
mod given;
mod pairs;
mod products;
mod programs;
