//! A BLAS with 32-bit integers and a C interface, for tests: right, or wrong in a chosen way.
//!
//! What it does is chosen by a word in its file name (`libmock_blas-hang.so`) or by the variable MOCK_BLAS; see
//! [`Behaviour`]. It reads no more than BLAS's definition gives it and is as slow as three loops are.
#![deny(unsafe_code)]

mod behaviour;
mod product;
mod short;
mod symbols;

pub use behaviour::Behaviour;
