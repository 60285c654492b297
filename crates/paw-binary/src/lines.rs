//! Source lines of addresses, by DWARF.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use addr2line::Context;
use gimli::{AttributeValue, DwarfSections, EndianSlice, RunTimeEndian, SectionId};
use object::Object;
use object::read::File;

use crate::debug_file::{self, Shared};
use crate::error::BinaryError;
use crate::image::{FILE_BYTES_MAX, Image};
use crate::name::demangled;
use crate::sections;

/// Parts of the paths of files that belong to compilers and standard libraries, whose functions are inlined into a user's.
const LIBRARY_PATHS: &[&str] =
    &["/rustc/", "/library/core/", "/library/std/", "/library/alloc/", "/usr/include/", "/usr/lib/"];
/// Inlined calls that are followed at one address.
const FRAMES_MAX: usize = 64;

/// A place in a source file, and the function that it is in.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file, as its compiler was given it, with its directory.
    pub file: String,
    /// The line, from 1 on.
    pub line: u32,
    /// The function, which may be inlined there.
    pub function: Option<String>,
}

/// Debug information in memory, decompressed where that was needed; [`Lines`] borrow it.
#[derive(Debug)]
pub struct DebugSections<'a> {
    sections: BTreeMap<&'static str, Cow<'a, [u8]>>,
    /// Those of a file that several share.
    shared: BTreeMap<&'static str, Vec<u8>>,
    missing: Option<PathBuf>,
    endian: RunTimeEndian,
}

/// Source lines of an image. Units are read when an address in them is asked for.
pub struct Lines<'a> {
    context: Context<EndianSlice<'a, RunTimeEndian>>,
    missing: Option<&'a Path>,
}

impl Image {
    /// The debug information, of which [`DebugSections::lines`] makes lines; an error if there is none.
    pub fn debug_sections(&self) -> Result<DebugSections<'_>, BinaryError> {
        let (own, debug) = self.sections()?;
        let has_lines =
            |file: &File<'_>| file.section_by_name(".debug_info").or(file.section_by_name(".zdebug_info")).is_some();
        let debug = debug.filter(has_lines).zip(self.debug_file());
        let Some((file, path)) = debug.or(Some(own).filter(has_lines).map(|own| (own, self.path()))) else {
            return Err(self.no_lines("has no debug information"));
        };
        let endian = if file.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
        let mut found = BTreeMap::new();
        let loaded = DwarfSections::load(|id: SectionId| {
            found.insert(id.name(), sections::contents(&file, id.name()));
            Ok::<(), gimli::Error>(())
        });
        loaded.map_err(|why| self.no_lines(&format!("has damaged debug information ({why})")))?;
        let (shared, missing) = match debug_file::shared(path, &file, FILE_BYTES_MAX) {
            Shared::None => (BTreeMap::new(), None),
            Shared::Missing(path) => (BTreeMap::new(), Some(path)),
            Shared::Found(bytes) => (shared_sections(&bytes), None),
        };
        Ok(DebugSections { sections: found, shared, missing, endian })
    }

    fn no_lines(&self, why: &str) -> BinaryError {
        BinaryError::NoLines { path: self.path().to_owned(), why: why.to_owned() }
    }
}

/// The sections of a file that several share.
fn shared_sections(bytes: &[u8]) -> BTreeMap<&'static str, Vec<u8>> {
    let Ok(file) = File::parse(bytes) else { return BTreeMap::new() };
    let mut found = BTreeMap::new();
    let _ = DwarfSections::load(|id: SectionId| {
        found.insert(id.name(), sections::contents(&file, id.name()).into_owned());
        Ok::<(), gimli::Error>(())
    });
    found
}

impl DebugSections<'_> {
    /// The source lines; `None` if the debug information is damaged.
    pub fn lines(&self) -> Option<Lines<'_>> {
        let slice = |bytes| Ok::<_, gimli::Error>(EndianSlice::new(bytes, self.endian));
        let own = |id: SectionId| slice(self.sections.get(id.name()).map(|bytes| &**bytes).unwrap_or_default());
        let mut dwarf = gimli::Dwarf::load(own).ok()?;
        if !self.shared.is_empty() {
            let shared = |id: SectionId| slice(self.shared.get(id.name()).map(|bytes| &**bytes).unwrap_or_default());
            dwarf.load_sup(shared).ok()?;
        }
        Some(Lines { context: Context::from_dwarf(dwarf).ok()?, missing: self.missing.as_deref() })
    }
}

impl Lines<'_> {
    /// The file with a part of the debug information that several files share, where it is not here.
    pub fn missing(&self) -> Option<&Path> {
        self.missing
    }

    /// The places of `address`: the innermost inlined function first, the function that was called last.
    pub fn frames(&self, address: u64) -> Vec<Place> {
        let Ok(mut frames) = self.context.find_frames(address).skip_all_loads() else { return Vec::new() };
        let mut places = Vec::new();
        while places.len() < FRAMES_MAX
            && let Ok(Some(frame)) = frames.next()
        {
            let name = frame.function.as_ref().and_then(|name| name.raw_name().ok());
            let function = name.map(|name| demangled(&name));
            let Some(location) = frame.location else { continue };
            if let (Some(file), Some(line)) = (location.file, location.line.filter(|line| *line > 0)) {
                places.push(Place { file: file.to_owned(), line, function });
            }
        }
        places
    }

    /// The place of `address` in the user's source: the innermost one that is not in a file of a compiler or standard library.
    pub fn place(&self, address: u64) -> Option<Place> {
        let frames = self.frames(address);
        let own = frames.iter().position(|place| !LIBRARY_PATHS.iter().any(|path| place.file.contains(path)));
        frames.into_iter().nth(own.unwrap_or(0))
    }

    /// The compiler of the code at `address`, with its flags where it records them (`DW_AT_producer`).
    pub fn producer(&self, address: u64) -> Option<String> {
        let unit = self.context.find_dwarf_and_unit(address).skip_all_loads()?;
        let mut entries = unit.entries();
        let root = entries.next_dfs().ok()??;
        let value = root.attr_value(gimli::DW_AT_producer)?;
        let text = match value {
            AttributeValue::String(text) => text,
            other => unit.attr_string(other).ok()?,
        };
        Some(text.to_string_lossy().into_owned())
    }
}
