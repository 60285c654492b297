//! `paw app`: measures a program, leaves the run on disk, shows it.

use std::path::Path;
use std::time::{Instant, SystemTime};

use paw_apps::campaign;
use paw_apps::launcher::Launcher;
use paw_apps::plan::{Commands, plan, runs};
use paw_data::store::dat::{DatFiles, Folders};
use paw_machine::environment;
use paw_measure::campaign::Processes;
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::instrument;
use paw_measure::planned::Campaign;
use paw_measure::undecidable::undecidable;
use paw_measure::watch::{Control, Event, Watch};

use crate::amount::{counted, duration};
use crate::application::{self, Interpreted};
use crate::cli::{AppArgs, RoofPrecision};
use crate::command::{app_exports, app_profile, selftest};
use crate::confidential;
use crate::counter_groups;
use crate::counter_runs::{self, Counts};
use crate::exit::{self, Code, Skips};
use crate::failure::Failure;
use crate::finish::{self, ExitRule};
use crate::host_facts::{self, HostFacts};
use crate::launcher_process;
use crate::outdir::{self, OutDir};
use crate::print;
use crate::program_roofs;
use crate::progress::{Expected, Progress, ShowProgress};
use crate::resume::Resumed;
use crate::roofs::Roofs;
use crate::session::Session;
use crate::signals::{Delivery, Signals};
use crate::simulator;
use crate::startup;
use crate::table::Table;

/// Directory of the programs' outputs within the run's directory.
const LOGS: &str = "logs";

/// Measures, saves, shows.
pub fn app(args: &AppArgs) -> Result<Code, Failure> {
    let resumed = args.resume.as_deref().map(|run| Resumed::open(run, args)).transpose()?;
    let args = &crate::campaign::merged(resumed.as_ref().map_or(args, |resumed| &resumed.args))?;
    // The launcher starts while this process is small: Linux counts a parent's memory as its child's.
    let launcher = Launcher::start(&startup::own_file()?, &[launcher_process::WORD])
        .map_err(|fault| Failure::io(fault.to_string()))?;
    let signals =
        Signals::listen(Delivery::Once).map_err(|error| Failure::io(format!("cannot listen to signals: {error}")))?;
    let facts = here(args)?;
    // Errors in the request are found before a directory is made.
    let mut interpreted = application::interpret(args, &facts.host)?;
    let groups = match args.reading.simulate {
        true => vec![simulator::group()?],
        false => program_roofs::groups(args, &mut interpreted)?,
    };
    let (asked, fingerprint) = (interpreted.facts.clone(), &facts.machine.identity.fingerprint);
    let rest = |campaign| match &resumed {
        Some(resumed) => resumed.rest(campaign, &asked, fingerprint),
        None => Ok(campaign),
    };
    let campaign = rest(planned(&interpreted)?)?;
    let counts = Counts::of(&args.reading, &facts.host.topology)?;
    if let Some(file) = &args.save {
        return save(args, file);
    }
    if args.leaving.dry_run {
        return dry_run(&campaign, &interpreted, args);
    }
    if matches!(counts, Counts::Counted) {
        counter_groups::available(&groups)?;
    }
    app_exports::possible(&args.exports)?;
    let sampling = args.profile.then(app_profile::possible).transpose()?;
    let out = outdir::make(args.leaving.out.as_deref(), SystemTime::now(), &mut fastrand::Rng::new())?;
    let directory = std::path::absolute(&out.path).unwrap_or_else(|_| out.path.clone());
    let logs = directory.join(LOGS);
    std::fs::create_dir_all(&logs).map_err(|error| Failure::io(format!("cannot make {}: {error}", logs.display())))?;
    interpreted.request.options.logs.clone_from(&logs);
    let campaign = planned(&interpreted)?;
    let rest = rest(campaign.clone())?;
    let planned =
        |asked: RoofPrecision| program_roofs::roofs(&campaign, asked.into(), &facts.host, &interpreted.request.plan);
    let roofs = args.roofline.map(planned).transpose()?;
    let mut session = session(args, &facts, &interpreted, (&rest, roofs.as_ref()), out, (&signals, resumed.as_ref()))?;
    let instrument = instrument::measure(&Clock::monotonic());
    let programs = sampling.map(|options| (options, app_profile::programs(&campaign)));
    let uncleaned = campaign::run(
        rest,
        &interpreted.request,
        launcher,
        instrument,
        &mut FailureLogWatch { session: &mut session, logs: &logs },
    );
    let cleaned = told(&uncleaned);
    if let Some(roofs) = roofs {
        roofs.measure(&facts.host, &mut session);
    }
    let counted = counter_runs::count(&campaign, &groups, (counts, &logs), &mut session);
    let profiled =
        programs.map_or(Ok(()), |(options, programs)| app_profile::profiles(&programs, &options, &mut session));
    let gate = ExitRule { skips: Skips::Fine, strict_env: args.method.strict_env, fail_on: interpreted.fail_on };
    let end = finish::end(gate, &session, &signals, &facts.host);
    let (run, fault) = session.finish(end);
    let code = finish::finish(&args.leaving, &run, fault, &directory)?;
    app_exports::write(&args.exports, &run)?;
    interpreted.fail_on.iter().for_each(|rule| rule.report(&run));
    profiled?;
    Ok(exit::strongest([code, counted?, cleaned]))
}

/// Prints what became of cleanups that failed; [`Code::Failed`] if there are any.
fn told(uncleaned: &[Fault]) -> Code {
    uncleaned.iter().for_each(|fault| print::message(&format!("paw: {fault}")));
    if uncleaned.is_empty() { Code::Done } else { Code::Failed }
}

/// This machine, watched for a moment where a thread count of one gets the idlest processor.
fn here(args: &AppArgs) -> Result<HostFacts, Failure> {
    let mut facts = host_facts::read()?;
    // A program whose threads are not set runs anywhere.
    if args.save.is_none() && !args.leaving.dry_run && !args.sweep.threads.is_empty() {
        startup::announce(&args.leaving, startup::READING);
        facts.watch();
    }
    Ok(facts)
}

/// Writes the flags to a campaign file instead of measuring.
fn save(args: &AppArgs, path: &Path) -> Result<Code, Failure> {
    crate::file::write(path, &crate::campaign::filed(args).write())?;
    print::message(&format!("saved in {}; `paw app -c {}` measures it", path.display(), path.display()));
    Ok(Code::Done)
}

fn planned(interpreted: &Interpreted) -> Result<Campaign<Commands>, Failure> {
    let campaign = plan(&interpreted.request).map_err(|error| Failure::usage(error.to_string()))?;
    if campaign.groups.is_empty() {
        return Err(Failure::nothing("every point is excluded").hint("--dry-run without --exclude shows the points"));
    }
    Ok(campaign)
}

/// Opens a session that saves as it goes; prints the number of cells and warnings about the machine.
fn session(
    args: &AppArgs,
    facts: &HostFacts,
    interpreted: &Interpreted,
    (campaign, roofs): (&Campaign<Commands>, Option<&Roofs>),
    out: OutDir,
    (signals, resumed): (&Signals, Option<&Resumed>),
) -> Result<Session, Failure> {
    let mut header = startup::header(&out, &interpreted.request.plan, &environment::current(), &facts.machine);
    header.app = Some(interpreted.facts.clone());
    if let Some(resumed) = resumed {
        resumed.note(&mut header);
    }
    header.selftest = selftest::kept(&args.leaving)?;
    let wanted = if args.leaving.quiet { ShowProgress::No } else { ShowProgress::Yes };
    // What is said of a single program is its answer; the machine's state is in the report.
    let is_short = campaign.cells().count() == 1 && !args.leaving.verbose;
    if wanted == ShowProgress::Yes && !is_short {
        print::machine_caveats(&facts.machine.caveats);
        print::message(&format!("measuring {} into {}", amount(campaign, interpreted), out.path.display()));
    }
    let why = undecidable(campaign, &interpreted.request.plan, Processes::EachSample);
    if let Some(why) = why.filter(|_| wanted == ShowProgress::Yes) {
        print::message(&format!("note: {why}"));
    }
    let header = confidential::cleaned(&header);
    let dat = DatFiles::new(&out.path, &header, args.leaving.dat_names.into(), Folders::One);
    let cells = campaign.cells().count() + roofs.map_or(0, Roofs::cells);
    let expected = Expected::new(cells, &interpreted.request.plan, None);
    let progress = Progress::new(expected, wanted, Instant::now());
    let mut session = Session::begin(header, out.writer, dat, progress, signals.clone())?;
    if let Some(resumed) = resumed {
        resumed.hand_over(campaign, &mut session);
    }
    Ok(session)
}

/// `6 cells in 96 to 192 runs`.
fn amount(campaign: &Campaign<Commands>, interpreted: &Interpreted) -> String {
    let (least, most) = runs(campaign, &interpreted.request.plan);
    let cells = campaign.cells().count();
    let runs = if least == most { format!("{least}") } else { format!("{least} to {most}") };
    format!("{} in {runs} runs", counted(cells, "cell"))
}

/// A session that also prints the last lines of failed programs on standard error.
struct FailureLogWatch<'a> {
    session: &'a mut Session,
    logs: &'a Path,
}

impl Watch for FailureLogWatch<'_> {
    fn on(&mut self, event: Event<'_>) -> Control {
        let control = self.session.on(event);
        if let Event::Ended { outcome } = event
            && outcome.status == paw_data::outcome::Status::Failed
        {
            let why = outcome.why.as_deref().unwrap_or("failed");
            let log = self.logs.join(format!("{:04}.err", outcome.cell));
            let said = paw_apps::tail::tail(&log).unwrap_or_default();
            print::message(&format!("paw: {why}"));
            said.lines().for_each(|line| print::message(&format!("  | {line}")));
        }
        control
    }

    fn asked(&mut self) -> Control {
        self.session.asked()
    }
}

/// Shows a plan.
fn dry_run(campaign: &Campaign<Commands>, interpreted: &Interpreted, args: &AppArgs) -> Result<Code, Failure> {
    let mut table = Table::new(&["group", "point", "provider", "command", "cpus", "threads because"]);
    for planned in campaign.cells() {
        let cpus: Vec<_> = planned.job.launch.cpus.iter().map(ToString::to_string).collect();
        table.rows.push(vec![
            planned.cell.group.to_string(),
            planned.cell.point.to_string(),
            planned.cell.provider.to_string(),
            planned.job.launch.words.join(" "),
            cpus.join(","),
            planned.job.threads.as_ref().map_or_else(String::new, |threads| threads.rule.clone()),
        ]);
    }
    let mut text = table.written(args.leaving.format, print::width());
    if args.leaving.format == crate::cli::Format::Text {
        let plan = &interpreted.request.plan;
        text += &format!(
            "\n{}; cells of a group are interleaved, in rounds shuffled from seed {}\nmethod {}; nothing was run, so that the time is not known: a second each makes {}\n",
            amount(campaign, interpreted),
            plan.seed,
            plan.method.name,
            duration(runs(campaign, plan).0 as f64),
        );
        text += &undecidable(campaign, plan, Processes::EachSample).map_or_else(String::new, |why| why + "\n");
    }
    print::show(&text)?;
    Ok(Code::Done)
}
