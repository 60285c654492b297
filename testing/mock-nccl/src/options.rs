//! What goes wrong, by the environment.

use std::env;

/// The version that `MOCK_NCCL_VERSION` names, as the library counts; 2.27.3 where it names none.
pub fn version() -> i32 {
    number("MOCK_NCCL_VERSION").unwrap_or(22_703)
}

/// Whether results of this rank have a wrong byte: `MOCK_NCCL_WRONG` is its number.
pub fn is_wrong(rank: usize) -> bool {
    number("MOCK_NCCL_WRONG") == i32::try_from(rank).ok()
}

/// Whether this function fails, which `MOCK_NCCL_FAIL` names: as if a link were down.
pub fn fails(call: &str) -> bool {
    env::var("MOCK_NCCL_FAIL").is_ok_and(|named| named == call)
}

/// Whether this function ends the process, which `MOCK_NCCL_KILL` names.
pub fn kills(call: &str) -> bool {
    env::var("MOCK_NCCL_KILL").is_ok_and(|named| named == call)
}

fn number(name: &str) -> Option<i32> {
    let text = env::var(name).ok().filter(|text| !text.is_empty())?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text} is no number")))
}
