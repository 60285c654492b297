//! What is injected into a link against what paw and a plain C program tell of it.

use std::fmt::{self, Write as _};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::hosts::Hosts;
use crate::job::{HostJob, Library};
use crate::link::Link;

/// A benchmark of each family; the arbiter has the same.
const BENCHMARKS: [&str; 7] = ["latency", "p2p_send", "barrier", "allreduce", "alltoall", "p2p_put_fence", "p2p_get"];
/// The one whose messages fill the link, and the elements of one.
const FILLS: (&str, u32) = ("p2p_send", 131_072);
/// What a message of eight bytes tells.
const WAITS: [&str; 6] = ["latency", "barrier", "allreduce", "alltoall", "p2p_put_fence", "p2p_get"];

/// The links of the table: delays in microseconds, then one of 100 Mbit/s.
pub fn links() -> [Link; 4] {
    [Link::of_delay_us(200), Link::of_delay_us(1000), Link::of_delay_us(20_000), Link::of_rate(100e6)]
}

/// The fastest and the median of a benchmark, in seconds or bytes a second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Told {
    fastest: f64,
    median: f64,
}

/// A row.
#[derive(Debug)]
pub struct Line {
    link: Link,
    library: Library,
    benchmark: &'static str,
    paw: Option<Told>,
    arbiter: Option<Told>,
}

impl Line {
    /// The head of the table.
    pub const HEAD: &'static str = "| link | MPI | benchmark | paw: fastest | median | C: fastest | median | paw ÷ C, fastest |\n|---|---|---|---|---|---|---|---|";
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_rate = self.benchmark == FILLS.0;
        let link = if is_rate {
            format!("100 Mbit/s: {:.3} MB/s", self.link.payload_rate() / 1e6)
        } else {
            format!("{} µs", self.link.delay.as_micros())
        };
        let figure =
            |value: f64| if is_rate { format!("{:.3} MB/s", value / 1e6) } else { format!("{:.1} µs", 1e6 * value) };
        let mut cells = String::new();
        for told in [self.paw, self.arbiter] {
            match told {
                Some(told) => write!(cells, " {} | {} |", figure(told.fastest), figure(told.median))?,
                None => cells.push_str(" – | – |"),
            }
        }
        let ratio =
            self.paw.zip(self.arbiter).map_or("–".to_owned(), |(a, b)| format!("{:.3}", a.fastest / b.fastest));
        write!(f, "| {link} | {} | {} |{cells} {ratio} |", self.library.name(), self.benchmark)
    }
}

/// The rows of one link and library: `samples` samples of each benchmark, by paw and by the arbiter, on the same hosts.
///
/// # Errors
/// Hosts cannot be made, the arbiter cannot be built, or a job fails.
pub fn lines(tool: &Path, paw: &Path, library: Library, link: Link, samples: u32) -> io::Result<Vec<Line>> {
    let hosts = Hosts::start(tool, 2, link)?;
    let arbiter = arbiter(hosts.home(), library)?;
    let flags = if library == Library::OpenMpi { "--mca osc pt2pt" } else { "" };
    let job = HostJob { flags, ..HostJob::of(library) };
    // Twenty milliseconds are waited for often enough by one operation a sample.
    let loops = if link.delay.as_millis() >= 10 { 1 } else { 4 };
    let run = hosts.home().join("r");
    let (wanted, points): (&[&'static str], String) = match link.rate.is_finite() {
        true => (&[FILLS.0], format!("n={}", FILLS.1)),
        false => (&WAITS, "n=1 --set cadence=streaming".to_owned()),
    };
    let line = format!(
        "{} run {} --set {points} --sync barrier --reps {samples} --loops {loops} --quiet --out {}",
        paw.display(),
        wanted.join(" "),
        run.display()
    );
    said(job.command(&hosts, &line))?;
    let table = said({
        let mut export = Command::new(paw);
        export.args(["export", "--format", "csv"]).arg(&run);
        export
    })?;
    let plain = said(job.command(&hosts, &format!("{} {loops} {samples}", arbiter.display())))?;
    let row = |benchmark: &&'static str| Line {
        link,
        library,
        benchmark,
        paw: of_paw(&table, benchmark),
        arbiter: of_arbiter(&plain, benchmark),
    };
    Ok(BENCHMARKS.iter().filter(|name| wanted.contains(name)).map(row).collect())
}

fn arbiter(directory: &Path, library: Library) -> io::Result<PathBuf> {
    let (source, program) = (directory.join("arbiter.c"), directory.join("arbiter"));
    std::fs::write(&source, include_str!("../arbiter.c"))?;
    let mut compiler = Command::new(format!("mpicc.{}", library.name()));
    compiler.args(["-O2", "-o"]).args([&program, &source]);
    said(compiler)?;
    Ok(program)
}

fn said(mut command: Command) -> io::Result<String> {
    let ran = command.output()?;
    if ran.status.success() {
        return Ok(String::from_utf8_lossy(&ran.stdout).into_owned());
    }
    let text = [ran.stdout, ran.stderr].concat();
    Err(io::Error::other(format!("{command:?}: {}", String::from_utf8_lossy(&text).trim())))
}

/// The headline quantity of a benchmark in paw's table: `benchmark,provider,point,quantity,unit,statistic,value,…`.
fn of_paw(table: &str, benchmark: &str) -> Option<Told> {
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    let value = |quantity: &str, statistic: &str| -> Option<f64> {
        let row = rows.iter().find(|row| row[0] == benchmark && row[3] == quantity && row[5] == statistic)?;
        row[6].parse().ok()
    };
    match benchmark == FILLS.0 {
        true => Some(Told { fastest: value("bytes", "max")?, median: value("bytes", "median")? }),
        false => Some(Told { fastest: value("time", "min")?, median: value("time", "median")? }),
    }
}

fn of_arbiter(plain: &str, benchmark: &str) -> Option<Told> {
    let words = plain.lines().map(|line| line.split(' ').collect::<Vec<_>>()).find(|words| words[0] == benchmark)?;
    Some(Told { fastest: words.get(1)?.parse().ok()?, median: words.get(2)?.parse().ok()? })
}
