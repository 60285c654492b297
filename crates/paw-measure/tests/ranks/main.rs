//! Ranks that measure together, as threads in scripted time: every result here is exact, and none depends on the machine.

mod bench;
mod combine;
mod decide;
mod early_end;
mod global_clock;
mod in_step;
mod measuring;
mod scale;
mod threads;
mod watchdog;
