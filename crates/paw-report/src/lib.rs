//! Looking at runs: terminal text, Markdown, comparisons, plots and a report in one file.
//!
//! This crate never measures, never reads a clock, never looks at the host and never prints:
//! every function takes runs and returns text.
#![forbid(unsafe_code)]

mod absence;
mod align;
mod alternatives;
mod application;
mod assessment;
mod axis;
mod bar;
mod caveat;
pub mod colour;
pub mod compare;
mod exchange;
mod family;
pub mod html;
mod kernel;
mod latency;
mod layout;
mod machine;
pub mod markdown;
mod method;
pub mod number;
mod offload;
mod pairs;
mod participants;
mod plot;
mod producer;
mod reading;
mod reason;
mod secondary;
mod section;
mod series;
mod sheet;
mod step;
mod svg;
mod table;
pub mod text;
mod text_section;
mod wrap;

pub use colour::Colour;
pub use compare::compare;
pub use html::html;
pub use markdown::markdown;
pub use text::text;
