//! A file that counts runs.

use std::path::Path;
use std::{fs, io};

/// The number in the file, which is one more afterwards; without a file, 0.
///
/// Runs that overlap may get the same number.
///
/// # Errors
/// The file holds no number, or cannot be read or written.
pub fn next(file: &Path) -> io::Result<u64> {
    let run = match fs::read_to_string(file) {
        Ok(text) => text.trim().parse().map_err(|_| {
            let sentence = format!("{} holds {:?}, which is no count of runs: remove it", file.display(), text.trim());
            io::Error::new(io::ErrorKind::InvalidData, sentence)
        })?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => 0_u64,
        Err(error) => return Err(named(file, &error)),
    };
    fs::write(file, format!("{}\n", run.wrapping_add(1))).map_err(|error| named(file, &error))?;
    Ok(run)
}

fn named(file: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_counted_from_0() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("runs");
        assert_eq!([next(&file).ok(), next(&file).ok(), next(&file).ok()], [Some(0), Some(1), Some(2)]);
    }

    #[test]
    fn a_file_of_something_else_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("runs");
        fs::write(&file, "many").expect("a file");
        let error = next(&file).expect_err("no number").to_string();
        assert!(error.contains("runs holds \"many\""), "{error}");
        assert!(next(folder.path()).is_err());
    }
}
