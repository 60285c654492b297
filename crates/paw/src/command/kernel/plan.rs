//! Prints the plan of a kernel for `--dry-run`.

use paw_data::kernel::Question;
use paw_kernels::builds::BuildJob;
use paw_kernels::builds::flags::FlagSet;
use paw_kernels::request::KernelRequest;
use paw_kernels::sensitivity::{FACTORS, Factor, Variation};

use super::setup::WantedBuilds;
use crate::amount::counted;
use crate::cli::{Format, LeavingArgs};
use crate::exit::Code;
use crate::failure::Failure;
use crate::print;
use crate::table::Table;

/// Shows the builds of `jobs` at each size; `more` are lines about what follows from them.
pub fn builds(jobs: &[BuildJob], request: &KernelRequest, leaving: &LeavingArgs, more: &str) -> Result<Code, Failure> {
    let mut table = Table::new(&["level", "n", "bytes", "build", "variant"]);
    for level in &request.levels {
        for job in jobs {
            let variant = job.variant.as_ref().map_or("", |variant| variant.name.as_str());
            let (n, bytes) = (level.n.to_string(), level.footprint_bytes.to_string());
            table.row([&level.name, &n, &bytes, &name(job), variant]);
        }
    }
    let extent = format!("{} at {}", counted(jobs.len(), "build"), counted(request.levels.len(), "size"));
    show(&table, &extent, request, leaving, more)
}

/// Shows the first step of a search from the build `first`: the base, and the base with each of `candidates`.
pub fn search(
    first: &BuildJob,
    candidates: &[String],
    request: &KernelRequest,
    leaving: &LeavingArgs,
) -> Result<Code, Failure> {
    let base = &first.flags.flags;
    let with = |flag: &String| BuildJob {
        flags: FlagSet { label: String::new(), flags: format!("{base} {flag}") },
        ..first.clone()
    };
    let jobs: Vec<BuildJob> = std::iter::once(first.clone()).chain(candidates.iter().map(with)).collect();
    let more = format!("step 1 of at most {}: the flag that helps most joins the base of the next\n", candidates.len());
    builds(&jobs, request, leaving, &more)
}

/// Shows the values of each factor for the build `job` at the size `n`.
pub fn sensitivity(
    job: &BuildJob,
    variations: &[Variation],
    n: u64,
    request: &KernelRequest,
    leaving: &LeavingArgs,
) -> Result<Code, Failure> {
    let mut table = Table::new(&["factor", "n", "bytes", "warm-up", "calls", "build"]);
    for variation in variations {
        let factor = FACTORS.iter().find(|(_, factor)| *factor == variation.factor).map_or("", |(name, _)| name);
        for (n, measure) in variation.settings(n, request.measure) {
            let bytes = request.spec.footprint_bytes(n).map_or_else(|_| "-".to_owned(), |bytes| bytes.to_string());
            let calls = measure.reps.map_or_else(|| "by --region".to_owned(), |reps| reps.to_string());
            table.row([factor, &n.to_string(), &bytes, &measure.warmup.to_string(), &calls, &name(job)]);
        }
    }
    let values: usize = variations.iter().map(|variation| variation.values.len()).sum();
    let warmups = variations.iter().any(|variation| variation.factor == Factor::Warmup);
    let more = if warmups { "warm-up is varied at the calls shown: more would hide the first calls\n" } else { "" };
    let extent = format!("{} of {}", counted(values, "value"), counted(variations.len(), "factor"));
    show(&table, &extent, request, leaving, more)
}

fn name(job: &BuildJob) -> String {
    let flags = if job.flags.label.is_empty() { &job.flags.flags } else { &job.flags.label };
    format!("{} {flags}", job.compiler.name)
}

fn show(
    table: &Table,
    extent: &str,
    request: &KernelRequest,
    leaving: &LeavingArgs,
    more: &str,
) -> Result<Code, Failure> {
    let mut text = table.written(leaving.format, print::width());
    if leaving.format == Format::Text {
        let measure = &request.measure;
        let protocol = match request.question {
            Question::Check => "one call on fresh data, nothing is timed".to_owned(),
            Question::Sensitivity => format!("{} samples each on fresh memory", measure.metas),
            _ => format!("{} samples each on fresh memory, {} calls of warm-up", measure.metas, measure.warmup),
        };
        text += &format!("\n{extent}, {protocol}; seed {}\n{more}nothing was built or measured\n", request.seed);
    }
    print::show(&text)?;
    Ok(Code::Done)
}

/// Shows all that `wanted` would build at each size.
pub fn wanted(wanted: &WantedBuilds, request: &KernelRequest, leaving: &LeavingArgs) -> Result<Code, Failure> {
    builds(&wanted.jobs, request, leaving, "")
}
