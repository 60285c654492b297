//! The command `two-hosts`: what runs on the hosts of a test.
#![forbid(unsafe_code)]

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use two_hosts::hosts::{self, Hosts};
use two_hosts::job::{HostJob, Library};
use two_hosts::link::Link;
use two_hosts::table::{self, Line};
use two_hosts::{fault, host, hub, relay, shell};

/// Hosts that are namespaces of this machine.
#[derive(Parser)]
#[command(name = "two-hosts")]
enum Command {
    /// The first process of a host. Started by the hosts' owner.
    #[command(hide = true)]
    Host {
        /// The directory that all hosts share.
        directory: PathBuf,
        /// The host's name.
        name: String,
    },
    /// The process that joins hosts to start jobs. Started by the hosts' owner.
    #[command(hide = true)]
    Hub {
        /// A process in the network of each host.
        hosts: Vec<u32>,
    },
    /// The process that carries packets. Started by the hosts' owner.
    #[command(hide = true)]
    Relay {
        /// A process in the network of each host.
        hosts: Vec<u32>,
    },
    /// Runs a line as every rank of a job on hosts that end with it: `two-hosts run --library mpich --delay-us 1000 -- paw run p2p_latency`.
    Run {
        /// The MPI.
        #[arg(long, value_enum, default_value = "openmpi")]
        library: Library,
        /// Hosts.
        #[arg(long, default_value_t = 2)]
        hosts: usize,
        /// Ranks of each host.
        #[arg(long, default_value_t = 1)]
        ranks: usize,
        /// Delay of the link, one way.
        #[arg(long, default_value_t = 0)]
        delay_us: u64,
        /// Rate of the link, in Mbit/s.
        #[arg(long)]
        rate_mbit: Option<f64>,
        /// Part of the packets that the link loses, from 0 to 1.
        #[arg(long, default_value_t = 0.0)]
        loss: f64,
        /// More flags of the launcher, in one word.
        #[arg(long, default_value = "", allow_hyphen_values = true)]
        flags: String,
        /// The line.
        #[arg(last = true, required = true)]
        line: Vec<String>,
    },
    /// A table in Markdown: what is injected into the link against what paw and plain C tell, under both MPIs.
    Table {
        /// The paw that is tried.
        #[arg(long, value_name = "FILE")]
        paw: PathBuf,
        /// Samples of each benchmark.
        #[arg(long, default_value_t = 20)]
        samples: u32,
        /// Only under this MPI.
        #[arg(long, value_enum)]
        only: Option<Library>,
    },
    /// A table in Markdown: what breaks under a job, and when the job ends with what.
    Faults {
        /// The paw that is tried.
        #[arg(long, value_name = "FILE")]
        paw: PathBuf,
        /// Seconds that ranks wait for each other.
        #[arg(long, default_value_t = 8)]
        deadline: u32,
        /// Only under this MPI.
        #[arg(long, value_enum)]
        only: Option<Library>,
    },
    /// Runs a line on a host.
    #[command(hide = true)]
    Shell {
        /// The directory that all hosts share.
        directory: PathBuf,
        /// The host's name.
        name: String,
        /// Words of the line.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        line: Vec<String>,
    },
}

fn main() -> ExitCode {
    let done = match Command::parse() {
        Command::Run { library, hosts, ranks, delay_us, rate_mbit, loss, flags, line } => {
            let rate = rate_mbit.map_or(f64::INFINITY, |rate| rate * 1e6);
            let link = Link { delay: Duration::from_micros(delay_us), rate, loss };
            let job = HostJob { hosts, of_a_host: ranks, flags: &flags, ..HostJob::of(library) };
            run(link, &job, &line.join(" "))
        }
        Command::Table { paw, samples, only } => told(&paw, samples, &libraries(only)).map(|()| 0),
        Command::Faults { paw, deadline, only } => befallen(&paw, deadline, &libraries(only)).map(|()| 0),
        Command::Host { directory, name } => host::run(&directory, &name).map(|()| 0),
        Command::Hub { hosts } => hub::run(&hosts).map(|()| 0),
        Command::Relay { hosts } => relay::run(&hosts).map(|()| 0),
        Command::Shell { directory, name, line } => shell::call(&directory, &name, &line.join(" ")),
    };
    match done {
        Ok(code) => ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX)),
        Err(error) => {
            let _ = writeln!(io::stderr(), "two-hosts: {error}");
            ExitCode::from(u8::MAX)
        }
    }
}

fn run(link: Link, job: &HostJob<'_>, line: &str) -> io::Result<i32> {
    if let Some(why) = hosts::obstacle() {
        return Err(io::Error::other(why));
    }
    let hosts = Hosts::start(&std::env::current_exe()?, job.hosts, link)?;
    let ended = job.command(&hosts, line).status()?;
    Ok(ended.code().unwrap_or(i32::from(u8::MAX)))
}

/// Both MPIs, or the only one that is wanted.
fn libraries(only: Option<Library>) -> Vec<Library> {
    only.map_or_else(|| vec![Library::OpenMpi, Library::Mpich], |one| vec![one])
}

fn told(paw: &Path, samples: u32, libraries: &[Library]) -> io::Result<()> {
    let (paw, tool, mut out) = (std::fs::canonicalize(paw)?, std::env::current_exe()?, io::stdout());
    writeln!(out, "{}", Line::HEAD)?;
    for link in table::links() {
        for library in libraries.iter().copied() {
            let lines = table::lines(&tool, &paw, library, link, samples)?;
            lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
        }
    }
    Ok(())
}

fn befallen(paw: &Path, deadline_s: u32, libraries: &[Library]) -> io::Result<()> {
    let (paw, tool, mut out) = (std::fs::canonicalize(paw)?, std::env::current_exe()?, io::stdout());
    writeln!(out, "| MPI | what breaks | seconds to the end | outcomes | not tried | end noted | processes left |")?;
    writeln!(out, "|---|---|---|---|---|---|---|")?;
    for library in libraries.iter().copied() {
        for what in fault::ALL.into_iter().chain([fault::Fault::AllCut]) {
            let ended = fault::befall(&tool, &paw, library, what, deadline_s)?;
            let seconds = ended.seconds.map_or("never".to_owned(), |seconds| format!("{seconds:.1}"));
            let count = |part| ended.lines(part).len();
            let noted = if count("\"line\":\"end\"") == 1 { "yes" } else { "no" };
            let (outcomes, rest) = (count("\"line\":\"outcome\""), count("not tried: "));
            writeln!(
                out,
                "| {} | {what} | {seconds} | {} | {rest} | {noted} | {} |",
                library.name(),
                outcomes - rest,
                ended.left
            )?;
        }
    }
    Ok(())
}
