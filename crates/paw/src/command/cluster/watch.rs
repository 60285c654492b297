//! `paw cluster watch`: how far the nodes are.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::thread;
use std::time::Duration;

use paw_data::store::FILE;

use super::directory::ClusterDirectory;
use crate::cli::{ClusterWatchArgs, Format};
use crate::cluster::cluster_file::StepNodes;
use crate::exit::Code;
use crate::failure::Failure;
use crate::print;
use crate::table::Table;

/// Time between two looks.
const EVERY: Duration = Duration::from_secs(2);

/// The bytes at the end of a run's file that hold its last line: an `end` line has some hundred bytes and the state of the machine.
const TAIL_BYTES: u64 = 64 << 10;

/// Shows the steps until every node has done those that it does by itself.
pub fn watch(args: &ClusterWatchArgs) -> Result<Code, Failure> {
    let home = ClusterDirectory::open(&args.cluster)?;
    let mut before = String::new();
    loop {
        let (text, is_done) = looked(&home);
        if text != before {
            print::show(&format!("{text}\n"))?;
            before = text;
        }
        if is_done || args.once {
            return Ok(Code::Done);
        }
        thread::sleep(EVERY);
    }
}

/// The table of steps, and whether all is done.
fn looked(home: &ClusterDirectory) -> (String, bool) {
    let names = home.names();
    let expected = if names.is_empty() { home.file.nodes.unwrap_or(0) as usize } else { names.len() };
    let mut table = Table::new(&["step", "runs", "ended", "of", "not ended"]);
    let mut is_done = true;
    for step in &home.file.steps {
        let runs: BTreeMap<String, bool> =
            home.runs(&step.name).into_iter().map(|(node, path)| (node, has_ended(&path))).collect();
        let ended = runs.values().filter(|ended| **ended).count();
        let (of, missing): (String, Vec<&str>) = match &step.nodes {
            StepNodes::Each => {
                let open = runs.iter().filter(|(_, ended)| !**ended).map(|(node, _)| node.as_str());
                let absent = names.iter().map(String::as_str).filter(|name| !runs.contains_key(*name));
                (expected.to_string(), open.chain(absent).collect())
            }
            StepNodes::All | StepNodes::Counts(_) => {
                let counts = step.nodes.counts(home.file.nodes.unwrap_or(u32::MAX));
                (counts.len().to_string(), Vec::new())
            }
        };
        is_done &= of.parse::<usize>().is_ok_and(|of| of > 0 && ended >= of);
        let mut list = missing.iter().take(8).copied().collect::<Vec<_>>().join(", ");
        if missing.len() > 8 {
            list.push_str(&format!(" and {} more", missing.len() - 8));
        }
        table.row([&step.name, &runs.len().to_string(), &ended.to_string(), &of, &list]);
    }
    (table.written(Format::Text, print::width()), is_done)
}

/// Whether the last line of a run is its `end`.
fn has_ended(run: &Path) -> bool {
    let tail = || -> std::io::Result<Vec<u8>> {
        let mut file = File::open(run.join(FILE))?;
        let length = file.seek(SeekFrom::End(0))?;
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES)))?;
        let mut bytes = Vec::new();
        file.take(TAIL_BYTES).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let Ok(bytes) = tail() else { return false };
    let last = bytes.trim_ascii_end().rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    last.starts_with(b"{\"line\":\"end\"")
}
