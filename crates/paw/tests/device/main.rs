//! Devices as a user meets them: what paw says, what it leaves behind and what it exits with, by a CUDA driver of known cost and by the
//! OpenCL that is here.

mod cost;
mod faults;
mod leaving;
mod level_zero;
mod load;
mod missing;
mod place;
mod pocl;
