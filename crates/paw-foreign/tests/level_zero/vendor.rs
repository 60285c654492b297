//! What the tests that interfaces share need to know of Level Zero's.

use paw_foreign::device::Backend;

use crate::child::TWO;

pub const BACKEND: Backend = Backend::LevelZero;
/// The mock, the beginning of its variables, and the beginnings of those that a library understands.
pub const MOCK: &str = "libmock_level_zero.so";
pub const PREFIX: &str = "MOCK_LEVEL_ZERO_";
pub const FAMILIES: &[&str] = &["ZE_", "ZES_", "NEO", "IGC_", "MOCK_"];
/// Variables that name the interface's library, and the others that the mock stands for.
pub const LIBRARIES: &[&str] = &["PAW_LEVEL_ZERO_LIBRARY", "PAW_OCLOC_LIBRARY"];

/// A driver that leaves the order of queues to barriers; by default the mock's keeps it.
pub const OLD: &[(&str, &str)] = &[("MOCK_API", "1.3")];
/// Two devices that reach each other.
pub const PEERS: &[(&str, &str)] = &[TWO[0], ("MOCK_PEER", "1")];
