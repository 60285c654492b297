//! One row a sample, in the order they were taken.

use std::collections::BTreeSet;
use std::io::{self, Write};

use super::{finite, role, spell, writer};
use crate::run::Run;
use crate::sample::Samples;
use crate::secondary::MetricName;

/// The first columns of [`write_samples`]; secondary metrics follow, one column each.
const COLUMNS: [&str; 19] = [
    "benchmark",
    "provider",
    "point",
    "role",
    "run",
    "cell",
    "phase",
    "round",
    "position",
    "invocation",
    "at_s",
    "loops",
    "elapsed_s",
    "per_loop_s",
    "per_operation_s",
    "run_delay_s",
    "switches",
    "migrations",
    "disturbed",
];

/// Writes one row for each sample of each cell, warm-up first, with a column for each secondary metric that any cell has.
/// The times of single operations are only in `run.jsonl` and in the JSON export.
pub fn write_samples(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    let mut csv = writer(out);
    let phases = run.records.iter().flat_map(|record| [&record.warmup, &record.samples]);
    let names: BTreeSet<&MetricName> = phases.flat_map(|samples| samples.extra.keys()).collect();
    csv.write_record(COLUMNS.into_iter().chain(names.iter().map(|name| name.as_str())))?;
    let mut point = String::new();
    for record in &run.records {
        spell(record, &mut point);
        let cell = &record.cell;
        for (phase, samples) in [("warmup", &*record.warmup), ("measure", &record.samples)] {
            for at in 0..samples.len() {
                let front = (&cell.benchmark, &cell.provider, &point, role(cell.role), &run.header.id, cell.id, phase);
                csv.serialize((front, numbers(samples, at, cell.work.operations()), extra(samples, &names, at)))?;
            }
        }
    }
    csv.flush()
}

type SampleNumbers =
    (u32, u32, u32, Option<f64>, u64, Option<f64>, Option<f64>, Option<f64>, Option<f64>, u32, u32, bool);

fn numbers(s: &Samples, at: usize, operations: f64) -> SampleNumbers {
    let per_loop_s = s.iteration_s(at);
    (
        s.round[at],
        s.position[at],
        s.invocation[at],
        finite(s.at_s[at]),
        s.loops[at],
        finite(s.elapsed_s[at]),
        finite(per_loop_s),
        finite(per_loop_s / operations),
        finite(s.run_delay_s[at]),
        s.switches[at],
        s.migrations[at],
        s.disturbed[at],
    )
}

fn extra(samples: &Samples, names: &BTreeSet<&MetricName>, at: usize) -> Vec<Option<f64>> {
    names.iter().map(|name| samples.extra.get(name).and_then(|column| finite(column[at]))).collect()
}
