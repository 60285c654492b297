//! Devices as a user meets them: what paw says, what it leaves behind and what it exits with, by CUDA and HIP of known cost and by the
//! OpenCL that is here.

mod cost;
mod faults;
mod hip;
mod leaving;
mod level_zero;
mod load;
mod missing;
mod pairs;
mod place;
mod pocl;
