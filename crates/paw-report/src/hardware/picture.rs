//! Blocks as an SVG document: every part is drawn.

use crate::hardware::block::{Block, Kind};
use crate::svg::{Anchor, Drawing};
use crate::wrap::width as columns_of;

/// Width of a letter, and height of a line.
const LETTER: f64 = 7.4;
const LINE: f64 = 16.0;
/// Room between a frame and what it holds, and between neighbours.
const GAP: f64 = 8.0;
/// Height of a processor's square.
const THREAD: f64 = 22.0;
/// Width by height that a block's children aim at, like a screen's.
const ASPECT: f64 = 1.6;

/// Colours of the parts, for light and for dark pages.
const STYLE: &str = "\
    svg{background:#faf9f6}text{font:12px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;fill:#1a1c20}\
    rect{stroke:#5a6068;rx:4px}.machine{fill:#fff}.package{fill:#f1efe9}.node{fill:#e2f2eb}.cache{fill:#fff}.core{fill:#e4ecf7}\
    .thread{fill:#fff}.refused{fill:#fbe4e1;stroke-dasharray:3 2}.name{font-weight:600}.note{fill:#5a6068}\
    @media (prefers-color-scheme:dark){svg{background:#111316}text{fill:#e8e6e1}rect{stroke:#a1a6ae}.machine,.cache,.thread{fill:#181b20}\
    .package{fill:#1f2329}.node{fill:#15332a}.core{fill:#1b2738}.refused{fill:#421d1a}.note{fill:#a1a6ae}}";

/// The blocks under `title`, with `notes` below them.
pub fn drawn(root: &Block, title: &str, notes: &[String]) -> String {
    let tile = Tile::of(root, thread_width(root));
    let mut drawing = Drawing::new();
    let longest = notes.iter().map(String::as_str).chain([title]).map(text_width).fold(0.0, f64::max);
    let size = (tile.size.0.max(longest) + 2.0 * GAP, tile.size.1 + LINE * (notes.len() + 1) as f64 + 3.0 * GAP);
    drawing.text("name", (GAP, LINE), Anchor::Start, title);
    tile.draw(&mut drawing, (GAP, LINE + GAP));
    for (i, note) in notes.iter().enumerate() {
        let y = LINE + 2.0 * GAP + tile.size.1 + LINE * (i as f64 + 0.7);
        drawing.text("note", (GAP, y), Anchor::Start, note);
    }
    drawing.document(STYLE, size, title)
}

/// The blocks for a page, whose style sheet has their colours, and their width.
pub fn inside(root: &Block, label: &str) -> (String, f64) {
    let tile = Tile::of(root, thread_width(root));
    let mut drawing = Drawing::new();
    tile.draw(&mut drawing, (1.0, 1.0));
    let size = (tile.size.0 + 2.0, tile.size.1 + 2.0);
    (drawing.finish("parts", size, label), size.0)
}

/// A block with its size and the places of what it holds.
struct Tile<'b> {
    block: &'b Block,
    size: (f64, f64),
    /// Width of a processor's square: alike parts look alike, however long their numbers.
    thread: f64,
    /// The children, each with its corner.
    children: Vec<(Tile<'b>, (f64, f64))>,
}

impl<'b> Tile<'b> {
    fn of(block: &'b Block, thread: f64) -> Self {
        let texts = block.labels.iter().map(|label| text_width(&label.text)).fold(0.0, f64::max);
        let threads = (thread + GAP / 2.0) * block.threads.len() as f64;
        let mut top = GAP + LINE * block.labels.len() as f64;
        if !block.threads.is_empty() {
            top += THREAD + GAP;
        }
        let tiles: Vec<Self> = block.children.iter().map(|child| Self::of(child, thread)).collect();
        let (children, inner) = placed(tiles, top);
        let size = (texts.max(threads).max(inner.0) + 2.0 * GAP, (top + GAP / 2.0).max(inner.1));
        Self { block, size, thread, children }
    }

    fn draw(&self, drawing: &mut Drawing, (x, y): (f64, f64)) {
        drawing.rectangle(class(self.block), (x, y), self.size);
        let mut line = y + LINE;
        for (i, label) in self.block.labels.iter().enumerate() {
            drawing.text(if i == 0 { "name" } else { "" }, (x + GAP, line), Anchor::Start, &label.text);
            line += LINE;
        }
        let mut left = x + GAP;
        for (cpu, available) in &self.block.threads {
            let top = line - LINE + GAP;
            drawing.rectangle(if *available { "thread" } else { "refused" }, (left, top), (self.thread, THREAD));
            let middle = (left + self.thread / 2.0, top + THREAD / 2.0 + 4.0);
            drawing.text("", middle, Anchor::Middle, &thread_name(*cpu, *available));
            left += self.thread + GAP / 2.0;
        }
        self.children.iter().for_each(|(tile, at)| tile.draw(drawing, (x + at.0, y + at.1)));
    }
}

/// Tiles with their corners.
type Placed<'a> = Vec<(Tile<'a>, (f64, f64))>;

/// Tiles in rows below `top`, in the number of columns whose outline is nearest to a screen's; and the outline.
fn placed(tiles: Vec<Tile<'_>>, top: f64) -> (Placed<'_>, (f64, f64)) {
    let sizes: Vec<(f64, f64)> = tiles.iter().map(|tile| tile.size).collect();
    let misfit = |columns: &usize| {
        let (_, (w, h)) = corners(&sizes, *columns, 0.0);
        ((w / h) / ASPECT).ln().abs()
    };
    let best = (1..=sizes.len()).min_by(|a, b| misfit(a).total_cmp(&misfit(b)));
    let Some(columns) = best else { return (Vec::new(), (0.0, 0.0)) };
    let (corners, outline) = corners(&sizes, columns, top);
    (tiles.into_iter().zip(corners).collect(), outline)
}

/// Corners of sizes in rows of `columns`, below `top`; and the outline, without the frame's gap on the right.
fn corners(sizes: &[(f64, f64)], columns: usize, top: f64) -> (Vec<(f64, f64)>, (f64, f64)) {
    let (mut corners, mut y, mut widest) = (Vec::new(), top, 0.0_f64);
    for row in sizes.chunks(columns) {
        let mut x = GAP;
        for size in row {
            corners.push((x, y));
            x += size.0 + GAP;
        }
        widest = widest.max(x - 2.0 * GAP);
        y += row.iter().map(|size| size.1).fold(0.0, f64::max) + GAP;
    }
    (corners, (widest, y))
}

fn class(block: &Block) -> &'static str {
    match block.labels.first().map(|label| label.kind) {
        None | Some(Kind::Machine | Kind::Adapter) => "machine",
        Some(Kind::Package) => "package",
        Some(Kind::Core) => "core",
        Some(Kind::Node) => "node",
        Some(Kind::Cache) => "cache",
    }
}

fn thread_name(cpu: u32, available: bool) -> String {
    if available { cpu.to_string() } else { format!("({cpu})") }
}

/// Room for the longest name of a processor in a block.
fn thread_width(block: &Block) -> f64 {
    let own = block.threads.iter().map(|(cpu, available)| text_width(&thread_name(*cpu, *available)) + GAP);
    own.chain(block.children.iter().map(thread_width)).fold(0.0, f64::max)
}

fn text_width(text: &str) -> f64 {
    LETTER * columns_of(text) as f64
}
