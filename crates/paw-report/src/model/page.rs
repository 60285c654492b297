//! The whole of a run.

use std::collections::HashMap;

use crate::assessment::Assessment;
use crate::benchmark::absence::Shared;
use crate::caveat::CaveatGroup;
use crate::layout::Layout;
use crate::model::chapter::Draw;
use crate::model::{Chapter, Fact, Multiple, Plots};
use crate::plot::RowLinks;
use crate::reading::Reading;

/// The whole of a run, in the order in which it is read.
#[derive(Debug)]
pub struct Page<'a> {
    /// Name of the run.
    pub id: String,
    /// Its host.
    pub host: String,
    /// When it began.
    pub utc: String,
    /// Which program measured it.
    pub tool: String,
    /// The command line, as a shell takes it.
    pub command: String,
    /// What a program or a kernel comes to.
    pub conclusions: Vec<Conclusion>,
    /// What the machine reaches, and how far to trust it.
    pub assessment: Assessment,
    /// How many of the assessment's figures only repeat the conclusions.
    pub repeated: usize,
    /// The machine in short.
    pub machine: Vec<String>,
    /// The machine as named facts.
    pub facts: Vec<Fact>,
    /// Its devices.
    pub devices: Vec<Fact>,
    /// State of the machine: name, at the start, and at the end where it changed.
    pub state: Vec<(String, String, String)>,
    /// Where ranks ran.
    pub teams: Vec<Layout<'a>>,
    /// Benchmarks that are drawn together.
    pub families: Vec<Family<'a>>,
    /// Programs, kernels, benchmarks.
    pub chapters: Vec<Chapter<'a>>,
    /// Benchmarks that share the reason for which they were skipped.
    pub shared: Vec<Shared<'a>>,
    /// Operations over bytes, under the measured roofs.
    pub roofline: Plots<'a>,
    /// References: what, and what they reach.
    pub references: Vec<(String, String)>,
    /// References without a number.
    pub missing: Vec<String>,
    /// Whether some samples were disturbed.
    pub is_disturbed: bool,
    /// Reasons to trust numbers less.
    pub caveats: Vec<CaveatGroup>,
    /// Name of the method.
    pub method: String,
    /// How numbers are made, in sentences.
    pub explanation: Vec<String>,
    /// How alternatives are kept comparable, in sentences.
    pub protocol: Vec<String>,
    /// The clocks, in sentences.
    pub clocks: Vec<String>,
    /// Variables that change results.
    pub environment: Vec<(String, String)>,
    /// Every cell by its number: the HTML page draws its samples.
    pub cells: HashMap<u32, &'a Reading<'a>>,
}

/// What a program or a kernel comes to, in sentences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conclusion {
    /// The program or the kernel.
    pub name: String,
    /// What of it; empty for all.
    pub label: String,
    /// The sentences.
    pub text: String,
}

impl Conclusion {
    /// The label in the margin.
    pub fn margin(&self) -> &str {
        if self.label.is_empty() { &self.name } else { &self.label }
    }
}

/// Benchmarks that are drawn together.
pub struct Family<'a> {
    /// What they are.
    pub title: &'static str,
    /// What their numbers are, in a sentence or two.
    pub lead: &'static str,
    /// Their chapters by place.
    pub chapters: Vec<usize>,
    draw: Draw<'a, Multiple>,
}

impl<'a> Family<'a> {
    /// A family that `draw` draws.
    pub fn new(
        (title, lead): (&'static str, &'static str),
        chapters: Vec<usize>,
        draw: impl Fn(&RowLinks) -> Vec<Multiple> + 'a,
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
