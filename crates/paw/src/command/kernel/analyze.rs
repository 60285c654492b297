//! `paw kernel analyze`: what the code of every build is.

use std::path::Path;

use paw_data::kernel::Question;
use paw_kernels::builds::code::code;
use paw_kernels::builds::{BuildJob, Built};
use paw_kernels::spec::Spec;

use super::setup::{self, Setup};
use crate::cli::{CodeArgs, ProtocolArgs};
use crate::exit::Code;
use crate::failure::Failure;
use crate::host_facts;
use crate::kernel;
use crate::print;
use crate::session::Session;

/// Builds, reads the builds' code, saves, shows.
pub fn analyze(args: &CodeArgs) -> Result<Code, Failure> {
    let mut spec = kernel::spec(&args.spec)?;
    let wanted = setup::wanted(&mut spec, &args.builds)?;
    let protocol = ProtocolArgs::default();
    let request = kernel::request(spec, Question::Analyze, &protocol, Vec::new())?;
    if args.leaving.dry_run {
        let names = wanted.jobs.iter().map(|job| format!("{} {}\n", job.compiler.name, job.flags.flags));
        print::show(&format!("{}nothing was built\n", names.collect::<String>()))?;
        return Ok(Code::Done);
    }
    let mut setup = Setup::open(host_facts::read()?, &protocol, &args.leaving)?;
    let mut builds = setup.build(&wanted.jobs, &request.spec, setup::identical(&args.builds), "");
    builds.extend(wanted.absent);
    let directory = setup.bench.builds.clone();
    let mut session = setup.session(&request, setup::facts(&request, None), 0)?;
    keep(&builds, &wanted.jobs, &request.spec, &directory, &mut session);
    let (run, fault) = setup.close(session, &protocol);
    let shown = setup.show(&args.leaving, &run, fault)?;
    Ok(if builds.iter().all(|built: &Built| built.library.is_err()) { Code::Failed } else { shown })
}

/// Keeps in `session` what the code of every build is; files of the compilers go into `directory`.
pub fn keep(builds: &[Built], jobs: &[BuildJob], spec: &Spec, directory: &Path, session: &mut Session) {
    for (number, built) in builds.iter().enumerate() {
        let is_its = |job: &&BuildJob| job.compiler.name == built.build.compiler;
        let compiler = jobs.iter().find(is_its).map(|job| &job.compiler);
        session.code(&code(built, compiler, spec, directory, number));
    }
}
