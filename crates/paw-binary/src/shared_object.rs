//! A shared object: the functions it defines, the libraries it needs, and a hash of its machine code.

use std::path::Path;

use object::read::{Error, File};
use object::{Object, ObjectKind, ObjectSymbol, SymbolKind, SymbolScope};

use crate::error::BinaryError;
use crate::file_kind::FileKind;
use crate::{fast_math, fingerprint};

/// Facts of an ELF shared object; the file itself is not kept in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedObject {
    functions: Vec<String>,
    libraries: Vec<String>,
    imports: Vec<String>,
    fast_math: bool,
    fingerprint: String,
}

impl SharedObject {
    /// Reads the file at `path`; an error if it is no ELF shared object, or a damaged one.
    pub fn read(path: &Path) -> Result<Self, BinaryError> {
        let bytes = std::fs::read(path).map_err(|why| BinaryError::Unreadable { path: path.to_owned(), why })?;
        let foreign = |what| BinaryError::Foreign { path: path.to_owned(), what };
        let kind = FileKind::of(&bytes);
        if kind != FileKind::Elf {
            return Err(foreign(kind.words()));
        }
        let damaged = |why| BinaryError::Damaged { path: path.to_owned(), why };
        let file = File::parse(&*bytes).map_err(damaged)?;
        match file.kind() {
            ObjectKind::Dynamic => Self::understand(&file).map_err(damaged),
            ObjectKind::Relocatable => Err(foreign("an object file that was not linked")),
            _ => Err(foreign("a program")),
        }
    }

    fn understand(file: &File<'_>) -> Result<Self, Error> {
        let libraries: Vec<String> =
            file.import_libraries()?.map(|l| Ok(text(l?.name()))).collect::<Result<_, Error>>()?;
        let mut imports = Vec::new();
        let mut functions = Vec::new();
        for symbol in file.dynamic_symbols() {
            let name = text(symbol.name_bytes()?);
            if symbol.is_undefined() {
                imports.push(name);
            } else if symbol.kind() == SymbolKind::Text && symbol.scope() == SymbolScope::Dynamic {
                functions.push(name);
            }
        }
        imports.retain(|name| !name.is_empty());
        for names in [&mut imports, &mut functions] {
            names.sort();
            names.dedup();
        }
        let fingerprint = fingerprint::of(file, &libraries, &imports)?;
        Ok(Self { functions, libraries, imports, fast_math: fast_math::is_linked(file)?, fingerprint })
    }

    /// Names of the functions that it defines for others, sorted.
    pub fn functions(&self) -> &[String] {
        &self.functions
    }

    /// Whether it defines the function `name` for others.
    pub fn defines(&self, name: &str) -> bool {
        self.functions.iter().any(|function| function == name)
    }

    /// Names of the libraries that it needs, in the order in which they are searched: `libm.so.6`.
    pub fn libraries(&self) -> &[String] {
        &self.libraries
    }

    /// Names that it imports from other libraries, sorted.
    pub fn imports(&self) -> &[String] {
        &self.imports
    }

    /// Whether loading it makes the processor read and write subnormal numbers as zero, as linking with `-ffast-math` does.
    pub fn has_fast_math(&self) -> bool {
        self.fast_math
    }

    /// SHA-256, in hexadecimal, of all that decides what its functions do: code, the data it is linked with, the bindings of both
    /// to names of other libraries, and the names of those libraries. Paths, build identifiers, comments and debug
    /// information have no part in it.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }
}

fn text(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}
