//! The analysis of a run, computed once, before any printer shows it.

use paw_data::kernel;
use paw_data::run::Run;
use paw_data::scaling::Scaling;

use crate::application;
use crate::kernel::KernelAnalysis;
use crate::section::{Section, sections};

/// The analysis of a run: sections of cells, scaling, comparison of builds.
#[derive(Debug)]
pub struct Analysis<'r> {
    pub run: &'r Run,
    /// All its cells, in sections.
    pub sections: Vec<Section<'r>>,
    /// How an application scales.
    pub scaling: Option<Scaling<'r>>,
    /// The same by what is not its headline: the numbers that it prints, or wall time.
    pub others: Vec<Scaling<'r>>,
    /// How the builds of a kernel compare.
    pub kernel: Option<KernelAnalysis<'r>>,
}

impl<'r> Analysis<'r> {
    /// The analysis of `run`.
    pub fn of(run: &'r Run) -> Self {
        Self {
            run,
            sections: sections(run),
            scaling: Scaling::of(run),
            others: Scaling::others(run),
            kernel: KernelAnalysis::of(run),
        }
    }

    /// Whether the run has nothing but profiles.
    pub fn is_sampled(&self) -> bool {
        self.run.records.is_empty() && !self.run.profiles.is_empty()
    }

    /// The sections shown as tables of cells: all but those of applications and kernels, which have chapters of their own.
    pub fn tables(&self) -> impl Iterator<Item = &Section<'r>> {
        let header = &self.run.header;
        let has_application = header.app.is_some();
        let has_kernel = header.kernel.as_ref().is_some_and(|kernel| kernel.device.is_empty());
        self.sections.iter().filter(move |section| {
            !(has_application && section.suite == application::SUITE || has_kernel && section.suite == kernel::SUITE)
        })
    }
}
