//! Baselines: their file, what runs say about them, and the bounds that runs give.

mod constructed;
mod file;
mod judging;
mod metric;
mod setting;
mod simulation;
