//! Commands launched: what they are given, why they cannot start, how they end.

mod endings;
mod launches;
mod place;
mod refusals;
