//! Ranks under real MPI libraries and under the mock: every benchmark is right, and what goes wrong is said once.

mod alone;
mod asked;
mod cluster;
mod cost;
mod delay;
mod devices;
mod dying;
mod every;
mod fault;
mod files;
mod guide;
mod job;
mod layouts;
mod libraries;
mod mock;
mod moments;
mod parts;
mod payloads;
mod processes;
mod refusals;
mod scale;
mod scope;
mod silence;
mod slurm;
mod threads;
mod windows;
