//! The workspace as its own tests read it: sources, manifests and documents. The claims stand under `tests/`.
#![forbid(unsafe_code)]

use std::fs;
use std::path::{Path, PathBuf};

/// One Rust file of the workspace.
pub struct Source {
    /// Path from the root of the workspace, with `/`.
    pub path: String,
    /// Its text.
    pub text: String,
}

impl Source {
    /// Its syntax tree.
    pub fn syntax(&self) -> syn::File {
        syn::parse_file(&self.text).unwrap_or_else(|error| panic!("{}: {error}", self.path))
    }

    /// Whether the file lies in a folder of tests, examples or benches, or in a crate made for tests.
    pub fn is_test(&self) -> bool {
        self.path.starts_with("testing/")
            || ["/tests/", "/examples/", "/benches/"].iter().any(|d| self.path.contains(d))
    }
}

/// Folders of the workspace whose folders are crates.
pub const TOPS: [&str; 3] = ["crates", "examples", "testing"];

/// Root of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("testing/tidy lies two below the root")
        .to_path_buf()
}

/// Every Rust file below [`TOPS`].
pub fn sources() -> Vec<Source> {
    let root = root();
    let mut paths = Vec::new();
    for top in TOPS {
        walk(&root.join(top), &mut paths);
    }
    paths.sort();
    paths.into_iter().map(|path| source(&root, &path)).collect()
}

/// Every member's manifest: its folder and its parsed text.
pub fn manifests() -> Vec<(String, toml::Table)> {
    let root = root();
    let mut found = Vec::new();
    for top in TOPS {
        let folders = fs::read_dir(root.join(top)).expect("the workspace has this folder");
        for folder in folders.map(|e| e.expect("a readable entry").path()) {
            let Ok(text) = fs::read_to_string(folder.join("Cargo.toml")) else { continue };
            let name = folder.file_name().expect("a folder has a name").to_string_lossy().into_owned();
            found.push((name, text.parse().expect("a manifest is TOML")));
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

/// Text of a file at the root.
pub fn document(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|e| panic!("{name} at the root: {e}"))
}

fn walk(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the workspace is readable") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            if path.file_name().is_some_and(|n| n != "target") {
                walk(&path, paths);
            }
        } else if path.extension().is_some_and(|e| e == "rs") {
            paths.push(path);
        }
    }
}

fn source(root: &Path, path: &Path) -> Source {
    let text = fs::read_to_string(path).expect("a source is text");
    let path = path.strip_prefix(root).expect("below the root").to_string_lossy().into_owned();
    Source { path, text }
}
