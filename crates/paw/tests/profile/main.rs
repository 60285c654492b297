//! `paw profile` as a user meets it: programs of known habits, and what is said of what cannot be known.

mod kernels;
mod programs;
mod signals;
mod sources;
