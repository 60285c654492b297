//! `paw doctor`: what on this machine spoils measurements, and the remedy.

mod capped;
mod finding_table;
mod fix_script;
mod journal;
mod probe;
mod settings;
mod tune;

use finding_table::Listed;
use paw_machine::doctor::{CHECKS, Examined, Level, examine};
use paw_machine::environment;
use paw_machine::root::Root;
use paw_machine::topology::Topology;

use crate::cli::{DoctorArgs, Format};
use crate::exit::Code;
use crate::failure::Failure;
use crate::print;
use crate::selection::closest;

/// Examines this machine, or one whose files are given.
pub fn doctor(args: &DoctorArgs) -> Result<Code, Failure> {
    let root = args.sysroot.as_ref().map_or_else(Root::host, Root::at);
    if args.restore {
        return tune::restore(&root);
    }
    refuse_unknown(&args.checks)?;
    let topology = Topology::read(&root).map_err(|error| Failure::io(error.to_string()))?;
    let mut findings = findings(&root, &topology);
    if args.tune {
        return tune::tune(&root, &findings, args);
    }
    if args.fix_script {
        print::show(&fix_script::fix_script(&findings))?;
        return Ok(Code::Done);
    }
    let is_named = |id: &str| args.checks.iter().any(|check| check == id);
    let is_wanted = |id: &str| args.checks.is_empty() || is_named(id);
    findings.retain(|examined| is_wanted(examined.id));
    if measures(&root, args) && probe::ids().any(is_wanted) {
        if print::is_watched() {
            print::message("measuring for about five seconds");
        }
        findings.extend(probe::measure(&topology, is_wanted));
    }
    findings.extend(left_out(&root, args).into_iter().filter(|examined| args.all || is_named(examined.id)));
    let listed = if args.all { Listed::All } else { Listed::Worst };
    let text = match (args.checks.is_empty(), args.format) {
        (false, Format::Text) => finding_table::details(&findings, print::width()),
        (_, format) => finding_table::written(&findings, listed, format, print::width()),
    };
    print::show(&text)?;
    // A check that was asked for by its name must have an answer; of all of them, no machine gives every one.
    let is_bad = |level: Level| level.disturbs() || (!args.checks.is_empty() && level == Level::Unknown);
    let is_refused = args.strict && findings.iter().any(|examined| is_bad(examined.finding.level));
    Ok(if is_refused { Code::Missing } else { Code::Done })
}

/// The names of all that is examined, whatever is found.
fn ids() -> impl Iterator<Item = &'static str> {
    CHECKS.iter().map(|check| check.id).chain(capped::ids()).chain(probe::ids())
}

/// Refuses a name that is no check's.
fn refuse_unknown(names: &[String]) -> Result<(), Failure> {
    let Some(name) = names.iter().find(|name| ids().all(|id| id != name.as_str())) else { return Ok(()) };
    let failure = Failure::usage(format!("`{name}` is no check"));
    Err(match closest(name, ids()) {
        Some(near) => failure.hint(format!("did you mean `{near}`? `paw doctor --all` lists them")),
        None => failure.hint("`paw doctor --all` lists them"),
    })
}

/// Findings by files, then those of the environment.
fn findings(root: &Root, topology: &Topology) -> Vec<Examined> {
    let mut findings = examine(root, topology);
    if root.is_host() {
        findings.extend(capped::examine(&environment::current()));
    }
    findings
}

/// Whether probes are measured.
fn measures(root: &Root, args: &DoctorArgs) -> bool {
    root.is_host() && !args.no_probes
}

/// What is not examined here, for those who ask for it.
fn left_out(root: &Root, args: &DoctorArgs) -> Vec<Examined> {
    let mut left_out = Vec::new();
    if !root.is_host() {
        left_out.extend(capped::unknown("a copy of a machine's files has none"));
    }
    if !measures(root, args) {
        let why =
            if root.is_host() { "--no-probes leaves it out" } else { "a copy of a machine's files can only be read" };
        left_out.extend(probe::unmeasured(why));
    }
    left_out
}
