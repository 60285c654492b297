//! What one call of a kernel does in its innermost loops: their machine code, and how often a call runs through each.

use serde::{Deserialize, Serialize};

/// The innermost loops of a cell's code, with what an iteration of each does and how often one call runs through it: one `executed` line.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Executed {
    /// The cell.
    pub cell: u32,
    /// The loops that a call runs through.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub loops: Vec<ExecutedLoop>,
    /// Why the operations of a call cannot be told from its code, in one sentence; empty if they can.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub refused: String,
}

/// A loop that a call runs through; operations and bytes are those of one iteration.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ExecutedLoop {
    /// The function that it is in.
    pub function: String,
    /// The address of its first instruction in the file.
    pub address: u64,
    /// How often one call runs through it, counted.
    pub trips: f64,
    /// Floating-point operations; a fused multiply-add is two for each element.
    pub flop: u64,
    /// Bytes loaded, without those of the stack.
    pub load_bytes: u64,
    /// Bytes stored, without those of the stack.
    pub store_bytes: u64,
}

impl Executed {
    /// Floating-point operations and bytes of one call, in its innermost loops.
    ///
    /// # Errors
    /// Why they are not known, in one sentence.
    pub fn of_call(&self) -> Result<(f64, f64), String> {
        if !self.refused.is_empty() {
            return Err(self.refused.clone());
        }
        let sum = |of: fn(&ExecutedLoop) -> u64| self.loops.iter().map(|own| own.trips * of(own) as f64).sum::<f64>();
        let (flops, bytes) = (sum(|own| own.flop), sum(|own| own.load_bytes.saturating_add(own.store_bytes)));
        match (flops > 0.0, bytes > 0.0) {
            (true, true) => Ok((flops, bytes)),
            (false, _) => Err("its loops have no floating-point operations".to_owned()),
            (true, false) => Err("its loops neither load nor store".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_does_what_all_runs_through_its_loops_do() {
        let own =
            |trips, flop| ExecutedLoop { trips, flop, load_bytes: 64, store_bytes: 32, ..ExecutedLoop::default() };
        let executed = Executed { loops: vec![own(100.0, 16), own(3.0, 2)], ..Executed::default() };
        assert_eq!(executed.of_call(), Ok((1606.0, 103.0 * 96.0)));
        let whole = Executed { loops: vec![own(100.0, 0)], ..Executed::default() };
        assert_eq!(whole.of_call(), Err("its loops have no floating-point operations".to_owned()));
        let refused = Executed { refused: "it calls exp".to_owned(), ..executed };
        assert_eq!(refused.of_call(), Err("it calls exp".to_owned()));
    }
}
