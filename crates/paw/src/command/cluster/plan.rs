//! `paw cluster plan`: the script of the job, and its submission.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use paw_data::bounded;
use toml_edit::DocumentMut;

use crate::amount::counted;
use crate::cli::ClusterPlanArgs;
use crate::cluster::cluster_file::{ClusterFile, StepNodes};
use crate::cluster::job_script::JobPlace;
use crate::cluster::{COPY, NODE_SCRIPT, SCRIPT};
use crate::exit::Code;
use crate::failure::Failure;
use crate::outdir::{self, RESULTS};
use crate::startup::own_file;
use crate::{file, print};

/// Writes the directory, and submits the job where that was asked for.
pub fn plan(args: &ClusterPlanArgs) -> Result<Code, Failure> {
    let asked = ClusterFile::read(&args.file).map_err(|error| Failure::usage(error.to_string()))?;
    let Some(nodes) = args.nodes.or(asked.nodes) else {
        return Err(Failure::usage("how many nodes is not said")
            .hint("paw cluster plan FILE --nodes N, or `nodes = N` in the file"));
    };
    if args.out.as_ref().is_some_and(|out| out.join(COPY).exists()) {
        let out = args.out.as_deref().unwrap_or(Path::new("")).display().to_string();
        return Err(Failure::usage(format!("{out} holds an assessment already")).hint("name a new --out"));
    }
    let refused = |error: std::io::Error| Failure::io(format!("{} cannot be read: {error}", args.file.display()));
    let text = bounded::text(&args.file).map_err(refused)?;
    let home = made(args.out.as_deref())?;
    file::write(&home.join(COPY), &with_nodes(&text, nodes)?)?;
    let script = home.join(SCRIPT);
    let job = JobPlace { file: &asked, nodes, paw: &own_file()?, home: &home };
    file::write(&script, &job.job())?;
    for step in &asked.steps {
        outdir::owned(&home.join(&step.name))?;
        if step.nodes == StepNodes::Each {
            file::write(&home.join(&step.name).join(NODE_SCRIPT), &job.node(step))?;
        }
    }
    print::show(&said(&asked, nodes))?;
    if args.submit {
        return submit(&asked, &script);
    }
    let by = asked.engine.submit.join(" ");
    let way = if asked.engine.reads_input { "< " } else { "" };
    print::message(&format!("submit it: {by} {way}{}", script.display()));
    print::message(&format!("then: paw cluster watch {0}; paw cluster report {0}", home.display()));
    Ok(Code::Done)
}

/// The file as it was planned: with the number of nodes.
fn with_nodes(text: &str, nodes: u32) -> Result<String, Failure> {
    let mut document: DocumentMut =
        text.parse().map_err(|error: toml_edit::TomlError| Failure::usage(error.message()))?;
    document["nodes"] = toml_edit::value(i64::from(nodes));
    Ok(document.to_string())
}

/// The directory of a new assessment, absolute: the job starts elsewhere.
fn made(out: Option<&Path>) -> Result<PathBuf, Failure> {
    let home = match out {
        Some(out) => out.to_path_buf(),
        None => {
            outdir::owned(Path::new(RESULTS))?;
            Path::new(RESULTS).join(outdir::name(SystemTime::now(), &mut fastrand::Rng::new()))
        }
    };
    outdir::owned(&home)?;
    std::path::absolute(&home).map_err(|error| Failure::io(format!("{}: {error}", home.display())))
}

/// What the job does, a line for each step.
fn said(file: &ClusterFile, nodes: u32) -> String {
    let minutes = (file.time_s / 60.0).ceil();
    let mut out = format!(
        "{}: {} by {}, {} at most\n",
        file.name,
        counted(nodes, "node"),
        file.engine.name,
        counted(minutes, "minute")
    );
    for step in &file.steps {
        let on = match &step.nodes {
            StepNodes::Each => "every node by itself, all at once".to_owned(),
            StepNodes::All => format!("{} on all nodes", counted(nodes.saturating_mul(step.per_node), "rank")),
            StepNodes::Counts(counts) => on_counts(counts, &step.nodes.counts(nodes)),
        };
        out.push_str(&format!("  {}: {on}: {}\n", step.name, step.words.join(" ")));
    }
    out
}

/// Jobs of ranks on those of `counts` nodes that fit, and what is left out.
fn on_counts(counts: &[u32], fitting: &[u32]) -> String {
    let list = |counts: &[u32]| counts.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    let left: Vec<u32> = counts.iter().copied().filter(|count| !fitting.contains(count)).collect();
    match (fitting, &left[..]) {
        ([], _) => format!("left out, for want of nodes: it needs {} at least", counts.iter().min().unwrap_or(&1)),
        (_, []) => format!("ranks on {} nodes", list(fitting)),
        _ => format!("ranks on {} nodes; left out, for want of nodes: {}", list(fitting), list(&left)),
    }
}

fn submit(asked: &ClusterFile, script: &Path) -> Result<Code, Failure> {
    let [program, args @ ..] = asked.engine.submit else { return Ok(Code::Bug) };
    let mut command = Command::new(program);
    command.args(args);
    if asked.engine.reads_input {
        let input = File::open(script).map_err(|error| Failure::io(format!("{}: {error}", script.display())))?;
        command.stdin(Stdio::from(input));
    } else {
        command.arg(script);
    }
    let by_hand = format!("{} is written: submit it by hand", script.display());
    let ended = command
        .status()
        .map_err(|error| Failure::missing(format!("{program} cannot be started: {error}")).hint(by_hand.clone()))?;
    if !ended.success() {
        return Err(Failure::io(format!("{program} refused the job ({ended})")).hint(by_hand));
    }
    let home = script.parent().map_or_else(String::new, |home| home.display().to_string());
    print::message(&format!("then: paw cluster watch {home}; paw cluster report {home}"));
    Ok(Code::Done)
}
