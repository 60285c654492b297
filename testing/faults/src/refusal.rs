//! Files that refuse to be written, and what a command does then.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use workplace::{Ran, Workplace};

use crate::blow;
use crate::subject::Subject;

/// What is refused.
#[derive(Debug, Clone, Copy)]
pub enum Refusal {
    /// After a number of bytes, every write fails with this error.
    Write {
        /// In words.
        name: &'static str,
        /// Its number.
        error: i32,
    },
    /// Every rename into the run's directory fails with this error.
    Rename {
        /// In words.
        name: &'static str,
        /// Its number.
        error: i32,
    },
    /// The limit on the size of a file.
    FileSize,
    /// The run's directory is a file system of 64 KiB. Takes root.
    SmallDisk,
    /// The run's directory is on a file system that may only be read. Takes root.
    ReadOnly,
}

/// What is refused without root.
pub const REFUSALS: [Refusal; 7] = [
    Refusal::Write { name: "disk full (ENOSPC)", error: 28 },
    Refusal::Write { name: "quota exceeded (EDQUOT)", error: 122 },
    Refusal::Write { name: "device broken (EIO)", error: 5 },
    Refusal::Write { name: "file server restarted (ESTALE)", error: 116 },
    Refusal::Rename { name: "rename refused (EBUSY)", error: 16 },
    Refusal::Rename { name: "rename refused (ESTALE)", error: 116 },
    Refusal::FileSize,
];
/// What only root can let refuse.
pub const OF_ROOT: [Refusal; 2] = [Refusal::SmallDisk, Refusal::ReadOnly];

/// What a command did.
#[derive(Debug)]
pub struct Refused {
    subject: &'static str,
    refusal: Refusal,
    /// How often it was tried.
    pub tries: u32,
    /// What was wrong, a sentence each.
    pub faults: Vec<String>,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Write { name, .. } | Self::Rename { name, .. } => name,
            Self::FileSize => "file at its largest size (EFBIG)",
            Self::SmallDisk => "file system of 64 KiB",
            Self::ReadOnly => "file system that may only be read",
        })
    }
}

impl Refused {
    /// The head of the table.
    pub fn head() -> &'static str {
        "| command | what is refused | tries | not exit 7, no sentence, no table, or unreadable |\n|---|---|---|---|"
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "| {} | {} | {} | {} |", self.subject, self.refusal, self.tries, self.faults.len())
    }
}

/// The preloaded library that refuses, built in `directory`.
///
/// # Panics
/// Without a C compiler.
pub fn library(directory: &Path) -> PathBuf {
    let (source, library) = (directory.join("refuse.c"), directory.join("refuse.so"));
    std::fs::write(&source, include_str!("../refuse.c")).expect("the directory is ours");
    let built = Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status();
    assert!(built.expect("there is a C compiler").success());
    library
}

/// Tries `subject` as often as `tries` says, with limits drawn from `seed` below the size of an undisturbed run.
pub fn refused(subject: &Subject, refusal: Refusal, tries: u32, seed: u64, paw: &Path, library: &Path) -> Refused {
    let whole = subject.place(paw);
    blow::length(subject, &whole);
    let size: usize = subject.runs().iter().map(|run| blow::text(&whole, run).len()).sum();
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut refused = Refused { subject: subject.name, refusal, tries, faults: Vec::new() };
    for _ in 0..tries {
        // At least the first line fits: a run that cannot begin measures nothing.
        let bytes = rng.usize(1..size);
        let place = subject.place(paw);
        let ran = Ran::of(&mut command(subject, refusal, bytes, &place, library));
        refused.faults.extend(
            fault(subject, refusal, &place, &ran)
                .map(|fault| format!("{}: {refusal}, {bytes} bytes: {fault}", subject.name)),
        );
    }
    refused
}

fn command(subject: &Subject, refusal: Refusal, bytes: usize, place: &Workplace, library: &Path) -> Command {
    let line = match refusal {
        Refusal::Write { .. } | Refusal::Rename { .. } => format!("exec {}", subject.line),
        Refusal::FileSize => format!("ulimit -f {}; exec {}", bytes.div_ceil(1024), subject.line),
        Refusal::SmallDisk => mounted("size=64k,mode=700", subject),
        Refusal::ReadOnly => mounted("ro,mode=700", subject),
    };
    let mut command = blow::command(place, &line);
    let home = std::fs::canonicalize(place.path("")).expect("the directory is ours");
    match refusal {
        Refusal::Write { error, .. } => command.env("REFUSE_WRITE", format!("{error}:{bytes}")),
        Refusal::Rename { error, .. } => command.env("REFUSE_RENAME", error.to_string()),
        _ => return command,
    };
    command.env("REFUSE_BELOW", home.join("r")).env("LD_PRELOAD", library);
    command
}

/// The command with a file system of its own below `r`, which nobody else sees and which ends with it.
fn mounted(options: &str, subject: &Subject) -> String {
    let line = subject.line.replace('\'', "'\\''");
    format!(
        "mkdir r; exec unshare -m sh -c 'mount -t tmpfs -o {options} none r; {line}; code=$?; cp -r r kept; exit $code'"
    )
}

/// What is wrong with how a command took it.
fn fault(subject: &Subject, refusal: Refusal, place: &Workplace, ran: &Ran) -> Option<String> {
    let run = if matches!(refusal, Refusal::SmallDisk | Refusal::ReadOnly) { "kept" } else { "r" };
    let text = blow::text(place, run);
    if ran.code != 7 {
        // A limit above what the run needs refuses nothing.
        let is_whole =
            ran.code == 0 && text.contains("\"state\":\"done\"") && !matches!(refusal, Refusal::Rename { .. });
        return (!is_whole).then(|| format!("exit code {}: {}", ran.code, ran.err.trim()));
    }
    if !ran.err.contains("cannot be written") && !ran.err.contains("cannot be made") {
        return Some(format!("no sentence says what: {}", ran.err.trim()));
    }
    if text.contains("\"samples\"") && !ran.out.contains(subject.shows) {
        return Some("it printed no table".to_owned());
    }
    if !text.contains('\n') {
        return None;
    }
    let shown = place.run(&format!("exec $PAW show {run}"));
    (shown.code != 0).then(|| format!("paw show: exit code {}: {}", shown.code, shown.err.trim()))
}
