//! The Performance Assessment Workbench: the command. The only crate that parses flags, prints and exits.
#![forbid(unsafe_code)]

use std::panic;
use std::process::ExitCode;

use clap::Parser;

mod acceptance;
mod amount;
mod application;
mod benchmark_roofs;
mod campaign;
mod cli;
mod cluster;
mod command;
mod command_line;
mod confidential;
mod config;
mod counter_groups;
mod counter_record;
mod counter_runs;
mod device_messages;
mod emergency;
mod environment;
mod executable;
mod exit;
mod export_format;
mod fail_on;
mod failure;
mod file;
mod finish;
mod gate;
mod host_facts;
mod installation;
mod job;
mod kernel;
mod launcher_process;
mod machine_description;
mod method;
mod model_store;
mod open;
mod outdir;
mod parameters;
mod print;
mod private_directory;
mod profile;
mod program_roofs;
mod program_simulation;
mod progress;
mod provider_names;
mod recorded;
mod rendezvous;
mod resume;
mod roofs;
mod run_request;
mod sampled_process;
mod selection;
mod session;
mod setting;
mod show;
mod signals;
mod silence;
mod simulator;
mod startup;
mod step_process;
mod suite;
mod supervised;
mod table;
mod utc;
mod variable;
mod written_since;

use confidential::Identity;
use exit::Code;

/// Obeys the command line of this process; returns its exit code.
pub fn run() -> ExitCode {
    panic::set_hook(Box::new(|bug| {
        print::message(&format!("paw: this is a bug in paw, please report it: {bug}"));
        // A release does not unwind: what is measured is on disk, and what is left over is what SIGKILL leaves.
        signal_hook::low_level::exit(Code::Bug as i32);
    }));
    signals::outlive_file_limit();
    if launcher_process::is_asked() {
        return launcher_process::launch();
    }
    if device_messages::is_asked() {
        return device_messages::become_probe();
    }
    if step_process::is_asked() {
        return step_process::become_step();
    }
    if sampled_process::is_asked() {
        return sampled_process::become_program();
    }
    if job::is_launched() {
        print::through_a_launcher();
    }
    if job::role() == job::Role::Follower {
        // Every rank reads the same command line; only one prints messages about it.
        print::silence();
    }
    let cli = match cli::Cli::try_parse_from(executable::arguments(std::env::args_os())) {
        Ok(cli) => cli,
        Err(refused) => return print::refused(&application::explained(refused)),
    };
    confidential::begin(if cli.redact { Identity::Hidden } else { Identity::Shown });
    ExitCode::from(command::obey(cli) as u8)
}
