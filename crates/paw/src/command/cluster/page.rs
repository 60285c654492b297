//! The page of a cluster: what needs somebody first, then how far the nodes agree.

use paw_data::baseline::judgement::Verdict;
use paw_data::baseline::unit::Unit;
use paw_data::cluster::deviation::{Deviation, NODES_MIN, Spread};
use paw_data::cluster::node::{Node, Standing};
use paw_report::{ClusterPage, FigureWords, NodeWords};
use serde_json::{Value, json};

use super::findings::{Findings, RankJob, Verdicts};
use crate::amount::counted;
use crate::cli::{ClusterReportArgs, Format};
use crate::cluster::NODES;
use crate::table::{Table, wrapped};

/// Figures and nodes listed, unless all are asked for.
const FEW: usize = 12;
/// Figures drawn in HTML, unless all are asked for.
const DRAWN: usize = 100;

/// The page; text has at most `width` columns.
pub fn written(name: &str, findings: &Findings, args: &ClusterReportArgs, width: usize) -> String {
    if args.format == Format::Json {
        return format!("{:#}\n", document(name, findings));
    }
    let mut nodes = nodes(findings, args.all);
    if args.format != Format::Text {
        // Elsewhere than in text the table is all there is.
        for job in findings.jobs.iter().filter(|job| args.all || job.standing != Standing::Alike) {
            nodes.row([&job.title(), job.standing.word(), "", "", &job.failures.join("; ")]);
        }
        return nodes.written(args.format, width);
    }
    let mut lines = vec![format!("{name}: {}", answer(findings))];
    lines.extend(notes(findings));
    let mut out: String = lines.iter().flat_map(|line| wrapped(line, width)).map(|line| format!("{line}\n")).collect();
    if !nodes.rows.is_empty() {
        out.push_str(&format!("\n{}", nodes.written(Format::Text, width)));
    }
    if !findings.cluster.spreads.is_empty() {
        out.push_str(&format!("\n{}", spreads(findings, args.all).written(Format::Text, width)));
    }
    out
}

/// The page as one HTML file, of every node and of the widest figures, or all.
pub fn html(name: &str, findings: &Findings, all: bool) -> String {
    let cluster = &findings.cluster;
    let mut page = ClusterPage::new(name, findings.gravest(), answer(findings), notes(findings));
    let ranked = cluster.ranked();
    page.nodes(
        &ranked,
        |node| findings.unjudged.contains(&node.name),
        |node| NodeWords { change: change(node), z: z(node), evidence: evidence(node) },
    );
    let shown = &cluster.spreads[..if all { cluster.spreads.len() } else { cluster.spreads.len().min(DRAWN) }];
    let left = cluster.spreads.len() - shown.len();
    let left = if left > 0 { format!("{} more with --all.", counted(left, "figure")) } else { String::new() };
    page.figures(shown, &ranked, figure_words, left);
    page.html()
}

/// `1 SLOW, 1 FAILED, 14 alike of 16 nodes; of 3 jobs of ranks 1 FAILED`.
fn answer(findings: &Findings) -> String {
    let Findings { cluster, unjudged, unnamed, jobs, .. } = findings;
    let count = |standing: Standing| match standing {
        Standing::Missing => (cluster.count(standing) + unnamed, standing.word()),
        Standing::Alike => (cluster.count(standing) - unjudged.len(), standing.word()),
        _ => (cluster.count(standing), standing.word()),
    };
    let counts = Standing::ALL.map(count).into_iter().chain([(unjudged.len(), ClusterPage::UNJUDGED)]);
    let parts: Vec<String> = counts.filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
    let mut said = format!("{} of {}", parts.join(", "), counted(cluster.nodes.len() + unnamed, "node"));
    let count = |standing: Standing| (jobs.iter().filter(|job| job.standing == standing).count(), standing.word());
    let bad = [Standing::Failed, Standing::Missing].map(count).into_iter().filter(|(n, _)| *n > 0);
    let bad: Vec<String> = bad.map(|(n, word)| format!("{n} {word}")).collect();
    if !bad.is_empty() {
        said.push_str(&format!("; of {} of ranks {}", counted(jobs.len(), "job"), bad.join(", ")));
    }
    said
}

fn notes(findings: &Findings) -> Vec<String> {
    let Findings { cluster, unjudged, unnamed, jobs, .. } = findings;
    let mut notes: Vec<String> = jobs.iter().filter(|job| job.standing != Standing::Alike).map(of_job).collect();
    if *unnamed > 0 {
        notes.push(format!(
            "{} of the job left no run, and no file says which: {NODES} names the nodes where the engine tells them",
            counted(*unnamed, "node")
        ));
    }
    if cluster.unjudged > 0 {
        notes.push(format!(
            "{} of a model with fewer than {NODES_MIN} nodes: nobody can tell which is odd",
            counted(cluster.unjudged, "figure")
        ));
    }
    if !unjudged.is_empty() {
        let names: Vec<&str> = unjudged.iter().take(FEW).map(String::as_str).collect();
        let more = if unjudged.len() > FEW { format!(" and {} more", unjudged.len() - FEW) } else { String::new() };
        notes.push(format!(
            "{}: {}{more}: no figure of theirs is known of {NODES_MIN} nodes with the same hardware; \
             `paw cluster report --against` judges each by references",
            ClusterPage::UNJUDGED,
            names.join(", ")
        ));
    }
    let wide = cluster.spreads.iter().filter(|spread| spread.is_wide()).count();
    if wide > 0 {
        notes.push(format!(
            "in {} the nodes differ more than three times what one such machine does from run to run: a node can be odd there and not be named",
            counted(wide, "figure")
        ));
    }
    notes.extend(by_references(findings));
    notes
}

/// A job of ranks that somebody has to look at.
fn of_job(job: &RankJob) -> String {
    let (first, more) = (&job.failures[..job.failures.len().min(3)], job.failures.len().saturating_sub(3));
    let more = if more > 0 { format!("; {more} more") } else { String::new() };
    format!("{}: {}: {}{more}", job.title(), job.standing.word(), first.join("; "))
}

/// What references say, and which of them say nothing.
fn by_references(findings: &Findings) -> Vec<String> {
    let Verdicts { judged, idle } = &findings.verdicts;
    let mut notes = Vec::new();
    if !judged.is_empty() {
        let counts = Verdict::ALL.map(|verdict| (judged.iter().filter(|own| own.2 == verdict).count(), verdict.word()));
        let counts = counts.into_iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}"));
        notes.push(format!("by the references: {}", counts.collect::<Vec<_>>().join(", ")));
        let is_told = |verdict| {
            matches!(
                verdict,
                Verdict::Regression | Verdict::Wrong | Verdict::Missing | Verdict::OtherUnit | Verdict::Ambiguous
            )
        };
        let told = judged.iter().filter(|own| is_told(own.2));
        notes.extend(told.map(|(node, title, verdict)| format!("{node}: {title}: {}", verdict.word())));
    }
    if let Some(first) = idle.first() {
        let more = if idle.len() > 1 { format!(" and {} more", idle.len() - 1) } else { String::new() };
        notes.push(format!(
            "{} no node: {first}{more}: no run has it, or it is for another machine",
            if idle.len() == 1 { "a reference judges" } else { "references judge" }
        ));
    }
    notes
}

/// The nodes that are odd; all where that is asked for.
fn nodes(findings: &Findings, all: bool) -> Table {
    let mut table = Table::new(&["node", "standing", "change", "z", "evidence"]);
    let shown = findings.cluster.ranked().into_iter().filter(|node| all || node.standing != Standing::Alike);
    for node in shown {
        table.row([&node.name, findings.word(node), &change(node), &z(node), &evidence(node).join("; ")]);
    }
    table
}

/// The relative difference of a node's largest deviation.
fn change(node: &Node) -> String {
    node.deviations.first().map_or(String::new(), |own| format!("{:+.1} %", 100.0 * own.change()))
}

/// The robust z of a node's largest deviation.
fn z(node: &Node) -> String {
    node.deviations.first().map_or(String::new(), |own| format!("{:+.1}", own.z))
}

/// What failed, what deviates, and what else differs.
fn evidence(node: &Node) -> Vec<String> {
    let figure = |own: &Deviation| {
        let unit = Unit::of_measure(own.median, &own.subject.measure);
        let doubt = if own.doubt.is_empty() { String::new() } else { format!(", {}", own.doubt) };
        format!(
            "{} {}: {} against {}, the median of {}{doubt}",
            own.step,
            own.subject.title(),
            unit.digits(own.value),
            unit.shown(own.median),
            counted(own.nodes, "node"),
        )
    };
    let mut parts: Vec<String> = node.failures.iter().take(3).cloned().collect();
    parts.extend(node.deviations.iter().take(3).map(figure));
    let more = (node.failures.len() + node.deviations.len()).saturating_sub(parts.len());
    if more > 0 {
        parts.push(format!("{more} more"));
    }
    if !node.differs.is_empty() {
        parts.push(format!("unlike the others: {}", node.differs.join(", ")));
    }
    parts
}

/// How far the nodes agree, the widest first.
fn spreads(findings: &Findings, all: bool) -> Table {
    let mut table = Table::new(&["nodes", "median", "spread", "least", "most", "figure"]);
    for spread in findings.cluster.spreads.iter().take(if all { usize::MAX } else { FEW }) {
        let FigureWords { figure, median, spread: width, ends: [least, most] } = figure_words(spread);
        table.row([&spread.nodes.to_string(), &median, &width, &least, &most, &figure]);
    }
    table
}

fn figure_words(spread: &Spread) -> FigureWords {
    let unit = Unit::of_measure(spread.median, &spread.subject.measure);
    FigureWords {
        figure: format!("{} {}", spread.step, spread.subject.title()),
        median: unit.shown(spread.median),
        spread: format!("{:.1} %{}", 100.0 * spread.deviation, if spread.is_wide() { " !" } else { "" }),
        ends: [spread.least, spread.most].map(|end| unit.digits(end)),
    }
}

fn document(name: &str, findings: &Findings) -> Value {
    let cluster = &findings.cluster;
    let deviation = |own: &Deviation| {
        json!({
            "step": own.step, "benchmark": own.subject.benchmark, "provider": own.subject.provider,
            "point": own.subject.point.to_string(), "unit": own.subject.measure.unit(), "value": own.value,
            "median": own.median, "nodes": own.nodes, "z": own.z, "doubt": own.doubt,
        })
    };
    let node = |node: &Node| {
        let verdicts = findings.verdicts.judged.iter().filter(|own| own.0 == node.name);
        let verdicts: Vec<Value> = verdicts.map(|own| json!({"reference": own.1, "verdict": own.2.word()})).collect();
        json!({
            "node": node.name, "standing": findings.word(node), "cpu": node.cpu, "failures": node.failures,
            "differs": node.differs, "deviations": node.deviations.iter().map(deviation).collect::<Vec<_>>(),
            "references": verdicts,
        })
    };
    let spread = |own: &Spread| {
        json!({
            "step": own.step, "benchmark": own.subject.benchmark, "provider": own.subject.provider,
            "point": own.subject.point.to_string(), "unit": own.subject.measure.unit(), "cpu": own.cpu,
            "nodes": own.nodes, "median": own.median, "least": own.least, "most": own.most,
            "deviation": own.deviation, "expected": own.expected, "wide": own.is_wide(),
        })
    };
    let job = |own: &RankJob| json!({"step": own.step, "nodes": own.nodes, "standing": own.standing.word(), "failures": own.failures});
    json!({
        "schema": "paw.cluster/1",
        "name": name,
        "nodes": cluster.ranked().into_iter().map(node).collect::<Vec<_>>(),
        "figures": cluster.spreads.iter().map(spread).collect::<Vec<_>>(),
        "unjudged": cluster.unjudged,
        "unnamed": findings.unnamed,
        "ranks": findings.jobs.iter().map(job).collect::<Vec<_>>(),
        "idle_references": findings.verdicts.idle,
    })
}
