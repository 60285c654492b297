//! What a child that measures is told: one build, one size, how to call it, and what to do with its answers. Plain data on a wire.

use std::path::PathBuf;

use paw_data::kernel::{Cache, Calls, Float, Tolerance};
use paw_data::run::Instrument;
use serde::{Deserialize, Serialize};

use crate::element::Element;
use crate::spec::Fill;

/// One build at one size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallJob {
    /// The shared object, absolute.
    pub library: PathBuf,
    /// The function.
    pub function: String,
    /// What it is called with, in order.
    pub arguments: Vec<Argument>,
    /// Type of its result; `None` where it has none.
    pub result: Option<Element>,
    /// Seed of what is random in the data.
    pub seed: u64,
    /// Calls after each allocation that warm up.
    pub warmup: u64,
    /// How calls follow each other.
    pub calls: Calls,
    /// What the caches hold.
    pub cache: Cache,
    /// The floating-point environment.
    pub float: Float,
    /// The clock as the parent measured it: the time-stamp counter where `hz` is there, else the monotonic clock.
    pub instrument: Instrument,
    /// What is done with the answers of one call on fresh data.
    pub answers: Answers,
    /// What they may differ by.
    pub tolerance: Tolerance,
}

/// What is done with the answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answers {
    /// They are written into this file: it is the reference.
    Write(PathBuf),
    /// They are held against those that another child wrote into this file.
    Against(PathBuf),
    /// They are held against the numbers of a user's file.
    AgainstNumbers(PathBuf),
    /// They are held against what this function of the same shared object makes of the same data.
    AgainstFunction(String),
    /// There is nothing to hold them against but themselves: two calls on fresh data must agree.
    Repeatable,
}

/// What a function is called with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Argument {
    /// A whole number, as it is; negative ones in two's complement.
    Whole(i64),
    /// A whole number of 32 bits, for a device, whose registers have a width; one without sign as its bits.
    Narrow(i32),
    /// A single-precision number.
    Single(f32),
    /// A double-precision number.
    Double(f64),
    /// The address of a number of this type.
    Address(Element, f64),
    /// The address of an array.
    Array(ArrayArgument),
}

/// An array to be made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArrayArgument {
    /// Its name, for what is said of it.
    pub name: String,
    /// Type of an element.
    pub element: Element,
    /// Elements, at least one.
    pub len: u64,
    /// How it is filled.
    pub fill: Fill,
    /// The file whose numbers it begins with instead, absolute.
    #[serde(default)]
    pub file: Option<PathBuf>,
    /// Whether it is an answer.
    pub output: bool,
    /// Whether a device's kernel reads what it begins with.
    pub input: bool,
    /// Whether a device's kernel may write to it.
    pub written: bool,
}
