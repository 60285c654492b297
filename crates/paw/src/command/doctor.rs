//! `paw doctor`: what on this machine spoils measurements, and the remedy.

mod finding_table;
mod fix_script;
mod journal;
mod probe;
mod settings;
mod tune;

use finding_table::Listed;
use paw_machine::doctor::{Examined, examine};
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
    let topology = Topology::read(&root).map_err(|error| Failure::io(error.to_string()))?;
    let mut findings = findings(&root, &topology);
    refuse_unknown(&args.checks, &findings)?;
    if args.tune {
        return tune::tune(&root, &findings, args);
    }
    if args.fix_script {
        print::show(&fix_script::fix_script(&findings))?;
        return Ok(Code::Done);
    }
    let is_wanted = |id: &str| args.checks.is_empty() || args.checks.iter().any(|check| check == id);
    findings.retain(|examined| is_wanted(examined.id));
    if root.is_host() && !args.no_probes && probe::ids().any(is_wanted) {
        if print::is_watched() {
            print::message("measuring for about five seconds");
        }
        findings.extend(probe::measure(&topology, is_wanted));
    }
    let listed = if args.all { Listed::All } else { Listed::Worst };
    let text = match (args.checks.is_empty(), args.format) {
        (false, Format::Text) => finding_table::details(&findings, print::width()),
        (_, format) => finding_table::written(&findings, listed, format, print::width()),
    };
    print::show(&text)?;
    let disturbed = findings.iter().any(|examined| examined.finding.level.disturbs());
    Ok(if args.strict && disturbed { Code::Missing } else { Code::Done })
}

/// Refuses a name that is no check's.
fn refuse_unknown(names: &[String], findings: &[Examined]) -> Result<(), Failure> {
    let known = || findings.iter().map(|examined| examined.id).chain(probe::ids());
    let Some(name) = names.iter().find(|name| known().all(|id| id != name.as_str())) else { return Ok(()) };
    let failure = Failure::usage(format!("`{name}` is no check"));
    Err(match closest(name, known()) {
        Some(near) => failure.hint(format!("did you mean `{near}`? `paw doctor --all` lists them")),
        None => failure.hint("`paw doctor --all` lists them"),
    })
}

/// Findings by files, then those of the environment.
fn findings(root: &Root, topology: &Topology) -> Vec<Examined> {
    let mut findings = examine(root, topology);
    if root.is_host() {
        findings.extend(environment::capping(&environment::current()).iter().map(environment::Capping::examined));
    }
    findings
}
