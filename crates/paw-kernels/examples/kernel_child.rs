//! The smallest program that can be a child: it loads what its parent orders, and measures it.

use paw_kernels::child::child_main;
use paw_measure::fault::Fault;

fn main() -> Result<(), Fault> {
    child_main(None)
}
