//! Groups of counters as text files: events for each microarchitecture, and the metrics that formulas derive from them.

mod file;

use std::path::Path;

use paw_data::counters::CounterMetric;
use paw_data::document::{Document, DocumentError};
use paw_sort::OrderBy;

use crate::event::{Event, EventError};
use crate::processor::Processor;

/// A group of counters.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Its name: `L2`.
    pub name: String,
    /// Its meaning in one sentence.
    pub title: String,
    /// How to read it.
    pub meaning: String,
    /// Its events, a table for each set of microarchitectures; the first that fits counts.
    pub tables: Vec<EventTable>,
}

/// The events of a group on some microarchitectures.
#[derive(Debug, Clone, PartialEq)]
pub struct EventTable {
    /// The microarchitectures; [`ANY`] for all.
    pub processors: Vec<String>,
    /// The manual that has the events.
    pub manual: String,
    /// Names in formulas, and events.
    pub events: Vec<(String, String)>,
    /// The event that must be counted together with all others, if there is one.
    pub leader: Option<String>,
    /// The metrics.
    pub metrics: Vec<CounterMetric>,
}

/// The word for all microarchitectures.
pub const ANY: &str = "any";

/// An event of a table on this machine, or why it has none.
#[derive(Debug, Clone, PartialEq)]
pub struct ResolvedEvent {
    /// Its name in formulas.
    pub name: String,
    /// The event as the table has it.
    pub text: String,
    /// The event as the kernel knows it.
    pub event: Result<Event, EventError>,
}

impl Group {
    /// The group called `name` that a document describes.
    ///
    /// # Errors
    /// The first thing that is wrong with it, at its place.
    pub fn parse(name: &str, document: &Document<'_>) -> Result<Self, DocumentError> {
        file::group(name, document)
    }

    /// The group in the file at `path`, called as the file is.
    ///
    /// # Errors
    /// The file cannot be read, or what is wrong with it.
    pub fn read(path: &Path) -> Result<Self, DocumentError> {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Document::read(path, |document| Self::parse(&name, document))
    }

    /// The events of `processor`: those of its own table, else of the one for all.
    pub fn table(&self, processor: &Processor) -> Option<&EventTable> {
        let of = |name: &str| self.tables.iter().find(|table| table.processors.iter().any(|known| known == name));
        of(&processor.name).filter(|_| !processor.name.is_empty()).or_else(|| of(ANY))
    }

    /// The microarchitectures that it has tables for.
    pub fn processors(&self) -> Vec<&str> {
        self.tables.iter().flat_map(|table| &table.processors).map(String::as_str).collect()
    }
}

impl EventTable {
    /// Whether it is for all microarchitectures.
    pub fn is_generic(&self) -> bool {
        self.processors.iter().any(|name| name == ANY)
    }

    /// Its events on the machine whose files are below `root`.
    pub fn resolve(&self, root: &Path) -> Vec<ResolvedEvent> {
        let resolve = |(name, text): &(String, String)| ResolvedEvent {
            name: name.clone(),
            text: text.clone(),
            event: Event::parse(name, text, root)
                .map(|event| Event { leader: self.leader.clone().filter(|leader| leader != name), ..event }),
        };
        let mut resolved: Vec<ResolvedEvent> = self.events.iter().map(resolve).collect();
        // A leader is opened before those it leads.
        resolved.order_by_key(|event| self.leader.as_ref() != Some(&event.name));
        resolved
    }
}
