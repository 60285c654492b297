//! `paw kernel` as a user meets it: what it says, what it leaves behind and what it exits with, with the compilers that are here.

mod advising;
mod answers;
mod breaking;
mod counters;
mod device;
mod explaining;
mod leaving;
mod place;
mod roofline;
mod side_by_side;
mod sizes;
mod stopping;
mod tables;
