//! Plots of a run as SVG whose colours come from the style sheet around them.

pub mod curve;
mod frame;
mod label;
pub mod ratio;
pub mod roofline;
pub mod strip;
