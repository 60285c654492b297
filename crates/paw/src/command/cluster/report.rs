//! `paw cluster report`: the nodes against their like.

use std::path::PathBuf;

use paw_data::baseline::Baseline;
use paw_data::baseline::judgement::{Verdict, judge};
use paw_data::cluster::node::Standing;
use paw_data::cluster::node_run::NodeRun;
use paw_data::cluster::{Cluster, Expected};
use paw_data::parts;
use paw_data::store::{self, Extent};
use paw_machine::state::is_setting;

use super::directory::ClusterDirectory;
use super::page;
use crate::cli::ClusterReportArgs;
use crate::command::gate;
use crate::confidential;
use crate::exit::{self, Code};
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
    let (mut runs, mut judged) = (Vec::with_capacity(read.len()), Vec::new());
    for ((step, node, path), read) in found.iter().zip(read) {
        match read {
            Ok((run, verdicts)) => {
                judged.extend(verdicts.into_iter().map(|(title, verdict)| (node.clone(), title, verdict)));
                runs.push(run);
            }
            // A file that cannot be read is no run of its node.
            Err(why) => print::warn(&format!("{step}, {node}: {}: {why}", path.display())),
        }
    }
    let expected = Expected { steps, nodes: home.names(), is_setting };
    let cluster = Cluster::of(&runs, &expected);
    if cluster.nodes.is_empty() {
        return Err(Failure::nothing(format!("{}: no node has left a run yet", home.path.display()))
            .hint("`paw cluster watch` shows how far they are"));
    }
    if let Some(path) = &args.html {
        file::write(path, &page::html(&home.file.name, &cluster, &judged, args.all))?;
    }
    print::show(&page::written(&home.file.name, &cluster, &judged, args, print::width()))?;
    Ok(code(&cluster, &judged))
}

/// A node's run reduced to figures, and the verdicts on it.
type Read = Result<(NodeRun, Vec<(String, Verdict)>), String>;

/// Reads runs, which the processors share; each is let go once its figures are known.
fn read(found: &[(String, String, PathBuf)], baselines: &[Baseline]) -> Vec<Read> {
    parts::each(found, RUNS_A_THREAD, |(step, node, path)| -> Read {
        let run = store::read_extent(path, Extent::Figures).map_err(|error| error.to_string())?;
        let run = confidential::cleaned_run(run);
        let judgements = judge(baselines, std::slice::from_ref(&run));
        let verdicts = judgements.iter().map(|own| (own.baseline.title(), own.verdict));
        // One file of references serves steps that have other benchmarks.
        let verdicts = verdicts.filter(|(_, verdict)| !matches!(verdict, Verdict::Missing | Verdict::OtherMachine));
        Ok((NodeRun::of(step, node, &run), verdicts.collect()))
    })
}

/// 1: a node is slow, or worse than a reference; 3: one failed; 4: one left no run; 5: a number cannot be relied on.
fn code(cluster: &Cluster, judged: &[(String, String, Verdict)]) -> Code {
    let standing = |standing: Standing| match standing {
        Standing::Failed => Code::Failed,
        Standing::Missing => Code::Missing,
        Standing::Slow => Code::Finding,
        Standing::Doubtful => Code::Inconclusive,
        Standing::Fast | Standing::Alike => Code::Done,
    };
    let worse = judged.iter().filter(|(_, _, verdict)| matches!(verdict, Verdict::Regression | Verdict::Wrong));
    exit::strongest(cluster.nodes.iter().map(|node| standing(node.standing)).chain(worse.map(|_| Code::Finding)))
}
