//! A file read into memory, up to a size.

use std::io::{self, Read};
use std::path::Path;

use crate::error::BinaryError;

/// The bytes of an ordinary file of at most `most` bytes.
pub(crate) fn read(path: &Path, most: u64) -> Result<Vec<u8>, BinaryError> {
    let unreadable = |why| BinaryError::Unreadable { path: path.to_owned(), why };
    let found = std::fs::metadata(path).map_err(unreadable)?;
    if !found.is_file() {
        return Err(unreadable(io::Error::other("not an ordinary file")));
    }
    if found.len() > most {
        return Err(BinaryError::TooLarge { path: path.to_owned(), bytes: found.len(), most });
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(most).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
}
