//! `paw run`: measures what was asked for, leaves it on disk, shows it.

use std::path::PathBuf;
use std::time::Instant;

use jiff::Timestamp;
use paw_data::cell::Cell;
use paw_data::outcome::Caveat;
use paw_data::run::{End, Header, Run, SCHEMA};
use paw_data::store::dat::{DatFiles, Folders};
use paw_machine::caveats::caveats;
use paw_machine::environment::{self, Cap, Variables};
use paw_suites::campaign;
use paw_suites::plan::{Campaign, PlanError, plan};
use paw_suites::provider::Resolved;
use paw_suites::request::{Environment, Request};

use crate::cli::RunArgs;
use crate::command::dry_run;
use crate::config;
use crate::exit::{self, Code, Skips};
use crate::failure::Failure;
use crate::file;
use crate::here::{self, Here};
use crate::outdir::{self, OutDir, REPORT_FILE};
use crate::print;
use crate::progress::{Progress, Wanted};
use crate::select::{self, Asked};
use crate::session::Session;
use crate::show::show;
use crate::signals::Signals;
use crate::surroundings::Surroundings;

/// Measures, saves, shows.
pub fn run(args: &RunArgs) -> Result<Code, Failure> {
    let mut here = here::look()?;
    let request = request(args, &here)?;
    if !args.leaving.dry_run {
        here.watch();
    }
    let campaign = plan(&request, &here.host).map_err(unplanned)?;
    if campaign.groups.iter().all(|group| group.cells.is_empty()) {
        return Err(Failure::nothing("nothing was selected").hint("`paw list` shows what can be measured here"));
    }
    if args.leaving.dry_run {
        return dry_run::dry_run(&campaign, &request, args.leaving.format);
    }
    let signals = Signals::listen().map_err(|error| Failure::io(format!("cannot listen to signals: {error}")))?;
    let out = outdir::make(args.leaving.out.as_deref(), Timestamp::now(), &mut fastrand::Rng::new())?;
    let directory = out.path.clone();
    let (run, fault) = measured(args, &request, campaign, &here, out, &signals)?;
    finish(args, &run, fault, directory)
}

fn request(args: &RunArgs, here: &Here) -> Result<Request, Failure> {
    let surroundings = Surroundings::of_process();
    let config = config::read(&std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")))?;
    let worker =
        std::env::current_exe().map_err(|error| Failure::io(format!("cannot find paw's own file: {error}")))?;
    let understood = select::understand(&Asked {
        args,
        catalogue: paw_suites::catalogue(),
        host: &here.host,
        surroundings: &surroundings,
        config: &config,
        worker,
        seed: u64::from(fastrand::u32(..)),
    })?;
    understood.notes.iter().for_each(|note| print::tell(&format!("note: {note}")));
    Ok(understood.request)
}

fn unplanned(error: PlanError) -> Failure {
    let text = error.to_string();
    match text.split_once(". hint: ") {
        Some((sentence, hint)) => Failure::usage(sentence).hint(hint),
        None => Failure::usage(text),
    }
}

/// Runs the campaign with everything it leaves being saved as it goes.
fn measured(
    args: &RunArgs,
    request: &Request,
    campaign: Campaign,
    here: &Here,
    out: OutDir,
    signals: &Signals,
) -> Result<(Run, Option<Failure>), Failure> {
    let variables = variables(request);
    capped(&campaign, &variables).iter().for_each(print::caveat);
    if !args.leaving.quiet {
        caveats(&here.host.topology, &here.machine.state, &Variables::new()).iter().for_each(print::caveat);
    }
    let header = Header {
        schema: SCHEMA.to_owned(),
        id: out.id,
        tool: concat!("paw ", env!("CARGO_PKG_VERSION")).to_owned(),
        argv: std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect(),
        utc: out.utc,
        plan: request.plan.clone(),
        env: environment::captured(&variables),
        machine: here.machine.clone(),
    };
    let cells = || campaign.groups.iter().flat_map(|group| &group.cells).map(|planned| &planned.cell);
    let directory = args.leaving.dat.clone().unwrap_or_else(|| out.path.clone());
    let dat = DatFiles::new(&directory, &header, args.leaving.dat_names.into(), folders(cells()));
    let wanted = if args.leaving.quiet { Wanted::No } else { Wanted::Yes };
    let progress = Progress::new(cells().count(), wanted, Instant::now());
    let mut session = Session::begin(header, out.writer, dat, progress, signals.clone())?;
    if wanted == Wanted::Yes {
        print::tell(&format!("measuring {} cells into {}", cells().count(), out.path.display()));
    }
    campaign::run(campaign, request, &here.host, &mut session);
    let code = code(args, session.run(), signals, session.fault());
    let state = match (signals.code(), session.fault()) {
        (Some(_), _) => "interrupted",
        (None, Some(_)) => "unsaved",
        (None, None) => "done",
    };
    let end = End { state: state.to_owned(), exit: code as i32, machine_state: here.state_now() };
    Ok(session.finish(end))
}

/// The variables that measured code sees.
fn variables(request: &Request) -> Variables {
    let mut variables = environment::current();
    if request.environment == Environment::Clean {
        environment::steering(&variables).iter().for_each(|name| drop(variables.remove(name)));
    }
    variables
}

/// Variables that cap libraries, where a library is measured. Those for threads do not count: the workers are told how many.
fn capped(campaign: &Campaign, variables: &Variables) -> Vec<Caveat> {
    let foreign = |provider: &Resolved| matches!(provider, Resolved::Here(p) if p.library.is_some());
    let measured = campaign.groups.iter().flat_map(|group| &group.cells).any(|planned| foreign(&planned.provider));
    let capping = environment::capping(variables).into_iter().filter(|c| measured && c.cap == Cap::Isa);
    capping.map(|c| c.caveat()).collect()
}

/// Providers get a folder each where several write `.dat` files.
fn folders<'a>(cells: impl Iterator<Item = &'a Cell>) -> Folders {
    let mut providers: Vec<_> = cells.filter(|cell| cell.dat.is_some()).map(|cell| &cell.provider).collect();
    providers.sort_unstable();
    providers.dedup();
    if providers.len() > 1 { Folders::PerProvider } else { Folders::One }
}

fn code(args: &RunArgs, run: &Run, signals: &Signals, fault: Option<&Failure>) -> Code {
    let skips = if args.measuring.require { Skips::Missing } else { Skips::Fine };
    let outcomes = run.records.iter().filter_map(|record| record.outcome.as_ref());
    let contended = (args.measuring.strict_env && exit::is_contended(run)).then_some(Code::Inconclusive);
    let others = [signals.code(), fault.map(|fault| fault.code), contended];
    exit::strongest(outcomes.map(|outcome| exit::of_outcome(outcome, skips)).chain(others.into_iter().flatten()))
}

/// Shows what was measured and writes the report; results are shown even where they could not be saved.
fn finish(args: &RunArgs, run: &Run, fault: Option<Failure>, directory: PathBuf) -> Result<Code, Failure> {
    let ended = run.end.as_ref().map_or(0, |end| end.exit);
    let shown = show(run, args.leaving.format);
    let report = file::write(&directory.join(REPORT_FILE), &paw_report::html(std::slice::from_ref(run)));
    let faults = [fault, report.err(), shown.err()];
    let mut codes = vec![Code::from_number(ended)];
    for failure in faults.into_iter().flatten() {
        if !failure.sentence.is_empty() {
            print::tell(&format!("paw: {failure}"));
        }
        codes.push(failure.code);
    }
    if !args.leaving.quiet {
        print::tell(&format!("saved in {}", directory.display()));
    }
    Ok(exit::strongest(codes))
}
