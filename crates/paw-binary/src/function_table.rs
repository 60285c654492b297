//! The functions of a file, each with its range of addresses.

use std::collections::BTreeMap;
use std::ops::Range;

use paw_sort::OrderBy;

use object::read::File;
use object::{Object, ObjectSymbol, SymbolFlags, SymbolKind, elf};

use crate::name::demangled;
use crate::stubs::Slot;

/// How the range of a function is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum How {
    /// From a symbol, which has a size.
    Symbol,
    /// From unwinding tables: the function has no name.
    Unwind,
    /// It is a stub through which a function of another file is called.
    Stub,
}

/// A function: a range of addresses, and its name where one is known.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Function {
    /// The name as in the source; `None` where no symbol covers the range.
    pub name: Option<String>,
    /// The name as the linker has it.
    pub symbol: Option<String>,
    /// Its first address, as in the file.
    pub start: u64,
    /// The address after its last byte.
    pub end: u64,
    /// How the range is known.
    pub how: How,
}

impl Function {
    /// The name, or the address in place of one: `function at 0x11f0`.
    #[must_use]
    pub fn title(&self) -> String {
        self.name.clone().unwrap_or_else(|| format!("function at {:#x}", self.start))
    }
}

/// A range and its symbol; names are demangled when asked for.
#[derive(Debug, Clone)]
struct SymbolRange {
    start: u64,
    end: u64,
    symbol: Option<String>,
    how: How,
}

impl SymbolRange {
    fn function(&self) -> Function {
        let name = self.symbol.as_deref().map(demangled);
        Function { name, symbol: self.symbol.clone(), start: self.start, end: self.end, how: self.how }
    }
}

/// Functions sorted by address.
#[derive(Debug, Clone, Default)]
pub(crate) struct FunctionTable {
    entries: Vec<SymbolRange>,
}

/// What stands before the name of a function that is chosen when the file is loaded, where its chooser is meant.
pub(crate) const RESOLVER: &str = "resolver of ";
/// Ranges that contain an address may begin this many entries before it, where symbols overlap.
const OVERLAPS_MAX: usize = 16;

impl FunctionTable {
    /// The functions that the symbols of `files` name, then the ranges of `unwind` that no symbol covers, and `stubs`.
    pub(crate) fn new(files: &[&File<'_>], unwind: &[Range<u64>], stubs: Vec<(Range<u64>, Slot)>) -> Self {
        let mut entries = Vec::new();
        for file in files {
            let symbols = file.symbols().chain(file.dynamic_symbols());
            entries.extend(symbols.filter_map(|symbol| entry(&symbol, unwind)));
        }
        entries.order_by(|a, b| (a.start, rank(a)).cmp(&(b.start, rank(b))));
        let mut chosen: BTreeMap<u64, String> = BTreeMap::new();
        for entry in &entries {
            if let Some(name) = entry.symbol.as_deref().and_then(|name| name.strip_prefix(RESOLVER)) {
                chosen.entry(entry.start).or_insert_with(|| name.to_owned());
            }
        }
        entries.dedup_by_key(|entry| entry.start);
        let mut table = Self { entries };
        let stubs: Vec<SymbolRange> =
            stubs.into_iter().map(|(range, slot)| table.stub(&range, &slot, &chosen)).collect();
        table.add(stubs.into_iter());
        table.add(unwind.iter().map(|range| SymbolRange {
            start: range.start,
            end: range.end,
            symbol: None,
            how: How::Unwind,
        }));
        table
    }

    /// The stub that calls what `slot` holds. A place within the file is that of a function, or of a resolver, which chooses one;
    /// `chosen` has its name.
    fn stub(&self, range: &Range<u64>, slot: &Slot, chosen: &BTreeMap<u64, String>) -> SymbolRange {
        let function = |address: &u64| self.at(*address).and_then(|entry| entry.symbol.as_deref());
        let name = match slot {
            Slot::Named(name) => Some(name.as_str()),
            Slot::Here(address) => chosen.get(address).map(String::as_str).or_else(|| function(address)),
        };
        let name = name.map(|name| format!("{name}@plt"));
        SymbolRange { start: range.start, end: range.end, symbol: name, how: How::Stub }
    }

    /// Adds ranges that no entry covers, cut where the next entry begins.
    fn add(&mut self, more: impl Iterator<Item = SymbolRange>) {
        let mut added: Vec<SymbolRange> = Vec::new();
        for mut entry in more {
            let next = self.entries.partition_point(|other| other.start <= entry.start);
            if self.at(entry.start).is_some() || added.last().is_some_and(|last| last.start == entry.start) {
                continue;
            }
            entry.end = self.entries.get(next).map_or(entry.end, |other| entry.end.min(other.start));
            added.push(entry);
        }
        self.entries.extend(added);
        self.entries.order_by_key(|entry| entry.start);
    }

    fn at(&self, address: u64) -> Option<&SymbolRange> {
        let after = self.entries.partition_point(|entry| entry.start <= address);
        let near = &self.entries[after.saturating_sub(OVERLAPS_MAX)..after];
        near.iter().rev().find(|entry| address < entry.end)
    }

    /// The function whose range contains `address`; never merely the nearest one before it.
    pub(crate) fn containing(&self, address: u64) -> Option<Function> {
        self.at(address).map(SymbolRange::function)
    }

    /// All functions in the order of their addresses.
    pub(crate) fn all(&self) -> impl Iterator<Item = Function> {
        self.entries.iter().map(SymbolRange::function)
    }

    /// The symbols in the order of their addresses, with these.
    pub(crate) fn symbols(&self) -> impl Iterator<Item = (u64, &str)> {
        self.entries.iter().filter_map(|entry| Some((entry.start, entry.symbol.as_deref()?)))
    }
}

/// The entry of a symbol that names code. Without a size of its own it has that of the unwinding range that begins there.
fn entry<'a>(symbol: &impl ObjectSymbol<'a>, unwind: &[Range<u64>]) -> Option<SymbolRange> {
    if !(symbol.is_definition() || is_resolver(symbol)) || symbol.address() == 0 {
        return None;
    }
    let start = symbol.address();
    let described = unwind.binary_search_by_key(&start, |range| range.start).ok().map(|found| unwind[found].end);
    let own = start.checked_add(symbol.size()).filter(|end| *end > start);
    let end = match symbol.kind() {
        SymbolKind::Text => own.or(described)?,
        SymbolKind::Unknown | SymbolKind::Label => described?,
        _ => return None,
    };
    let name = String::from_utf8_lossy(symbol.name_bytes().ok()?).into_owned();
    let name = name.split_once('@').map_or(name.as_str(), |(bare, _)| bare).to_owned();
    let name = if is_resolver(symbol) { format!("{RESOLVER}{name}") } else { name };
    Some(SymbolRange { start, end, symbol: Some(name), how: How::Symbol })
        .filter(|entry| entry.symbol.as_deref() != Some(""))
}

/// Whether the symbol's code only chooses between implementations when the file is loaded (`STT_GNU_IFUNC`).
fn is_resolver<'a>(symbol: &impl ObjectSymbol<'a>) -> bool {
    matches!(symbol.flags(), SymbolFlags::Elf { st_info, .. } if st_info.st_type() == elf::STT_GNU_IFUNC)
}

/// Which of several names of one address is shown: the one with fewest leading underscores, then the shortest.
fn rank(entry: &SymbolRange) -> (bool, usize, usize, std::cmp::Reverse<u64>, &str) {
    let name = entry.symbol.as_deref().unwrap_or_default();
    let underscores = name.len() - name.trim_start_matches('_').len();
    (name.starts_with(RESOLVER), underscores, name.len(), std::cmp::Reverse(entry.end), name)
}
