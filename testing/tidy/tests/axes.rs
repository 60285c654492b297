//! Axes, secondary metrics and benchmarks are known by facts and constants: a literal name could be mistyped, and the read would find nothing.

use tidy::{Source, sources};

/// The file of the axes' names.
const AXES: &str = "crates/paw-data/src/axis.rs";

/// What a viewer could compare with a literal name.
const NAMED: [&str; 3] = ["benchmark", "provider", "suite"];

/// Where names are what the file format has: older runs, and PAW's own files.
const OF_FORMATS: [&str; 2] = ["crates/paw-data/src/headline/legacy.rs", "crates/paw-data/src/store/dat/import/"];

/// Lines of the crates' own code for which `is_wrong` holds, with their places.
fn lines(is_in: impl Fn(&Source) -> bool, is_wrong: impl Fn(&str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for source in sources().iter().filter(|source| {
        !source.is_test() && !source.path.ends_with("/tests.rs") && source.path.contains("/src/") && is_in(source)
    }) {
        let code = source.text.split("#[cfg(test)]").next().unwrap_or_default();
        let wrong = code.lines().enumerate().filter(|(_, line)| is_wrong(line));
        found.extend(wrong.map(|(at, line)| format!("{}:{}: {}", source.path, at + 1, line.trim())));
    }
    found
}

/// Every axis that `paw_data::axis` names.
fn axes() -> Vec<String> {
    let all = sources();
    let file = all.iter().find(|source| source.path == AXES).expect("axes have a file");
    let constants = file.text.lines().filter(|line| line.starts_with("pub const "));
    let names: Vec<_> = constants.filter_map(|line| Some(line.split('"').nth(1)?.to_owned())).collect();
    assert!(names.len() > 30, "{names:?}");
    names
}

#[test]
fn no_axis_is_read_by_a_literal() {
    let reads = [".int(\"", ".float(\"", ".value(\"", "point.text(\""];
    let found = lines(|_| true, |line| reads.iter().any(|read| line.contains(read)));
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// How words of other formats are read, which may be those of axes: TOML, XML, and files of the kernel.
const OF_OTHERS: [&str; 5] = ["table.get(", ".attribute(", "file(\"type\")", "word(\"type\")", "join(\"type\")"];

#[test]
fn no_axis_that_has_a_constant_is_named_by_a_literal() {
    let wrong = axes().into_iter().flat_map(|axis| {
        let alone = format!("(\"{axis}\")");
        let first = ["with", "set", "entry"].map(|call| format!(".{call}(\"{axis}\""));
        let compared = ["axis ==", "axis !=", "name ==", "name !="].map(|compared| format!("{compared} \"{axis}\""));
        [alone].into_iter().chain(first).chain(compared)
    });
    let wrong: Vec<String> = wrong.collect();
    let is_wrong = |line: &str| {
        wrong.iter().any(|wrong| line.contains(wrong)) && !OF_OTHERS.iter().any(|other| line.contains(other))
    };
    let found = lines(|source| source.path != AXES, is_wrong);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn no_viewer_knows_a_benchmark_a_provider_or_a_suite_by_its_name() {
    let viewers = ["crates/paw-report/", "crates/paw-data/", "crates/paw/"];
    let is_viewer = |source: &Source| {
        viewers.iter().any(|viewer| source.path.starts_with(viewer))
            && !OF_FORMATS.iter().any(|format| source.path.starts_with(format))
    };
    let tests = [" == \"", " != \"", ".contains(\"", ".starts_with(\"", ".starts_with('", ".ends_with(\""];
    let wrong: Vec<_> = NAMED.iter().flat_map(|name| tests.map(|test| format!("{name}{test}"))).collect();
    let found = lines(is_viewer, |line| wrong.iter().any(|wrong| line.contains(wrong)));
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn names_of_metrics_are_read_from_messages_alone() {
    let reads = "MetricName::read(";
    let found = lines(|source| source.path != "crates/paw-measure/src/ranks/combined.rs", |line| line.contains(reads));
    assert!(found.is_empty(), "elsewhere a metric has a constant or is read from a file: {}", found.join("\n"));
}
