//! Source files of a kernel, and what they are written in.

use std::path::{Path, PathBuf};

use super::item::Item;
use super::variant::found;
use super::{Language, SpecError};

/// Languages: what a spec calls each, what people do, and the extensions of its files.
pub const LANGUAGES: &[(&str, &str, Language, &[&str])] = &[
    ("c", "C", Language::C, &["c"]),
    ("c++", "C++", Language::Cpp, &["cc", "cpp", "cxx", "c++", "C"]),
    (
        "fortran",
        "Fortran",
        Language::Fortran,
        &["f90", "f", "f95", "f03", "f08", "for", "F90", "F", "F95", "F03", "F08"],
    ),
    ("rust", "Rust", Language::Rust, &["rs"]),
];

impl Language {
    /// What people call it.
    pub fn name(self) -> &'static str {
        LANGUAGES.iter().find(|(.., language, _)| *language == self).map_or("", |(_, name, ..)| name)
    }

    /// The language of a file by its extension.
    pub fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?;
        LANGUAGES.iter().find(|(.., known)| known.contains(&extension)).map(|(.., language, _)| *language)
    }
}

/// What `language` says.
pub(super) fn language(item: &Item<'_>) -> Result<Language, SpecError> {
    let words: Vec<(&str, Language)> = LANGUAGES.iter().map(|(word, _, language, _)| (*word, *language)).collect();
    item.word(&words)
}

/// The files of `sources`, and what they are written in; `said` is what the spec says of it.
pub(super) fn sources(item: &Item<'_>, said: Option<Language>) -> Result<(Vec<PathBuf>, Language), SpecError> {
    let (mut paths, mut all) = (Vec::new(), said);
    for typed in item.texts()? {
        let error = |message| item.page.error(typed.inside(), message);
        let path = found(item.page, typed.text, typed.inside())?;
        let language = said.or_else(|| Language::of(&path)).ok_or_else(|| {
            error(format!("`{}` is of an unknown language: say `language = \"c\"`, or c++, fortran, rust", typed.text))
        })?;
        let first = *all.get_or_insert(language);
        if first != language {
            let (one, other) = (language.name(), first.name());
            return Err(error(format!(
                "`{}` is {one}, and what stands before it is {other}: a kernel has one language",
                typed.text
            )));
        }
        if language == Language::Rust && !paths.is_empty() {
            return Err(error(format!(
                "`{}` is one too many: a kernel in Rust is one file, which names its modules",
                typed.text
            )));
        }
        paths.push(path);
    }
    match all.filter(|_| !paths.is_empty()) {
        Some(language) => Ok((paths, language)),
        None => Err(item.error("`sources` is empty: name the file that holds the function")),
    }
}
