//! Reads `samples` lines into columns whose memory is reused from line to line.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::extent::Extent;
use crate::sample::{Phase, Samples};
use crate::secondary::MetricName;

/// The columns of one `samples` line.
pub(super) struct Columns {
    pub extent: Extent,
    pub cell: u32,
    pub phase: Option<Phase>,
    pub samples: Samples,
}

impl Columns {
    /// No columns, which lines fill as far as `extent` says.
    pub fn new(extent: Extent) -> Self {
        Self { extent, cell: 0, phase: None, samples: Samples::default() }
    }

    /// Replaces the columns by those of one line; the error says in a few words why the line cannot be read.
    pub fn read(&mut self, line: &[u8]) -> Result<Phase, String> {
        self.clear();
        let mut json = serde_json::Deserializer::from_slice(line);
        let cell = json.deserialize_map(&mut *self).and_then(|cell| json.end().map(|()| cell));
        self.cell = cell.map_err(|e| e.to_string())?.ok_or("it names no cell")?;
        complete(&mut self.samples, self.extent)?;
        self.phase.ok_or_else(|| "it names no phase".to_owned())
    }

    fn clear(&mut self) {
        let s = &mut self.samples;
        s.round.clear();
        s.position.clear();
        s.invocation.clear();
        s.at_s.clear();
        s.loops.clear();
        s.elapsed_s.clear();
        s.run_delay_s.clear();
        s.switches.clear();
        s.migrations.clear();
        s.disturbed.clear();
        s.ops_s.clear();
        s.extra.clear();
        self.phase = None;
    }
}

/// Fills the columns that a line leaves out; refuses columns of unequal length.
fn complete(s: &mut Samples, extent: Extent) -> Result<(), String> {
    let n = s.elapsed_s.len();
    if s.loops.len() != n {
        return Err(format!("it has {n} times and {} loop counts", s.loops.len()));
    }
    let of = |column| if extent.has(column) { n } else { 0 };
    fill(&mut s.round, n, 0, "round")?;
    fill(&mut s.position, of(ColumnName::Position), 0, "position")?;
    fill(&mut s.invocation, n, 0, "invocation")?;
    fill(&mut s.at_s, of(ColumnName::AtS), f64::NAN, "at_s")?;
    fill(&mut s.run_delay_s, of(ColumnName::RunDelayS), 0.0, "run_delay_s")?;
    fill(&mut s.switches, of(ColumnName::Switches), 0, "switches")?;
    fill(&mut s.migrations, of(ColumnName::Migrations), 0, "migrations")?;
    fill(&mut s.disturbed, n, false, "disturbed")?;
    if !s.ops_s.is_empty() {
        fill(&mut s.ops_s, n, Vec::new(), "ops_s")?;
    }
    s.extra.iter_mut().try_for_each(|(name, column)| fill(column, n, f64::NAN, name.as_str()))
}

fn fill<T: Clone>(column: &mut Vec<T>, n: usize, missing: T, name: &str) -> Result<(), String> {
    if column.is_empty() {
        column.resize(n, missing);
    }
    if column.len() == n { Ok(()) } else { Err(format!("it has {n} times and {} values of {name}", column.len())) }
}

#[derive(Clone, Copy, Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum ColumnName {
    Cell,
    Phase,
    Round,
    Position,
    Invocation,
    AtS,
    Loops,
    ElapsedS,
    RunDelayS,
    Switches,
    Migrations,
    Disturbed,
    OpsS,
    Extra,
    #[serde(other)]
    Other,
}

impl Extent {
    fn has(self, column: ColumnName) -> bool {
        match column {
            ColumnName::Position | ColumnName::Switches | ColumnName::Migrations => self == Self::All,
            ColumnName::AtS | ColumnName::RunDelayS => self != Self::Figures,
            _ => true,
        }
    }
}

impl<'de> Visitor<'de> for &mut Columns {
    type Value = Option<u32>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a samples line")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Option<u32>, M::Error> {
        let mut cell = None;
        let (s, extent) = (&mut self.samples, self.extent);
        while let Some(key) = map.next_key()? {
            match key {
                left_out if !extent.has(left_out) => drop(map.next_value::<IgnoredAny>()?),
                ColumnName::Cell => cell = Some(map.next_value()?),
                ColumnName::Phase => self.phase = Some(map.next_value()?),
                ColumnName::Round => map.next_value_seed(Fill(&mut s.round))?,
                ColumnName::Position => map.next_value_seed(Fill(&mut s.position))?,
                ColumnName::Invocation => map.next_value_seed(Fill(&mut s.invocation))?,
                ColumnName::AtS => map.next_value_seed(FillNumbers(&mut s.at_s))?,
                ColumnName::Loops => map.next_value_seed(Fill(&mut s.loops))?,
                ColumnName::ElapsedS => map.next_value_seed(FillNumbers(&mut s.elapsed_s))?,
                ColumnName::RunDelayS => map.next_value_seed(FillNumbers(&mut s.run_delay_s))?,
                ColumnName::Switches => map.next_value_seed(Fill(&mut s.switches))?,
                ColumnName::Migrations => map.next_value_seed(Fill(&mut s.migrations))?,
                ColumnName::Disturbed => map.next_value_seed(Fill(&mut s.disturbed))?,
                ColumnName::OpsS => s.ops_s = map.next_value::<Vec<NumberColumn>>()?.into_iter().map(|n| n.0).collect(),
                ColumnName::Extra => {
                    let extra = map.next_value::<BTreeMap<MetricName, NumberColumn>>()?;
                    s.extra = extra.into_iter().map(|(name, n)| (name, n.0)).collect();
                }
                ColumnName::Other => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(cell)
    }
}

/// A deserializer that appends an array's elements to a column.
struct Fill<'a, T>(&'a mut Vec<T>);

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for Fill<'_, T> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Fill<'_, T> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a column")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(value) = seq.next_element()? {
            self.0.push(value);
        }
        Ok(())
    }
}

/// A deserializer that appends an array's numbers to a column; `null` is NaN.
struct FillNumbers<'a>(&'a mut Vec<f64>);

impl<'de> DeserializeSeed<'de> for FillNumbers<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for FillNumbers<'_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a column of numbers")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(value) = seq.next_element::<Option<f64>>()? {
            self.0.push(value.unwrap_or(f64::NAN));
        }
        Ok(())
    }
}

struct NumberColumn(Vec<f64>);

impl<'de> Deserialize<'de> for NumberColumn {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut column = Vec::new();
        FillNumbers(&mut column).deserialize(deserializer)?;
        Ok(NumberColumn(column))
    }
}
