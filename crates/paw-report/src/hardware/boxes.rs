//! Blocks as boxes on a terminal; of alike ones that do not fit side by side, the first alone.

use crate::hardware::block::Block;
use crate::hardware::cpus::ranges;
use crate::wrap::{shorten, width as columns_of, wrap};

/// Columns of a frame: a line and a blank on either side.
const FRAME: usize = 4;
/// Fewest columns inside a frame, however deep it lies.
const INSIDE_MIN: usize = 8;
/// Fewest and most columns of the words beside a box.
const BESIDE: (usize, usize) = (18, 36);

/// Lines of a part of the drawing.
type Lines = Vec<String>;

/// The blocks as boxes, at most `width` columns wide.
pub fn drawn(root: &Block, width: usize) -> String {
    framed(root, width).iter().map(|line| format!("{line}\n")).collect()
}

/// A block in its frame.
fn framed(block: &Block, room: usize) -> Lines {
    let inside = room.saturating_sub(FRAME).max(INSIDE_MIN);
    let name = block.labels.first().map_or("", |label| &label.text);
    let name = shorten(name, inside - 1);
    let lines = block.labels.iter().skip(1).map(|label| label.text.clone()).chain([block.threads_line()]);
    let mut body: Lines = lines.filter(|line| !line.is_empty()).flat_map(|line| wrap(&line, inside)).collect();
    body.extend(rows(&block.children, inside));
    let columns = wide(&body).max(columns_of(&name) + 1);
    let mut out = vec![format!("┌ {name} {}┐", "─".repeat(columns - columns_of(&name)))];
    out.extend(body.iter().map(|line| format!("│ {} │", padded(line, columns))));
    out.push(format!("└{}┘", "─".repeat(columns + 2)));
    out
}

/// Blocks in rows of at most `room` columns.
fn rows(blocks: &[Block], room: usize) -> Lines {
    let mut done = Lines::new();
    let mut row = Lines::new();
    for piece in runs(blocks).flat_map(|run| pieces(run, room)) {
        let fits = wide(&row) + 1 + wide(&piece) <= room;
        row = if row.is_empty() {
            piece
        } else if fits {
            side_by_side(&row, &piece)
        } else {
            done.extend(std::mem::replace(&mut row, piece));
            row
        };
    }
    done.extend(row);
    done
}

/// Neighbours that are alike.
fn runs(blocks: &[Block]) -> impl Iterator<Item = &[Block]> {
    blocks.chunk_by(|a, b| a.is_like(b))
}

/// Alike blocks: all of them if they fit side by side, else the first one and how many more there are.
fn pieces(run: &[Block], room: usize) -> Vec<Lines> {
    let first = framed(&run[0], room);
    let all = || run.iter().map(|block| framed(block, room)).collect::<Vec<_>>();
    if run.len() == 1 {
        return vec![first];
    }
    if (wide(&first) + 1) * run.len() <= room + 1 {
        let all = all();
        if all.iter().map(|lines| wide(lines) + 1).sum::<usize>() <= room + 1 {
            return all;
        }
    }
    vec![with_the_rest(first, &run[1..], room)]
}

/// A block and the words for those that are like it.
fn with_the_rest(first: Lines, rest: &[Block], room: usize) -> Lines {
    let cpus: Vec<u32> = rest.iter().flat_map(|block| block.cpus.iter().copied()).collect();
    let with = if cpus.is_empty() { String::new() } else { format!(": cpu {}", breakable(&ranges(&cpus))) };
    let said = format!("… {} more like it{with}", rest.len());
    let beside = room.saturating_sub(wide(&first) + 1).min(BESIDE.1);
    if beside >= BESIDE.0 {
        return side_by_side(&first, &wrap(&said, beside));
    }
    first.into_iter().chain(wrap(&said, room)).collect()
}

/// A list of processors that may be broken behind its commas.
fn breakable(list: &str) -> String {
    list.replace(',', ", ")
}

fn side_by_side(left: &Lines, right: &Lines) -> Lines {
    let columns = wide(left);
    let line = |i: usize| {
        let (left, right) = (left.get(i).map_or("", String::as_str), right.get(i).map_or("", String::as_str));
        format!("{} {right}", padded(left, columns)).trim_end().to_owned()
    };
    (0..left.len().max(right.len())).map(line).collect()
}

fn padded(line: &str, columns: usize) -> String {
    format!("{line}{}", " ".repeat(columns.saturating_sub(columns_of(line))))
}

fn wide(lines: &[String]) -> usize {
    lines.iter().map(|line| columns_of(line)).max().unwrap_or(0)
}
