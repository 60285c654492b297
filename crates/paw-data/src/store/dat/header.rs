//! The comment block above the rows: who measured what, when, and in which units.

use std::fmt::Write;

use super::name::Content;
use crate::axis;
use crate::cell::{Cell, Combine, Dat};
use crate::headline::Family;
use crate::run::Header;

/// The beginning of paw's own files; the version follows.
pub(super) const BANNER: &str = "# Written by paw ";

const RULE: &str = "#=======================================================\n";

/// A unit as a file writes it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct DatUnit {
    pub label: &'static str,
    /// SI units in one of this unit.
    pub si: f64,
}

/// The unit PAW's files of this kind have: BLAS times in seconds, all other times in microseconds, rates in powers of ten.
pub(super) fn unit(cell: &Cell, content: Content) -> DatUnit {
    match content {
        Content::Time if cell.family() == Some(Family::Blas) => DatUnit { label: "s", si: 1.0 },
        Content::Time => DatUnit { label: "us", si: 1e-6 },
        Content::Flops => DatUnit { label: "GFP/s", si: 1e9 },
        Content::Bandwidth => DatUnit { label: "MB/s", si: 1e6 },
        Content::Rate => DatUnit { label: "MIO/s", si: 1e6 },
    }
}

/// The block above the rows. `rest` names the axes that stay the same in the whole file.
pub(super) fn header(run: &Header, cell: &Cell, rest: &str, content: Content) -> String {
    let title = cell.dat.as_ref().map_or("", |dat| &dat.title);
    let mut text = format!("{RULE}{BANNER}{}\n{RULE}", env!("CARGO_PKG_VERSION"));
    let mut fact = |name: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(text, "# {name} : {}", value.replace(['\n', '\r'], " "));
        }
    };
    fact("Date", &run.utc);
    fact("Test", title);
    fact("Run", &run.id);
    fact("Tool", &run.tool);
    fact("Machine", &run.machine.identity.cpu);
    fact("Provider", &cell.provider);
    if let Some(library) = &cell.library {
        fact("Library", format!("{} {}", library.path, library.version).trim());
    }
    if cell.combine != Combine::Single {
        fact("Ranks", cell.combine.words());
    }
    fact("Point", rest);
    text.push_str(RULE);
    text.push_str(meaning(content));
    text.push_str(&columns(cell, unit(cell, content).label));
    text
}

fn meaning(content: Content) -> &'static str {
    match content {
        Content::Time => {
            "# Time of one operation (of a ping-pong one way, of message rates a window) over NREPS samples: all of them under PAW's methods, else those that nothing disturbed; stdDev is the population's.\n\
             # LOW and HIGH bound the MEDIAN with 95 % confidence (NAN under 6 samples).\n#\n"
        }
        _ => {
            "# AVG is work / mean time, never the mean of the rates; MIN, MAX and stdDev (the population's) are those of\n\
             # work / time over NREPS samples: all under PAW's methods, else those that nothing disturbed. MEDIAN is work / median time, between LOW and HIGH\n\
             # with 95 % confidence (NAN under 6 samples). Powers of ten: 1 MB is 1e6 bytes, 1 MIO is 1e6 messages.\n\
             # Flops by PAW's count: 2N^2(N+1) for matrix products, 2N(N+1) for matrix times vector.\n#\n"
        }
    }
}

fn columns(cell: &Cell, unit: &str) -> String {
    let counts_bytes = |dat: &Dat| dat.size == axis::BYTES || dat.element_bytes.is_some();
    let bytes = cell.family().is_some_and(Family::is_of_ranks) || cell.dat.as_deref().is_some_and(counts_bytes);
    let size = if bytes { "SIZE(B)" } else { "SIZE" };
    format!(
        "# {size}\tAVG({unit})\t\tMIN({unit})\t\tMAX({unit})\tstdDev({unit})\t\tNLOOP\tNREPS\
         \tMEDIAN({unit})\tLOW({unit})\tHIGH({unit})\n"
    )
}
