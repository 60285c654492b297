//! The file of references as text: written anew, and changed where it stands.

use paw_data::application::Better;
use paw_data::baseline::bounds::Candidate;
use paw_data::baseline::peaks::Peak;
use paw_data::baseline::unit::{Counted, Unit};
use paw_data::point::{AxisValue, Point};
use paw_data::quantity::Quantity;
use toml_edit::{DocumentMut, InlineTable, Item, TableLike, Value};

/// The first lines of a file.
const HEAD: &str = "# References for `paw gate`. docs/gate.md says what each key means; edit as you like.\n";

/// A file with these references; `machine` is the pattern in place of each machine's processor.
pub fn written(candidates: &[Candidate], peaks: &[Peak], machine: Option<&str>) -> String {
    let own = |cpu: &str| machine.map_or_else(|| pattern(cpu), str::to_owned);
    let measured = candidates.iter().map(|candidate| entry(candidate, &own(&candidate.cpu)));
    let derived = peaks.iter().map(|peak| peak_entry(peak, &own(&peak.cpu)));
    HEAD.to_owned() + &measured.chain(derived).collect::<String>()
}

/// The pattern of a processor's name; of an unknown one, every machine.
fn pattern(cpu: &str) -> String {
    if cpu.is_empty() { "*".to_owned() } else { cpu.to_owned() }
}

fn entry(candidate: &Candidate, machine: &str) -> String {
    let mut lines = vec![("benchmark", text(&candidate.benchmark))];
    lines.extend(candidate.command.as_ref().map(|command| ("command", text(command))));
    lines.push(("provider", text(&candidate.provider)));
    if candidate.point.iter().next().is_some() {
        lines.push(("point", inline(&candidate.point)));
    }
    lines.extend(candidate.metric.as_ref().map(|metric| ("metric", text(metric))));
    if let Counted::Metric(better) = candidate.unit.counted {
        lines.push(("better", text(if better == Better::Higher { "higher" } else { "lower" })));
    }
    lines.push(("statistic", text(candidate.statistic.word())));
    lines.push(("value", float(candidate.unit.rounded(candidate.value)).to_string()));
    lines.push(("unit", text(&candidate.unit.text)));
    lines.push(("lower", float(candidate.lower).to_string()));
    lines.push(("upper", float(candidate.upper).to_string()));
    lines.push(("machine", text(machine)));
    lines.push(("provenance", provenance(candidate).to_string()));
    table(&lines)
}

fn peak_entry(peak: &Peak, machine: &str) -> String {
    let unit = Unit::fitting(peak.value, Quantity::Flops);
    table(&[
        ("benchmark", text(&peak.benchmark)),
        ("provider", text(&peak.provider)),
        ("point", inline(&peak.point)),
        ("value", float(unit.rounded(peak.value)).to_string()),
        ("unit", text(&unit.text)),
        ("upper", "0.0".to_owned()),
        ("machine", text(machine)),
        ("provenance", text(&peak.derivation)),
    ])
}

fn table(lines: &[(&str, String)]) -> String {
    let lines: String = lines.iter().map(|(key, value)| format!("{key} = {value}\n")).collect();
    format!("\n[[reference]]\n{lines}")
}

fn text(text: &str) -> String {
    Value::from(text).to_string()
}

/// A number without the noise of its last digits.
fn float(number: f64) -> Value {
    Value::from(format!("{number:.6e}").parse().unwrap_or(number))
}

fn inline(point: &Point) -> String {
    let mut table = InlineTable::new();
    for (axis, value) in point.iter() {
        let value = match value {
            AxisValue::Int(number) => Value::from(*number),
            AxisValue::Float(number) => Value::from(*number),
            AxisValue::Text(word) => Value::from(word.as_str()),
        };
        table.insert(axis, value);
    }
    table.to_string()
}

fn provenance(candidate: &Candidate) -> InlineTable {
    let measured = &candidate.measured;
    let mut table = InlineTable::new();
    let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    table.insert("runs", count(measured.runs).into());
    table.insert("days", count(measured.days).into());
    if let Some(spread) = measured.spread {
        table.insert("spread", float((spread * 1e5).round() / 1e5));
    }
    if let Some(percentile) = measured.percentile {
        table.insert("percentile", float(percentile));
    }
    if let Some(half_width) = measured.half_width {
        table.insert("half_width", float((half_width * 1e5).round() / 1e5));
    }
    for (key, value) in
        [("run", &measured.run), ("date", &measured.date), ("tool", &measured.tool), ("doubt", &measured.doubt)]
    {
        if !value.is_empty() {
            table.insert(key, value.as_str().into());
        }
    }
    table
}

/// A file of references that is being changed.
pub struct Edited {
    document: DocumentMut,
    is_windows: bool,
}

impl Edited {
    /// The file with this text; the error says why it cannot be changed.
    pub fn new(text: &str) -> Result<Self, String> {
        let document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| error.message().to_owned())?;
        let is_windows = text.contains('\n') && text.matches('\n').count() == text.matches("\r\n").count();
        Ok(Self { document, is_windows })
    }

    /// Writes the value and bounds of `candidate` into the reference numbered `at`, from 0, whose unit is `unit`; `None` if there is none.
    pub fn change(&mut self, at: usize, candidate: &Candidate, unit: &Unit) -> Option<()> {
        let references = self.document.get_mut("reference")?;
        let table: &mut dyn TableLike = match references {
            Item::ArrayOfTables(tables) => tables.get_mut(at)?,
            Item::Value(Value::Array(values)) => values.get_mut(at)?.as_inline_table_mut()?,
            _ => return None,
        };
        set(table, "value", float(unit.rounded(candidate.value)));
        set(table, "lower", float(candidate.lower));
        set(table, "upper", float(candidate.upper));
        set(table, "provenance", Value::InlineTable(provenance(candidate)));
        Some(())
    }

    /// The text; lines end as they did.
    pub fn text(&self) -> String {
        let text = self.document.to_string();
        if self.is_windows { text.replace('\n', "\r\n") } else { text }
    }
}

/// Sets a value and keeps the comment behind the old one.
fn set(table: &mut dyn TableLike, key: &str, mut value: Value) {
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        None => {
            table.insert(key, Item::Value(value));
        }
    }
}
