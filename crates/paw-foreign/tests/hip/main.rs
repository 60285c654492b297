//! The HIP back-end against a run time without a device, whose cost is known.

#[path = "../gpu/child.rs"]
mod child;
#[path = "../gpu/collectives.rs"]
mod collectives;
#[path = "../gpu/copies.rs"]
mod copies;
#[path = "../gpu/faults.rs"]
mod faults;
#[path = "../gpu/gates.rs"]
mod gates;
#[path = "../gpu/memories.rs"]
mod memories;
#[path = "../gpu/pairs.rs"]
mod pairs;
#[path = "../gpu/products.rs"]
mod products;
#[path = "../gpu/programs.rs"]
mod programs;

mod compiling;
mod discovery;
mod multiplying;
mod starting;
mod vendor;
