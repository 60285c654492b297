//! CSV files of MAQAO: ONE View's pairs of metric and value, and CQA's rows of loops with a column for each metric.

use super::{CountedPart, direction, named, number, titled};
use crate::counters::{CounterMetric, Counters};

/// Most rows and columns that are read.
const ROWS_MAX: usize = 20_000;
const COLUMNS_MAX: usize = 400;

/// The metrics of each row, or of the whole file where it has two columns.
pub(super) fn parts(text: &str) -> Vec<CountedPart> {
    let head = text.lines().next().unwrap_or_default();
    let separator = if head.matches(';').count() >= head.matches(',').count() { b';' } else { b',' };
    let mut reader =
        csv::ReaderBuilder::new().delimiter(separator).has_headers(false).flexible(true).from_reader(text.as_bytes());
    let rows: Vec<Vec<String>> = reader
        .records()
        .take(ROWS_MAX)
        .filter_map(Result::ok)
        .map(|row| row.iter().take(COLUMNS_MAX).map(|cell| cell.trim().to_owned()).collect())
        .collect();
    let filled = |row: &Vec<String>| row.iter().rposition(|cell| !cell.is_empty()).map_or(0, |last| last + 1);
    match rows.iter().map(filled).max() {
        Some(2) => pairs(&rows).into_iter().collect(),
        Some(columns) if columns > 2 => loops(&rows),
        _ => Vec::new(),
    }
}

fn pairs(rows: &[Vec<String>]) -> Option<CountedPart> {
    let metrics: Vec<CounterMetric> =
        rows.iter().filter_map(|row| Some(metric(row.first()?, number(row.get(1)?)?))).collect();
    (!metrics.is_empty()).then(|| part("MAQAO", String::new(), metrics))
}

/// The rows below a header; the first fields that are no numbers name the row.
fn loops(rows: &[Vec<String>]) -> Vec<CountedPart> {
    let Some((head, rows)) = rows.split_first() else { return Vec::new() };
    let of_row = |(line, row): (usize, &Vec<String>)| {
        let metrics: Vec<CounterMetric> = head
            .iter()
            .zip(row)
            .skip(1)
            .filter_map(|(title, cell)| Some(metric(title, number(cell).filter(|_| !title.is_empty())?)))
            .collect();
        let name = row.iter().find(|cell| !cell.is_empty()).cloned().unwrap_or_default();
        let is_number = number(&name).is_some();
        let title = if is_number { titled(head.first()?).0 } else { String::new() };
        let name = if is_number { format!("{title} {name}").trim().to_owned() } else { name };
        (!metrics.is_empty())
            .then(|| part("CQA", if name.is_empty() { format!("row {}", line + 2) } else { name }, metrics))
    };
    rows.iter().enumerate().filter_map(of_row).collect()
}

fn part(group: &str, region: String, metrics: Vec<CounterMetric>) -> CountedPart {
    let counters = Counters {
        group: group.to_owned(),
        title: "as MAQAO has it".to_owned(),
        calls: vec![1.0],
        metrics,
        ..Counters::default()
    };
    CountedPart { region, thread: "MAQAO".to_owned(), counters }
}

fn metric(title: &str, value: f64) -> CounterMetric {
    let (title, unit) = titled(title);
    let (name, better) = (named(&title), direction(&title));
    CounterMetric { name, title, unit, better, value: Some(value), ..CounterMetric::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counters::Direction;

    #[test]
    fn pairs_are_one_table_with_the_direction_that_the_report_missed() {
        let text = "Metric;Value\nTotal Time (s);41.03\nArray Access Efficiency (%);31,99\nCompilation Options;OK\n";
        let [part] = &parts(text)[..] else { panic!("one table") };
        let [time, access] = &part.counters.metrics[..] else { panic!("two numbers") };
        assert_eq!(time.value, Some(41.03));
        assert_eq!((access.value, access.better), (Some(31.99), Direction::Higher));
    }

    #[test]
    fn each_loop_is_a_row_by_its_name() {
        let text = "ID;Function;Vectorization ratio (%);Bottlenecks\n17;solve;50.0;P0\n18;solve;;P1\n";
        let parts = parts(text);
        assert_eq!(parts.len(), 1, "a loop without a number is left out");
        assert_eq!(parts[0].region, "ID 17");
        assert_eq!(parts[0].counters.metrics[0].value, Some(50.0));
    }

    #[test]
    fn any_text_is_read_without_harm() {
        for text in ["", ";", "a;b", "a,b,c\n\"", ";;;\n;;;", "\0\n\0"] {
            parts(text);
        }
    }
}
