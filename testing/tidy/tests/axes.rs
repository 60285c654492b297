//! Axes of benchmarks are read by the names of `paw_data::axis`: a literal could be mistyped, and the read would find nothing.

use tidy::sources;

#[test]
fn no_axis_is_read_by_a_literal() {
    let reads = [".int(\"", ".float(\"", ".value(\""];
    let outside = |source: &&tidy::Source| !source.is_test() && source.path.contains("/src/");
    let mut found = Vec::new();
    for source in sources().iter().filter(outside) {
        let code = source.text.split("#[cfg(test)]").next().unwrap_or_default();
        let lines = code
            .lines()
            .enumerate()
            .filter(|(_, line)| reads.iter().any(|read| line.contains(read)) || line.contains("point.text(\""));
        found.extend(lines.map(|(at, line)| format!("{}:{}: {}", source.path, at + 1, line.trim())));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
