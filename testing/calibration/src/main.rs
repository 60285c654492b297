//! The command `calibration`: minutes in, a table of how often paw is right out.
#![forbid(unsafe_code)]

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use calibration::experiment::SectionFindings;
use calibration::load::LoadState;
use calibration::machine_state;
use calibration::result_table::{Style, written};
use calibration::sections::SECTIONS;
use calibration::timetable::{self, Slot};
use calibration::tool::Tool;
use clap::{Parser, ValueEnum};

/// Measures how often paw's verdicts, intervals and words of trust are right, with the real paw on this machine.
///
/// Ctrl-C prints what there is.
#[derive(Parser)]
#[command(name = "calibration")]
struct Flags {
    /// Minutes that all sections take together.
    #[arg(long, value_name = "N", default_value_t = 25.0)]
    minutes: f64,
    /// Only these sections: blas, kernels, coverage, apps, memory, power, mpi.
    #[arg(long, value_name = "SECTION", value_delimiter = ',', value_parser = SECTIONS.iter().map(|s| s.name).collect::<Vec<_>>())]
    only: Vec<String>,
    /// What runs beside the experiments.
    #[arg(long, value_enum, default_value_t = Beside::Both)]
    load: Beside,
    /// Seed of the load and of everything that is shuffled.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Directory of paw, spin, mockrun and libmock_mpi.so; by default that of this program, where they are built first.
    #[arg(long, value_name = "DIR")]
    programs: Option<PathBuf>,
}

/// What runs beside the experiments.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Beside {
    /// Nothing, then the load
    Both,
    /// Nothing
    Idle,
    /// The load: a process for each processor, busy half of the time
    Loaded,
}

fn main() -> ExitCode {
    match calibrate(&Flags::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            let _ = writeln!(io::stderr(), "calibration: {why}");
            ExitCode::FAILURE
        }
    }
}

fn calibrate(flags: &Flags) -> Result<(), String> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&stop)).map_err(|error| error.to_string())?;
    }
    let programs = match &flags.programs {
        Some(programs) => programs.clone(),
        None => built()?,
    };
    let tool = Tool::new(programs, stop, flags.seed)?;
    let minutes = flags.minutes.clamp(0.0, 1e4);
    let before = machine_state::line();
    let found = timetable::run(&tool, &slots(flags), Duration::from_secs_f64(minutes * 60.0), report);
    let state = format!("{before} at the beginning, {} at the end", machine_state::load_average());
    let page = written(&found, &state, Style::Text) + "\n" + &written(&found, &state, Style::Markdown);
    io::stdout().write_all(page.as_bytes()).map_err(|error| error.to_string())
}

/// The sections wanted: all idle ones, then all loaded ones.
fn slots(flags: &Flags) -> Vec<Slot> {
    let loads = match flags.load {
        Beside::Both => vec![LoadState::Idle, LoadState::Loaded],
        Beside::Idle => vec![LoadState::Idle],
        Beside::Loaded => vec![LoadState::Loaded],
    };
    let is_wanted = |name: &str| flags.only.is_empty() || flags.only.iter().any(|only| only == name);
    let slots = |load| SECTIONS.iter().map(move |section| Slot { section, load });
    let all = loads.into_iter().flat_map(slots);
    all.filter(|slot| is_wanted(slot.section.name) && slot.section.weight(slot.load) > 0.0).collect()
}

/// Says that a section has ended.
fn report(section: &SectionFindings) {
    let counted = section.findings.first().map(|finding| {
        let (what, share) = (&finding.what, finding.share);
        format!(": {what}: {} of {}", share.count, share.of)
    });
    let (name, load, repeats, elapsed_s) = (section.section, section.load.word(), section.repeats, section.elapsed_s);
    let _ =
        writeln!(io::stderr(), "{name}, {load}: {repeats} repeats in {elapsed_s:.0} s{}", counted.unwrap_or_default());
}

/// The directory of this program, with the others built into it where cargo started this one.
fn built() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let directory = own.parent().ok_or("this program lies in no directory")?.to_owned();
    if let Ok(cargo) = std::env::var("CARGO") {
        let mut build = Command::new(cargo);
        build.args(["build", "--quiet", "-p", "paw", "-p", "spin", "-p", "mock-mpi"]);
        if !cfg!(debug_assertions) {
            build.arg("--release");
        }
        let status = build.current_dir(env!("CARGO_MANIFEST_DIR")).status().map_err(|error| error.to_string())?;
        if !status.success() {
            return Err("paw could not be built".to_owned());
        }
    }
    Ok(directory)
}
