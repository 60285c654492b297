//! Joins blocks into runs: times with their rates, first runs with first runs.

use std::path::{Path, PathBuf};

use paw_sort::OrderBy;

use super::super::name::Content;
use super::block::{Block, BlockOrigin};
use super::record::{cell, imported, outcome};
use super::units::scale;
use super::{Note, about, catalogue, provenance};
use crate::cell::Cell;
use crate::run::{End, Imported, Record, Run};

/// The runs that `blocks` belong to.
pub(super) fn runs(blocks: Vec<Block>, notes: &mut Vec<Note>) -> Vec<Run> {
    let sessions = sessions(&blocks);
    // In the order of the files, but a directory's first runs before its second ones.
    let mut order: Vec<(usize, &BlockGroup)> = Vec::new();
    for (at, session) in sessions.iter().enumerate() {
        if !order.iter().any(|(_, known)| *known == session) {
            let met = sessions.iter().position(|other| other.place() == session.place()).unwrap_or(at);
            order.push((met, session));
        }
    }
    order.order_by_key(|(met, session)| (*met, session.ordinal()));
    let members = |session: &BlockGroup| -> Vec<&Block> {
        blocks.iter().zip(&sessions).filter(|(_, s)| *s == session).map(|(block, _)| block).collect()
    };
    order.into_iter().map(|(_, session)| run(session, &members(session), notes)).collect()
}

/// The reason why blocks belong to one run.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum BlockGroup {
    /// All name the same run.
    Named(String),
    /// All are the first, second … block of the files of this directory.
    Nth(PathBuf, usize),
}

impl BlockGroup {
    /// The name or directory by which runs are listed together.
    fn place(&self) -> &Path {
        match self {
            BlockGroup::Named(id) => Path::new(id),
            BlockGroup::Nth(dir, _) => dir,
        }
    }

    fn ordinal(&self) -> usize {
        match self {
            BlockGroup::Named(_) => 0,
            BlockGroup::Nth(_, nth) => *nth,
        }
    }
}

fn sessions(blocks: &[Block]) -> Vec<BlockGroup> {
    blocks
        .iter()
        .map(|block| match block.fact("Run") {
            Some(id) if block.origin == BlockOrigin::Ours => BlockGroup::Named(id.to_owned()),
            _ => BlockGroup::Nth(block.path.parent().unwrap_or(Path::new("")).to_owned(), nth(block, blocks)),
        })
        .collect()
}

/// The place of a block among the runs of its directory. Rates go with the times of the same date where one of the two
/// files holds more runs than the other.
fn nth(block: &Block, blocks: &[Block]) -> usize {
    let partners: Vec<&Block> = blocks
        .iter()
        .filter(|other| {
            other.path != block.path
                && other.path.parent() == block.path.parent()
                && (&other.name.test, other.name.np, &other.name.axes)
                    == (&block.name.test, block.name.np, &block.name.axes)
        })
        .collect();
    let siblings = blocks.iter().filter(|other| other.path == block.path).count();
    if block.name.content == Content::Time || partners.is_empty() || partners.len() == siblings {
        return block.ordinal;
    }
    let same_date = partners.iter().find(|p| p.fact("Date").is_some() && p.fact("Date") == block.fact("Date"));
    same_date.map_or(partners.len() + block.ordinal, |p| p.ordinal)
}

fn run(session: &BlockGroup, blocks: &[&Block], notes: &mut Vec<Note>) -> Run {
    let mut records: Vec<Record> = Vec::new();
    for block in blocks {
        let Some(test) = catalogue::find(&block.name.test) else { continue };
        let scale = scale(block, test.suite);
        if let Some(remark) = scale.remark {
            notes.push(Note { path: block.path.clone(), line: Some(block.line), text: remark.to_owned() });
        }
        for entry in &block.entries {
            let cell = cell(block, test, entry.size);
            let same = |r: &Record| {
                (&r.cell.benchmark, &r.cell.provider, &r.cell.point) == (&cell.benchmark, &cell.provider, &cell.point)
            };
            let at = records.iter().position(same).unwrap_or_else(|| {
                let id = records.len() as u32;
                records.push(Record::new(Cell { id, group: id, ..cell }));
                records.len() - 1
            });
            take(&mut records[at], block.name.content, imported(entry, scale));
        }
    }
    records.iter_mut().for_each(|record| record.outcome = Some(outcome(record)));
    if records.iter().any(|r| r.imported_time.is_none()) && records.iter().any(|r| r.imported_time.is_some()) {
        let text = "some rates have no file of times beside them; only their rates were imported.".to_owned();
        notes.push(about(&blocks[0].path, text));
    }
    Run {
        header: provenance::header(session, blocks),
        instruments: vec![provenance::instrument(blocks)],
        teams: Vec::new(),
        profiles: Vec::new(),
        records,
        codes: Vec::new(),
        end: Some(End { state: "imported".to_owned(), ..End::default() }),
        explanations: Vec::new(),
        damage: None,
    }
}

fn take(record: &mut Record, content: Content, statistics: Imported) {
    match content {
        Content::Time => record.imported_time = Some(Box::new(statistics)),
        _ => record.imported_rate = Some(Box::new(statistics)),
    }
}
