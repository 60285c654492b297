//! What is computed from records when they are looked at, on records made by hand.

mod application;
mod comparison;
mod pairing;
mod records;
mod scaling;
mod share;
mod summary;
mod trust;
