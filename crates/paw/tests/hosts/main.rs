//! Ranks on several hosts, which are namespaces of this machine: real MPI libraries over links of known delay and rate, and what breaks
//! there.

mod broken;
mod cluster;
mod refused;
mod told;
