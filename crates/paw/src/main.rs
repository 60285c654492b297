//! The Performance Assessment Workbench: the command. The only crate that parses flags, prints and exits.
#![forbid(unsafe_code)]

use std::panic;
use std::process::ExitCode;

use clap::Parser;

mod amount;
mod cli;
mod command;
mod config;
mod executable;
mod exit;
mod failure;
mod file;
mod here;
mod method;
mod name;
mod open;
mod outdir;
mod print;
mod progress;
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
    let cli = cli::Cli::parse_from(executable::arguments(std::env::args_os()));
    let code = panic::catch_unwind(|| command::obey(cli)).unwrap_or(Code::Bug);
    ExitCode::from(code as u8)
}
