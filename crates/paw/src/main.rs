//! The Performance Assessment Workbench: the command. The only crate that parses flags, prints and exits.
#![forbid(unsafe_code)]

use std::panic;
use std::process::ExitCode;

use clap::Parser;

mod amount;
mod application;
mod campaign;
mod cli;
mod closing;
mod command;
mod config;
mod emergency;
mod executable;
mod exit;
mod failure;
mod file;
mod here;
mod job;
mod kernel;
mod launching;
mod method;
mod name;
mod open;
mod opening;
mod outdir;
mod print;
mod private_directory;
mod progress;
mod rendezvous;
mod select;
mod session;
mod setting;
mod shape;
mod show;
mod signals;
mod surroundings;
mod table;
mod variable;

use exit::Code;

fn main() -> ExitCode {
    panic::set_hook(Box::new(|bug| {
        print::tell(&format!("paw: this is a bug in paw, please report it: {bug}"));
    }));
    if launching::is_asked() {
        return launching::launch();
    }
    if job::is_launched() {
        print::through_a_launcher();
    }
    if job::role() == job::Role::Follower {
        // Every rank reads the same command line; one of them talks about it.
        print::hush();
    }
    let cli = match cli::Cli::try_parse_from(executable::arguments(std::env::args_os())) {
        Ok(cli) => cli,
        Err(refused) => return print::refused(&refused),
    };
    let code = panic::catch_unwind(|| command::obey(cli)).unwrap_or(Code::Bug);
    ExitCode::from(code as u8)
}
