//! The kernel workbench: a function built many ways, sized, called, checked and timed. This crate prints nothing and parses no flag of paw.
#![deny(unsafe_code)]

pub mod element;
pub mod order;
pub mod spec;
