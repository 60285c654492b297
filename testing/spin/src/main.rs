//! The command `spin`: flags in, a load of known length and habits, an exit code out.
#![forbid(unsafe_code)]

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use std::{env, fmt};

use clap::{Parser, ValueEnum};
use spin::load::{self, Mode};
use spin::plan::{Bursts, Shape};
use spin::{counter, sys};

/// No test waits so long, and nothing that a test has lost stays for good.
const FOREVER: Duration = Duration::from_secs(600);
/// A daemon outlives the test that asks for one, but not by much.
const DAEMON: Duration = Duration::from_secs(60);
/// Printed over and over: 64 bytes with its end.
const LINE: &[u8; 64] = b"spin spin spin spin spin spin spin spin spin spin spin spin spi\n";

/// Works for a known time and prints it beforehand: spin: 40.000 ms.
///
/// The time is W (F + (1 − F) / N), and a pause.
#[derive(Parser)]
#[command(name = "spin", allow_negative_numbers = true)]
struct Flags {
    /// Milliseconds of work, were there one thread.
    #[arg(long, value_name = "W", default_value = "0", value_parser = milliseconds)]
    work_ms: Duration,
    /// Part of the work that one thread does alone.
    #[arg(long, value_name = "F", default_value = "0", value_parser = part)]
    serial: f64,
    /// Threads that share the rest.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=4096))]
    threads: u32,
    /// Work by using a processor, or by letting time pass.
    #[arg(long, value_enum, default_value_t = Kind::Cpu)]
    mode: Kind,
    /// Chance that a run pauses.
    #[arg(long, value_name = "P", default_value = "0", value_parser = part)]
    pauses: f64,
    /// Mean milliseconds of a pause; lengths are exponentially distributed.
    #[arg(long, value_name = "M", default_value = "0", value_parser = milliseconds)]
    pause_ms: Duration,
    /// Beginning of all chance.
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Number of this run: seed and number decide its pause.
    #[arg(long, value_name = "R", default_value_t = 0, conflicts_with = "counter")]
    run: u64,
    /// A file that counts runs, in place of --run.
    #[arg(long, value_name = "FILE")]
    counter: Option<PathBuf>,
    /// Exit code.
    #[arg(long, value_name = "C", default_value_t = 0)]
    exit: u8,
    /// Mebibytes to print after the work, in lines of 64 bytes.
    #[arg(long, value_name = "K", default_value_t = 0)]
    print_mb: u64,
    /// Leave a process behind, in a session of its own and with this one's output open, for a minute: daemon: PID.
    #[arg(long)]
    fork_daemon: bool,
    /// Take no notice of SIGTERM.
    #[arg(long)]
    ignore_term: bool,
    /// Do not end after the work (ten minutes).
    #[arg(long)]
    forever: bool,
    /// Work and pause by turns, for exponentially distributed times of these means, until the process that started this one is gone.
    #[arg(long, requires_all = ["work_ms", "pause_ms"])]
    bursts: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    Cpu,
    Sleep,
}

fn main() -> ExitCode {
    let flags = Flags::parse();
    match spin(&flags) {
        Ok(()) => ExitCode::from(flags.exit),
        Err(error) => {
            let _ = writeln!(io::stderr(), "spin: {error}");
            ExitCode::FAILURE
        }
    }
}

fn spin(flags: &Flags) -> io::Result<()> {
    if flags.ignore_term {
        signal_hook::flag::register(signal_hook::consts::SIGTERM, Arc::new(AtomicBool::new(false)))?;
    }
    if flags.bursts {
        return load::bursts(Bursts::new(flags.work_ms, flags.pause_ms, flags.seed), flags.mode());
    }
    let run = flags.counter.as_deref().map_or(Ok(flags.run), counter::next)?;
    let plan = flags.shape().plan(run);
    say(format_args!("spin: {:.3} ms", plan.whole().as_secs_f64() * 1e3))?;
    if flags.fork_daemon {
        say(format_args!("daemon: {}", start_daemon()?))?;
    }
    let mode = flags.mode();
    load::run(&plan, flags.threads, mode)?;
    let mut output = io::stdout().lock();
    for _ in 0..flags.print_mb.saturating_mul((1 << 20) / LINE.len() as u64) {
        output.write_all(LINE)?;
    }
    output.flush()?;
    if flags.forever {
        let endless = Shape { work: FOREVER * flags.threads, serial: 0.0, pauses: 0.0, ..flags.shape() };
        load::run(&endless.plan(0), flags.threads, mode)?;
    }
    Ok(())
}

impl Flags {
    fn mode(&self) -> Mode {
        match self.mode {
            Kind::Cpu => Mode::Cpu,
            Kind::Sleep => Mode::Sleep,
        }
    }

    fn shape(&self) -> Shape {
        Shape {
            work: self.work_ms,
            serial: self.serial,
            threads: self.threads,
            pauses: self.pauses,
            pause: self.pause_ms,
            seed: self.seed,
        }
    }
}

/// Whoever reads a pipe sees the line at once.
fn say(line: fmt::Arguments<'_>) -> io::Result<()> {
    let mut output = io::stdout().lock();
    writeln!(output, "{line}")?;
    output.flush()
}

fn start_daemon() -> io::Result<u32> {
    let mut command = Command::new(env::current_exe()?);
    command.args(["--mode", "sleep", "--work-ms", &DAEMON.as_millis().to_string()]);
    Ok(sys::start_in_own_session(command.stdin(Stdio::null()))?.id())
}

fn milliseconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| format!("{text} is no number of milliseconds"))?;
    Duration::try_from_secs_f64(number / 1e3).map_err(|error| error.to_string())
}

fn part(text: &str) -> Result<f64, String> {
    let part = text.parse().ok().filter(|part| (0.0..=1.0).contains(part));
    part.ok_or_else(|| format!("{text} is not between 0 and 1"))
}
