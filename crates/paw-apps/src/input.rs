//! Size and hash of a file that a program reads.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use paw_data::application::InputFact;
use sha2::{Digest, Sha256};
use thiserror::Error;

/// An input that cannot be read.
#[derive(Debug, Error)]
pub enum InputError {
    /// The file does not exist.
    #[error("input {}: there is no such file", .0.display())]
    Missing(PathBuf),
    /// The file exists and cannot be read.
    #[error("input {}: cannot be read: {why}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        why: io::Error,
    },
}

/// Bytes read at once: system calls stay rare, and the buffer stays in the cache.
const PART_BYTES: usize = 64 << 10;

/// Path, size and SHA-256 (FIPS 180-4) of the file, which is read once, part by part: it may be larger than memory.
///
/// # Errors
/// The file does not exist, or cannot be read.
pub fn read(path: &Path) -> Result<InputFact, InputError> {
    let (bytes, sha256) = hashed(path).map_err(|why| match why.kind() {
        io::ErrorKind::NotFound => InputError::Missing(path.to_owned()),
        _ => InputError::Unreadable { path: path.to_owned(), why },
    })?;
    Ok(InputFact { path: path.to_string_lossy().into_owned(), bytes, sha256 })
}

fn hashed(path: &Path) -> io::Result<(u64, String)> {
    let mut file = File::open(path)?;
    let (mut hash, mut bytes, mut part) = (Sha256::new(), 0, vec![0; PART_BYTES]);
    loop {
        match file.read(&mut part) {
            Ok(0) => break,
            Ok(length) => {
                hash.update(&part[..length]);
                bytes += length as u64;
            }
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            Err(why) => return Err(why),
        }
    }
    Ok((bytes, hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(content: &[u8]) -> InputFact {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("events.bin");
        std::fs::write(&path, content).unwrap();
        let fact = read(&path).unwrap();
        assert_eq!(fact.path, path.display().to_string());
        fact
    }

    #[test]
    fn the_hash_is_the_one_the_standard_gives() {
        // FIPS 180-4's examples: one block, and a million letters a.
        let (one, million) = (of(b"abc"), of(&vec![b'a'; 1_000_000]));
        assert_eq!(one.bytes, 3);
        assert_eq!(one.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(million.bytes, 1_000_000);
        assert_eq!(million.sha256, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }

    #[test]
    fn what_cannot_be_read_is_one_sentence() {
        let error = read(Path::new("/nowhere/events.bin")).unwrap_err();
        assert_eq!(error.to_string(), "input /nowhere/events.bin: there is no such file");
        let error = read(Path::new("/")).unwrap_err();
        assert!(error.to_string().starts_with("input /: cannot be read: "), "{error}");
    }
}
