//! Two builds of a kernel side by side: how much faster, where the time is, what the code does otherwise, and which part binds.

mod ablations;
mod assembly;
mod code;
mod efficiency;
mod places;
mod reasons;
mod roofs;
mod times;

use paw_data::code::Code;
use paw_data::explained::Explained;
use paw_data::matrix::{Matrix, MatrixRow, Panel};
use paw_data::profile::Profile;
use paw_data::run::Run;

use crate::analysis::Analysis;
use crate::colour::Colour;
use crate::html::html_of;
use crate::kernel::KernelAnalysis;
use crate::kernel::verdict;
use crate::markdown;
use crate::model::{Chapter, Conclusion, Page, Part, Sentence};
use crate::page::page;
use crate::text;

/// What a run has of one build.
#[derive(Debug)]
pub struct Side<'r> {
    /// Its name: compiler, flags, variant.
    pub name: String,
    /// Its rows, with the panels of their levels.
    rows: Vec<(&'r Panel<'r>, &'r MatrixRow<'r>)>,
    code: Option<&'r Code>,
    profile: Option<&'r Profile>,
    explained: Option<Explained<'r>>,
}

/// Two builds to be held against each other.
#[derive(Debug)]
pub struct Pair<'r> {
    /// The first: the one that the second is compared with.
    pub first: Side<'r>,
    /// The second.
    pub second: Side<'r>,
    /// Whether both are of one run, so that their samples were taken in the same rounds.
    of_one_run: bool,
}

/// The analyses of one run or two, from which two builds are chosen.
#[derive(Debug)]
pub struct SideBySide<'r> {
    analyses: Vec<Analysis<'r>>,
}

impl<'r> SideBySide<'r> {
    /// The analyses of `runs`: one with both builds, or one for each.
    ///
    /// # Errors
    /// A sentence, where a run is none of a kernel's builds.
    pub fn of(runs: &'r [Run]) -> Result<Self, String> {
        let analyses: Vec<Analysis<'r>> = runs.iter().map(Analysis::of).collect();
        for analysis in &analyses {
            if matrix(analysis).is_none() {
                return Err(format!("run {} has no builds of a kernel", analysis.run.header.id));
            }
        }
        let sources = |analysis: &Analysis<'_>| analysis.run.header.kernel.as_ref().map(|kernel| kernel.name.clone());
        match analyses.as_slice() {
            [_] => {}
            [a, b] if sources(a) == sources(b) => {}
            [a, b] => {
                let name = |analysis| sources(analysis).unwrap_or_default();
                return Err(format!("two kernels have nothing to compare: {} and {}", name(a), name(b)));
            }
            _ => return Err("builds are of one run, or of two runs of one spec".to_owned()),
        }
        Ok(Self { analyses })
    }

    /// The builds called `names`: two of one run, or one of each of two runs, in this order; without names the only two there are.
    ///
    /// # Errors
    /// A sentence with the names there are.
    pub fn pair(&self, names: &[String]) -> Result<Pair<'_>, String> {
        let of_one_run = self.analyses.len() == 1;
        let (one, two) = (&self.analyses[0], self.analyses.last().unwrap_or(&self.analyses[0]));
        let here = [built(one), built(two)];
        let chosen = match (names, of_one_run) {
            ([a, b], _) => [found(a, &here[0])?, found(b, &here[1])?],
            ([], true) if here[0].len() == 2 => [here[0][0].clone(), here[0][1].clone()],
            ([], false) if here.iter().all(|names| names.len() == 1) => [here[0][0].clone(), here[1][0].clone()],
            _ => return Err(format!("two builds are compared; there are {}", quoted(&here[0]))),
        };
        if of_one_run && chosen[0] == chosen[1] {
            return Err(format!("`{}` is one build; there are {}", chosen[0], quoted(&here[0])));
        }
        let [a, b] = chosen;
        Ok(Pair { first: side(one, a), second: side(two, b), of_one_run })
    }

    /// The pair as terminal text of `width` columns.
    pub fn text(&self, pair: &Pair<'_>, width: usize, colour: Colour) -> String {
        text::print(&self.page(pair), width.max(text::NARROWEST), colour)
    }

    /// The pair as Markdown.
    pub fn markdown(&self, pair: &Pair<'_>) -> String {
        markdown::print(&self.page(pair))
    }

    /// The pair as one HTML file.
    pub fn html(&self, pair: &Pair<'_>) -> String {
        html_of(self.page(pair))
    }

    /// What the runs lack with the command that would add it, and what of the page is of the first run alone.
    fn missing(&self, pair: &Pair<'_>) -> Vec<String> {
        let lacks = |what: &dyn Fn(&Side<'_>) -> bool| what(&pair.first) || what(&pair.second);
        let mut notes = Vec::new();
        let mut note = |is_missing: bool, text: &str| notes.extend(is_missing.then(|| text.to_owned()));
        let flags = "`paw kernel matrix SPEC --why` adds it";
        note(lacks(&|side| side.code.is_none()), &format!("What the code does is not in the run: {flags}."));
        note(lacks(&|side| side.profile.is_none()), &format!("Where the time is was not sampled: {flags}."));
        note(lacks(&|side| side.explained.is_none()), &format!("The hot loops were not taken apart: {flags}."));
        if let [first, second] = self.analyses.as_slice() {
            let id = |analysis: &Analysis<'_>| analysis.run.header.id.clone();
            notes.push(format!(
                "Machine, method and warnings on this page are those of run {}; `paw report` has those of run {}.",
                id(first),
                id(second)
            ));
        }
        notes
    }

    /// The page of the first run, about the pair alone.
    fn page<'a>(&'a self, pair: &'a Pair<'a>) -> Page<'a> {
        let mut page = page(&self.analyses[0]);
        let matrix = matrix(&self.analyses[0]);
        let name = matrix.map_or(String::new(), |matrix| matrix.kernel.name.clone());
        let conclusion = |text| Conclusion { name: name.clone(), label: String::new(), text };
        let reasons = reasons::reasons(pair);
        page.conclusions = std::iter::once(conclusion(reasons.headline)).collect();
        page.repeated = page.assessment.findings.len();
        let parts = [
            vec![Part::Remarks(reasons.sentences.into_iter().map(Sentence::from).collect())],
            vec![Part::Table(times::table(pair), None)],
            places::tables(pair).into_iter().map(|table| Part::Table(table, None)).collect(),
            code::table(pair).into_iter().map(Part::Compared).collect(),
            ablations::parts(pair),
            roofs::parts(&self.analyses, pair),
            assembly::parts(pair),
            efficiency::table(pair).into_iter().map(|table| Part::Table(table, None)).collect(),
            vec![Part::Notes(self.missing(pair))],
        ];
        let title = format!("{} | {}", pair.first.name, pair.second.name);
        let parts = parts.into_iter().flatten().filter(|part| !matches!(part, Part::Notes(notes) if notes.is_empty()));
        page.chapters =
            vec![Chapter { subject: "kernel".to_owned(), title, parts: parts.collect(), ..Chapter::default() }];
        page
    }
}

fn matrix<'a, 'r>(analysis: &'a Analysis<'r>) -> Option<&'a Matrix<'r>> {
    match analysis.kernel.as_ref()? {
        KernelAnalysis::Builds(matrix) => Some(matrix),
        KernelAnalysis::Answers(_) | KernelAnalysis::Curves(_) => None,
    }
}

/// The names of the builds of a run, each once, in its order.
fn built(analysis: &Analysis<'_>) -> Vec<String> {
    let mut names: Vec<(u32, String)> = Vec::new();
    for row in matrix(analysis).iter().flat_map(|matrix| &matrix.panels).flat_map(|panel| &panel.rows) {
        if !names.iter().any(|(_, name)| *name == row.name()) {
            names.push((row.record.cell.id, row.name()));
        }
    }
    names.sort();
    names.into_iter().map(|(_, name)| name).collect()
}

/// The build among `names` that `typed` means: its name, or the only one that contains it.
fn found(typed: &str, names: &[String]) -> Result<String, String> {
    let none = |why: &str| format!("`{typed}` {why}; there are {}", quoted(names));
    if let Some(name) = names.iter().find(|name| *name == typed) {
        return Ok(name.clone());
    }
    let plain = |name: &&String| name.split(" [").next() == Some(typed) || name.ends_with(&format!(" {typed}"));
    let exact: Vec<&String> = names.iter().filter(plain).collect();
    let near: Vec<&String> = names.iter().filter(|name| name.contains(typed)).collect();
    match (exact.as_slice(), near.as_slice()) {
        ([one], _) | ([], [one]) => Ok((*one).clone()),
        ([], []) => Err(none("is no build of the run")),
        _ => Err(none("means several builds")),
    }
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn side<'r>(analysis: &'r Analysis<'_>, name: String) -> Side<'r> {
    let panels = matrix(analysis).map_or(&[][..], |matrix| &matrix.panels[..]);
    let rows = panels.iter().flat_map(|panel| panel.rows.iter().map(move |row| (panel, row)));
    let rows: Vec<_> = rows.filter(|(_, row)| row.name() == name).collect();
    let run = analysis.run;
    Side {
        code: run.codes.iter().find(|code| code.build == name),
        profile: run
            .profiles
            .iter()
            .find(|profile| profile.cell.is_some_and(|cell| rows.iter().any(|(_, row)| row.record.cell.id == cell))),
        explained: run.explanations.iter().find(|explanation| explanation.build == name).map(Explained::of),
        rows,
        name,
    }
}

impl<'r> Pair<'r> {
    /// The rows of the levels that both have: their name, the first and the second.
    fn levels(&self) -> impl Iterator<Item = (String, &'r Panel<'r>, &'r MatrixRow<'r>, &'r MatrixRow<'r>)> {
        self.first.rows.iter().filter_map(|(panel, first)| {
            let same = |(other, _): &&(&Panel<'_>, &MatrixRow<'_>)| (other.name, other.n) == (panel.name, panel.n);
            let (_, second) = self.second.rows.iter().find(same)?;
            Some((verdict::short(panel), *panel, *first, *second))
        })
    }
}
