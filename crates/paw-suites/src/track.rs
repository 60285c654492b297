//! The state that a step of a ladder leaves to the next one, and the end of a default ladder.

use std::collections::HashMap;

use paw_data::axis;
use paw_data::cell::Cell;
use paw_measure::fault::Fault;
use paw_measure::loops::LadderState;
use paw_measure::prepared_cell::PreparedCell;

use crate::benchmark::{Benchmark, Providers};
use crate::choice::Ladder;
use crate::device_inventory::DeviceInventory;
use crate::device_set::DeviceSet;
use crate::estimate::{self, SAMPLE_MAX_S};
use crate::plan::PlannedBenchmark;

/// Start of the reason why a default ladder ended by itself; no value that the user set is missing.
pub const LADDER_ENDS: &str = "the default ladder ends before samples longer than";

/// The last step of every ladder, by benchmark, provider and the axes that stay the same along it. Devices alike are one provider: a
/// step that one of them was left out of is known from the others.
#[derive(Default)]
pub struct Tracks(HashMap<String, Step>);

#[derive(Debug, Clone, Copy, PartialEq)]
struct Step {
    state: LadderState,
    nominal_s: f64,
}

impl Tracks {
    /// Keeps the loop count of a measured cell for the next step.
    pub fn keep(&mut self, measured: &PreparedCell, devices: &DeviceInventory) {
        if let (Some(state), Some(benchmark)) = (measured.ladder, crate::named(&measured.cell.benchmark)) {
            let nominal_s = estimate::iteration_s(&measured.cell);
            self.insert(key(benchmark, &measured.cell, devices), Step { state, nominal_s });
        }
    }

    /// Keeps a step, unless one alike was faster.
    fn insert(&mut self, key: String, step: Step) {
        let is_slower = |last: &Step| last.nominal_s == step.nominal_s && last.state.per_loop_s < step.state.per_loop_s;
        if !self.0.get(&key).is_some_and(is_slower) {
            self.0.insert(key, step);
        }
    }

    /// The loop count of the previous step.
    ///
    /// # Errors
    /// On a default ladder, a step whose sample would last too long.
    pub fn state(
        &self,
        planned: &PlannedBenchmark,
        ladder: Ladder,
        devices: &DeviceInventory,
    ) -> Result<Option<LadderState>, Fault> {
        let (cell, benchmark) = (&planned.cell, planned.job.benchmark);
        let nominal_s = estimate::iteration_s(cell);
        // Only a rising ladder passes its loop count on: a smaller size needs more loops, and a reference belongs to many ladders.
        let last = self.0.get(&key(benchmark, cell, devices)).filter(|last| nominal_s >= last.nominal_s);
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
fn key(benchmark: &Benchmark, cell: &Cell, devices: &DeviceInventory) -> String {
    let ladder = benchmark.common.axes.first().map_or("", |axis| axis.name);
    let axes = cell.point.iter().filter(|(name, _)| *name != ladder);
    let axes: Vec<String> = axes.map(|(name, value)| format!("{name}={value}")).collect();
    let alike = DeviceSet::named(&cell.provider).map(|set| devices.likeness(&set));
    format!("{} {} {}", cell.benchmark, alike.as_deref().unwrap_or(&cell.provider), axes.join(" "))
}

#[cfg(test)]
mod tests {
    use paw_measure::loops::LadderState;

    use super::{Step, Tracks};

    #[test]
    fn of_devices_alike_the_fastest_says_where_a_ladder_goes_on() {
        let step = |nominal_s, per_loop_s| Step { nominal_s, state: LadderState { loops: 1, per_loop_s } };
        let mut tracks = Tracks::default();
        for (next, kept) in [
            (step(1.0, 0.2), step(1.0, 0.2)),
            (step(1.0, 0.8), step(1.0, 0.2)),
            (step(1.0, 0.1), step(1.0, 0.1)),
            (step(2.0, 0.4), step(2.0, 0.4)),
            (step(1.0, 0.3), step(1.0, 0.3)),
        ] {
            tracks.insert("gpu_dgemm cuda 0".to_owned(), next);
            assert_eq!(tracks.0["gpu_dgemm cuda 0"], kept);
        }
    }
}
