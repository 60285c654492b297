//! `paw completions`: a script that completes paw's command line.

use clap::CommandFactory;

use crate::cli::{Cli, CompletionsArgs};
use crate::exit::Code;
use crate::failure::Failure;
use crate::print;

/// Prints the completion script of a shell.
pub fn completions(args: &CompletionsArgs) -> Result<Code, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "paw", &mut script);
    print::show(&String::from_utf8_lossy(&script))?;
    Ok(Code::Done)
}
