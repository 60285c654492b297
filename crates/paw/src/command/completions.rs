//! `paw completions`: a script that completes paw's command line.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::{Cli, CompletionsArgs};
use crate::exit::Code;
use crate::failure::Failure;
use crate::print;

/// Prints the completion script of a shell.
pub fn completions(args: &CompletionsArgs) -> Result<Code, Failure> {
    print::show(&script(args.shell))?;
    Ok(Code::Done)
}

/// The completion script of a shell: without the commands that paw starts itself, which scripts would offer first.
pub fn script(shell: Shell) -> String {
    let whole = Cli::command();
    let shown = whole.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    let mut paw = clap::Command::new("paw")
        .version(env!("CARGO_PKG_VERSION"))
        .disable_help_subcommand(true)
        .args(whole.get_arguments().cloned())
        .subcommands(shown);
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut paw, "paw", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}
