//! Bandwidths and latencies of the caches in fresh runs of `paw`.

use crate::coverage::FreshRuns;
use crate::experiment::Experiment;
use crate::tool::Tool;

/// Working sets that lie in the first and the second cache; larger ones are at the mercy of neighbours in a shared cache.
const CELLS: &[&str] =
    &["run", "stream_triad", "read", "memory_latency", "--set", "bytes=16KiB,256KiB", "--threads", "1"];

/// Cells of the memory.
///
/// # Errors
/// Never.
pub fn start(_tool: &Tool) -> Result<Box<dyn Experiment>, String> {
    Ok(Box::new(FreshRuns::of(CELLS)))
}
