//! The state that a step of a ladder leaves to the next one, and the end of a default ladder.

use std::collections::HashMap;

use paw_data::axis;
use paw_data::cell::Cell;
use paw_measure::fault::Fault;
use paw_measure::loops::LadderState;
use paw_measure::prepared_cell::PreparedCell;

use crate::benchmark::{Benchmark, Providers};
use crate::choice::Ladder;
use crate::estimate::{self, SAMPLE_MAX_S};
use crate::plan::PlannedBenchmark;

/// Start of the reason why a default ladder ended by itself; no value that the user set is missing.
pub const LADDER_ENDS: &str = "the default ladder ends before samples longer than";

/// The last step of every ladder, by benchmark, provider and the axes that stay the same along it.
#[derive(Default)]
pub struct Tracks(HashMap<String, Step>);

struct Step {
    state: LadderState,
    nominal_s: f64,
}

impl Tracks {
    /// Keeps the loop count of a measured cell for the next step.
    pub fn keep(&mut self, measured: &PreparedCell) {
        if let (Some(state), Some(benchmark)) = (measured.ladder, crate::named(&measured.cell.benchmark)) {
            let nominal_s = estimate::iteration_s(&measured.cell);
            self.0.insert(key(benchmark, &measured.cell), Step { state, nominal_s });
        }
    }

    /// The loop count of the previous step.
    ///
    /// # Errors
    /// On a default ladder, a step whose sample would last too long.
    pub fn state(&self, planned: &PlannedBenchmark, ladder: Ladder) -> Result<Option<LadderState>, Fault> {
        let (cell, benchmark) = (&planned.cell, planned.job.benchmark);
        let nominal_s = estimate::iteration_s(cell);
        // Only a rising ladder passes its loop count on: a smaller size needs more loops, and a reference belongs to many ladders.
        let last = self.0.get(&key(benchmark, cell)).filter(|last| nominal_s >= last.nominal_s);
        let Some(last) = last.filter(|_| !cell.role.is_reference()) else { return Ok(None) };
        let expected_s = last.state.per_loop_s * nominal_s / last.nominal_s;
        // Short messages of different lengths take the same time, so their work predicts no duration.
        let grows = !matches!(benchmark.common.providers, Providers::Mpi(_));
        if ladder == Ladder::UntilOneSecond && expected_s > SAMPLE_MAX_S && grows {
            let axis = benchmark.common.axes.first().map_or(axis::N, |axis| axis.name);
            let value = cell.point.value(axis).map_or_else(String::new, ToString::to_string);
            return Err(Fault::Missing(format!(
                "{LADDER_ENDS} {SAMPLE_MAX_S:.0} s, and one at {axis}={value} would last about {expected_s:.1} s. hint: --set {axis}={value} measures it"
            )));
        }
        Ok(Some(last.state))
    }
}

/// Benchmark, provider and all axes but the ladder's.
fn key(benchmark: &Benchmark, cell: &Cell) -> String {
    let ladder = benchmark.common.axes.first().map_or("", |axis| axis.name);
    let axes = cell.point.iter().filter(|(name, _)| *name != ladder);
    let axes: Vec<String> = axes.map(|(name, value)| format!("{name}={value}")).collect();
    format!("{} {} {}", cell.benchmark, cell.provider, axes.join(" "))
}
