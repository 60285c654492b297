//! Looking at runs: terminal text, Markdown, comparisons, plots and a report in one file.
//!
//! This crate never measures, never reads a clock, never looks at the host and never prints:
//! every function takes runs and returns text.
#![forbid(unsafe_code)]

pub mod colour;
pub mod compare;
pub mod html;
pub mod markdown;
pub mod text;

pub use colour::Colour;
pub use compare::compare;
pub use html::html;
pub use markdown::markdown;
pub use text::text;
