//! Measuring in scripted time: every result here is exact, and none depends on the machine.

mod bench;
mod builds;
mod calibration;
mod campaign;
mod caveats;
mod diary;
mod drift;
mod ending;
mod faults;
mod group;
mod invocations;
mod ladder;
mod methods;
mod ranked;
mod team;
mod termination;
mod versus;
