//! Whether a file can be a shared object of this machine, told from its first bytes: the loader's words for it name no cause.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Bytes read: up to the machine in the header.
const HEADER_BYTES: usize = 20;
/// `ET_DYN`, the type of a shared object.
const SHARED_OBJECT: u16 = 3;
/// `EM_X86_64` and `EM_AARCH64`.
const MACHINES: [(&str, u16); 2] = [("x86_64", 62), ("aarch64", 183)];

/// What speaks against loading the file at `path`.
pub(super) fn objection(path: &Path) -> Option<String> {
    let mut header = [0; HEADER_BYTES];
    if path.is_dir() {
        return Some("a directory: name the library in it".into());
    }
    let file = File::open(path).map_err(|error| format!("cannot be read: {error}"));
    match file
        .and_then(|mut file| file.read_exact(&mut header).map_err(|_| "not a shared object: it is too short".into()))
    {
        Ok(()) => unfit(&header),
        Err(why) => Some(why),
    }
}

fn unfit(header: &[u8; HEADER_BYTES]) -> Option<String> {
    let machine = u16::from_le_bytes([header[18], header[19]]);
    let here = std::env::consts::ARCH;
    let wanted = MACHINES.iter().find(|(name, _)| *name == here).map(|(_, number)| *number);
    match header {
        [0x7f, b'E', b'L', b'F', class, order, ..] => match (class, order) {
            (1, _) => Some("a library of 32 bits, and this program has 64: name the 64-bit one".into()),
            (2, 1) if u16::from_le_bytes([header[16], header[17]]) != SHARED_OBJECT => {
                Some("not a shared object: an ELF file of another type".into())
            }
            (2, 1) if wanted.is_some_and(|wanted| wanted != machine) => {
                Some(format!("a library for another machine: this one is {here}"))
            }
            (2, 1) => None,
            _ => Some("a damaged ELF file, or one of another byte order".into()),
        },
        // The linker reads such a text in place of the library; the loader does not.
        [b'/', b'*', ..] | [b'I', b'N', b'P', b'U', b'T', ..] => {
            Some("a linker script, which names the library: name that one".into())
        }
        _ => Some("not a shared object: it does not begin as an ELF file".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(start: &[u8], expected: &str) {
        let mut header = [0; HEADER_BYTES];
        header[..start.len()].copy_from_slice(start);
        let found = unfit(&header).unwrap_or_default();
        assert!(found.contains(expected) && found.is_empty() == expected.is_empty(), "{found}");
    }

    #[test]
    fn what_cannot_be_loaded_is_said_by_name() {
        let machine =
            MACHINES.iter().find(|(name, _)| *name == std::env::consts::ARCH).map_or(62, |(_, number)| *number);
        let machine = [machine as u8, 0];
        let start = [0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0];
        check(&[&start[..], &machine].concat(), "");
        check(&[&start[..], &[8, 0]].concat(), "another machine");
        check(&[0x7f, b'E', b'L', b'F', 1, 1], "32 bits");
        check(&[0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 62, 0], "another type");
        check(&[0x7f, b'E', b'L', b'F', 9, 9], "damaged");
        check(b"/* GNU ld script */", "linker script");
        check(b"hello", "does not begin as an ELF file");
    }
}
