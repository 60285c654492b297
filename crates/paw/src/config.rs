//! `paw.toml`: the paths of libraries, and of the history.

use std::io;
use std::path::{Path, PathBuf};

use paw_data::bounded;
use serde::Deserialize;

use crate::failure::Failure;

/// Name of the file; it is looked for in the current directory.
const FILE: &str = "paw.toml";

/// The settings of `paw.toml`.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// BLAS libraries to measure with the embedded one.
    #[serde(default)]
    pub blas: Paths,
    /// The directory of the history.
    pub history: Option<PathBuf>,
}

/// One path or several.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "expected a path or a list of paths")]
pub enum Paths {
    One(PathBuf),
    Many(Vec<PathBuf>),
}

impl Default for Paths {
    fn default() -> Self {
        Paths::Many(Vec::new())
    }
}

impl Paths {
    pub fn as_slice(&self) -> &[PathBuf] {
        match self {
            Paths::One(path) => std::slice::from_ref(path),
            Paths::Many(paths) => paths,
        }
    }
}

/// Reads `paw.toml` in `directory`; without the file nothing is set.
pub fn read(directory: &Path) -> Result<Config, Failure> {
    match bounded::text(&directory.join(FILE)) {
        Ok(text) => parse(&text).map_err(Failure::usage),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Config::default()),
        Err(error) => Err(Failure::io(format!("cannot read {FILE}: {error}"))),
    }
}

fn parse(text: &str) -> Result<Config, String> {
    toml::from_str(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        let line = 1 + text[..start.min(text.len())].matches('\n').count();
        format!("{FILE}:{line}: {}", error.message().lines().collect::<Vec<_>>().join(": "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blas(text: &str) -> Vec<PathBuf> {
        parse(text).unwrap().blas.as_slice().to_vec()
    }

    #[test]
    fn a_library_is_a_path_or_a_list() {
        assert_eq!(blas("blas = '/opt/libx.so'"), [PathBuf::from("/opt/libx.so")]);
        assert_eq!(blas("blas = ['a.so', 'b.so']"), [PathBuf::from("a.so"), PathBuf::from("b.so")]);
        assert!(blas("# nothing\n").is_empty());
    }

    #[test]
    fn an_error_names_its_line() {
        let cases = [
            ("\nblass = 'x'\n", "paw.toml:2: unknown field `blass`, expected `blas` or `history`"),
            ("# libraries\n\nblas = 7\n", "paw.toml:3: expected a path or a list of paths"),
        ];
        for (text, expected) in cases {
            assert_eq!(parse(text).unwrap_err(), expected);
        }
        assert!(parse("blas = [").unwrap_err().starts_with("paw.toml:1: "));
    }
}
