//! Prints the tables of METHOD.md on change points: false alarms, and steps that are found.
#![forbid(unsafe_code)]

use std::io::{self, Write};

use calibration::history::{ALARMS, CORRELATED, INDEPENDENT, Scatter, false_alarms, power};
use calibration::proportion::Proportion;
use paw_stats::change_point::Search;

/// Series of each cell of the tables, where no number is typed.
const SERIES: u64 = 20_000;

/// Lengths of histories.
const RUNS: [usize; 6] = [10, 14, 20, 50, 100, 200];

fn main() -> io::Result<()> {
    let series = std::env::args().nth(1).and_then(|typed| typed.parse().ok()).unwrap_or(SERIES);
    let mut out = io::stdout().lock();
    writeln!(out, "fewest runs in which a change can be found: {}\n", Search::new(ALARMS).fewest())?;
    let lengths: String = RUNS.iter().map(|runs| format!(" {runs} runs |")).collect();
    writeln!(
        out,
        "False alarms in {series} series of one level:\n\n| scatter |{lengths}\n|---|{}",
        "---|".repeat(RUNS.len())
    )?;
    for scatter in INDEPENDENT.iter().chain(CORRELATED) {
        write!(out, "| {} |", scatter.name)?;
        for runs in RUNS {
            write!(out, " {} |", false_alarms(scatter, runs, series).count)?;
            out.flush()?;
        }
        writeln!(out)?;
    }
    writeln!(out, "\nSteps found, of {} series each:\n", series / 20)?;
    writeln!(
        out,
        "| step | noise | runs | after it | found | place in its interval | size in its interval | a change elsewhere |"
    )?;
    writeln!(out, "|---|---|---|---|---|---|---|---|")?;
    for (step, noise) in [(0.05, 0.01), (0.05, 0.03), (0.1, 0.01), (0.1, 0.03)] {
        for (runs, after) in [(14, 7), (20, 10), (20, 4), (50, 25), (50, 5), (50, 3), (100, 3), (200, 3)] {
            row(&mut out, &INDEPENDENT[0], (step, noise), (runs, after), series / 20)?;
        }
    }
    Ok(())
}

fn row(
    out: &mut impl Write,
    scatter: &Scatter,
    (step, noise): (f64, f64),
    (runs, after): (usize, usize),
    series: u64,
) -> io::Result<()> {
    let found = power(scatter, runs, noise, (after, 1.0 + step), series);
    let share = |share: Proportion| share.share().map_or("–".to_owned(), |share| format!("{:.0} %", 100.0 * share));
    let [percent, noise] = [step, noise].map(|value| format!("{:.0} %", 100.0 * value));
    let shares = [found.found, found.placed, found.sized, found.elsewhere].map(share).join(" | ");
    writeln!(out, "| {percent} | {noise} | {runs} | {after} | {shares} |")
}
