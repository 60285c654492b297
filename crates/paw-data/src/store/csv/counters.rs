//! Derived rows of counted events: metrics, and counts by call and by iteration.

use super::derived::Derived;
use crate::counters::Counters;
use crate::run::{Record, Run};

/// Hands `add` the derived numbers of each record.
pub(super) fn derive(run: &Run, add: &mut impl FnMut(&Record, Vec<Derived>)) {
    for record in &run.records {
        add(record, record.counters.iter().flat_map(of).collect());
    }
}

/// `l2.cpi`, `l2.INSTRUCTIONS_per_call`, `l2.INSTRUCTIONS_per_iteration`; of another source than this processor, with its label
/// in front: `simulated.l2.cpi`.
fn of(counters: &Counters) -> Vec<Derived> {
    let group = counters.group.to_lowercase();
    let label = counters.source.label();
    let prefix = if label.is_empty() { group } else { format!("{label}.{group}") };
    let row = |name: &str, unit: &str, value: f64| Derived {
        quantity: format!("{prefix}.{name}"),
        unit: unit.to_owned(),
        statistic: "median",
        value,
        ends: None,
        samples: counters.calls.len(),
    };
    let metrics = counters.metrics.iter().filter_map(|m| Some(row(&m.name, &m.unit, counters.value(m).ok()?)));
    let by_call = counters
        .events
        .iter()
        .filter_map(|event| Some(row(&format!("{}_per_call", event.name), "", counters.per_call(event)?)));
    let by_iteration = counters
        .events
        .iter()
        .filter_map(|event| Some(row(&format!("{}_per_iteration", event.name), "", counters.per_iteration(event)?)));
    metrics.chain(by_call).chain(by_iteration).collect()
}
