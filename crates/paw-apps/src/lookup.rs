//! Finds the program of a command as execvp(3) does.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The search path where PATH is not set.
const PATH_DEFAULT: &str = "/bin:/usr/bin";

/// The kind of file at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileKind {
    Program,
    Folder,
    NotExecutable,
    Nothing,
}

/// The path of the program `word`, searched in `path` (the value of PATH) from `directory`. A relative path stays
/// relative to `directory`, into which the process changes first.
///
/// # Errors
/// A sentence that says what is wrong with `word`, and the way out.
pub fn program(word: &str, path: Option<&OsStr>, directory: &Path) -> Result<PathBuf, String> {
    if word.is_empty() {
        return Err("the command has no name: its first word is empty".to_owned());
    }
    if word.contains('/') {
        return match look(&directory.join(word)) {
            FileKind::Program => Ok(word.into()),
            FileKind::Folder => Err(format!("{word} is a directory: name a program in it")),
            FileKind::NotExecutable => Err(not_executable(Path::new(word))),
            FileKind::Nothing => Err(format!("{word} is not there, seen from {}: check the path", directory.display())),
        };
    }
    let path = path.map_or_else(|| OsString::from(PATH_DEFAULT), OsStr::to_owned);
    let mut refused = None;
    for folder in path.as_bytes().split(|byte| *byte == b':') {
        // An empty entry of PATH is the working directory.
        let folder = Path::new(OsStr::from_bytes(if folder.is_empty() { b"." } else { folder }));
        let candidate = folder.join(word);
        match look(&directory.join(&candidate)) {
            FileKind::Program => return Ok(candidate),
            FileKind::NotExecutable => refused = refused.or(Some(candidate)),
            FileKind::Folder | FileKind::Nothing => {}
        }
    }
    Err(match refused {
        Some(file) => not_executable(&file),
        None if look(&directory.join(word)) == FileKind::Program => {
            format!("{word} is not in PATH ({}), but in {}: write ./{word}", path.display(), directory.display())
        }
        None => format!("{word} is not in PATH ({}): check the spelling, or write its path", path.display()),
    })
}

/// The error for a file without permission to execute.
pub(crate) fn not_executable(file: &Path) -> String {
    let file = file.display();
    format!(
        "{file} is not executable (chmod +x {file}, or a file system mounted with noexec, or a script to be given to its interpreter)"
    )
}

fn look(path: &Path) -> FileKind {
    const ANY_X: u32 = 0o111;
    match fs::metadata(path) {
        Ok(data) if data.is_dir() => FileKind::Folder,
        Ok(data) if data.permissions().mode() & ANY_X == 0 => FileKind::NotExecutable,
        Ok(_) => FileKind::Program,
        Err(_) => FileKind::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let file = |name: &str, mode| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("in a folder")).expect("a folder");
            fs::write(&path, "").expect("a file");
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("its permissions");
        };
        file("first/data", 0o644);
        file("second/data", 0o755);
        file("second/tool", 0o755);
        file("here", 0o755);
        fs::create_dir(folder.path().join("first/tool")).expect("a folder of the tool's name");
        folder
    }

    fn check(word: &str, path: &str, expected: Result<&str, &str>) {
        let folder = folder();
        let told = program(word, Some(OsStr::new(path)), folder.path());
        let told = told.map_err(|why| why.replace(&folder.path().display().to_string(), "HERE"));
        match expected {
            Ok(file) => assert_eq!(told, Ok(PathBuf::from(file)), "{word} in {path}"),
            Err(why) => assert!(told.as_ref().is_err_and(|told| told.starts_with(why)), "{told:?}"),
        }
    }

    #[test]
    fn the_first_executable_file_of_the_path_is_the_program() {
        check("tool", "first:second", Ok("second/tool"));
        check("data", "first:second", Ok("second/data"));
        check("here", "first::second", Ok("./here"));
        check("second/tool", "", Ok("second/tool"));
    }

    #[test]
    fn what_is_no_program_is_told_with_the_way_out() {
        check("tol", "first:second", Err("tol is not in PATH (first:second): check the spelling"));
        check("here", "first", Err("here is not in PATH (first), but in HERE: write ./here"));
        check("data", "first", Err("first/data is not executable (chmod +x first/data"));
        check("./data", "first", Err("./data is not there, seen from HERE"));
        check("first/data", "", Err("first/data is not executable"));
        check("./second", "", Err("./second is a directory"));
        check("", "first", Err("the command has no name"));
    }

    #[test]
    fn without_a_path_the_usual_folders_are_searched() {
        assert_eq!(program("sh", None, Path::new("/")), Ok(PathBuf::from("/bin/sh")));
    }
}
