//! Everything that printers show of a run, in reading order.

use std::collections::HashMap;

use paw_data::machine::Machine;

use crate::assessment::Assessment;
use crate::benchmark::absence::SharedAbsence;
use crate::caveat::CaveatGroup;
use crate::guideline::Violation;
use crate::layout::Layout;
use crate::model::chapter::Draw;
use crate::model::{Chapter, Fact, Multiple};
use crate::plot::RowLinks;
use crate::reading::Reading;

#[derive(Debug)]
pub struct Page<'a> {
    pub id: String,
    pub host: String,
    /// Start time, UTC.
    pub utc: String,
    /// Name and version of the program that measured it.
    pub tool: String,
    /// The command line, quoted for a shell.
    pub command: String,
    /// Conclusions about a program or a kernel.
    pub conclusions: Vec<Conclusion>,
    /// The headline figures and the word for the whole run.
    pub assessment: Assessment,
    /// Number of leading figures of the assessment that only repeat the conclusions.
    pub repeated: usize,
    pub machine: Vec<String>,
    pub facts: Vec<Fact>,
    /// What the run recorded of its machine: the HTML page draws it.
    pub recorded: &'a Machine,
    /// Why there are no roofs where one would look for them.
    pub without_roofs: Vec<String>,
    /// The devices, and the self-test if one was made.
    pub devices: Vec<Fact>,
    /// State of the machine: name, at the start, and at the end where it changed.
    pub state: Vec<(String, String, String)>,
    /// Placement of the ranks of each team.
    pub teams: Vec<Layout<'a>>,
    /// Families of benchmarks, drawn together.
    pub families: Vec<Family<'a>>,
    /// Programs, kernels, benchmarks.
    pub chapters: Vec<Chapter<'a>>,
    /// Benchmarks that share the reason for which they were skipped.
    pub shared: Vec<SharedAbsence<'a>>,
    /// Name and figure of each reference, or why it has none.
    pub references: Vec<(String, String)>,
    /// Whether some samples were disturbed.
    pub is_disturbed: bool,
    /// Collectives that take longer than others that do their work.
    pub guidelines: Vec<Violation>,
    /// The caveats of all cells, grouped.
    pub caveats: Vec<CaveatGroup>,
    pub method: String,
    /// Sentences about how the numbers are estimated.
    pub explanation: Vec<String>,
    /// Sentences about how alternatives are kept comparable.
    pub protocol: Vec<String>,
    /// The clocks, in sentences.
    pub clocks: Vec<String>,
    /// Recorded environment variables: name and value. `None`: the run was imported, and they are not known.
    pub environment: Option<Vec<(String, String)>>,
    /// Every cell by its number: the HTML page draws its samples.
    pub cells: HashMap<u32, &'a Reading<'a>>,
}

/// A conclusion about a program or a kernel, in sentences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conclusion {
    /// Name of the program or kernel.
    pub name: String,
    /// The size or level it is about; empty for all.
    pub label: String,
    pub text: String,
}

impl Conclusion {
    pub fn margin(&self) -> &str {
        if self.label.is_empty() { &self.name } else { &self.label }
    }
}

/// Families of benchmarks, drawn together.
pub struct Family<'a> {
    /// The family's name.
    pub title: &'static str,
    /// One or two sentences that define their numbers.
    pub lead: &'static str,
    /// Indices of their chapters.
    pub chapters: Vec<usize>,
    draw: Draw<'a, Multiple>,
}

impl<'a> Family<'a> {
    /// A family whose plots `draw` makes.
    pub fn new(
        (title, lead): (&'static str, &'static str),
        chapters: Vec<usize>,
        draw: impl Fn(&RowLinks) -> Vec<Multiple> + Send + Sync + 'a,
    ) -> Self {
        Self { title, lead, chapters, draw: Box::new(draw) }
    }

    /// The plots of each quantity, with links to the rows of their cells.
    pub fn draw(&self, links: &RowLinks) -> Vec<Multiple> {
        (self.draw)(links)
    }
}

impl std::fmt::Debug for Family<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.title)
    }
}
