//! Kernels built by real compilers, as the parent of a child sees them: called, timed, checked, and dying.

mod answers;
mod calls;
mod changes;
mod environment;
mod faults;
mod memory;
mod side_effects;
mod workbench;
