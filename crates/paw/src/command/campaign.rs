//! `paw campaign`: the steps of one file, one after the other, in one directory.

mod execution;
mod leftover;
mod outcome;
mod place;

use std::time::SystemTime;

use crate::acceptance::ledger::{self, Ledger, LedgerLine, SCHEMA};
use crate::acceptance::step::{Step, Steps};
use crate::amount::{counted, span};
use crate::cli::CampaignCommand;
use crate::exit::{self, Code};
use crate::failure::Failure;
use crate::host_facts;
use crate::print;
use crate::startup;
use crate::supervised::Supervision;
use crate::utc;
use execution::{Execution, OUT_OF_TIME, joined, show_plan};
use outcome::{Row, finished, table};
use place::Place;

/// Measures what is missing of a campaign, or shows it.
pub fn campaign(command: &CampaignCommand) -> Result<Code, Failure> {
    let (place, dry_run) = match command {
        CampaignCommand::Run(args) => (Place::of_file(&args.file, args.out.as_deref())?, args.dry_run),
        CampaignCommand::Resume(args) => (Place::of_directory(&args.campaign)?, args.dry_run),
    };
    let steps = place.steps()?;
    if dry_run { plan(&place, &steps) } else { measure(&place, &steps) }
}

/// Shows the command of each step that is missing, and what paw says it would do.
fn plan(place: &Place, steps: &Steps) -> Result<Code, Failure> {
    let lines = ledger::read(&place.home)?;
    let mut codes = Vec::new();
    for step in &steps.steps {
        let head = format!("step {} of {}, {}", step.number, steps.steps.len(), step.name);
        if let Some(row) = finished(&lines, step) {
            print::show(&format!("{head}: {} before, not repeated\n\n", row.ended()))?;
            continue;
        }
        let line = step.line(&place.home, &steps.steps);
        print::show(&format!("{head}{}\n{}\n", conditions(step), joined(&line)))?;
        if step.shows_plan() {
            codes.push(show_plan(place, &line)?);
        }
        print::show("\n")?;
    }
    let total = steps.budget_s.map_or_else(String::new, |seconds| format!(" within {}", span(seconds)));
    print::show(&format!("{}{total}; nothing was measured\n", counted(steps.steps.len(), "step")))?;
    Ok(exit::strongest(codes))
}

/// `, within 5m0s, if doctor ends with 0`.
fn conditions(step: &Step) -> String {
    let budget = step.budget_s.map_or_else(String::new, |seconds| format!(", within {}", span(seconds)));
    match step.needs.is_empty() {
        true => budget,
        false => format!("{budget}, if {} ended with 0", step.needs.join(" and ")),
    }
}

/// Does the steps that are missing, and shows how all of them ended.
fn measure(place: &Place, steps: &Steps) -> Result<Code, Failure> {
    let fingerprint = host_facts::read()?.machine.identity.fingerprint;
    let deaf = |error| Failure::io(format!("cannot listen for signals: {error}"));
    let supervision = Supervision::begin().map_err(deaf)?;
    place.make()?;
    let mut ledger = Ledger::open(&place.home)?;
    same_machine(&ledger.lines, &fingerprint, place)?;
    leftover::nobody_measures(&place.home)?;
    ledger.append(LedgerLine::Session {
        schema: SCHEMA.to_owned(),
        tool: startup::TOOL.to_owned(),
        utc: utc::to_second(SystemTime::now()),
        directory: place.directory.to_string_lossy().into_owned(),
        fingerprint,
    })?;
    let home = place.home.display();
    print::message(&format!(
        "{} into {home}; should it be interrupted: `paw campaign resume {home}`",
        counted(steps.steps.len(), "step")
    ));
    let mut execution = Execution { place, steps, ledger, supervision };
    let rows = steps.steps.iter().map(|step| execution.step(step)).collect::<Result<Vec<Row>, Failure>>()?;
    print::show(&table(&rows))?;
    let has_runs = ledger::runs(&place.home)?.is_some_and(|runs| !runs.is_empty());
    let report = if has_runs { format!("; `paw report {home}` makes one report of its runs") } else { String::new() };
    print::message(&format!("saved in {home}{report}"));
    let of_time = rows.iter().any(|row| row.why == OUT_OF_TIME).then_some(Code::Inconclusive);
    let codes = rows.iter().filter_map(|row| row.exit);
    Ok(exit::strongest(codes.chain(of_time).chain(execution.supervision.code())))
}

/// Refuses to go on with the campaign of another machine.
fn same_machine(lines: &[LedgerLine], here: &str, place: &Place) -> Result<(), Failure> {
    let is_other = |line: &LedgerLine| matches!(line, LedgerLine::Session { fingerprint, .. } if fingerprint != here);
    if !lines.iter().any(is_other) {
        return Ok(());
    }
    let why = format!("the campaign in {} was begun on another machine, or this one was rebuilt", place.home.display());
    Err(Failure::usage(why).hint("begin a new one: `paw campaign run FILE --out DIR`"))
}
