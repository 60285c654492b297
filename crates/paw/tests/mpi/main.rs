//! Ranks under real MPI libraries: every benchmark is right, and what goes wrong is said once.

mod dying;
mod every;
mod job;
mod refusals;
