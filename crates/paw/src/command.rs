//! One module for each subcommand, and the dispatch between them.

use crate::cli::{Cli, Command, ReplayArgs, WorkerArgs};
use crate::exit::Code;
use crate::failure::Failure;
use crate::job::{self, Role};
use crate::print;

mod again;
mod analyze;
mod app;
mod app_exports;
mod app_profile;
mod bare;
mod campaign;
mod cluster;
mod compare;
mod completions;
mod counters;
mod doctor;
mod dry_run;
mod explain;
mod export;
mod gate;
mod history;
mod import;
mod import_table;
mod install;
mod kernel;
mod libraries;
mod list;
mod machine;
mod profile;
mod report;
mod run;
mod schema;
mod selftest;
mod show;

/// Runs the subcommand and returns the process's exit code.
///
/// Rank 0 of a job alone obeys commands other than `run` and its repetition: two self-tests disturb each other, and two ranks overwrite a file.
pub fn obey(cli: Cli) -> Code {
    let is_for_every_rank =
        matches!(cli.command, Some(Command::Run(_) | Command::Again(_) | Command::Worker(_) | Command::KernelChild(_)));
    if job::role() == Role::Follower && !is_for_every_rank {
        return Code::Done;
    }
    let done = match cli.command {
        None => bare::bare(),
        Some(Command::Again(args)) => again::again(&args),
        Some(Command::Analyze(args)) => analyze::analyze(&args),
        Some(Command::App(args)) => app::app(&args),
        Some(Command::Campaign(args)) => campaign::campaign(&args.command),
        Some(Command::Cluster(args)) => cluster::cluster(&args.command),
        Some(Command::Compare(args)) => compare::compare(&args),
        Some(Command::Completions(args)) => completions::completions(&args),
        Some(Command::Doctor(args)) => doctor::doctor(&args),
        Some(Command::Export(args)) => export::export(&args),
        Some(Command::Gate(args)) => gate::gate(&args),
        Some(Command::History(args)) => history::history(&args),
        Some(Command::Import(args)) => import::import(&args),
        Some(Command::Install(args)) => install::install(&args),
        Some(Command::Kernel(args)) => kernel::kernel(&args.command),
        Some(Command::KernelChild(args)) => kernel_child(&args),
        Some(Command::List(args)) => list::list(&args),
        Some(Command::Machine(args)) => machine::machine(&args),
        Some(Command::Profile(args)) => profile::profile(&args),
        Some(Command::Replay(args)) => replay(&args),
        Some(Command::Report(args)) => report::report(&args),
        Some(Command::Run(args)) => run::run(&args),
        Some(Command::Schema) => schema::schema(),
        Some(Command::Show(args)) => show::show(&args),
        Some(Command::Selftest(args)) => selftest::selftest(&args),
        Some(Command::Worker(_)) => worker(),
    };
    done.unwrap_or_else(|failure| give_up(&failure))
}

fn give_up(failure: &Failure) -> Code {
    print::message(&format!("paw: {failure}"));
    // A launcher ends all ranks once one fails: a silenced rank succeeds, so that rank 0 can still print the error.
    if print::is_silenced() { Code::Done } else { failure.code }
}

/// Serves the paw process that started this one.
fn worker() -> Result<Code, Failure> {
    let served = paw_suites::worker_main();
    served.map(|()| Code::Done).map_err(|error| Failure::io(format!("the worker lost its parent: {error}")))
}

/// Measures one build of a kernel for the paw process that started this one.
fn replay(args: &ReplayArgs) -> Result<Code, Failure> {
    let text = paw_data::bounded::text(&args.job);
    let text = text.map_err(|error| Failure::io(format!("{} cannot be read: {error}", args.job.display())))?;
    let job = serde_json::from_slice(text.as_bytes());
    let job = job.map_err(|error| Failure::usage(format!("{} is no job: {error}", args.job.display())))?;
    let done = paw_kernels::child::replay(job, args.calls);
    done.map(|()| Code::Done).map_err(|fault| Failure { code: Code::Failed, ..Failure::io(fault.to_string()) })
}

fn kernel_child(args: &WorkerArgs) -> Result<Code, Failure> {
    let served = paw_kernels::child::child_main(args.args.first().and_then(|door| door.to_str()));
    served.map(|()| Code::Done).map_err(|error| Failure::io(format!("the child lost its parent: {error}")))
}
