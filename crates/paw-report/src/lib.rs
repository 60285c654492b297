//! Looking at runs and machines: terminal text, Markdown, comparisons, plots and a report in one file.
//!
//! This crate never measures, never reads a clock, never looks at the host and never prints:
//! every function takes data and returns text.
#![forbid(unsafe_code)]

mod align;
mod alternatives;
mod analysis;
mod application;
mod assessment;
mod axis;
mod benchmark;
mod caveat;
mod cluster;
mod code;
mod colour;
mod counters;
mod device_sample;
mod explanation;
mod family;
mod finding;
mod grade;
mod guideline;
mod hardware;
mod headline;
pub mod history;
mod html;
mod kernel;
mod latency;
mod layout;
mod machine;
mod markdown;
mod method;
mod model;
mod number;
mod offload;
mod open_mpi_rules;
mod page;
mod pairs;
mod participants;
mod plot;
mod profile;
mod reading;
mod reason;
mod roofline;
mod secondary;
mod section;
mod series;
pub mod side_by_side;
mod step;
mod summary_table;
mod svg;
mod text;
mod tuning;
mod under_roofs;
mod wrap;

pub use cluster::{ClusterPage, FigureWords, NodeWords};
pub use colour::{BAD, Colour, DOUBT, FAINT};
pub use hardware::{hardware_boxes, hardware_markdown, hardware_svg, hardware_text};
pub use html::html;
pub use markdown::{code_markdown, markdown};
pub use open_mpi_rules::{OpenMpiRules, is_of_rules, open_mpi_rules};
pub use summary_table::{SummaryFormat, summary};
pub use text::brief::brief;
pub use text::compare::compare;
pub use text::{code_text, text};
pub use tuning::{TuningRow, tuning};
