//! What a file is, by its first bytes.

use object::read;

/// What a file is. Objects of other systems are told by their first bytes alone: their readers are not built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// An object, program or library of Linux.
    Elf,
    /// An archive of objects.
    Archive,
    /// An object, program or library of another system.
    Foreign,
    Unknown,
}

/// First bytes of programs of DOS and Windows (PE/COFF specification), and of Mach-O for one and several processors, either way round
/// (`mach-o/loader.h`, `mach-o/fat.h`).
const FOREIGN: [&[u8]; 6] = [
    b"MZ",
    &[0xfe, 0xed, 0xfa, 0xce],
    &[0xfe, 0xed, 0xfa, 0xcf],
    &[0xce, 0xfa, 0xed, 0xfe],
    &[0xcf, 0xfa, 0xed, 0xfe],
    &[0xca, 0xfe, 0xba, 0xbe],
];

impl FileKind {
    /// The kind of the file with these bytes.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        match read::FileKind::parse(bytes) {
            Ok(read::FileKind::Elf32 | read::FileKind::Elf64) => Self::Elf,
            Ok(read::FileKind::Archive) => Self::Archive,
            _ if FOREIGN.iter().any(|first| bytes.starts_with(first)) => Self::Foreign,
            _ => Self::Unknown,
        }
    }

    /// What a file of this kind is called where another was wanted.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Elf => "an object of Linux",
            Self::Archive => "an archive of object files",
            Self::Foreign => "an object of another system",
            Self::Unknown => "something else",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::FileKind;

    #[test]
    fn files_of_other_systems_are_told_from_those_that_are_no_objects() {
        let of = |first: &[u8]| FileKind::of(&[first, &[0; 64]].concat());
        assert_eq!(of(b"\x7fELF\x02\x01\x01"), FileKind::Elf);
        assert_eq!(of(b"!<arch>\n"), FileKind::Archive);
        assert_eq!(of(b"MZ\x90\0"), FileKind::Foreign);
        assert_eq!(of(b"\xcf\xfa\xed\xfe\x07\0\0\x01"), FileKind::Foreign);
        assert_eq!([of(b"#!/bin/sh"), FileKind::of(b"")], [FileKind::Unknown; 2]);
    }
}
