//! The ranks of a team as the page's templates read them: a drawing where it can be read, and a row for each rank.

use std::collections::HashMap;

use paw_data::pairing::Closeness;
use serde::Serialize;

use crate::layout::Layout;
use crate::number::plural;
use crate::plot::layout::{RANKS, layout as drawing, look};

#[derive(Debug, Serialize)]
pub struct LayoutView {
    title: String,
    circumstances: String,
    /// The drawing, and its width in pixels.
    drawing: Option<(String, u32)>,
    /// Hue, dash, name and number of pairs of each closeness.
    legend: Vec<(usize, usize, &'static str, String)>,
    warning: &'static str,
    note: String,
    rows: Vec<RankView>,
}

#[derive(Debug, Serialize)]
struct RankView {
    rank: u32,
    host: String,
    socket: String,
    core: String,
    processors: String,
    partner: String,
    closeness: &'static str,
}

/// The note on pairs that share a core.
const SHARED: &str = "Pairs on one core take turns: their times are those of a scheduler, not of a message.";

/// The view of a team.
pub fn layout_view(layout: &Layout<'_>) -> LayoutView {
    let legend = layout.counts.iter().map(|(closeness, n)| {
        let (hue, dash) = look(*closeness);
        (hue, dash, closeness.words(), plural(*n, "pair"))
    });
    let shares_core = layout.counts.iter().any(|(closeness, _)| *closeness == Closeness::SameCore);
    let ranks = layout.team.ranks.len();
    let many = ranks > RANKS;
    LayoutView {
        title: layout.size(),
        circumstances: layout.circumstances().join(" · "),
        drawing: drawing(layout).map(|(svg, width)| (svg, width.ceil() as u32)),
        legend: legend.collect(),
        warning: if shares_core { SHARED } else { "" },
        note: if many { format!("{} are more than a drawing can show.", plural(ranks, "rank")) } else { String::new() },
        rows: if many { Vec::new() } else { rows(layout) },
    }
}

fn rows(layout: &Layout<'_>) -> Vec<RankView> {
    let pairs = layout.pairs.iter().flat_map(|p| [(p.first, p.closeness), (p.second, p.closeness)]);
    let closeness: HashMap<u32, Closeness> = pairs.collect();
    let number = |n: Option<u32>| n.map_or(String::new(), |n| n.to_string());
    let row = |rank: &paw_data::cell::Rank| RankView {
        rank: rank.rank,
        host: rank.host.to_string(),
        socket: number(rank.package),
        core: number(rank.core),
        processors: rank.cpus.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        partner: number(rank.partner),
        closeness: closeness.get(&rank.rank).map_or("", |c| c.words()),
    };
    layout.team.ranks.iter().map(row).collect()
}
