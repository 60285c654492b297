//! Statistics of measurements: numbers in, numbers out.
//!
//! This crate knows neither time nor units nor files; every function takes slices of `f64`, in the order they were taken,
//! and leaves them as they are.
//!
//! One rule for odd input: a function answers `None` where its answer does not exist. That is an empty slice, fewer values
//! than the formula needs, or a value that is not a number: NaN is refused, never sorted and never skipped. Infinite values
//! are numbers: they sort at their end, and a mean with one is infinite. Functions that take logarithms or ratios say which
//! further values they refuse.
#![forbid(unsafe_code)]

pub mod amdahl;
pub mod autocorrelation;
pub mod change_point;
pub mod clusters;
pub mod comparison;
mod contention;
pub mod dissimilar;
pub mod drift;
pub mod hierarchical;
pub mod interval;
pub mod kbest;
mod least_squares;
pub mod mann_whitney;
pub mod mean;
pub mod modes;
pub mod normal;
pub mod outliers;
pub mod plateau;
pub mod population;
pub mod precision;
pub mod prediction;
pub mod quantile;
pub mod rank;
pub mod rng;
pub mod sigma;
pub mod size_model;
pub mod speedup;
pub mod split_mix;
pub mod stability;
pub mod student;
pub mod ties;
pub mod usl;
pub mod verdict;
pub mod warmup;
