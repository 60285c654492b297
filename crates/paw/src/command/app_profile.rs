//! `paw app --profile`: one more run of each program under the sampler, after those that are measured.

use std::time::{Duration, Instant};

use paw_apps::launch::{End, Launch, LaunchError, RunResult};
use paw_apps::launcher::Launcher;
use paw_apps::plan::Commands;
use paw_measure::planned::Campaign;
use paw_measure::watch::{Control, Watch};
use paw_perf::sampling::{Options, Sampler, Scope};

use crate::cli::SamplingArgs;
use crate::failure::Failure;
use crate::launcher_process;
use crate::print;
use crate::profile::{self, Subject};
use crate::sampled_process;
use crate::session::Session;
use crate::startup;

/// A program of a cell.
pub struct ProfiledProgram {
    cell: u32,
    name: String,
    commands: Commands,
}

/// The programs of `campaign`, one for each cell.
pub fn programs(campaign: &Campaign<Commands>) -> Vec<ProfiledProgram> {
    let program = |words: &[String]| {
        let first = words.first().map_or("", String::as_str);
        first.rsplit('/').next().unwrap_or(first).to_owned()
    };
    let each = campaign.cells().map(|planned| ProfiledProgram {
        cell: planned.cell.id,
        name: format!("{} {}", program(&planned.job.launch.words), planned.cell.point).trim_end().to_owned(),
        commands: planned.job.clone(),
    });
    each.collect()
}

/// The options of the sampler; an error before anything is measured if this machine has none.
pub fn possible() -> Result<Options, Failure> {
    let options = profile::options(&SamplingArgs::default(), Scope::Programs)?;
    Sampler::open(&options).map(drop).map_err(profile::refused)?;
    Ok(options)
}

/// Runs each program once more and keeps its profile. A program that failed before is run again: its profile tells how far it came.
pub fn profiles(programs: &[ProfiledProgram], options: &Options, session: &mut Session) -> Result<(), Failure> {
    for program in programs {
        if session.asked() == Control::Stop {
            return Ok(());
        }
        if let Err(why) = one(program, options, session)? {
            print::message(&format!("paw: {} has no profile: {why}", program.name));
        }
    }
    Ok(())
}

fn one(program: &ProfiledProgram, options: &Options, session: &mut Session) -> Result<Result<(), String>, Failure> {
    let Commands { launch, prepare, conclude, setup, cleanup, .. } = &program.commands;
    let own = startup::own_file()?;
    let launcher = |sampled: &str| {
        Launcher::start(&own, &[launcher_process::WORD]).map_err(|fault| Failure::io(format!("{sampled}: {fault}")))
    };
    let mut aside = launcher("the launcher")?;
    let ran = |launcher: &mut Launcher, launch: &Launch| -> Result<RunResult, LaunchError> { launcher.run(launch) };
    for before in setup.iter().chain(prepare) {
        if let Err(why) = ran(&mut aside, before) {
            return Ok(Err(why.to_string()));
        }
    }
    let sampler = Sampler::open(options).map_err(profile::refused)?;
    // Its launcher is sampled too, and its samples are left out.
    let mut launcher = launcher("the launcher of a profile")?;
    let own_processes = launcher.processes();
    let began = Instant::now();
    let mut sampled = launch.apart("profile-");
    sampled.words = [sampled_process::prefix(&sampler, &own), launch.words.clone()].concat();
    let result = ran(&mut launcher, &sampled);
    let elapsed = began.elapsed();
    drop(launcher);
    let refusal = sampler.refusal();
    let found = sampler.finish();
    for after in conclude.iter().chain(cleanup) {
        if let Err(why) = ran(&mut aside, after) {
            print::message(&format!("paw: {} after the profile of {}: {why}", after.words.join(" "), program.name));
        }
    }
    if let Some(refusal) = refusal {
        return Ok(Err(refusal.sentence));
    }
    let result = match result {
        Ok(result) => result,
        Err(why) => return Ok(Err(why.to_string())),
    };
    let subject = Subject {
        name: program.name.clone(),
        command: launch.words.clone(),
        cell: Some(program.cell),
        elapsed: Duration::try_from_secs_f64(result.wall_s).unwrap_or(elapsed),
        ended: result.copies.first().map_or_else(String::new, |copy| ended(copy.end)),
        driver: None,
    };
    let is_program =
        |thread: usize| found.threads.get(thread).is_some_and(|thread| !own_processes.contains(&thread.pid));
    session.profile(&profile::profile_of(&found, subject, is_program));
    Ok(Ok(()))
}

fn ended(end: End) -> String {
    match end {
        End::Exited(code) => format!("exit code {code}"),
        End::Signalled(signal) => format!("signal {signal}"),
        End::TimedOut => end.to_string(),
    }
}
