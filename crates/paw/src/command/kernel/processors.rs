//! The processors and threads that a kernel's children get.

use paw_kernels::builds::Built;
use paw_kernels::request::Workbench;
use paw_machine::cpuset::{CpuSet, CpuSetError};
use paw_machine::idle;

use crate::cli::ProtocolArgs;
use crate::failure::Failure;
use crate::host_facts::HostFacts;
use crate::kernel::wrong;

/// The most threads that are asked for: more than any machine has.
const THREADS_MAX: u32 = 1024;

/// The threads that were typed.
pub fn threads(protocol: &ProtocolArgs) -> Result<Option<u32>, Failure> {
    let Some(text) = protocol.threads.as_deref() else { return Ok(None) };
    let threads = crate::method::count("--threads", text)?;
    if threads > THREADS_MAX {
        return Err(wrong("--threads", format!("{threads} are more than {THREADS_MAX}")));
    }
    Ok(Some(threads))
}

/// The processors that children stay on: those typed, or as many of the idlest as there are threads.
pub fn cpus(protocol: &ProtocolArgs, threads: Option<u32>, here: &HostFacts) -> Result<Vec<u32>, Failure> {
    let topology = &here.host.topology;
    match protocol.cpu.as_deref() {
        Some("none") => Ok(Vec::new()),
        Some(text) => {
            let allowed = topology.allowed();
            let typed: CpuSet = text.parse().map_err(|why: CpuSetError| wrong("--cpu", why))?;
            match typed.iter().find(|cpu| !allowed.contains(*cpu)) {
                Some(cpu) => Err(wrong("--cpu", format!("`{cpu}` is not one of the processors {allowed}"))),
                None => Ok(typed.iter().collect()),
            }
        }
        None => {
            let ranking = here.host.activity.as_ref().map(|activity| idle::ranking(topology, activity));
            let wanted = threads.unwrap_or(1) as usize;
            let mut cpus = ranking.unwrap_or_default();
            // After one processor of each core come the other hardware threads.
            let rest: Vec<u32> = topology.allowed().iter().filter(|cpu| !cpus.contains(cpu)).collect();
            cpus.extend(rest);
            cpus.truncate(wanted);
            Ok(cpus)
        }
    }
}

/// Lets the children of a check run on every processor, with several threads, if a build was linked with a library of threads: what races
/// needs both to show.
pub fn check_in_parallel(bench: &mut Workbench, builds: &[Built], here: &HostFacts) {
    let allowed = here.host.topology.allowed().len();
    if builds.iter().all(|built| built.build.runtime.is_empty()) || allowed < 2 {
        return;
    }
    bench.cpus.clear();
    bench.threads.get_or_insert(CHECK_THREADS.min(allowed as u32));
}

/// Threads of a check, unless others were typed.
const CHECK_THREADS: u32 = 4;
