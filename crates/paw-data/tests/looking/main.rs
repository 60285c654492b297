//! What is computed from records when they are looked at, on records made by hand.

mod application;
mod comparison;
mod implementations;
#[path = "../../../paw-report/examples/sample_report/kernels.rs"]
mod kernels;
mod matrix;
mod offload;
mod pairing;
mod ranking;
mod records;
mod scaling;
mod sensitivity;
mod share;
mod summary;
mod trust;
mod yardstick;
