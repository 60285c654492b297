//! The runs of a program under the roofs that were measured with them.

use paw_data::application::{COMMAND, RooflineFacts};
use paw_data::axis::COPIES;
use paw_data::counters::{FLOPS_PER_CALL, MEMORY_KB_PER_CALL};
use paw_data::machine::Identity;
use paw_data::precision::Precision;
use paw_data::run::Record;
use paw_data::scaling::{Scaling, ScalingRow};

use crate::application::figure;
use crate::application::threads::Keys;
use crate::model::{Align, Column};
use crate::reading::Reading;
use crate::roofline::{MEMORY, Roofs};
use crate::under_roofs::{Source, Spot, UnderRoofs};

/// What may put a program above its roof.
const PASSING: &str = "Its data came from a cache, or its operations or bytes are not what it does, or the machine was slower while the roofs were measured; a second run would tell.";
const CAPTION: &str = "Every point of the sweep, under roofs that this machine measured in the same run on as many threads: the peak of each instruction set, and the bandwidth of each cache and of memory. A point is held against memory; its bytes are those that one run moves from and to it.";
/// Processors that a program may use beyond a set of roofs and still be held against it: start-up, and threads that help.
const BESIDES: f64 = 0.5;

/// The cells of `scaling` under the roofs among `readings`; `None` where no roofline was asked for.
pub fn under_roofs<'r>(
    scaling: &Scaling<'_>,
    readings: impl Iterator<Item = &'r Reading<'r>>,
    identity: &Identity,
) -> Option<UnderRoofs> {
    let facts = scaling.app.roofline.as_ref()?;
    let precision = facts.precision.unwrap_or(Precision::Double);
    let roofs = Roofs::of(readings, identity, precision);
    let sweeps =
        scaling.sweeps.iter().flat_map(|sweep| sweep.rows.iter().map(move |row| (&sweep.size, sweep.provider, row, 1)));
    let several = scaling.copy_sweeps.iter().flat_map(|sweep| {
        let rows = sweep.rows.iter().filter(|row| row.copies > 1);
        rows.map(move |row| (&sweep.size, sweep.provider, &row.row, row.copies))
    });
    let rows: Vec<_> = sweeps.chain(several).collect();
    let keys = Keys::of(rows.iter().map(|row| row.0), rows.iter().map(|row| row.1));
    let has_copies = rows.iter().any(|row| row.3 > 1);
    let mut untold = Untold::default();
    let mut spots = Vec::new();
    for (size, provider, row, copies) in rows {
        let Some(seconds) = row.timing.and_then(|t| t.seconds()).filter(|seconds| *seconds > 0.0) else { continue };
        let Some((flops, bytes, source)) = work(row.record, &mut untold) else { continue };
        let threads = figure::threads_words(row);
        let copied = if copies > 1 { format!("{copies} copies") } else { String::new() };
        let program = if provider == COMMAND { scaling.program } else { provider };
        let joined = |words: &[&str]| {
            let told: Vec<&str> = words.iter().copied().filter(|word| !word.is_empty()).collect();
            told.join(", ")
        };
        let of_size = size.to_string();
        let mut fields = keys.fields(size, provider);
        fields.push(figure::threads(row).into());
        fields.extend(has_copies.then(|| copies.to_string().into()));
        let intensity = flops / bytes;
        spots.push(Spot {
            keys: fields,
            place: joined(&[program, &of_size, &threads, &copied]),
            series: joined(&[program, &of_size]),
            label: if row.is_told() { format!("{}T", row.threads) } else { String::new() },
            cell: row.record.cell.id,
            source,
            intensity,
            rate: flops / seconds,
            roof: set(&roofs, row, copies, scaling.app.available()).and_then(|set| set.lowest(MEMORY, intensity)),
        });
    }
    let mut columns = keys.columns();
    columns.push(Column::new("threads", Align::Right, Column::ALWAYS));
    columns.extend(has_copies.then(|| Column::new(COPIES, Align::Right, Column::ALWAYS)));
    let missing = untold.sentence(facts).into_iter().collect();
    Some(UnderRoofs { roofs, precision, keys: columns, spots, passing: PASSING, caption: CAPTION, missing })
}

/// What is not known of some cell.
#[derive(Debug, Default)]
struct Untold {
    flops: bool,
    bytes: bool,
}

impl Untold {
    /// What is missing, and what would tell it; `None` if nothing is.
    fn sentence(&self, facts: &RooflineFacts) -> Option<String> {
        let (what, flags) = match (self.flops, self.bytes) {
            (false, false) => return None,
            (true, true) => ("floating-point operations and bytes", "`--flops '2*n^3' --bytes '24*n^2'` state them"),
            (true, false) => ("floating-point operations", "`--flops '2*n^3'` states them"),
            (false, true) => ("bytes", "`--bytes '24*n^2'` states them"),
        };
        let counted = match facts.refused.as_str() {
            "" => String::new(),
            why => format!("; they cannot be counted here: {why}"),
        };
        Some(format!(
            "No point where the {what} of one run are not known: {flags}, as numbers or by the sizes of the sweep{counted}."
        ))
    }
}

/// Operations and bytes of a run of the cell, all copies together, and where they are from.
fn work(record: &Record, untold: &mut Untold) -> Option<(f64, f64, Source)> {
    let counted = |name: &str| record.counters.iter().find_map(|counters| counters.named_value(name));
    let positive = |value: &f64| *value > 0.0;
    let stated = record.cell.work;
    let (flops, bytes) = (Some(stated.flops).filter(positive), Some(stated.bytes).filter(positive));
    let source = match (flops.is_some(), bytes.is_some()) {
        (true, true) => Source::Stated,
        (true, false) => Source::BytesCounted,
        (false, true) => Source::FlopsCounted,
        (false, false) => Source::Counted,
    };
    let flops = flops.or_else(|| counted(FLOPS_PER_CALL)).filter(positive);
    let bytes = bytes.or_else(|| Some(1e3 * counted(MEMORY_KB_PER_CALL)?)).filter(positive);
    untold.flops |= flops.is_none();
    untold.bytes |= bytes.is_none();
    Some((flops?, bytes?, source))
}

/// The roofs that hold a row: those of as many threads as it had processors, or, of a program that chooses itself, as it kept busy.
fn set<'s>(roofs: &'s [Roofs], row: &ScalingRow<'_>, copies: u32, available: u32) -> Option<&'s Roofs> {
    if row.is_told() || copies > 1 {
        let wanted = row.threads.saturating_mul(copies);
        let wanted = if available > 0 { wanted.min(available) } else { wanted };
        return roofs.iter().find(|set| set.threads == Some(i64::from(wanted)));
    }
    let timing = row.timing?;
    let busy = timing.cpu_s()? / timing.seconds()?;
    roofs.iter().find(|set| set.threads.is_some_and(|threads| busy <= threads as f64 + BESIDES)).or(roofs.last())
}
