//! `paw doctor`: what on this machine spoils measurements, and the remedy.

mod finding_table;
mod fix_script;
mod journal;
mod probe;
mod settings;
mod tune;

use paw_machine::doctor::{Examined, examine};
use paw_machine::environment;
use paw_machine::root::Root;
use paw_machine::topology::Topology;

use crate::cli::DoctorArgs;
use crate::exit::Code;
use crate::failure::Failure;
use crate::print;

/// Examines this machine, or one whose files are given.
pub fn doctor(args: &DoctorArgs) -> Result<Code, Failure> {
    let root = args.sysroot.as_ref().map_or_else(Root::host, Root::at);
    if args.restore {
        return tune::restore(&root);
    }
    let topology = Topology::read(&root).map_err(|error| Failure::io(error.to_string()))?;
    let mut findings = findings(&root, &topology);
    if args.tune {
        return tune::tune(&root, &findings, &args.command);
    }
    if args.fix_script {
        print::show(&fix_script::fix_script(&findings))?;
        return Ok(Code::Done);
    }
    if root.is_host() && !args.no_probes {
        if print::is_watched() {
            print::message("measuring for about five seconds");
        }
        findings.extend(probe::measure(&topology));
    }
    print::show(&finding_table::written(&findings, args.format, print::width()))?;
    let disturbed = findings.iter().any(|examined| examined.finding.level.disturbs());
    Ok(if args.strict && disturbed { Code::Missing } else { Code::Done })
}

/// Findings by files, then those of the environment.
fn findings(root: &Root, topology: &Topology) -> Vec<Examined> {
    let mut findings = examine(root, topology);
    if root.is_host() {
        findings.extend(environment::capping(&environment::current()).iter().map(environment::Capping::examined));
    }
    findings
}
