//! Provenance of imported numbers: run, program, date, clock.

use super::assembly::BlockGroup;
use super::block::{Block, BlockOrigin};
use super::record::METHOD;
use crate::method::{EndRule, Estimator, LoopRule, Memory, Method, Plan};
use crate::run::{ClockKind, Header, Instrument};

/// The header of an imported run.
pub(super) fn header(session: &BlockGroup, blocks: &[&Block]) -> Header {
    let utc = blocks.iter().find_map(|b| b.fact("Date")).map(utc).unwrap_or_default();
    let id = match session {
        BlockGroup::Named(id) => id.clone(),
        BlockGroup::Nth(_, nth) => {
            let date: String = utc.chars().filter(char::is_ascii_alphanumeric).collect();
            ["imported", &date, &(nth + 1).to_string()]
                .iter()
                .filter(|s| !s.is_empty())
                .copied()
                .collect::<Vec<_>>()
                .join("-")
        }
    };
    let mut tools: Vec<String> = blocks.iter().map(|b| tool(b)).collect();
    tools.sort();
    tools.dedup();
    let mut files: Vec<String> = blocks.iter().map(|b| b.path.display().to_string()).collect();
    files.dedup();
    let mut header = Header { utc, ..Header::bare(id, tools.join(", "), plan()) };
    header.imported_from(files.join(" "));
    if let Some(cpu) = blocks.iter().find_map(|b| b.fact("Machine")) {
        header.machine.identity.cpu = cpu.to_owned();
    }
    header
}

fn tool(block: &Block) -> String {
    match block.origin {
        BlockOrigin::Paw(major, minor, 0) => format!("PAW {major}.{minor}"),
        BlockOrigin::Paw(major, minor, patch) => format!("PAW {major}.{minor}.{patch}"),
        BlockOrigin::Ours => block.fact("Tool").unwrap_or("paw").to_owned(),
        BlockOrigin::Unknown => "PAW".to_owned(),
    }
}

/// The plan with PAW's constants.
fn plan() -> Plan {
    let method = Method {
        name: METHOD.to_owned(),
        warmup: 1,
        loops: LoopRule::Code { loops_max: 1000, loops_min: 2, overheads_low: 100.0, overheads_high: 1000.0 },
        ending: EndRule::Fixed { samples: 10 },
        headline: Estimator::Mean,
        memory: Memory::Kept,
    };
    Plan::new(method, 0, None)
}

/// PAW keeps the seconds since 1970 in a double: from 2004 to 2038 its smallest step is 2^-22 s.
const EPOCH_STEP_S: f64 = 1.0 / 4_194_304.0;

/// The clock PAW used.
pub(super) fn instrument(blocks: &[&Block]) -> Instrument {
    let ours = blocks.iter().all(|b| b.origin == BlockOrigin::Ours);
    let (clock, resolution_s) =
        if ours { (ClockKind::Monotonic, f64::NAN) } else { (ClockKind::Realtime, EPOCH_STEP_S) };
    Instrument { id: 0, clock, resolution_s, overhead_s: f64::NAN, hz: None }
}

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// `Fri Jan  2 03:04:05 2015` as RFC 3339. PAW writes local time and no zone: it is taken as UTC. Other text stays.
fn utc(date: &str) -> String {
    let words: Vec<&str> = date.split_whitespace().collect();
    let read = || {
        let [_, month, day, time, year] = words[..] else { return None };
        let month = MONTHS.iter().position(|m| *m == month)? + 1;
        let (day, year): (u32, u32) = (day.parse().ok()?, year.parse().ok()?);
        Some(format!("{year:04}-{month:02}-{day:02}T{time}Z"))
    };
    read().unwrap_or_else(|| date.to_owned())
}
