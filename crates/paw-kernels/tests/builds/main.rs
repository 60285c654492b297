//! Builds: compilers that are here and that are not, what they are asked for, and what comes of it.

mod compiling;
mod discovery;
mod failures;
mod fakes;
mod languages;
mod site;
mod templates;
