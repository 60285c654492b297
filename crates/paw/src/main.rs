//! The Performance Assessment Workbench.

fn main() {}
