//! A grid on a terminal: the least important columns are left out until it fits; rows never wrap.

use std::iter::repeat_n;

use anstyle::Style;

use crate::colour::Colour;
use crate::model::{Align, Column};
use crate::wrap::{shorten, width, wrap};

/// Blanks between two columns.
const GAP: usize = 2;
/// Fewest columns for a spanning text beside its row; with fewer it starts on a line of its own.
const NARROWEST_TEXT: usize = 24;

/// A column: its title, and its importance on narrow terminals.
#[derive(Debug, Clone)]
pub struct GridColumn {
    /// Title, in one or more lines.
    pub title: String,
    pub align: Align,
    /// The column with the smallest number is left out first; [`Column::ALWAYS`](crate::model::Column::ALWAYS) stays.
    pub importance: u8,
    /// Fewest terminal columns it is shortened to before it leaves.
    pub least: usize,
}

impl GridColumn {
    /// Line `line` of `height` lines of titles, which are aligned at the bottom.
    fn title_line(&self, line: usize, height: usize) -> &str {
        // A column that was left out may have a taller title than those that stay.
        let blank = height.saturating_sub(self.title.lines().count());
        line.checked_sub(blank).and_then(|line| self.title.lines().nth(line)).unwrap_or("")
    }
}

/// A piece of text with its style.
#[derive(Debug, Clone, Default)]
pub struct Piece {
    pub text: String,
    pub style: Style,
}

impl Piece {
    pub fn new(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style }
    }
}

impl<T: Into<String>> From<T> for Piece {
    fn from(text: T) -> Self {
        Self::new(text, Style::new())
    }
}

#[derive(Debug, Clone)]
pub enum Line {
    /// One cell for each column.
    Cells(Vec<Piece>),
    /// Cells for the leading columns, then text up to the right edge.
    Span(Vec<Piece>, Piece),
}

/// Columns and rows.
#[derive(Debug, Clone)]
pub struct Grid {
    pub columns: Vec<GridColumn>,
    pub lines: Vec<Line>,
}

impl Grid {
    /// The grid as text; no line is wider than `columns`.
    pub fn render(&self, columns: usize, colour: Colour) -> String {
        let kept = self.kept(columns);
        let mut out = String::new();
        // A line that only gives a reason needs no column.
        if kept.is_empty() && !self.lines.iter().any(|line| matches!(line, Line::Span(..))) {
            return out;
        }
        let faint = Style::new().dimmed();
        let height = kept.iter().map(|(i, _)| self.columns[*i].title.lines().count()).max().unwrap_or(0);
        for line in 0..height {
            let titles = self.columns.iter().map(|c| Piece::new(c.title_line(line, height), faint));
            out.push_str(&self.row(&titles.collect::<Vec<_>>(), &kept, colour));
        }
        for line in &self.lines {
            match line {
                Line::Cells(cells) => out.push_str(&self.row(cells, &kept, colour)),
                Line::Span(keys, text) => out.push_str(&self.span(keys, text, &kept, columns, colour)),
            }
        }
        out
    }

    /// Whether `column` stays in `columns` columns of a terminal.
    pub fn shows(&self, column: usize, columns: usize) -> bool {
        self.kept(columns).iter().any(|(kept, _)| *kept == column)
    }

    /// The columns that stay and the width of each.
    fn kept(&self, columns: usize) -> Vec<(usize, usize)> {
        let mut kept: Vec<(usize, usize)> = (0..self.columns.len()).filter_map(|i| self.content(i)).collect();
        let total = |kept: &[(usize, usize)]| kept.iter().map(|(_, w)| w + GAP).sum::<usize>().saturating_sub(GAP);
        let wanted: Vec<(usize, usize)> = kept.clone();
        kept.iter_mut().for_each(|(i, w)| *w = (*w).min(self.columns[*i].least));
        while total(&kept) > columns {
            let least = kept.iter().enumerate().min_by_key(|(_, (i, _))| self.columns[*i].importance);
            match least {
                Some((place, (i, _))) if self.columns[*i].importance < Column::ALWAYS => drop(kept.remove(place)),
                _ => break,
            }
        }
        for place in 0..kept.len() {
            let room = columns.saturating_sub(total(&kept));
            let full = wanted.iter().find(|(i, _)| *i == kept[place].0).map_or(0, |(_, w)| *w);
            kept[place].1 += room.min(full - kept[place].1.min(full));
        }
        for _ in columns..total(&kept) {
            let widest = kept.iter_mut().max_by_key(|(_, w)| *w);
            widest.into_iter().for_each(|(_, w)| *w = w.saturating_sub(1).max(1));
        }
        kept
    }

    /// A column and the width of its content; `None` where it is empty.
    fn content(&self, column: usize) -> Option<(usize, usize)> {
        let cells = self.lines.iter().filter_map(|line| match line {
            Line::Cells(cells) | Line::Span(cells, _) => cells.get(column).map(|c| width(&c.text)),
        });
        let widest = cells.max().filter(|w| *w > 0)?;
        let title = self.columns[column].title.lines().map(width).max().unwrap_or(0);
        Some((column, widest.max(title)))
    }

    fn row(&self, cells: &[Piece], kept: &[(usize, usize)], colour: Colour) -> String {
        let mut out = self.padded(cells, kept, colour);
        out.truncate(out.trim_end().len());
        out + "\n"
    }

    /// The cells of the columns that stay, each padded to its column.
    fn padded(&self, cells: &[Piece], kept: &[(usize, usize)], colour: Colour) -> String {
        let mut out = String::new();
        for (place, (i, w)) in kept.iter().enumerate() {
            let gap = if place == 0 { 0 } else { GAP };
            let empty = Piece::default();
            let cell = cells.get(*i).unwrap_or(&empty);
            let text = shorten(&cell.text, *w);
            let pad = w.saturating_sub(width(&text));
            let (before, behind) = match self.columns[*i].align {
                Align::Left => (gap, pad),
                Align::Right => (gap + pad, 0),
            };
            out.extend(repeat_n(' ', before));
            out.push_str(&colour.paint(&text, cell.style));
            out.extend(repeat_n(' ', behind));
        }
        out
    }

    fn span(&self, keys: &[Piece], text: &Piece, kept: &[(usize, usize)], columns: usize, colour: Colour) -> String {
        let leading: Vec<(usize, usize)> = kept.iter().filter(|(i, _)| *i < keys.len()).copied().collect();
        let beside = leading.iter().map(|(_, w)| w + GAP).sum::<usize>();
        let head = self.padded(keys, &leading, colour);
        let (mut out, indent) = if columns < beside + NARROWEST_TEXT {
            (self.row(keys, &leading, colour) + &" ".repeat(GAP), GAP)
        } else {
            (head + &" ".repeat(if leading.is_empty() { 0 } else { GAP }), beside)
        };
        let lines = wrap(&text.text, columns.saturating_sub(indent));
        let lines: Vec<String> = lines.iter().map(|line| colour.paint(line, text.style)).collect();
        out.push_str(&lines.join(&format!("\n{}", " ".repeat(indent))));
        out + "\n"
    }
}
