//! Messages and bytes sent, by the call that sent them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

#[derive(Debug, Clone, Copy, Default)]
struct Count {
    calls: u64,
    messages: u64,
    bytes: u64,
}

/// The counts of one rank.
#[derive(Debug, Default)]
pub(crate) struct Counts(BTreeMap<&'static str, Count>);

impl Counts {
    pub(crate) fn called(&mut self, call: &'static str) {
        self.0.entry(call).or_default().calls += 1;
    }

    pub(crate) fn sent(&mut self, call: &'static str, bytes: usize) {
        let count = self.0.entry(call).or_default();
        count.messages += 1;
        count.bytes += bytes as u64;
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// A table `rank-0000.csv` in `folder`.
    pub(crate) fn write(&self, folder: &Path, rank: usize) -> io::Result<()> {
        let mut text = String::from("call,calls,messages,bytes\n");
        for (call, count) in &self.0 {
            let _ = writeln!(text, "{call},{},{},{}", count.calls, count.messages, count.bytes);
        }
        fs::create_dir_all(folder)?;
        fs::write(folder.join(format!("rank-{rank:04}.csv")), text)
    }
}
