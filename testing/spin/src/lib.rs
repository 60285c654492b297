//! A load of known length and habits, to test what runs and times programs.
//!
//! Its plan follows from flags, seed and the number of the run alone, and is printed before the work begins, so that
//! a test can hold what was measured against what was meant.

pub mod counter;
pub mod load;
pub mod plan;
pub mod sys;
