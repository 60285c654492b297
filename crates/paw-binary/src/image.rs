//! A program or library as a file: its functions, its code and its debug information.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use object::read::File;
use object::{Object, ObjectKind, ObjectSection, ObjectSegment, SegmentFlags, elf};

use crate::bounded_file;
use crate::debug_file;
use crate::error::BinaryError;
use crate::file_kind::FileKind;
use crate::function_table::{Function, FunctionTable, RESOLVER};
use crate::stubs::{self, Slot};
use crate::unwind;

/// Largest file that is read into memory.
pub(crate) const FILE_BYTES_MAX: u64 = 4 << 30;

/// The processor that a file is made for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Architecture {
    /// AMD64 with 64-bit addresses.
    X86_64,
    /// 64-bit Arm.
    AArch64,
    /// Another one, by its name.
    Other(String),
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::X86_64 => f.write_str("x86-64"),
            Self::AArch64 => f.write_str("AArch64"),
            Self::Other(name) => f.write_str(name),
        }
    }
}

/// A range of addresses, and where its bytes are in the file.
#[derive(Debug, Clone)]
struct Segment {
    address: u64,
    offset: u64,
    size: u64,
    is_code: bool,
}

/// A program or shared object, read into memory and never loaded. Addresses are those of the file.
#[derive(Debug)]
pub struct Image {
    path: PathBuf,
    bytes: Vec<u8>,
    architecture: Architecture,
    build_id: Option<String>,
    segments: Vec<Segment>,
    functions: FunctionTable,
    slots: BTreeMap<u64, Slot>,
    debug: Option<(PathBuf, Vec<u8>)>,
}

impl Image {
    /// Reads the file at `path`, and the debug file that is installed for it; an error if it is no ELF program or shared object, or
    /// a damaged one.
    pub fn open(path: &Path) -> Result<Self, BinaryError> {
        let bytes = bounded_file::read(path, FILE_BYTES_MAX)?;
        let foreign = |what, action| BinaryError::NotElf { path: path.to_owned(), what, action };
        let kind = FileKind::of(&bytes);
        match kind {
            FileKind::Elf => {}
            FileKind::Archive => return Err(foreign(kind.words(), "link it first")),
            FileKind::Foreign => return Err(foreign(kind.words(), "build it for Linux")),
            FileKind::Unknown => return Err(foreign(kind.words(), "name a file that a linker made")),
        }
        let damaged = |why| BinaryError::Damaged { path: path.to_owned(), why };
        let file = File::parse(&*bytes).map_err(damaged)?;
        if file.kind() == ObjectKind::Relocatable {
            return Err(foreign("an object file that was not linked", "link it first, with -shared for instance"));
        }
        whole(&file).map_err(damaged)?;
        let debug = debug_file::find(path, &file, FILE_BYTES_MAX);
        let mut image = Self {
            path: path.to_owned(),
            architecture: architecture(&file),
            build_id: file.build_id().ok().flatten().map(|id| id.iter().map(|byte| format!("{byte:02x}")).collect()),
            segments: segments(&file),
            functions: FunctionTable::default(),
            slots: BTreeMap::new(),
            debug,
            bytes: Vec::new(),
        };
        image.find_functions(&file);
        image.bytes = bytes;
        Ok(image)
    }

    fn find_functions(&mut self, file: &File<'_>) {
        let stubs = if self.architecture == Architecture::X86_64 {
            self.slots = stubs::slots(file);
            stubs::stubs(file, &self.slots)
        } else {
            Vec::new()
        };
        let debug = self.debug.as_ref().and_then(|(_, bytes)| File::parse(&**bytes).ok());
        let files: Vec<&File<'_>> = std::iter::once(file).chain(&debug).collect();
        self.functions = FunctionTable::new(&files, &unwind::ranges(file), stubs);
    }

    /// The path by which it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The processor that it is made for. Code of others than x86-64 is not decoded.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// The linker's identifier of this very build, in hexadecimal.
    pub fn build_id(&self) -> Option<&str> {
        self.build_id.as_deref()
    }

    /// The file with its debug information, where that is not in the file itself.
    pub fn debug_file(&self) -> Option<&Path> {
        self.debug.as_ref().map(|(path, _)| path.as_path())
    }

    /// The function whose range contains `address`; `None` where no symbol and no unwinding range does.
    pub fn function_at(&self, address: u64) -> Option<Function> {
        self.functions.containing(address)
    }

    /// All functions in the order of their addresses, with unnamed ones and stubs.
    pub fn functions(&self) -> impl Iterator<Item = Function> {
        self.functions.all()
    }

    /// Functions called `name` in the source or by the linker; else those whose name ends so: `foo` for `a::foo(int)`.
    pub fn functions_named(&self, name: &str) -> Vec<Function> {
        let exact = self.functions.symbols().filter(|(_, symbol)| *symbol == name);
        let mut found: Vec<u64> = exact.map(|(start, _)| start).collect();
        if found.is_empty() {
            let ends = self.functions.symbols().filter(|(_, symbol)| is_called(&crate::demangled(symbol), name));
            found = ends.map(|(start, _)| start).collect();
        }
        found.into_iter().filter_map(|start| self.function_at(start)).collect()
    }

    /// The address of the byte at `offset` of the file, by which a mapping of `/proc/PID/maps` becomes an address.
    pub fn address_of_offset(&self, offset: u64) -> Option<u64> {
        let within = |s: &&Segment| offset.checked_sub(s.offset).is_some_and(|from| from < s.size);
        let found = self.segments.iter().filter(|s| s.is_code).find(within).or(self.segments.iter().find(within))?;
        found.address.checked_add(offset - found.offset)
    }

    /// The bytes from `address` on, as many as `size` or as the file has.
    pub fn bytes_at(&self, address: u64, size: u64) -> &[u8] {
        let Some(segment) = self.segment(address) else { return &[] };
        let from = address - segment.address;
        let size = size.min(segment.size - from);
        let start = segment.offset.saturating_add(from);
        let end = start.saturating_add(size).min(self.bytes.len() as u64);
        self.bytes.get(start as usize..end as usize).unwrap_or_default()
    }

    /// Whether `address` is in memory that is run.
    pub fn is_code(&self, address: u64) -> bool {
        self.segment(address).is_some_and(|segment| segment.is_code)
    }

    /// The name of the function to which a call of `target` goes: a function of this file, or behind a stub one of another.
    pub fn called(&self, target: u64) -> Option<String> {
        let function = self.functions.containing(target).filter(|function| function.start == target)?;
        let name = function.symbol?;
        let bare = name.strip_suffix("@plt").unwrap_or(&name);
        Some(bare.strip_prefix(RESOLVER).unwrap_or(bare).to_owned())
    }

    /// The name of the function whose address the loader writes to `slot`, through which code calls.
    pub fn called_through(&self, slot: u64) -> Option<String> {
        match self.slots.get(&slot)? {
            Slot::Named(name) => Some(name.clone()),
            Slot::Here(target) => self.called(*target),
        }
    }

    /// Its own sections, and those of its debug file.
    pub(crate) fn sections(&self) -> Result<(File<'_>, Option<File<'_>>), BinaryError> {
        let damaged = |why| BinaryError::Damaged { path: self.path.clone(), why };
        let own = File::parse(&*self.bytes).map_err(damaged)?;
        Ok((own, self.debug.as_ref().and_then(|(_, bytes)| File::parse(&**bytes).ok())))
    }

    fn segment(&self, address: u64) -> Option<&Segment> {
        self.segments.iter().find(|s| address.checked_sub(s.address).is_some_and(|from| from < s.size))
    }
}

fn architecture(file: &File<'_>) -> Architecture {
    match (file.architecture(), file.is_64()) {
        (object::Architecture::X86_64, true) => Architecture::X86_64,
        (object::Architecture::Aarch64, true) => Architecture::AArch64,
        (other, _) => Architecture::Other(format!("{other:?}")),
    }
}

/// An error if sections that must be in the file are not: it is cut short.
fn whole(file: &File<'_>) -> Result<(), object::Error> {
    for section in file.sections() {
        section.data()?;
    }
    for segment in file.segments() {
        segment.data()?;
    }
    Ok(())
}

fn segments(file: &File<'_>) -> Vec<Segment> {
    let all = file.segments().map(|segment| {
        let (offset, size) = segment.file_range();
        let is_code = matches!(segment.flags(), SegmentFlags::Elf { p_flags, .. } if p_flags.contains(elf::PF_X));
        Segment { address: segment.address(), offset, size, is_code }
    });
    all.collect()
}

/// Whether `whole`, with its path and its arguments, is the function `name`.
fn is_called(whole: &str, name: &str) -> bool {
    let bare = whole.split_once('(').map_or(whole, |(bare, _)| bare);
    whole == name || bare == name || bare.strip_suffix(name).is_some_and(|path| path.ends_with("::"))
}
