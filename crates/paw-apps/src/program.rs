//! A program as a workload: each sample is one run, whose outputs are checked and read afterwards.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use paw_data::cell::Role;
use paw_data::outcome::{Caveat, Check, CheckVerdict};
use paw_data::run::Instrument;
use paw_data::secondary::{MetricName, SecondaryMetric};
use paw_measure::caveat;
use paw_measure::disturbance::{Disturbance, Sight};
use paw_measure::fault::Fault;
use paw_measure::workload::{Reading, Workload};

use crate::contention::{RunAccount, contention};
use crate::expectation::Expectation;
use crate::ignored_codes::IgnoredCodes;
use crate::launch::{CopyResult, End, Launch, Observation, RunResult};
use crate::launcher::Launcher;
use crate::metric::Metric;
use crate::outputs::Outputs;
use crate::plan::{Commands, PlannedProgram};
use crate::thread_compliance;

/// Bytes of a program's output that are searched for metrics and expectations.
const OUTPUT_LIMIT_BYTES: u64 = 64 << 20;

/// The launcher, metrics and expectations that all programs of a campaign share.
#[derive(Debug, Clone)]
pub struct ProgramContext {
    /// The launcher that starts the programs.
    pub launcher: Rc<RefCell<Launcher>>,
    /// Numbers read from their outputs.
    pub metrics: Rc<[Metric]>,
    /// Conditions that every run must meet.
    pub expectations: Rc<[Expectation]>,
    /// Exit codes of runs that count although they failed.
    pub ignored: Rc<IgnoredCodes>,
    /// Warm-up runs of each program, in which the launcher takes snapshots of its threads.
    pub warmups: u32,
    /// The launcher's clock.
    pub instrument: Instrument,
}

/// One cell's program.
pub struct Program {
    planned: PlannedProgram,
    context: ProgramContext,
    runs: u32,
    left_behind: LeftBehind,
    seen: Vec<Caveat>,
    /// Accounts of the runs that count.
    accounts: Vec<RunAccount>,
    /// How many of these failed with each exit code that is ignored.
    failures: BTreeMap<i32, u32>,
}

/// Processes that outlived the program.
#[derive(Debug, Clone, Copy, Default)]
struct LeftBehind {
    processes: u32,
    runs: u32,
}

impl Program {
    /// The program of a cell.
    pub fn new(planned: PlannedProgram, context: ProgramContext) -> Self {
        Self {
            planned,
            context,
            runs: 0,
            left_behind: LeftBehind::default(),
            seen: Vec::new(),
            accounts: Vec::new(),
            failures: BTreeMap::new(),
        }
    }

    /// One run, between `--prepare` and `--conclude`.
    fn run(&mut self) -> Result<Reading, Fault> {
        let Self { planned, context, .. } = self;
        aside(&context.launcher, planned.job.prepare.as_ref(), "--prepare")?;
        planned.job.launch.attention =
            if self.runs < context.warmups { Observation::Threads } else { Observation::None };
        let ran = context.launcher.borrow_mut().run(&planned.job.launch)?;
        self.runs += 1;
        self.left_behind.processes += ran.leftover;
        self.left_behind.runs += u32::from(ran.leftover > 0);
        self.look_over(&ran);
        let (reading, failed) = self.reading(&ran)?;
        if self.runs > self.context.warmups {
            failed.into_iter().for_each(|code| *self.failures.entry(code).or_default() += 1);
            self.accounts.push(account(&reading, ran.others_s));
        }
        aside(&self.context.launcher, self.planned.job.conclude.as_ref(), "--conclude")?;
        Ok(reading)
    }

    /// Keeps the first caveat of each kind that the thread snapshots of a warm-up run give.
    fn look_over(&mut self, ran: &RunResult) {
        let Commands { launch, threads, .. } = &self.planned.job;
        for (copy, number) in ran.copies.iter().zip(0..) {
            let Some(seen) = &copy.seen else { continue };
            let cpus = launch.copy_cpus.get(number).unwrap_or(&launch.cpus);
            let found = thread_compliance::caveats(threads.as_ref().map(|threads| threads.threads), cpus, seen);
            let new = |caveat: &Caveat| self.seen.iter().all(|known| known.id != caveat.id);
            let new: Vec<_> = found.into_iter().filter(new).collect();
            self.seen.extend(new);
        }
    }

    /// The reading of a run that met its expectations, or failed with an exit code that is ignored, and this code.
    fn reading(&self, ran: &RunResult) -> Result<(Reading, Option<i32>), Fault> {
        let launch = &self.planned.job.launch;
        let directory = launch.directory.as_deref().unwrap_or(Path::new("."));
        let mut extra = usage(&ran.copies);
        let floor = self.context.launcher.borrow().floor_rss_bytes() as f64;
        extra.push((SecondaryMetric::ResidentFloor.into(), floor));
        extra.extend(ran.others_s.map(|others_s| (SecondaryMetric::OthersTime.into(), others_s)));
        let mut metrics = vec![0.0; self.context.metrics.len()];
        let mut failed = None;
        for (copy, number) in ran.copies.iter().zip(0..) {
            let code = self.ended(copy.end)?;
            let outputs = outputs(launch, number, copy.left_out)?;
            if self.is_ignored(code) {
                failed = failed.or(Some(code));
            } else {
                self.meets(code, &outputs, directory)?;
            }
            for (metric, sum) in self.context.metrics.iter().zip(&mut metrics) {
                *sum += self.read(metric, &outputs, failed.is_some())?;
            }
        }
        // A metric is the mean over the copies.
        let copies = ran.copies.len().max(1) as f64;
        let named = self.context.metrics.iter().zip(metrics);
        extra.extend(named.map(|(metric, sum)| (MetricName::of_program(&metric.name), sum / copies)));
        extra.extend(self.exit_code(ran, failed));
        let disturbance = disturbance(&ran.copies);
        Ok((Reading { elapsed_s: ran.wall_s, ops_s: Vec::new(), starts_s: Vec::new(), extra, disturbance }, failed))
    }

    /// The exit code of a run, kept where runs may fail.
    fn exit_code(&self, ran: &RunResult, failed: Option<i32>) -> Option<(MetricName, f64)> {
        let first = ran.copies.iter().find_map(|copy| self.ended(copy.end).ok());
        let code = failed.or(first)?;
        (*self.context.ignored != IgnoredCodes::None).then(|| (SecondaryMetric::ExitCode.into(), f64::from(code)))
    }

    /// Whether a run with this exit code counts although it failed.
    fn is_ignored(&self, code: i32) -> bool {
        let failed = self.context.expectations.iter().any(|expectation| expectation.is_other_exit(code));
        failed && self.context.ignored.holds(code)
    }

    /// Checks what a run left behind.
    fn meets(&self, code: i32, outputs: &Outputs, directory: &Path) -> Result<(), Fault> {
        let fault = |expectation: &Expectation, why: String| {
            if expectation.is_exit() { self.broken(&why) } else { self.wrong(expectation, &why) }
        };
        let check = |own: &Expectation| own.check(code, outputs, directory).map_err(|why| fault(own, why));
        self.context.expectations.iter().try_for_each(check)
    }

    /// The value of a metric of one copy. The base and a run that failed need not print the metric: its value is then NaN.
    fn read(&self, metric: &Metric, outputs: &Outputs, failed: bool) -> Result<f64, Fault> {
        match metric.read(&outputs.stdout.text, &outputs.stderr.text) {
            Ok(value) => Ok(value),
            Err(_) if failed || self.planned.cell.role == Role::Base => Ok(f64::NAN),
            Err(error) => Err(self.broken(&error.to_string())),
        }
    }

    /// The exit code; an error if the program was killed.
    fn ended(&self, end: End) -> Result<i32, Fault> {
        match end {
            End::Exited(code) => Ok(code),
            End::Signalled(_) => Err(self.broken(&end.to_string())),
            End::TimedOut => {
                let limit = self.planned.job.launch.timeout_s.map(|limit| format!(" after {limit} s (--timeout)"));
                Err(self.broken(&format!("{end}{}", limit.unwrap_or_default())))
            }
        }
    }

    /// The runs that met the expectations, in words.
    fn checked(&self) -> String {
        match self.failures.values().sum::<u32>() {
            0 => format!("each of {} runs", self.runs),
            failed => format!("{} of {} runs; the others failed, which is ignored", self.runs - failed, self.runs),
        }
    }

    fn broken(&self, what: &str) -> Fault {
        Fault::Broken(self.message(what))
    }

    fn wrong(&self, expectation: &Expectation, what: &str) -> Fault {
        Fault::Wrong(Box::new(Check {
            method: expectation.typed.clone(),
            error: 1.0,
            bound: 0.0,
            verdict: CheckVerdict::Fail,
            note: self.message(what),
            accuracy: None,
        }))
    }

    /// The failure `what` of the last run, with the place of what it said.
    fn message(&self, what: &str) -> String {
        let launch = &self.planned.job.launch;
        let program = launch.words.first().map_or("the program", String::as_str);
        let said = match (launch.stdout.file(), launch.stderr.file()) {
            (Some(out), Some(err)) => {
                let err = err.file_name().unwrap_or(err.as_os_str());
                format!("; what it said is in {} and {}", out.display(), err.display())
            }
            (None, Some(err)) => {
                format!("; its errors are in {}, its output was discarded (--keep-output keeps it)", err.display())
            }
            _ => String::new(),
        };
        format!("{program}, run {}: {what}{said}", self.runs)
    }
}

impl Workload for Program {
    fn resume(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn sample(&mut self, _loops: u64) -> Result<Option<Reading>, Fault> {
        self.run().map(Some)
    }

    fn pause(&mut self) {}

    fn renew(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn instrument(&self) -> Instrument {
        self.context.instrument.clone()
    }

    fn caveats(&self) -> Vec<Caveat> {
        let LeftBehind { processes, runs } = self.left_behind;
        let left_behind = (runs > 0).then(|| caveat::left_behind(processes, runs, self.runs));
        let launch = &self.planned.job.launch;
        let contended = contention(&self.accounts, launch.copy_cpus.iter().flatten().chain(&launch.cpus).count());
        let failures: Vec<_> = self.failures.iter().map(|(code, runs)| (*code, *runs)).collect();
        let failing = (!failures.is_empty()).then(|| caveat::failing_runs(&failures, self.accounts.len()));
        self.seen.iter().cloned().chain(left_behind).chain(failing).chain(contended).collect()
    }

    /// Passes: each run was checked at its end, and a wrong one has ended the series. Failures that are ignored have a caveat.
    fn verify(&mut self) -> Result<Check, Fault> {
        let all: Vec<_> = self.context.expectations.iter().map(|expectation| expectation.typed.as_str()).collect();
        Ok(Check {
            method: format!("{}, in {}", all.join(", "), self.checked()),
            error: 0.0,
            bound: 0.0,
            verdict: CheckVerdict::Pass,
            note: String::new(),
            accuracy: None,
        })
    }
}

/// The outputs of a copy, which left bytes of them out.
fn outputs(launch: &Launch, copy: u32, left_out: [u64; 2]) -> Result<Outputs, Fault> {
    let (stdout, stderr) = (launch.stdout.of_copy(copy), launch.stderr.of_copy(copy));
    Outputs::read(&stdout, &stderr, left_out, OUTPUT_LIMIT_BYTES).map_err(|error| Fault::Broken(error.to_string()))
}

/// Runs an untimed command; an error unless its exit code is 0.
pub(crate) fn aside(launcher: &RefCell<Launcher>, launch: Option<&Launch>, flag: &str) -> Result<(), Fault> {
    let Some(launch) = launch else { return Ok(()) };
    let ran = launcher.borrow_mut().run(launch)?;
    let bad = ran.copies.iter().map(|copy| copy.end).find(|end| *end != End::Exited(0));
    match bad {
        None => Ok(()),
        Some(end) => Err(Fault::Broken(format!("{flag}: {} {end}", launch.words.join(" ")))),
    }
}

/// Resource usage summed over the copies; memory is that of the largest copy.
fn usage(copies: &[CopyResult]) -> Vec<(MetricName, f64)> {
    let sum = |of: fn(&CopyResult) -> f64| copies.iter().map(of).sum::<f64>();
    let rss_bytes = copies.iter().map(|copy| copy.rss_bytes).max().unwrap_or(0) as f64;
    let metrics = [
        (SecondaryMetric::UserTime, sum(|copy| copy.user_s)),
        (SecondaryMetric::SystemTime, sum(|copy| copy.sys_s)),
        (SecondaryMetric::ResidentMemory, rss_bytes),
        (SecondaryMetric::VoluntarySwitches, sum(|copy| copy.voluntary_switches as f64)),
        (SecondaryMetric::InvoluntarySwitches, sum(|copy| copy.involuntary_switches as f64)),
        (SecondaryMetric::MinorFaults, sum(|copy| copy.minor_faults as f64)),
        (SecondaryMetric::MajorFaults, sum(|copy| copy.major_faults as f64)),
    ];
    metrics.into_iter().map(|(metric, value)| (metric.into(), value)).collect()
}

/// The account of a run.
fn account(reading: &Reading, others_s: Option<f64>) -> RunAccount {
    let Disturbance { run_delay_s, switches, .. } = reading.disturbance;
    RunAccount { wall_s: reading.elapsed_s, waited_s: run_delay_s, others_s, switches: switches.into() }
}

/// The disturbance of the copies; the run delay is the longest of a copy's main thread.
fn disturbance(copies: &[CopyResult]) -> Disturbance {
    let waited_s = copies.iter().filter_map(|copy| copy.run_delay_s).reduce(f64::max);
    let moved: u64 = copies.iter().filter_map(|copy| copy.migrations).sum();
    let taken: u64 = copies.iter().map(|copy| copy.involuntary_switches).sum();
    Disturbance {
        run_delay_s: waited_s.unwrap_or(0.0),
        switches: u32::try_from(taken).unwrap_or(u32::MAX),
        migrations: u32::try_from(moved).unwrap_or(u32::MAX),
        sight: if waited_s.is_some() { Sight::Seen } else { Sight::Unknown },
    }
}
