//! `paw cluster report`: the nodes against their like.

use std::path::{Path, PathBuf};

use paw_data::baseline::Baseline;
use paw_data::baseline::judgement::{Verdict, judge};
use paw_data::cluster::{Cluster, Expected};
use paw_data::parts;
use paw_data::store::{self, Extent, FILE};
use paw_machine::state::is_setting;

use super::directory::ClusterDirectory;
use super::findings::{Findings, RankJob, StepRun, Verdicts, step_run};
use super::page;
use crate::cli::ClusterReportArgs;
use crate::command::gate;
use crate::confidential;
use crate::exit::Code;
use crate::failure::Failure;
use crate::file;
use crate::print;

/// Fewest runs for which another thread reads.
const RUNS_A_THREAD: usize = 32;

/// Reads every node's runs and prints the page.
pub fn report(args: &ClusterReportArgs) -> Result<Code, Failure> {
    let home = ClusterDirectory::open(&args.cluster)?;
    let baselines = args.against.as_deref().map_or_else(|| Ok(Vec::new()), gate::references)?;
    let steps = home.file.node_steps();
    let found: Vec<(String, String, PathBuf)> = steps
        .iter()
        .flat_map(|step| home.runs(step).into_iter().map(|(node, path)| (step.clone(), node, path)))
        .collect();
    let read = read(&found, &baselines);
    let (mut runs, mut gaps, mut judged) = (Vec::with_capacity(read.len()), Vec::new(), Vec::new());
    for ((step, node, path), read) in found.iter().zip(read) {
        match read {
            Ok(((run, lacking), verdicts)) => {
                judged.extend(verdicts.into_iter().map(|(title, verdict)| (node.clone(), title, verdict)));
                runs.push(run);
                gaps.push(lacking);
            }
            // A file that cannot be read is no run of its node.
            Err(why) => print::warn(&format!("{step}, {node}: {}: {why}", path.display())),
        }
    }
    let names = home.names();
    // Where no step is each node's own, no node is to leave a run.
    let planned = if steps.is_empty() { 0 } else { home.file.nodes.unwrap_or(0) as usize };
    let expected = Expected { steps, nodes: names, is_setting };
    let cluster = Cluster::of(&runs, &expected);
    let jobs = rank_jobs(&home);
    if cluster.nodes.is_empty() && jobs.iter().all(|(_, run)| run.is_none()) {
        return Err(Failure::nothing(format!("{}: no node has left a run yet", home.path.display()))
            .hint("`paw cluster watch` shows how far they are"));
    }
    let jobs = jobs.into_iter().map(|((step, nodes), run)| RankJob::of(&step, nodes, run)).collect();
    let findings = Findings::of(cluster, (&runs, &gaps), planned, jobs, Verdicts::of(judged));
    if let Some(path) = &args.html {
        file::write(path, &page::html(&home.file.name, &findings, args.all))?;
    }
    print::show(&page::written(&home.file.name, &findings, args, print::width()))?;
    Ok(findings.code())
}

/// A node's run reduced to figures, and the verdicts on it.
type Read = Result<(StepRun, Vec<(String, Verdict)>), String>;

/// Reads runs, which the processors share; each is let go once its figures are known.
fn read(found: &[(String, String, PathBuf)], baselines: &[Baseline]) -> Vec<Read> {
    parts::each(found, RUNS_A_THREAD, |(step, node, path)| -> Read {
        let run = store::read_extent(path, Extent::Figures).map_err(|error| error.to_string())?;
        let run = confidential::cleaned_run(run);
        let judgements = judge(baselines, std::slice::from_ref(&run));
        let verdicts = judgements.iter().map(|own| (own.baseline.title(), own.verdict)).collect();
        Ok((step_run(step, node, &run), verdicts))
    })
}

/// The jobs of ranks, by step and number of nodes, with their runs.
fn rank_jobs(home: &ClusterDirectory) -> Vec<((String, u32), Option<StepRun>)> {
    let run = |step: &str, nodes: u32, path: &Path| {
        if !path.join(FILE).is_file() {
            return None;
        }
        let read = store::read_extent(path, Extent::Figures);
        let refused = |error| print::warn(&format!("{step}, {nodes} nodes: {}: {error}", path.display()));
        let run = confidential::cleaned_run(read.map_err(refused).ok()?);
        Some(step_run(step, "", &run))
    };
    let jobs = home.rank_jobs().into_iter();
    let with_run = |(step, nodes, path): (String, u32, PathBuf)| {
        let run = run(&step, nodes, &path);
        ((step, nodes), run)
    };
    jobs.map(with_run).collect()
}
