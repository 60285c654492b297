//! `paw again`: a run repeated, by the same command, seed, order and processors.

mod difference;
mod repetition;

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process;

use paw_data::store::Extent;

use crate::cli::AgainArgs;
use crate::exit::Code;
use crate::failure::Failure;
use crate::open::open_named;
use crate::print;
use crate::startup;
use repetition::Repetition;

/// Says what differs now, and becomes the command of the run.
pub fn again(args: &AgainArgs) -> Result<Code, Failure> {
    let run = open_named(&args.run, Extent::All)?;
    // The command is started in another directory.
    let out = args.out.as_deref().map(std::path::absolute).transpose();
    let out = out.map_err(|error| Failure::io(format!("--out: {error}")))?;
    let repetition = Repetition::of(&run, out.as_deref())?;
    let found = difference::differences(&run, &repetition.directory)?;
    let said = match &found[..] {
        [] => "nothing that paw can see differs from then: paw, machine, settings, and the files that the command line names".to_owned(),
        found => format!("different from {}: {}", run.header.utc, found.join("; ")),
    };
    if args.dry_run {
        let kept = repetition.kept().map_or_else(String::new, |kept| format!("{kept}\n"));
        print::show(&format!("{said}\n{kept}cd {}\n{}\n", quoted(&repetition.directory), repetition.line()))?;
        return Ok(Code::Done);
    }
    print::message(&said);
    repetition.kept().into_iter().for_each(|kept| print::message(&kept));
    print::message(&format!("repeating `{}`", repetition.line()));
    Err(become_it(&repetition))
}

/// Replaces this process, so that signals and exit code are those of the command; returns if that fails.
fn become_it(repetition: &Repetition) -> Failure {
    let own = match startup::own_file() {
        Ok(own) => own,
        Err(failure) => return failure,
    };
    let mut command = process::Command::new(own);
    command.args(&repetition.words[1..]).current_dir(&repetition.directory);
    for name in &repetition.unset {
        command.env_remove(name);
    }
    command.envs(&repetition.set);
    Failure::io(format!("paw cannot start again: {}", command.exec()))
}

fn quoted(path: &Path) -> String {
    shlex::try_quote(&path.to_string_lossy()).map_or_else(|_| path.display().to_string(), |text| text.into_owned())
}
