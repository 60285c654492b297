//! The cells that two runs have in common, in pairs, and the differences between the runs.

use std::collections::{BTreeMap, HashMap};

use paw_data::application::InputFact;
use paw_data::cell::{Cell, Role};
use paw_data::comparison::{Comparison, Origin};
use paw_data::kernel;
use paw_data::run::Run;
use paw_stats::verdict::Verdict;

use crate::kernel::protocol;
use crate::layout::layout;
use crate::machine::{command_line, difference, identity_differences, state_differences};
use crate::number;
use crate::reading::{Reading, readings};
use crate::section::{Section, sections};

/// Two cells of the same name, one of each run.
#[derive(Debug, Clone)]
pub struct Pair<'r> {
    pub a: Reading<'r>,
    pub b: Reading<'r>,
    /// The comparison; `None` if a cell has no number or the cells do different work.
    pub comparison: Option<Comparison>,
}

/// Common cells of two runs, and differences between the runs.
#[derive(Debug, Clone)]
pub struct Pairs<'r> {
    /// Differences of the machines; an unknown machine counts as different.
    pub identity: Vec<String>,
    /// Differences of state, method, libraries and variables, any of which may explain a ratio.
    pub circumstances: Vec<String>,
    /// The sections of run a with the pairs of their rows.
    pub sections: Vec<(Section<'r>, Vec<Pair<'r>>)>,
    /// Number of cells that only run a has.
    pub only_a: usize,
    /// Number of cells that only run b has.
    pub only_b: usize,
}

impl Pairs<'_> {
    /// Number of pairs with each verdict, in the order of [`Verdict`], then of those without.
    pub fn counts(&self) -> Vec<(&'static str, usize)> {
        let all = || self.sections.iter().flat_map(|(_, pairs)| pairs);
        let count = |verdict: Verdict| all().filter(|p| p.comparison.is_some_and(|c| c.verdict == verdict)).count();
        let verdicts = [Verdict::Faster, Verdict::Slower, Verdict::Same, Verdict::Inconclusive];
        let mut counts: Vec<(&'static str, usize)> = verdicts.map(|v| (v.word(), count(v))).to_vec();
        counts.push(("not comparable", all().filter(|p| p.comparison.is_none()).count()));
        counts.retain(|(_, n)| *n > 0);
        counts
    }

    /// Why the verdicts are only indicative, if they are.
    pub fn hint(&self) -> Option<String> {
        let mut all = self.sections.iter().flat_map(|(_, pairs)| pairs).filter_map(|p| p.comparison);
        all.find(Comparison::indicative).map(|c| c.label())
    }
}

type Name = (String, String, String);

fn name(reading: &Reading<'_>) -> Name {
    let cell = &reading.record.cell;
    let mut axes: Vec<String> = cell.point.iter().map(|(axis, value)| format!("{axis}={value}")).collect();
    axes.sort();
    (cell.benchmark.clone(), cell.provider.clone(), axes.join(" "))
}

/// The cells of `b` against those of the same name of `a`.
pub fn pairs<'r>(a: &'r Run, b: &'r Run) -> Pairs<'r> {
    let mut others: HashMap<Name, Reading<'r>> = HashMap::new();
    for reading in readings(b).into_iter().filter(|r| is_compared(&r.record.cell)) {
        others.entry(name(&reading)).or_insert(reading);
    }
    let mut only_a = 0;
    let mut paired = Vec::new();
    for section in sections(a) {
        let mut rows = Vec::new();
        for reading in section.rows.iter().filter(|r| is_compared(&r.record.cell)) {
            match others.remove(&name(reading)) {
                Some(other) => rows.push(pair(reading.clone(), other)),
                None => only_a += 1,
            }
        }
        if !rows.is_empty() {
            paired.push((section, rows));
        }
    }
    let (identity, circumstances) = (identity(a, b), circumstances(a, b));
    Pairs { identity, circumstances, sections: paired, only_a, only_b: others.len() }
}

/// Whether a cell is compared: subjects are, and the reference of a kernel, which is a build like the others.
fn is_compared(cell: &Cell) -> bool {
    cell.role == Role::Subject || cell.role == Role::Base && cell.suite == kernel::SUITE
}

fn pair<'r>(a: Reading<'r>, b: Reading<'r>) -> Pair<'r> {
    let (x, y) = (&a.record.cell, &b.record.cell);
    // Per operation: PAW's rows count one direction of a ping-pong, ours both.
    let amounts = [x, y].map(|c| c.work.amount(x.headline) / c.work.operations());
    let same_work = x.headline == y.headline && (amounts[0] - amounts[1]).abs() <= 1e-9 * amounts[0].abs();
    let valued = a.value.is_some() && b.value.is_some() && same_work;
    let comparison = if valued { Comparison::between(a.record, b.record, Origin::OtherRun) } else { None };
    Pair { a, b, comparison }
}

fn identity(a: &Run, b: &Run) -> Vec<String> {
    let (x, y) = (&a.header.machine.identity, &b.header.machine.identity);
    let unknown = x.fingerprint.is_empty() || y.fingerprint.is_empty();
    let mut found = if unknown || x.fingerprint != y.fingerprint { identity_differences(x, y) } else { Vec::new() };
    if found.is_empty() && unknown {
        found.push("fingerprint: not known of both: they may differ".to_owned());
    }
    if found.is_empty() && x.fingerprint != y.fingerprint {
        found.push(difference("fingerprint", &x.fingerprint, &y.fingerprint));
    }
    found
}

fn circumstances(a: &Run, b: &Run) -> Vec<String> {
    let mut found = state_differences(&a.header.machine, &b.header.machine);
    let (x, y) = (&a.header, &b.header);
    if x.plan.method != y.plan.method {
        let (p, q) = (&x.plan.method.name, &y.plan.method.name);
        found.push(if p == q { format!("method {p}: its numbers differ") } else { difference("method", p, q) });
    }
    if x.tool != y.tool {
        found.push(difference("tool", &x.tool, &y.tool));
    }
    found.extend(table_differences(&x.env, &y.env));
    found.extend(table_differences(&libraries(a), &libraries(b)));
    found.extend(table_differences(&program(a), &program(b)));
    found.extend(table_differences(&workbench(a), &workbench(b)));
    found.extend(table_differences(&teams(a), &teams(b)));
    found
}

/// The configuration of an application: commands, variables, and the files it read by their hash.
fn program(run: &Run) -> BTreeMap<String, String> {
    let mut facts = BTreeMap::new();
    let Some(app) = &run.header.app else { return facts };
    let commands =
        [("command", Some(&app.command)), ("base", app.base.as_ref()), ("other command", app.versus.as_ref())];
    for (name, words) in commands {
        facts.extend(words.map(|words| (name.to_owned(), command_line(words))));
    }
    facts.insert("variables".to_owned(), app.variables.join(", "));
    for input in &app.inputs {
        facts.insert(format!("input {}", input.path), file(input));
    }
    facts
}

/// The configuration of a kernel and the code of its builds: another compiler or another code explains a ratio.
fn workbench(run: &Run) -> BTreeMap<String, String> {
    let mut facts = BTreeMap::new();
    let Some(kernel) = &run.header.kernel else { return facts };
    facts.extend([
        ("function".to_owned(), kernel.signature.clone()),
        ("reference".to_owned(), protocol::reference(run, kernel)),
        ("tolerance".to_owned(), protocol::tolerance(&kernel.tolerance)),
        ("protocol".to_owned(), protocol::line(run, kernel)),
    ]);
    for source in &kernel.sources {
        facts.insert(format!("source {}", source.path), file(source));
    }
    for build in run.records.iter().filter_map(|record| record.cell.build.as_ref()) {
        facts.entry(format!("compiler {}", build.compiler)).or_insert_with(|| build.version.clone());
        let code = build.code.get(..12).unwrap_or(&build.code).to_owned();
        facts.entry(format!("code of {}", build.full_name())).or_insert(code);
    }
    facts
}

/// A file by its length and the beginning of its hash.
fn file(input: &InputFact) -> String {
    format!("{}, sha256 {}", number::size(input.bytes as f64), input.sha256.get(..12).unwrap_or(&input.sha256))
}

/// The layout of each team by its number of ranks: pairs across nodes do not compare with pairs in a socket.
fn teams(run: &Run) -> BTreeMap<String, String> {
    run.teams.iter().map(|team| (number::plural(team.ranks.len(), "rank"), layout(team).line())).collect()
}

fn table_differences(a: &BTreeMap<String, String>, b: &BTreeMap<String, String>) -> Vec<String> {
    let names: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let value = |table: &BTreeMap<String, String>, name: &String| table.get(name).cloned().unwrap_or_default();
    let rows = names.into_iter().map(|n| (n, value(a, n), value(b, n)));
    rows.filter(|(_, a, b)| a != b).map(|(n, a, b)| difference(n, &a, &b)).collect()
}

/// Version and kernel family of each provider's library; those of the first cell that names one.
fn libraries(run: &Run) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for cell in run.records.iter().map(|r| &r.cell) {
        if let Some(library) = &cell.library {
            let text = [library.version.as_str(), library.core.as_str()].join(" ").trim().to_owned();
            found.entry(cell.provider.clone()).or_insert(text);
        }
    }
    found
}
