//! What a gate leaves: its rule, its file of references, and its outputs for people and for CI.

pub mod annotation;
pub mod junit;
pub mod perflog;
pub mod reference_file;
pub mod result;
pub mod table;
