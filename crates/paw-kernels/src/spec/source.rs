//! Source files of a kernel and their languages.

use std::path::{Path, PathBuf};

use paw_data::document::{Document, DocumentError, Text, Texts};

use super::Language;

/// The languages with their names in prose and the extensions of their files.
const LANGUAGES: &[(&str, Language, &[&str])] = &[
    ("C", Language::C, &["c"]),
    ("C++", Language::Cpp, &["cc", "cpp", "cxx", "c++", "C"]),
    ("Fortran", Language::Fortran, &["f90", "f", "f95", "f03", "f08", "for", "F90", "F", "F95", "F03", "F08"]),
    ("Rust", Language::Rust, &["rs"]),
];

impl Language {
    /// Its name in prose.
    pub fn name(self) -> &'static str {
        LANGUAGES.iter().find(|(_, language, _)| *language == self).map_or("", |(name, ..)| name)
    }

    /// The language of a file by its extension.
    pub fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?;
        LANGUAGES.iter().find(|(.., known)| known.contains(&extension)).map(|(_, language, _)| *language)
    }
}

/// The files of `sources` and their language; `said` is the spec's `language`, if it has one.
pub(super) fn sources(
    document: &Document<'_>,
    typed: &Texts,
    said: Option<Language>,
) -> Result<(Vec<PathBuf>, Language), DocumentError> {
    let (mut paths, mut all) = (Vec::new(), said);
    for typed in &typed.texts {
        let name = &typed.text;
        let error = |message| document.error(document.inside(typed), message);
        let path = existing(document, typed)?;
        let language = said.or_else(|| Language::of(&path)).ok_or_else(|| {
            error(format!("`{name}` is of an unknown language: say `language = \"c\"`, or c++, fortran, rust"))
        })?;
        let first = *all.get_or_insert(language);
        if first != language {
            let (one, other) = (language.name(), first.name());
            return Err(error(format!(
                "`{name}` is {one}, and what stands before it is {other}: a kernel has one language"
            )));
        }
        if language == Language::Rust && !paths.is_empty() {
            return Err(error(format!(
                "`{name}` is one too many: a kernel in Rust is one file, which names its modules"
            )));
        }
        paths.push(path);
    }
    match all.filter(|_| !paths.is_empty()) {
        Some(language) => Ok((paths, language)),
        None => {
            let message = "`sources` is empty: name the file that holds the function";
            Err(document.error(typed.span.clone(), message))
        }
    }
}

/// The absolute path of an existing file, which was typed relative to the document's directory.
pub(super) fn existing(document: &Document<'_>, typed: &Text) -> Result<PathBuf, DocumentError> {
    let path = document.path.parent().unwrap_or(Path::new("")).join(&typed.text);
    let path = std::path::absolute(&path).unwrap_or(path);
    if path.is_file() {
        return Ok(path);
    }
    let message = format!("there is no file {}: write its path as seen from this file's directory", path.display());
    Err(document.error(document.inside(typed), message))
}
