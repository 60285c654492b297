//! A hash of the machine code and of the data, names and libraries it uses.

use object::read::{Error, File, Relocation, RelocationFlags, RelocationTarget};
use object::{Object, ObjectSection, ObjectSymbol, ObjectSymbolTable, SectionFlags, SectionKind, elf};
use sha2::{Digest, Sha256};

/// Data sections that are hashed beside the executable ones, with their suffixed forms (`.rodata.cst8`): data that code reads, and start-up tables.
const DATA: &[&str] = &[
    ".rodata",
    ".data",
    ".data.rel.ro",
    ".tdata",
    ".lrodata",
    ".ldata",
    ".preinit_array",
    ".init_array",
    ".fini_array",
];

/// The SHA-256 of the file's parts in hexadecimal. Each part is hashed with its length, so that moving a boundary changes the hash.
pub(crate) fn of(file: &File<'_>, libraries: &[String], imports: &[String]) -> Result<String, Error> {
    let mut hash = Sha256::new();
    for section in file.sections() {
        let name = section.name()?;
        if is_code(&section) || DATA.iter().any(|data| is_called(name, data)) {
            part(&mut hash, name.as_bytes());
            part(&mut hash, section.data()?);
        } else if section.kind() == SectionKind::UninitializedData {
            part(&mut hash, name.as_bytes());
            part(&mut hash, &section.size().to_le_bytes());
        }
    }
    for bound in bindings(file)? {
        part(&mut hash, &bound);
    }
    for name in libraries.iter().chain(imports) {
        part(&mut hash, name.as_bytes());
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

fn part(hash: &mut Sha256, bytes: &[u8]) {
    hash.update((bytes.len() as u64).to_le_bytes());
    hash.update(bytes);
}

fn is_code<'a>(section: &impl ObjectSection<'a>) -> bool {
    matches!(section.flags(), SectionFlags::Elf { sh_flags, .. } if sh_flags.contains(elf::SHF_EXECINSTR))
}

fn is_called(name: &str, data: &str) -> bool {
    name.strip_prefix(data).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Every relocation that the loader applies, with its target, sorted: without them, equal code could call different functions.
fn bindings(file: &File<'_>) -> Result<Vec<Vec<u8>>, Error> {
    let mut bindings = Vec::new();
    for (at, relocation) in file.dynamic_relocations().into_iter().flatten() {
        let mut bound = at.to_be_bytes().to_vec();
        bound.extend(kind(&relocation).to_le_bytes());
        bound.extend(relocation.addend().to_le_bytes());
        bound.extend(target(file, &relocation)?);
        bindings.push(bound);
    }
    bindings.sort();
    Ok(bindings)
}

fn kind(relocation: &Relocation) -> u32 {
    match relocation.flags() {
        RelocationFlags::Elf { r_type } => r_type.0,
        _ => 0,
    }
}

fn target<'a>(file: &File<'a>, relocation: &Relocation) -> Result<&'a [u8], Error> {
    match (relocation.target(), file.dynamic_symbol_table()) {
        (RelocationTarget::Symbol(index), Some(table)) => table.symbol_by_index(index)?.name_bytes(),
        _ => Ok(&[]),
    }
}
