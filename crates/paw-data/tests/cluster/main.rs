//! Nodes of a cluster against their like, on figures that are known.

mod constructed;
mod false_alarms;
mod standing;
