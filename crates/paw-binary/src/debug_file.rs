//! Debug information that a distribution installs in a file of its own.

use std::path::{Path, PathBuf};

use object::Object;
use object::read::File;

/// Where distributions install such files.
const ROOT: &str = "/usr/lib/debug";

/// The file that belongs to `file`, found by build identifier or by the name that `file` has for it. Both must have the same identifier.
pub(crate) fn find(path: &Path, file: &File<'_>, most: u64) -> Option<(PathBuf, Vec<u8>)> {
    let id = file.build_id().ok().flatten().filter(|id| id.len() > 2)?;
    let candidates = by_identifier(id).into_iter().chain(linked(path, file).into_iter().flatten());
    candidates.into_iter().find_map(|candidate| {
        let bytes = crate::bounded_file::read(&candidate, most).ok()?;
        let same = File::parse(&*bytes).ok()?.build_id().ok().flatten() == Some(id);
        same.then_some((candidate, bytes))
    })
}

/// Places where GDB looks for the name in `.gnu_debuglink`.
fn linked(path: &Path, file: &File<'_>) -> Option<Vec<PathBuf>> {
    let (name, _) = file.gnu_debuglink().ok().flatten()?;
    let name = std::str::from_utf8(name).ok().filter(|name| !name.contains('/') && !name.is_empty())?;
    let whole = std::fs::canonicalize(path).ok()?;
    let folder = whole.parent()?;
    let installed = Path::new(ROOT).join(folder.strip_prefix("/").ok()?);
    Some(vec![folder.join(".debug").join(name), installed.join(name), folder.join(name)])
}

/// The debug information that several files share, which `dwz` moves into one of its own.
pub(crate) enum Shared {
    /// All of it is in the file itself.
    None,
    /// The contents of that file.
    Found(Vec<u8>),
    /// That file is not here, or it is another one of the same name.
    Missing(PathBuf),
}

/// What the debug information of `file`, which was read from `path`, shares with others (`.gnu_debugaltlink`).
pub(crate) fn shared(path: &Path, file: &File<'_>, most: u64) -> Shared {
    let Some((name, id)) = file.gnu_debugaltlink().ok().flatten() else { return Shared::None };
    let Ok(name) = std::str::from_utf8(name) else { return Shared::None };
    let beside = path.parent().unwrap_or(Path::new("")).join(name);
    let installed = by_identifier(id);
    let found = std::iter::once(beside.clone()).chain(installed).find_map(|candidate| {
        let bytes = crate::bounded_file::read(&candidate, most).ok()?;
        let same = File::parse(&*bytes).ok()?.build_id().ok().flatten() == Some(id);
        same.then_some(bytes)
    });
    found.map_or(Shared::Missing(beside), Shared::Found)
}

/// Where a debug file of this identifier is installed.
fn by_identifier(id: &[u8]) -> Option<PathBuf> {
    let hex: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
    (id.len() > 2).then(|| Path::new(ROOT).join(".build-id").join(&hex[..2]).join(format!("{}.debug", &hex[2..])))
}
