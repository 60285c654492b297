//! The ranks of a team in a row, by node and socket, with an arc between the two of each pair.

use std::collections::HashMap;

use paw_data::cell::Rank;
use paw_data::pairing::{Closeness, Pair};

use crate::layout::{Layout, Node, Socket};
use crate::svg::{Anchor, Drawing, number};
use crate::wrap::shorten;

/// Most ranks drawn: the numbers of more could not be read.
pub const RANKS: usize = 64;
/// Most ranks drawn with wide boxes.
const FEW: usize = 16;
/// Room at the left and the right.
const MARGIN: f64 = 10.0;
/// Gaps between two sockets and between two nodes.
const GAPS: (f64, f64) = (14.0, 16.0);
/// The highest an arc rises.
const HIGHEST: f64 = 130.0;
/// The lowest an arc rises, so that arcs between neighbours remain visible.
const LOWEST: f64 = 26.0;
/// Heights of a socket's and a node's name.
const NAMES: (f64, f64) = (17.0, 20.0);
/// Width of a letter.
const LETTER: f64 = 6.6;

/// Hue and dash of an arc: each closeness has both, so that they differ on paper without colours too.
pub fn look(closeness: Closeness) -> (usize, usize) {
    match closeness {
        Closeness::SameCore => (1, 2),
        Closeness::SameSocket => (0, 0),
        Closeness::AcrossSockets => (2, 1),
        Closeness::SameNode => (6, 0),
        Closeness::AcrossNodes => (3, 3),
    }
}

/// Positions of all boxes.
struct LayoutBoxes {
    step: f64,
    radius: f64,
    /// The height of the ranks' middle.
    base: f64,
    size: (f64, f64),
    across: HashMap<u32, f64>,
}

/// The drawing and its width in units; `None` for more ranks than can be read, or none.
pub fn layout(layout: &Layout<'_>) -> Option<(String, f64)> {
    let ranks = layout.team.ranks.len();
    if ranks == 0 || ranks > RANKS {
        return None;
    }
    let plan = plan(layout, ranks);
    let mut drawing = Drawing::new();
    let mut x = MARGIN;
    for node in &layout.nodes {
        x = draw_node(&mut drawing, node, x, &plan);
    }
    layout.pairs.iter().for_each(|pair| arc(&mut drawing, pair, &plan));
    let all = layout.nodes.iter().flat_map(|node| &node.sockets).flat_map(|socket| &socket.ranks);
    all.for_each(|rank| draw_rank(&mut drawing, rank, &plan));
    let words = [vec![layout.size()], layout.closeness()].concat().join(", ");
    Some((drawing.finish("layout", plan.size, &words), plan.size.0))
}

fn plan(layout: &Layout<'_>, ranks: usize) -> LayoutBoxes {
    let (step, radius) = match ranks {
        ..=FEW => (40.0, 12.0),
        17..=32 => (20.0, 8.5),
        // Up to 64 ranks fill the width of the page.
        _ => (13.4, 6.2),
    };
    let mut across = HashMap::new();
    let mut x = MARGIN;
    for node in &layout.nodes {
        x += GAPS.1 / 2.0;
        for socket in &node.sockets {
            let width = socket_width(socket, step);
            let left = x + GAPS.0 / 2.0 + (width - socket.ranks.len() as f64 * step) / 2.0;
            for (i, rank) in socket.ranks.iter().enumerate() {
                across.insert(rank.rank, left + (i as f64 + 0.5) * step);
            }
            x += width + GAPS.0;
        }
        x += GAPS.1 / 2.0;
    }
    let reach = |pair: &Pair| height(across[&pair.first], across[&pair.second]);
    let base = layout.pairs.iter().map(reach).fold(0.0, f64::max) + radius + 20.0;
    LayoutBoxes { step, radius, base, size: (x + MARGIN, base + radius + 12.0 + NAMES.0 + NAMES.1), across }
}

/// A socket is at least as wide as its name.
fn socket_width(socket: &Socket<'_>, step: f64) -> f64 {
    let name = socket.package.map_or(0.0, |_| 9.0 * LETTER);
    (socket.ranks.len() as f64 * step).max(name)
}

fn height(a: f64, b: f64) -> f64 {
    ((a - b).abs() * 0.45).clamp(LOWEST, HIGHEST)
}

/// Draws the boxes of a node from `x` on, and returns where the next one begins.
fn draw_node(drawing: &mut Drawing, node: &Node<'_>, x: f64, plan: &LayoutBoxes) -> f64 {
    let sockets: f64 = node.sockets.iter().map(|socket| socket_width(socket, plan.step) + GAPS.0).sum();
    let (top, bottom) = (plan.base - plan.radius - 7.0, plan.base + plan.radius + 5.0);
    let width = sockets + GAPS.1;
    drawing.rectangle("node", (x + 3.0, top - 6.0), (width - 6.0, bottom - top + NAMES.0 + NAMES.1 + 8.0));
    let room = ((width - 14.0) / LETTER) as usize;
    let host = if node.host.is_empty() { "node" } else { node.host };
    drawing.text("name", (x + width / 2.0, bottom + NAMES.0 + 14.0), Anchor::Middle, &shorten(host, room));
    let mut left = x + GAPS.1 / 2.0;
    for socket in &node.sockets {
        let wide = socket_width(socket, plan.step);
        drawing.rectangle("socket", (left + 3.0, top), (wide + GAPS.0 - 6.0, bottom - top + NAMES.0));
        let name = socket.package.map_or("not bound".to_owned(), |package| format!("socket {package}"));
        let name = shorten(&name, ((wide + GAPS.0 - 8.0) / LETTER) as usize);
        drawing.text("tick", (left + (wide + GAPS.0) / 2.0, bottom + 11.0), Anchor::Middle, &name);
        left += wide + GAPS.0;
    }
    x + width
}

fn arc(drawing: &mut Drawing, pair: &Pair, plan: &LayoutBoxes) {
    let (a, b) = (plan.across[&pair.first], plan.across[&pair.second]);
    let (left, right) = (a.min(b), a.max(b));
    let (rx, ry) = ((right - left) / 2.0, height(left, right));
    let (hue, dash) = look(pair.closeness);
    let many = if plan.radius < 12.0 { " many" } else { "" };
    drawing.open(&format!("hue{hue} dash{dash}{many}"), "");
    drawing.title(&format!("rank {} and rank {}: {}", pair.first, pair.second, pair.closeness.words()));
    let [left, right, rx, ry, y] = [left, right, rx, ry, plan.base - plan.radius].map(number);
    drawing.path("curve", &format!("M{left} {y}A{rx} {ry} 0 0 1 {right} {y}"));
    drawing.close("");
}

fn draw_rank(drawing: &mut Drawing, rank: &Rank, plan: &LayoutBoxes) {
    let Some(x) = plan.across.get(&rank.rank) else { return };
    let (r, side) = (plan.radius, 2.0 * plan.radius);
    drawing.open("rank", "");
    drawing.title(&words(rank));
    drawing.rectangle("seat", (x - r, plan.base - r), (side, side));
    let small = if plan.radius < 12.0 { "number small" } else { "number" };
    drawing.text(small, (*x, plan.base + 0.36 * r), Anchor::Middle, &rank.rank.to_string());
    drawing.close("");
}

/// `rank 3 on node017, processors 4 to 5`.
fn words(rank: &Rank) -> String {
    let processors = match rank.cpus.as_slice() {
        [] => "not bound".to_owned(),
        [one] => format!("processor {one}"),
        many => format!("processors {}", many.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    };
    format!("rank {} on {}: {processors}", rank.rank, rank.host)
}
