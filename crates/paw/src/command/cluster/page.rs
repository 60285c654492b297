//! The page of a cluster: what needs somebody first, then how far the nodes agree.

use paw_data::baseline::judgement::Verdict;
use paw_data::baseline::unit::Unit;
use paw_data::cluster::Cluster;
use paw_data::cluster::deviation::{Deviation, NODES_MIN, Spread};
use paw_data::cluster::node::{Node, Standing};
use paw_report::{ClusterPage, FigureWords, NodeWords};
use serde_json::{Value, json};

use crate::amount::counted;
use crate::cli::{ClusterReportArgs, Format};
use crate::table::{Table, wrapped};

/// Figures and nodes listed, unless all are asked for.
const FEW: usize = 12;
/// Figures drawn in HTML, unless all are asked for.
const DRAWN: usize = 100;

/// The page; text has at most `width` columns.
pub fn written(
    name: &str,
    cluster: &Cluster,
    judged: &[(String, String, Verdict)],
    args: &ClusterReportArgs,
    width: usize,
) -> String {
    if args.format == Format::Json {
        return format!("{:#}\n", document(name, cluster, judged));
    }
    let nodes = nodes(cluster, args.all);
    if args.format != Format::Text {
        return nodes.written(args.format, width);
    }
    let mut lines = vec![format!("{name}: {}", answer(cluster))];
    lines.extend(notes(cluster, judged));
    let mut out: String = lines.iter().flat_map(|line| wrapped(line, width)).map(|line| format!("{line}\n")).collect();
    if !nodes.rows.is_empty() {
        out.push_str(&format!("\n{}", nodes.written(Format::Text, width)));
    }
    if !cluster.spreads.is_empty() {
        out.push_str(&format!("\n{}", spreads(cluster, args.all).written(Format::Text, width)));
    }
    out
}

/// The page as one HTML file, of every node and of the widest figures, or all.
pub fn html(name: &str, cluster: &Cluster, judged: &[(String, String, Verdict)], all: bool) -> String {
    let mut page = ClusterPage::new(name, answer(cluster), notes(cluster, judged));
    let ranked = cluster.ranked();
    page.nodes(&ranked, |node| NodeWords { change: change(node), z: z(node), evidence: evidence(node) });
    let shown = &cluster.spreads[..if all { cluster.spreads.len() } else { cluster.spreads.len().min(DRAWN) }];
    let left = cluster.spreads.len() - shown.len();
    let left = if left > 0 { format!("{} more with --all.", counted(left, "figure")) } else { String::new() };
    page.figures(shown, &ranked, figure_words, left);
    page.html()
}

/// `1 SLOW, 1 FAILED, 14 alike of 16 nodes`.
fn answer(cluster: &Cluster) -> String {
    let count = |standing: Standing| (cluster.count(standing), standing.word());
    let parts = Standing::ALL.map(count).into_iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}"));
    format!("{} of {}", parts.collect::<Vec<_>>().join(", "), counted(cluster.nodes.len(), "node"))
}

fn notes(cluster: &Cluster, judged: &[(String, String, Verdict)]) -> Vec<String> {
    let mut notes = Vec::new();
    if cluster.unjudged > 0 {
        notes.push(format!(
            "{} of a model with fewer than {NODES_MIN} nodes: nobody can tell which is odd",
            counted(cluster.unjudged, "figure")
        ));
    }
    let wide = cluster.spreads.iter().filter(|spread| spread.is_wide()).count();
    if wide > 0 {
        notes.push(format!(
            "in {} the nodes differ more than three times what one such machine does from run to run: a node can be odd there and not be named",
            counted(wide, "figure")
        ));
    }
    if !judged.is_empty() {
        let counts = Verdict::ALL.map(|verdict| (judged.iter().filter(|own| own.2 == verdict).count(), verdict.word()));
        let counts = counts.into_iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}"));
        notes.push(format!("by the references: {}", counts.collect::<Vec<_>>().join(", ")));
        let worse = judged.iter().filter(|own| matches!(own.2, Verdict::Regression | Verdict::Wrong));
        notes.extend(worse.map(|(node, title, verdict)| format!("{node}: {title}: {}", verdict.word())));
    }
    notes
}

/// The nodes that are odd; all where that is asked for.
fn nodes(cluster: &Cluster, all: bool) -> Table {
    let mut table = Table::new(&["node", "standing", "change", "z", "evidence"]);
    let shown = cluster.ranked().into_iter().filter(|node| all || node.standing != Standing::Alike);
    for node in shown {
        table.row([&node.name, node.standing.word(), &change(node), &z(node), &evidence(node).join("; ")]);
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
        let unit = Unit::fitting(own.median, own.subject.quantity);
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
fn spreads(cluster: &Cluster, all: bool) -> Table {
    let mut table = Table::new(&["nodes", "median", "spread", "least", "most", "figure"]);
    for spread in cluster.spreads.iter().take(if all { usize::MAX } else { FEW }) {
        let FigureWords { figure, median, spread: width, ends: [least, most] } = figure_words(spread);
        table.row([&spread.nodes.to_string(), &median, &width, &least, &most, &figure]);
    }
    table
}

fn figure_words(spread: &Spread) -> FigureWords {
    let unit = Unit::fitting(spread.median, spread.subject.quantity);
    FigureWords {
        figure: format!("{} {}", spread.step, spread.subject.title()),
        median: unit.shown(spread.median),
        spread: format!("{:.1} %{}", 100.0 * spread.deviation, if spread.is_wide() { " !" } else { "" }),
        ends: [spread.least, spread.most].map(|end| unit.digits(end)),
    }
}

fn document(name: &str, cluster: &Cluster, judged: &[(String, String, Verdict)]) -> Value {
    let deviation = |own: &Deviation| {
        json!({
            "step": own.step, "benchmark": own.subject.benchmark, "provider": own.subject.provider,
            "point": own.subject.point.to_string(), "unit": own.subject.quantity.unit(), "value": own.value,
            "median": own.median, "nodes": own.nodes, "z": own.z, "doubt": own.doubt,
        })
    };
    let node = |node: &Node| {
        let verdicts = judged.iter().filter(|own| own.0 == node.name);
        let verdicts: Vec<Value> = verdicts.map(|own| json!({"reference": own.1, "verdict": own.2.word()})).collect();
        json!({
            "node": node.name, "standing": node.standing.word(), "cpu": node.cpu, "failures": node.failures,
            "differs": node.differs, "deviations": node.deviations.iter().map(deviation).collect::<Vec<_>>(),
            "references": verdicts,
        })
    };
    let spread = |own: &Spread| {
        json!({
            "step": own.step, "benchmark": own.subject.benchmark, "provider": own.subject.provider,
            "point": own.subject.point.to_string(), "unit": own.subject.quantity.unit(), "cpu": own.cpu,
            "nodes": own.nodes, "median": own.median, "least": own.least, "most": own.most,
            "deviation": own.deviation, "expected": own.expected, "wide": own.is_wide(),
        })
    };
    json!({
        "schema": "paw.cluster/1",
        "name": name,
        "nodes": cluster.ranked().into_iter().map(node).collect::<Vec<_>>(),
        "figures": cluster.spreads.iter().map(spread).collect::<Vec<_>>(),
        "unjudged": cluster.unjudged,
    })
}
