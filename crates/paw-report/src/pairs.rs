//! The cells that two runs have in common, in pairs, and the differences between the runs.

mod name;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use paw_data::application::InputFact;
use paw_data::cell::{Cell, Role};
use paw_data::comparison::{CONFIDENCE, Comparison, MARGIN};
use paw_data::kernel;
use paw_data::parts::{self, ITEMS_A_THREAD};
use paw_data::run::{PREFERRED, Record, Run};
use paw_data::scaling::Yardstick;
use paw_stats::comparison::RUNS_MIN;
use paw_stats::quantile;
use paw_stats::verdict::Verdict;

use crate::kernel::protocol;
use crate::layout::layout;
use crate::machine::{command_line, difference, identity_differences, is_unknown, state_differences};
use crate::number;
use crate::reading::{Reading, numbers};
use crate::section::{Section, sections_of};
use name::Name;

/// A cell of one side and the cell of the other that it is compared with.
#[derive(Debug, Clone)]
pub struct Pair<'r> {
    /// The cell in the first run of the side; its value is the median over the side's runs.
    pub a: Reading<'r>,
    pub b: Reading<'r>,
    /// The comparison; `None` if a cell has no number or the cells do different work.
    pub comparison: Option<Comparison>,
}

/// Common cells of two sides of one run or several, and differences between them.
#[derive(Debug, Clone)]
pub struct Pairs<'r> {
    /// Differences of the machines; an unknown machine counts as different.
    pub identity: Vec<String>,
    /// Differences of state, method, libraries and variables from the first run of a, any of which may explain a ratio: all of the first
    /// run of b, and of every other run, with its name, those that are more than the state of a machine.
    pub circumstances: Vec<String>,
    /// The sections of the first run of a with the pairs of their rows, then those of its further runs with the cells that no run before has.
    pub sections: Vec<(Section<'r>, Vec<Pair<'r>>)>,
    /// Number of cells that only side a has.
    pub only_a: usize,
    /// Number of cells that only side b has.
    pub only_b: usize,
    /// Names that were paired although they differ, because nothing else remained: `embedded of A with openblas of B`.
    pub renamed: Vec<String>,
    /// The differences between the names of both sides, if no cell is common.
    strangers: Vec<String>,
    runs: (usize, usize),
}

impl Pairs<'_> {
    /// Number of pairs with each verdict, in the order of [`Verdict`], then of those without; empty if too few runs decide nothing.
    pub fn counts(&self) -> Vec<(&'static str, usize)> {
        let all = || self.sections.iter().flat_map(|(_, pairs)| pairs);
        if !all().any(|p| p.comparison.is_some_and(|c| c.decides())) {
            return Vec::new();
        }
        let count = |word: &str| all().filter(|p| p.comparison.is_some_and(|c| c.verdict.word() == word)).count();
        let mut counts: Vec<(&'static str, usize)> = Verdict::WORDS.map(|word| (word, count(word))).to_vec();
        counts.push(("not comparable", all().filter(|p| p.comparison.is_none()).count()));
        counts.retain(|(_, n)| *n > 0);
        counts
    }

    /// The counts of verdicts; else why there are none.
    pub fn headline(&self) -> String {
        let counts: Vec<String> = self.counts().iter().map(|(word, n)| format!("{n} {word}")).collect();
        let cells: usize = self.sections.iter().map(|(_, pairs)| pairs.len()).sum();
        match (cells, counts.is_empty()) {
            (0, _) if self.strangers.is_empty() => "no cell in common".to_owned(),
            (0, _) => format!("no cell in common: {}", self.strangers.join("; ")),
            (_, false) => counts.join(", "),
            (_, true) if self.sections.iter().flat_map(|(_, pairs)| pairs).all(|pair| pair.comparison.is_none()) => {
                format!("{} in common, and no ratio", number::plural(cells, "cell"))
            }
            (_, true) => format!("{} in common: ratios, and no verdict", number::plural(cells, "cell")),
        }
    }

    /// Notes on the pairs, each a sentence without a full stop.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let (a, b) = self.runs;
        if !self.sections.is_empty() && a.min(b) < RUNS_MIN {
            let runs = if (a, b) == (1, 1) { "one run a side".to_owned() } else { format!("{a} against {b} runs") };
            notes.push(format!(
                "{runs} cannot tell what changed from what differs from run to run; {RUNS_MIN} a side decide"
            ));
        }
        notes.extend(self.renamed.iter().map(|names| format!("compared under different names: {names}")));
        for (n, side) in [(self.only_a, "A"), (self.only_b, "B")] {
            if n > 0 {
                notes.push(format!("{} only in {side}", number::plural(n, "cell")));
            }
        }
        notes
    }
}

/// The name of a cell that is compared.
fn name<'r>(reading: &Reading<'r>) -> Option<Name<'r>> {
    let cell = &reading.record.cell;
    is_compared(cell).then(|| Name::of(cell))
}

/// The compared cells of all runs of a side, by name.
type SideCells<'s, 'r> = HashMap<Name<'r>, SideCell<'s, 'r>>;

/// A cell in the runs of a side that have it.
struct SideCell<'s, 'r> {
    /// The number of the first of these runs.
    first: usize,
    /// The number of the last of these runs.
    last: usize,
    readings: Vec<&'s Reading<'r>>,
}

/// The compared cells of all runs of a side, by name; of equal names in one run the first.
fn side<'s, 'r>(runs: impl Iterator<Item = Vec<&'s Reading<'r>>>) -> SideCells<'s, 'r> {
    let mut found = SideCells::new();
    for (number, run) in runs.enumerate() {
        let names = parts::each(&run, ITEMS_A_THREAD, |reading| name(reading));
        for (name, reading) in names.into_iter().zip(run).filter_map(|(name, reading)| Some((name?, reading))) {
            match found.entry(name) {
                Entry::Vacant(new) => {
                    new.insert(SideCell { first: number, last: number, readings: vec![reading] });
                }
                Entry::Occupied(mut known) if known.get().last < number => {
                    let cell = known.get_mut();
                    cell.last = number;
                    cell.readings.push(reading);
                }
                Entry::Occupied(_) => {}
            }
        }
    }
    found
}

/// The names of cells that only `own` has.
fn left<'r>(own: &SideCells<'_, 'r>, other: &SideCells<'_, 'r>) -> Vec<Name<'r>> {
    own.keys().filter(|name| !other.contains_key(*name)).copied().collect()
}

/// Of cells whose name only one side has, the name in `b` of each in `a` that is compared all the same: that of the one cell that remains
/// at the point with the same benchmark, else, for programs and kernels, with any name.
fn renamed<'r>(mut a: Vec<Name<'r>>, mut b: Vec<Name<'r>>) -> HashMap<Name<'r>, Name<'r>> {
    let mut found: HashMap<Name<'r>, Name<'r>> = HashMap::new();
    let rebuilt = |name: &Name<'r>| Some((name.cell.benchmark.as_str(), name.axes()));
    let own = |name: &Name<'r>| name.is_own().then(|| ("", name.axes()));
    for key in [&rebuilt as &dyn Fn(&Name<'r>) -> Option<_>, &own] {
        let mut left: HashMap<_, [Vec<Name<'r>>; 2]> = HashMap::new();
        for (place, name) in a.iter().map(|name| (0, *name)).chain(b.iter().map(|name| (1, *name))) {
            if let Some(key) = key(&name) {
                left.entry(key).or_default()[place].push(name);
            }
        }
        let only = |[a, b]: [Vec<Name<'r>>; 2]| match (&a[..], &b[..]) {
            ([a], [b]) => Some((*a, *b)),
            _ => None,
        };
        found.extend(left.into_values().filter_map(only));
        let taken: HashSet<Name<'r>> = found.values().copied().collect();
        a.retain(|name| !found.contains_key(name));
        b.retain(|name| !taken.contains(name));
    }
    found
}

/// The cells of the runs `b` against those of the runs `a`; each side has at least one run.
pub fn pairs<'r>(a: &'r [Run], b: &'r [Run]) -> Pairs<'r> {
    let sections_of_a: Vec<Vec<Section<'r>>> = a.iter().map(|run| sections_of(run, numbers(run))).collect();
    let all_of_b: Vec<_> = b.iter().map(numbers).collect();
    let of_a = side(sections_of_a.iter().map(|own| own.iter().flat_map(|section| &section.rows).collect()));
    let of_b = side(all_of_b.iter().map(|run| run.iter().collect()));
    let left_of_a = left(&of_a, &of_b);
    let shared = of_a.len() - left_of_a.len();
    let others = renamed(left_of_a, left(&of_b, &of_a));
    let found = |number: usize, reading: &Reading<'r>| {
        let name = name(reading)?;
        let of_b = of_b.get(&name).or_else(|| of_b.get(others.get(&name)?))?;
        let of_a = of_a.get(&name).filter(|cell| cell.first == number)?;
        pair(&of_a.readings, &of_b.readings)
    };
    let in_section = |number: usize, section: &Section<'r>| -> Vec<Pair<'r>> {
        parts::each(&section.rows, ITEMS_A_THREAD, |reading| found(number, reading)).into_iter().flatten().collect()
    };
    let of_run = |(number, own): (usize, &Vec<Section<'r>>)| -> Vec<Vec<Pair<'r>>> {
        own.iter().map(|section| in_section(number, section)).collect()
    };
    let rows: Vec<Vec<Pair<'r>>> = sections_of_a.iter().enumerate().flat_map(of_run).collect();
    let mut names: Vec<String> = others.iter().filter_map(|(a, b)| other_name(a, b)).collect();
    names.sort();
    names.dedup();
    let mut identity: Vec<String> = Vec::new();
    for other in a[1..].iter().chain(b).flat_map(|run| machine_differences(&a[0], run)) {
        if !identity.contains(&other) {
            identity.push(other);
        }
    }
    let (only_a, only_b) = (of_a.len() - shared - others.len(), of_b.len() - shared - others.len());
    let strangers = if shared + others.len() == 0 { strangers(&of_a, &of_b) } else { Vec::new() };
    let sections = sections_of_a.into_iter().flatten().zip(rows).filter(|(_, rows)| !rows.is_empty()).collect();
    let (circumstances, runs) = (circumstances(a, b), (a.len(), b.len()));
    Pairs { identity, circumstances, sections, only_a, only_b, renamed: names, strangers, runs }
}

/// Both names of cells that were paired although they differ.
fn other_name(a: &Name<'_>, b: &Name<'_>) -> Option<String> {
    let (a, b) = (a.cell, b.cell);
    let full = |cell: &Cell| format!("{} {}", cell.benchmark, cell.provider);
    match (a.benchmark == b.benchmark, a.provider == b.provider) {
        (true, true) => None,
        (true, false) => Some(format!("{} of A with {} of B", a.provider, b.provider)),
        (false, true) => Some(format!("{} of A with {} of B", a.benchmark, b.benchmark)),
        (false, false) => Some(format!("{} of A with {} of B", full(a), full(b))),
    }
}

/// The differences between the names of both sides: benchmarks, providers, values of axes.
fn strangers(a: &SideCells<'_, '_>, b: &SideCells<'_, '_>) -> Vec<String> {
    let parts = |side: &SideCells<'_, '_>| {
        let mut parts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for name in side.keys() {
            parts.entry("benchmark".to_owned()).or_default().insert(name.cell.benchmark.to_string());
            parts.entry("provider".to_owned()).or_default().insert(name.cell.provider.to_string());
            for (axis, value) in name.cell.point.iter() {
                parts.entry(axis.to_owned()).or_default().insert(value.to_string());
            }
        }
        let joined = |set: BTreeSet<String>| set.into_iter().collect::<Vec<_>>().join(", ");
        parts.into_iter().map(|(part, values)| (part, joined(values))).collect::<BTreeMap<String, String>>()
    };
    if a.is_empty() || b.is_empty() { Vec::new() } else { table_differences(&parts(a), &parts(b)) }
}

/// Whether a cell is compared: subjects are, and the reference of a kernel, which is a build like the others.
fn is_compared(cell: &Cell) -> bool {
    cell.role == Role::Subject || cell.role == Role::Base && cell.suite == kernel::SUITE
}

/// The cells of one name of side b against those of side a; `None` if a side has none.
fn pair<'r>(a: &[&Reading<'r>], b: &[&Reading<'r>]) -> Option<Pair<'r>> {
    let (first, other) = (middle(a)?, middle(b)?);
    let (x, y) = (&first.record.cell, &other.record.cell);
    // Per operation: PAW's rows count one direction of a ping-pong, ours both.
    let amounts = [x, y].map(|c| c.work.amount(x.headline) / c.work.operations());
    let same_work = x.headline == y.headline && (amounts[0] - amounts[1]).abs() <= 1e-9 * amounts[0].abs();
    let records = |side: &[&Reading<'r>]| -> Vec<&Record> {
        side.iter().filter(|r| r.value.is_some()).map(|r| r.record).collect()
    };
    let (of_a, of_b) = (records(a), records(b));
    let is_valued = !of_a.is_empty() && !of_b.is_empty() && same_work;
    let comparison = is_valued.then(|| Comparison::between_runs(&of_a, &of_b, CONFIDENCE, MARGIN)).flatten();
    Some(Pair { a: first, b: other, comparison })
}

/// The first reading with the median value of all.
fn middle<'r>(side: &[&Reading<'r>]) -> Option<Reading<'r>> {
    let mut first = Reading::clone(side.iter().find(|r| r.value.is_some()).or(side.first())?);
    let values: Vec<f64> = side.iter().filter_map(|r| r.value).map(|v| v.middle).collect();
    if let (Some(value), Some(median)) = (&mut first.value, quantile::median(&values)) {
        value.middle = median;
    }
    Some(first)
}

fn machine_differences(a: &Run, b: &Run) -> Vec<String> {
    let (x, y) = (&a.header.machine.identity, &b.header.machine.identity);
    match (is_unknown(x), is_unknown(y)) {
        (true, true) => return vec!["nothing is recorded of either machine".to_owned()],
        (true, false) => return vec!["nothing is recorded of A's machine".to_owned()],
        (false, true) => return vec!["nothing is recorded of B's machine".to_owned()],
        (false, false) => {}
    }
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

/// What differs from the first run of `a`: in the first of `b` all of it, in other runs what was chosen and not how busy the machine was.
fn circumstances(a: &[Run], b: &[Run]) -> Vec<String> {
    let (x, y) = (&a[0].header.machine, &b[0].header.machine);
    let is_known = !is_unknown(&x.identity) && !is_unknown(&y.identity);
    let mut found = if is_known { state_differences(x, y) } else { Vec::new() };
    found.extend(choices(&a[0], &b[0]));
    for run in a[1..].iter().chain(&b[1..]) {
        let others = choices(&a[0], run).into_iter().filter(|line| !found.contains(line)).collect::<Vec<_>>();
        found.extend(others.into_iter().map(|line| format!("{line} (in {})", run.header.id)));
    }
    found
}

/// What was chosen otherwise in `b` than in `a`: method, variables, libraries, programs, builds, placement of ranks.
fn choices(a: &Run, b: &Run) -> Vec<String> {
    let mut found = Vec::new();
    let (x, y) = (&a.header, &b.header);
    if x.plan.method != y.plan.method {
        let (p, q) = (&x.plan.method.name, &y.plan.method.name);
        found.push(if p == q { format!("method {p}: its numbers differ") } else { difference("method", p, q) });
    }
    if x.tool != y.tool {
        found.push(difference("tool", &x.tool, &y.tool));
    }
    let (mut own, mut other) = (x.env.clone(), y.env.clone());
    if !(own.contains_key(PREFERRED) && other.contains_key(PREFERRED)) {
        own.remove(PREFERRED);
        other.remove(PREFERRED);
    }
    found.extend(table_differences(&own, &other));
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
    facts.insert("command".to_owned(), command_line(&app.command));
    facts.extend(app.base.as_ref().map(|words| ("base".to_owned(), command_line(words))));
    facts.extend(app.others.iter().map(|other| (format!("command {}", other.name), command_line(&other.command))));
    facts.insert("headline".to_owned(), Yardstick::headline(app).name().to_owned());
    facts.insert("variables".to_owned(), app.variables.join(", "));
    facts.insert("output".to_owned(), if app.output.is_empty() { "written to files" } else { &app.output }.to_owned());
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
    format!("{}, sha256 {}", number::size(input.bytes as f64), input.short_hash())
}

/// The layout of each team by its number of ranks: pairs across nodes do not compare with pairs in a socket.
fn teams(run: &Run) -> BTreeMap<String, String> {
    run.teams.iter().map(|team| (number::plural(team.ranks.len(), "rank"), layout(team).line())).collect()
}

fn table_differences(a: &BTreeMap<String, String>, b: &BTreeMap<String, String>) -> Vec<String> {
    let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
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
            found.entry(cell.provider.to_string()).or_insert(text);
        }
    }
    found
}
