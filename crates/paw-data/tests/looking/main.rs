//! What is computed from records when they are looked at, on records made by hand.

mod comparison;
mod pairing;
mod records;
mod share;
mod summary;
mod trust;
