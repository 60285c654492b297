//! What each subcommand does.

use crate::cli::{Cli, Command};
use crate::exit::Code;
use crate::failure::Failure;
use crate::print;

mod completions;
mod list;

/// Does what was typed; the code is what the process exits with.
pub fn obey(cli: Cli) -> Code {
    let done = match cli.command {
        None => Ok(Code::Done),
        Some(Command::Completions(args)) => completions::completions(&args),
        Some(Command::List(args)) => list::list(&args),
        Some(_) => Ok(Code::Done),
    };
    done.unwrap_or_else(|failure| give_up(&failure))
}

fn give_up(failure: &Failure) -> Code {
    if !failure.sentence.is_empty() {
        print::tell(&format!("paw: {failure}"));
    }
    failure.code
}
