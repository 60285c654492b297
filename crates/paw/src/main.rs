//! The command `paw`. All of it is in the library, which cargo compiles while the crates below it are still being optimised; a program waits
//! for them.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    paw::run()
}
