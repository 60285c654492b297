//! A plain table as text, JSON, CSV or Markdown.

use paw_data::visible::visible;

use crate::cli::Format;

/// Blanks between columns.
const GAP: usize = 2;
/// Fewest columns for a last cell that is longer; with fewer it goes below its row.
const LAST_WIDTH_MIN: usize = 24;

#[derive(Debug)]
pub struct Table {
    pub columns: Vec<&'static str>,
    /// Rows with a cell for each column; the last cell is prose, the others are words.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(columns: &[&'static str]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new() }
    }

    pub fn row<const N: usize>(&mut self, cells: [&str; N]) {
        debug_assert_eq!(N, self.columns.len());
        self.rows.push(cells.map(|cell| visible(cell).into_owned()).to_vec());
    }

    /// The table in `format`; text has at most `width` columns.
    pub fn written(&self, format: Format, width: usize) -> String {
        match format {
            Format::Text => self.text(width),
            Format::Json => self.json(),
            Format::Csv => self.csv(),
            Format::Md => self.markdown(),
        }
    }

    fn text(&self, width: usize) -> String {
        let header: Vec<_> = self.columns.iter().map(|name| (*name).to_owned()).collect();
        let rows = || std::iter::once(&header).chain(&self.rows);
        let widest = |column: usize| rows().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let Some(last) = self.columns.len().checked_sub(1) else { return String::new() };
        let widths: Vec<_> = (0..last).map(widest).collect();
        let left = widths.iter().map(|w| w + GAP).sum::<usize>();
        let least = LAST_WIDTH_MIN.min(widest(last));
        let lines = |row: &Vec<String>| match width.checked_sub(left).filter(|rest| *rest >= least) {
            Some(rest) => beside(row, &widths, rest),
            None => below(&self.labelled(row), width),
        };
        rows().flat_map(lines).map(|line| format!("{}\n", line.trim_end())).collect()
    }

    /// The cells of a row that stands under no header: numbers with the name of their column before them; the last cell is prose.
    fn labelled(&self, row: &[String]) -> Vec<String> {
        let is_number =
            |cell: &str| cell.trim_start_matches(['+', '-']).starts_with(|first: char| first.is_ascii_digit());
        let label = |(cell, name): (&String, &&str)| match is_number(cell) && !name.is_empty() {
            true => format!("{name} {cell}"),
            false => cell.clone(),
        };
        let (prose, words) = row.split_last().map_or((None, row), |(last, words)| (Some(last), words));
        words.iter().zip(&self.columns).map(label).chain(prose.cloned()).collect()
    }

    fn json(&self) -> String {
        let object = |row: &Vec<String>| {
            let pairs = self.columns.iter().zip(row);
            pairs.map(|(key, cell)| (key.replace(' ', "_"), cell.as_str().into())).collect::<serde_json::Map<_, _>>()
        };
        let rows: Vec<_> = self.rows.iter().map(object).collect();
        format!("{:#}\n", serde_json::json!(rows))
    }

    fn csv(&self) -> String {
        let quoted = |cell: &str| match cell.contains([',', '"', '\n']) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell.to_owned(),
        };
        let line = |cells: &mut dyn Iterator<Item = &str>| cells.map(quoted).collect::<Vec<_>>().join(",") + "\n";
        let head = line(&mut self.columns.iter().copied());
        self.rows.iter().fold(head, |text, row| text + &line(&mut row.iter().map(String::as_str)))
    }

    fn markdown(&self) -> String {
        let line = |cells: &mut dyn Iterator<Item = &str>| {
            let cells: Vec<_> = cells.map(|cell| cell.replace('|', "\\|").replace('\n', " ")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let head = line(&mut self.columns.iter().copied()) + &line(&mut self.columns.iter().map(|_| "---"));
        self.rows.iter().fold(head, |text, row| text + &line(&mut row.iter().map(String::as_str)))
    }
}

/// A row in columns, the last one wrapped to `rest` characters.
fn beside(row: &[String], widths: &[usize], rest: usize) -> Vec<String> {
    let start: String = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}{:GAP$}", "")).collect();
    let indent = " ".repeat(start.chars().count());
    let prose = wrapped(row.last().map_or("", String::as_str), rest);
    prose.iter().enumerate().map(|(i, line)| format!("{}{line}", if i == 0 { &start } else { &indent })).collect()
}

/// A row on lines of its own: its cells one after the other, as many as fit on a line.
fn below(row: &[String], width: usize) -> Vec<String> {
    let text = row.iter().filter(|cell| !cell.is_empty()).cloned().collect::<Vec<_>>().join("  ");
    let lines = wrapped(&text, width.saturating_sub(GAP));
    // A row that goes on with the one above has an empty first cell.
    let is_new = |i: usize| i == 0 && row.first().is_some_and(|first| !first.is_empty());
    lines.iter().enumerate().map(|(i, line)| format!("{}{line}", if is_new(i) { "" } else { "  " })).collect()
}

/// `text` in lines of at most `width` characters, broken between words if possible; at least one line.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut room = width;
    for word in text.split(' ') {
        let mut word: Vec<char> = word.chars().collect();
        let is_first = room == width;
        if !is_first && word.len() < room {
            room -= word.len() + 1;
            lines.last_mut().expect("there is a line").extend(std::iter::once(' ').chain(word));
            continue;
        }
        if !is_first {
            lines.push(String::new());
        }
        while word.len() > width {
            lines.last_mut().expect("there is a line").extend(word.drain(..width));
            lines.push(String::new());
        }
        room = width - word.len();
        lines.last_mut().expect("there is a line").extend(word);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(&["name", "what it is"]);
        table.row(["dgemm", "a product, \"big\""]);
        table.row(["x|y", "z"]);
        table
    }

    #[test]
    fn every_format_holds_every_cell() {
        let written = |format| table().written(format, 80);
        assert_eq!(written(Format::Csv), "name,what it is\ndgemm,\"a product, \"\"big\"\"\"\nx|y,z\n");
        assert_eq!(
            written(Format::Md),
            "| name | what it is |\n| --- | --- |\n| dgemm | a product, \"big\" |\n| x\\|y | z |\n"
        );
        let rows: Vec<serde_json::Value> = serde_json::from_str(&written(Format::Json)).unwrap();
        assert_eq!(rows[0]["what_it_is"], "a product, \"big\"");
        assert_eq!(rows[1]["name"], "x|y");
    }

    #[test]
    fn a_number_without_a_header_above_it_has_its_name_before_it() {
        let mut table = Table::new(&["verdict", "value", "against", "change", "why"]);
        table.row(["PASS", "12.1", "12.0 GFLOP/s", "+0.8%", "5 runs"]);
        table.row(["", "", "", "", "more"]);
        let narrow = table.written(Format::Text, 24);
        assert!(narrow.ends_with("\n  more\n"), "{narrow}");
        let narrow = narrow.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(narrow.ends_with("PASS value 12.1 against 12.0 GFLOP/s change +0.8% 5 runs more"), "{narrow}");
        assert!(table.written(Format::Text, 80).contains("\nPASS     12.1   12.0 GFLOP/s  +0.8%   5 runs\n"));
    }

    #[test]
    fn text_keeps_to_its_width() {
        let mut table = table();
        table.row(["long", &"word ".repeat(40)]);
        table.row(["ünbreakable", &"x".repeat(90)]);
        for width in [10, 40, 60, 120] {
            let text = table.written(Format::Text, width);
            assert!(text.lines().all(|line| line.chars().count() <= width), "{width}:\n{text}");
            assert_eq!(text.matches("word").count(), 40, "{width}:\n{text}");
            assert!(text.contains("dgemm"));
        }
    }
}
