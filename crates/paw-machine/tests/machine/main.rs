//! The readers of a machine, on synthetic machines.

mod affinity;
mod caveats;
mod cpuset;
mod doctor;
mod environment;
mod hardware;
mod hwloc;
mod hybrid;
mod identity;
mod idle;
mod limits;
mod paper;
mod round_trip;
mod state;
mod synthetic;
mod threads;
mod traps;
mod unsaid;
