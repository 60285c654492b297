//! An application to measure: kinematic reconstruction of top-quark pairs that decay to two leptons.
//!
//! Energies, momenta and masses are in GeV, with c = 1.
#![deny(unsafe_code)]

pub mod closure;
pub mod combination;
pub mod conic;
pub mod device;
pub mod elementary;
pub mod event;
pub mod fit;
pub mod neutrino;
pub mod quartic;
pub mod rng;
pub mod schedule;
pub mod smear;
pub mod vector;
pub mod weight;
