//! What messages carry: a pattern that tells who sent how much, so that a wrong byte is seen and named.

use paw_foreign::mpi::{Kind, Memory, Part};

/// Values repeat after this many: a prime, so that a shift by any power of two shows; sums of a thousand of them are exact in a double.
const PERIOD: u64 = 8191;
/// What a receiver holds before a message comes.
const EMPTY: f64 = -1.0;

/// Element `index` of a message of `count` elements that `rank` sends.
pub fn value(rank: usize, count: usize, index: usize) -> f64 {
    ((rank as u64 * 1009 + count as u64 * 31 + index as u64) % PERIOD) as f64
}

/// Writes the pattern of `rank` into `part`.
pub fn fill(memory: &Memory, part: Part, rank: usize) {
    write(memory, part, |index| value(rank, part.len(), index));
}

/// Writes into `part` what no message carries.
pub fn clear(memory: &Memory, part: Part) {
    write(memory, part, |_| EMPTY);
}

fn write(memory: &Memory, part: Part, of: impl Fn(usize) -> f64) {
    let values = (0..part.len()).map(of);
    match part.kind() {
        Kind::Byte => memory.write(part.offset_bytes(), &values.map(|value| value as u8).collect::<Vec<_>>()),
        _ => memory.write_doubles(part.offset_bytes(), &values.collect::<Vec<_>>()),
    }
}

/// The first element of `part` that is not what `expected` says, in words.
pub fn wrong(memory: &Memory, part: Part, expected: impl Fn(usize) -> f64) -> Option<String> {
    let found: Vec<f64> = match part.kind() {
        Kind::Byte => memory.read(part).into_iter().map(f64::from).collect(),
        _ => memory.read_doubles(part),
    };
    // A byte holds the value's low eight bits.
    let narrowed = |x: f64| if part.kind() == Kind::Byte { f64::from(x as u8) } else { x };
    let differs = found.iter().enumerate().find(|(index, value)| **value != narrowed(expected(*index)));
    differs.map(|(index, value)| {
        format!("element {index} of {} is {value} and should be {}", found.len(), narrowed(expected(index)))
    })
}
