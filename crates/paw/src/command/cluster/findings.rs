//! What an assessment has left: nodes against their like, jobs of ranks, and what references say.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use paw_data::baseline::judgement::Verdict;
use paw_data::cell::Role;
use paw_data::cluster::Cluster;
use paw_data::cluster::deviation::NODES_MIN;
use paw_data::cluster::node::{Node, Standing};
use paw_data::cluster::node_run::NodeRun;
use paw_data::history::CellFigure;
use paw_data::outcome::Status;
use paw_data::run::Run;
use paw_report::ClusterPage;

use crate::amount::counted;
use crate::exit::{self, Code};

/// Benchmarks of a run without a number that did not fail, with the reason.
pub type Gaps = BTreeMap<String, String>;

/// A run of a step, reduced to its figures, and why benchmarks of it have none.
pub type StepRun = (NodeRun, Gaps);

/// A job of ranks.
pub struct RankJob {
    /// Its step.
    pub step: String,
    /// How many nodes it was to have.
    pub nodes: u32,
    /// Failed, missing, or alike: there is nothing to find.
    pub standing: Standing,
    /// What failed, or is missing, a sentence each without a full stop.
    pub failures: Vec<String>,
}

/// What references say of nodes.
#[derive(Default)]
pub struct Verdicts {
    /// Node, title of the reference, and the verdict.
    pub judged: Vec<(String, String, Verdict)>,
    /// Titles of references that judge no node.
    pub idle: Vec<String>,
}

/// All that is found.
pub struct Findings {
    /// The nodes against their like.
    pub cluster: Cluster,
    /// Nodes of which no figure could be judged, by name.
    pub unjudged: BTreeSet<String>,
    /// How many nodes left no run and are not known by name.
    pub unnamed: usize,
    /// The jobs of ranks, in the order of the file.
    pub jobs: Vec<RankJob>,
    /// What references say.
    pub verdicts: Verdicts,
}

/// The run of `node` in `step`.
pub fn step_run(step: &str, node: &str, run: &Run) -> StepRun {
    let own = NodeRun::of(step, node, run);
    let mut gaps = Gaps::new();
    for record in run.records.iter().filter(|record| record.cell.role == Role::Subject) {
        let benchmark: &str = &record.cell.benchmark;
        let outcome = record.outcome.as_ref();
        let has_figure = own.digest.figures.iter().any(|figure| figure.benchmark == benchmark);
        if has_figure || outcome.is_some_and(|outcome| outcome.status == Status::Failed) {
            continue;
        }
        let why = outcome.and_then(|outcome| outcome.why.as_deref()).unwrap_or("it has no number");
        let why = why.split(". hint:").next().unwrap_or(why);
        gaps.entry(benchmark.to_owned()).or_insert_with(|| why.to_owned());
    }
    (own, gaps)
}

/// What is missing of a run that ended: all, or the benchmarks for which `is_missed` has words.
fn missing((run, gaps): (&NodeRun, &Gaps), is_missed: impl Fn(&str) -> Option<String>) -> Vec<String> {
    if !run.is_whole || !run.failures.is_empty() {
        return Vec::new();
    }
    if run.digest.figures.is_empty() {
        let why = gaps.values().next().map_or(String::new(), |why| format!(": {why}"));
        return vec![format!("nothing was measured{why}")];
    }
    let told = |(benchmark, why): (&String, &String)| {
        Some(format!("{benchmark} has no number here{}: {why}", is_missed(benchmark)?))
    };
    gaps.iter().filter_map(told).collect()
}

impl RankJob {
    /// The job of `step` on `nodes` nodes, judged by its run; without a run it is missing.
    pub fn of(step: &str, nodes: u32, run: Option<StepRun>) -> Self {
        let (standing, failures) = match run {
            None => (Standing::Missing, vec!["there is no run".to_owned()]),
            Some((run, _)) if !run.failures.is_empty() => (Standing::Failed, run.failures),
            Some((run, _)) if !run.is_whole => (Standing::Missing, vec!["the run was cut off".to_owned()]),
            Some((run, gaps)) => match missing((&run, &gaps), |_| Some(String::new())) {
                none if none.is_empty() => (Standing::Alike, none),
                missing => (Standing::Missing, missing),
            },
        };
        Self { step: step.to_owned(), nodes, standing, failures }
    }

    /// `reduce on 4 nodes`.
    pub fn title(&self) -> String {
        format!("{} on {}", self.step, counted(self.nodes, "node"))
    }
}

impl Verdicts {
    /// What all verdicts, a run each, say together. One file of references serves steps that have other benchmarks: a node lacks a reference
    /// where none of its runs has it, and another node's has.
    pub fn of(all: Vec<(String, String, Verdict)>) -> Self {
        let says = |verdict: &Verdict| !matches!(verdict, Verdict::Missing | Verdict::OtherMachine);
        let said: BTreeSet<(String, String)> = all
            .iter()
            .filter(|(_, _, verdict)| says(verdict))
            .map(|(node, title, _)| (title.clone(), node.clone()))
            .collect();
        let busy: BTreeSet<&str> = said.iter().map(|(title, _)| title.as_str()).collect();
        let (mut judged, mut idle, mut lacked) = (Vec::new(), Vec::new(), BTreeSet::new());
        for (node, title, verdict) in &all {
            let place = (title.clone(), node.clone());
            if !busy.contains(title.as_str()) {
                if !idle.contains(title) {
                    idle.push(title.clone());
                }
            } else if says(verdict) || (*verdict == Verdict::Missing && !said.contains(&place) && lacked.insert(place))
            {
                judged.push((node.clone(), title.clone(), *verdict));
            }
        }
        Self { judged, idle }
    }
}

impl Findings {
    /// The findings of these runs of nodes, of `planned` nodes.
    pub fn of(
        mut cluster: Cluster,
        (runs, gaps): (&[NodeRun], &[Gaps]),
        planned: usize,
        jobs: Vec<RankJob>,
        verdicts: Verdicts,
    ) -> Self {
        let peers = Peers::of(runs);
        let (mut lacks, mut judged) = (HashMap::<&str, Vec<String>>::new(), HashSet::new());
        for own in runs.iter().zip(gaps) {
            let (run, node) = (own.0, own.0.node.as_str());
            let missing = missing(own, |benchmark| peers.have(run, benchmark));
            lacks.entry(node).or_default().extend(missing.iter().map(|why| format!("{}: {why}", run.step)));
            if run.digest.figures.iter().any(|figure| peers.judge(run, figure)) {
                judged.insert(node);
            }
        }
        for node in &mut cluster.nodes {
            let missing = lacks.remove(node.name.as_str()).unwrap_or_default();
            if !missing.is_empty() {
                node.standing = node.standing.min(Standing::Missing);
                node.failures.extend(missing);
            }
        }
        let alike = cluster.nodes.iter().filter(|node| node.standing == Standing::Alike);
        let unjudged = alike.filter(|node| !judged.contains(node.name.as_str()));
        let unjudged = unjudged.map(|node| node.name.clone()).collect();
        let unnamed = planned.saturating_sub(cluster.nodes.len());
        Self { cluster, unjudged, unnamed, jobs, verdicts }
    }

    /// The word for how `node` stands.
    pub fn word(&self, node: &Node) -> &'static str {
        if self.unjudged.contains(&node.name) { ClusterPage::UNJUDGED } else { node.standing.word() }
    }

    /// The gravest standing of nodes, of those without a name, and of jobs of ranks; `None` where nothing is bad and not all is judged.
    pub fn gravest(&self) -> Option<Standing> {
        let nodes = self.cluster.nodes.iter().map(|node| node.standing);
        let all = nodes.chain(self.jobs.iter().map(|job| job.standing));
        let gravest = all.chain((self.unnamed > 0).then_some(Standing::Missing)).min();
        gravest.filter(|standing| self.unjudged.is_empty() || *standing < Standing::Fast)
    }

    /// 1: a node is slow, or worse than a reference; 3: one failed; 4: one left no run, or no reference judges any; 5: a number cannot be
    /// relied on, or nobody can tell whether a node is odd. Jobs of ranks count as nodes do.
    pub fn code(&self) -> Code {
        let standing = |standing: Standing| match standing {
            Standing::Failed => Code::Failed,
            Standing::Missing => Code::Missing,
            Standing::Slow => Code::Finding,
            Standing::Doubtful => Code::Inconclusive,
            Standing::Fast | Standing::Alike => Code::Done,
        };
        let by_reference = self.verdicts.judged.iter().map(|(_, _, verdict)| match verdict {
            Verdict::Regression | Verdict::Wrong => Code::Finding,
            Verdict::Failed => Code::Failed,
            Verdict::Missing | Verdict::OtherUnit | Verdict::Ambiguous => Code::Missing,
            _ => Code::Done,
        });
        let is_idle = self.verdicts.judged.is_empty() && !self.verdicts.idle.is_empty();
        let others = [
            (self.unnamed > 0 || is_idle).then_some(Code::Missing),
            (!self.unjudged.is_empty()).then_some(Code::Inconclusive),
        ];
        let nodes = self.cluster.nodes.iter().map(|node| node.standing);
        let all = nodes.chain(self.jobs.iter().map(|job| job.standing)).map(standing);
        exit::strongest(all.chain(by_reference).chain(others.into_iter().flatten()))
    }
}

/// How many nodes of the same hardware have what, by step.
struct Peers {
    nodes: HashMap<(String, String), BTreeSet<String>>,
    having: HashMap<(String, String, String), BTreeSet<String>>,
    figures: HashMap<(String, String, String), usize>,
}

impl Peers {
    fn of(runs: &[NodeRun]) -> Self {
        let mut peers = Self { nodes: HashMap::new(), having: HashMap::new(), figures: HashMap::new() };
        for run in runs {
            let (step, hardware) = place(run);
            peers.nodes.entry((step.clone(), hardware.clone())).or_default().insert(run.node.clone());
            for figure in &run.digest.figures {
                let benchmark = (step.clone(), hardware.clone(), figure.benchmark.clone());
                peers.having.entry(benchmark).or_default().insert(run.node.clone());
                if figure.value > 0.0 {
                    *peers.figures.entry((step.clone(), hardware.clone(), figure.subject())).or_default() += 1;
                }
            }
        }
        peers
    }

    /// `, and on 15 of 16 nodes`, where more than half of the nodes like that of `own` have a number of `benchmark`.
    fn have(&self, own: &NodeRun, benchmark: &str) -> Option<String> {
        let (step, hardware) = place(own);
        let all = self.nodes.get(&(step.clone(), hardware.clone()))?.len();
        let having = self.having.get(&(step, hardware, benchmark.to_owned()))?.len();
        (2 * having > all).then(|| format!(", and on {having} of {}", counted(all, "node")))
    }

    /// Whether enough nodes have `figure` for one of them to be odd.
    fn judge(&self, own: &NodeRun, figure: &CellFigure) -> bool {
        let (step, hardware) = place(own);
        self.figures.get(&(step, hardware, figure.subject())).is_some_and(|count| *count >= NODES_MIN)
    }
}

/// The step of a run, and its machine's hardware.
fn place(run: &NodeRun) -> (String, String) {
    (run.step.clone(), run.digest.identity.hardware())
}
