//! Files read whole, up to a bound: a device such as `/dev/zero` never ends.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Most bytes of a text that a person writes.
const TEXT_MAX: u64 = 16 << 20;

/// The text of the file at `path`.
///
/// # Errors
/// It cannot be read, is not UTF-8, or holds more than 16 MiB.
pub fn text(path: &Path) -> io::Result<String> {
    String::from_utf8(bytes(path, TEXT_MAX)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "stream did not contain valid UTF-8"))
}

/// The contents of the file at `path`.
///
/// # Errors
/// It cannot be read, or holds more than `most` bytes.
pub fn bytes(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it holds more than {} MiB", most >> 20)));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_ends_is_refused_and_a_file_is_read() {
        let refused = text(Path::new("/dev/zero")).unwrap_err();
        assert_eq!(refused.to_string(), "it holds more than 16 MiB");
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "abc").unwrap();
        assert_eq!(text(file.path()).unwrap(), "abc");
        assert_eq!(bytes(file.path(), 3).unwrap(), b"abc");
        assert!(bytes(file.path(), 2).is_err());
    }
}
