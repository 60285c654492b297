//! Measures the cost of calling a kernel: a function that returns at once, called as every kernel is.

use paw_measure::clock::Clock;
use paw_measure::fault::Fault;

use crate::load::arguments::{Arguments, known_here};
use crate::load::library::Function;
use crate::load::region::CallMode;

/// Seconds that `calls` calls of the empty function take by `clock`, one after the other.
///
/// # Errors
/// On a processor whose calling convention is not known here.
pub fn calls_s(calls: u64, clock: &Clock) -> Result<f64, Fault> {
    known_here()?;
    let ticks = Arguments::default().time(Function::null(), CallMode::Throughput, calls, clock);
    Ok(clock.seconds(0, ticks))
}

/// Seconds that `calls` calls of an empty function take by `clock` through its pointer alone, as a C program makes them.
pub fn bare_calls_s(calls: u64, clock: &Clock) -> f64 {
    extern "C" fn null() {}
    let function: extern "C" fn() = std::hint::black_box(null);
    let start = clock.start();
    for _ in 0..calls {
        function();
    }
    clock.seconds(start, clock.stop())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_calls_take_longer() {
        let clock = Clock::monotonic();
        let fastest = |calls| (0..9).map(|_| calls_s(calls, &clock).unwrap()).fold(f64::INFINITY, f64::min);
        assert!(fastest(1_000_000) > 10.0 * fastest(1_000));
    }
}
