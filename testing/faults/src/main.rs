//! The command `faults`: moments in, tables of what signals and refusing files cost out.
#![forbid(unsafe_code)]

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use faults::refusal::{self, OF_ROOT, REFUSALS, Refused};
use faults::subject::{self, Subject};
use faults::tally::{self, SIGNALS, Tally};
use workplace::Workplace;

/// Signals at random moments and files that refuse, and what they cost runs of paw: tables in Markdown, and a sentence for each fault.
#[derive(Parser)]
#[command(name = "faults")]
struct Flags {
    /// The paw that is tried.
    #[arg(long, value_name = "FILE")]
    paw: PathBuf,
    /// Moments for each command and signal.
    #[arg(long, value_name = "N", default_value_t = 100)]
    moments: u32,
    /// Tries for each command and refusal.
    #[arg(long, value_name = "N", default_value_t = 10)]
    tries: u32,
    /// Seed of moments and limits.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Only commands whose name has this part.
    #[arg(long, value_name = "PART", default_value = "")]
    only: String,
}

fn main() -> ExitCode {
    match tables(&Flags::parse(), &mut io::stdout().lock()) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            let _ = writeln!(io::stderr(), "faults: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints the tables row by row, and a sentence for each fault on standard error; returns their number.
fn tables(flags: &Flags, out: &mut impl Write) -> io::Result<usize> {
    let paw = std::fs::canonicalize(&flags.paw)?;
    let mut faults = 0;
    let subjects: Vec<Subject> =
        subject::ALL.into_iter().filter(|subject| subject.name.contains(&flags.only)).collect();
    if flags.moments > 0 {
        writeln!(out, "{}", Tally::head())?;
    }
    for (subject, signal) in
        subjects.iter().flat_map(|s| SIGNALS.map(|signal| (s, signal))).filter(|_| flags.moments > 0)
    {
        let tally = tally::tally(subject, signal, flags.moments, flags.seed, &paw);
        writeln!(out, "{tally}")?;
        tally.sentences().iter().try_for_each(|sentence| writeln!(io::stderr(), "{sentence}"))?;
        faults += tally.sentences().len();
    }
    if flags.tries == 0 {
        return Ok(faults);
    }
    writeln!(out, "\n{}", Refused::head())?;
    let home = Workplace::new(&paw);
    let library = refusal::library(&home.path(""));
    let refusals = || REFUSALS.into_iter().chain(OF_ROOT);
    for (subject, refusal) in subjects.iter().flat_map(|s| refusals().map(move |refusal| (s, refusal))) {
        let refused = refusal::refused(subject, refusal, flags.tries, flags.seed, &paw, &library);
        writeln!(out, "{refused}")?;
        refused.faults.iter().try_for_each(|sentence| writeln!(io::stderr(), "{sentence}"))?;
        faults += refused.faults.len();
    }
    Ok(faults)
}
