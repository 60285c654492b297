//! Ranks under real MPI libraries and under the mock: every benchmark is right, and what goes wrong is said once.

mod cost;
mod dying;
mod every;
mod job;
mod mock;
mod refusals;
mod silence;
mod threads;
