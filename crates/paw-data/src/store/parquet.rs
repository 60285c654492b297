//! A history as an Apache Parquet file: a row for each figure. Plain pages, not compressed, in row groups.
//!
//! Ours: the crate `parquet`, which reads what this writes, takes 77 s of processor time to build.

mod compact;

use std::io::{self, Write};

use compact::Compact;

use crate::history::{CellFigure, RunDigest};

/// The four bytes at both ends of a file.
const MAGIC: &[u8] = b"PAR1";

/// Rows of a group: what a reader takes at once.
const GROUP: usize = 100_000;

/// A row: a figure of a run, with the run's time in milliseconds since 1970.
struct Row<'e> {
    entry: &'e RunDigest,
    figure: &'e CellFigure,
    time_ms: Option<i64>,
}

/// How a column's values are read from rows.
enum Values {
    Text(fn(&Row<'_>) -> String),
    Number(fn(&Row<'_>) -> Option<f64>),
    Whole(fn(&Row<'_>) -> Option<i64>),
    /// Milliseconds since 1970 in UTC.
    Time(fn(&Row<'_>) -> Option<i64>),
}

/// Name and values of each column.
const COLUMNS: &[(&str, Values)] = &[
    ("machine", Values::Text(|row| row.entry.machine())),
    ("host", Values::Text(|row| row.entry.identity.host.clone())),
    ("cpu", Values::Text(|row| row.entry.identity.cpu.clone())),
    ("kernel", Values::Text(|row| row.entry.identity.kernel.clone())),
    ("run", Values::Text(|row| row.entry.run.clone())),
    ("time", Values::Time(|row| row.time_ms)),
    ("tool", Values::Text(|row| row.entry.tool.clone())),
    ("benchmark", Values::Text(|row| row.figure.benchmark.clone())),
    ("provider", Values::Text(|row| row.figure.provider.clone())),
    ("program", Values::Text(|row| row.figure.program.clone())),
    ("point", Values::Text(|row| row.figure.point.to_string())),
    ("metric", Values::Text(|row| row.figure.measure.metric().to_owned())),
    ("unit", Values::Text(|row| row.figure.measure.unit().to_owned())),
    ("value", Values::Number(|row| Some(row.figure.value))),
    ("low", Values::Number(|row| row.figure.low)),
    ("high", Values::Number(|row| row.figure.high)),
    ("samples", Values::Whole(|row| i64::try_from(row.figure.samples).ok())),
    ("trust", Values::Text(|row| row.figure.trust.clone())),
    ("source", Values::Text(|row| row.entry.source.clone())),
];

// Numbers of the format's enumerations (parquet.thrift).
const INT64: i64 = 2;
const DOUBLE: i64 = 5;
const BYTE_ARRAY: i64 = 6;
const UTF8: i64 = 0;
const TIMESTAMP_MILLIS: i64 = 9;
const REQUIRED: i64 = 0;
const OPTIONAL: i64 = 1;
const PLAIN: i64 = 0;
const RLE: i64 = 3;

impl Values {
    fn physical(&self) -> i64 {
        match self {
            Values::Text(_) => BYTE_ARRAY,
            Values::Number(_) => DOUBLE,
            Values::Whole(_) | Values::Time(_) => INT64,
        }
    }

    /// What the values mean beyond their bytes.
    fn meaning(&self) -> Option<i64> {
        match self {
            Values::Text(_) => Some(UTF8),
            Values::Time(_) => Some(TIMESTAMP_MILLIS),
            Values::Number(_) | Values::Whole(_) => None,
        }
    }

    fn repetition(&self) -> i64 {
        if matches!(self, Values::Text(_)) { REQUIRED } else { OPTIONAL }
    }

    /// The bytes of a page: levels of optional values, then the values that are there.
    fn page(&self, rows: &[Row<'_>]) -> Vec<u8> {
        let mut page = Vec::new();
        match self {
            Values::Text(read) => {
                for text in rows.iter().map(read) {
                    page.extend_from_slice(&(text.len() as u32).to_le_bytes());
                    page.extend_from_slice(text.as_bytes());
                }
            }
            Values::Number(read) => optional(&mut page, rows.iter().map(|row| read(row).map(f64::to_le_bytes))),
            Values::Whole(read) | Values::Time(read) => {
                optional(&mut page, rows.iter().map(|row| read(row).map(i64::to_le_bytes)));
            }
        }
        page
    }
}

/// One bit a row for whether there is a value, packed in one run of the hybrid encoding with its length before it, and the values.
fn optional(page: &mut Vec<u8>, values: impl Iterator<Item = Option<[u8; 8]>>) {
    let values: Vec<Option<[u8; 8]>> = values.collect();
    let bit = |(i, value): (usize, &Option<[u8; 8]>)| u8::from(value.is_some()) << i;
    let packed = values.chunks(8).map(|group| group.iter().enumerate().map(bit).sum::<u8>());
    let mut levels = Vec::new();
    compact::varint(&mut levels, (values.len().div_ceil(8) as u64) << 1 | 1);
    levels.extend(packed);
    page.extend_from_slice(&(levels.len() as u32).to_le_bytes());
    page.extend(levels);
    page.extend(values.into_iter().flatten().flatten());
}

/// Where a column of a group lies in the file.
struct Chunk {
    offset: usize,
    bytes: usize,
}

/// Writes the figures of `entries`; `time_ms` reads a run's start as milliseconds since 1970.
pub fn write(entries: &[&RunDigest], time_ms: &dyn Fn(&str) -> Option<i64>, out: &mut dyn Write) -> io::Result<()> {
    let timed = entries.iter().map(|entry| (*entry, time_ms(&entry.utc)));
    let rows: Vec<Row<'_>> = timed
        .flat_map(|(entry, time_ms)| entry.figures.iter().map(move |figure| Row { entry, figure, time_ms }))
        .collect();
    out.write_all(MAGIC)?;
    let mut at = MAGIC.len();
    let mut groups = Vec::new();
    for rows in rows.chunks(GROUP) {
        let mut chunks = Vec::new();
        for (_, values) in COLUMNS {
            let page = values.page(rows);
            let header = page_header(page.len(), rows.len());
            out.write_all(&header)?;
            out.write_all(&page)?;
            chunks.push(Chunk { offset: at, bytes: header.len() + page.len() });
            at += header.len() + page.len();
        }
        groups.push((rows.len(), chunks));
    }
    let footer = footer(rows.len(), &groups);
    out.write_all(&footer)?;
    out.write_all(&(footer.len() as u32).to_le_bytes())?;
    out.write_all(MAGIC)
}

fn page_header(bytes: usize, values: usize) -> Vec<u8> {
    let mut header = Compact::new();
    // A data page, its size before and after compression.
    header.int(1, 0);
    header.int(2, bytes as i64);
    header.int(3, bytes as i64);
    header.begin(5);
    header.int(1, values as i64);
    header.int(2, PLAIN);
    header.int(3, RLE);
    header.int(4, RLE);
    header.end();
    header.finish()
}

fn footer(rows: usize, groups: &[(usize, Vec<Chunk>)]) -> Vec<u8> {
    let mut footer = Compact::new();
    footer.int(1, 1);
    footer.structs(2, COLUMNS.len() + 1);
    footer.open();
    footer.text(4, "paw");
    footer.int(5, COLUMNS.len() as i64);
    footer.end();
    for (name, values) in COLUMNS {
        footer.open();
        footer.int(1, values.physical());
        footer.int(3, values.repetition());
        footer.text(4, name);
        values.meaning().into_iter().for_each(|meaning| footer.int(6, meaning));
        footer.end();
    }
    footer.long(3, rows as i64);
    footer.structs(4, groups.len());
    for (rows, chunks) in groups {
        footer.open();
        footer.structs(1, chunks.len());
        for (chunk, (name, values)) in chunks.iter().zip(COLUMNS) {
            column(&mut footer, chunk, name, values, *rows);
        }
        footer.long(2, chunks.iter().map(|chunk| chunk.bytes as i64).sum());
        footer.long(3, *rows as i64);
        footer.end();
    }
    footer.text(6, concat!("paw version ", env!("CARGO_PKG_VERSION")));
    footer.finish()
}

fn column(footer: &mut Compact, chunk: &Chunk, name: &str, values: &Values, rows: usize) {
    footer.open();
    footer.long(2, chunk.offset as i64);
    footer.begin(3);
    footer.int(1, values.physical());
    footer.ints(2, &[PLAIN, RLE]);
    footer.texts(3, &[name]);
    // Not compressed.
    footer.int(4, 0);
    footer.long(5, rows as i64);
    footer.long(6, chunk.bytes as i64);
    footer.long(7, chunk.bytes as i64);
    footer.long(9, chunk.offset as i64);
    footer.end();
    footer.end();
}
