//! The walls between crates: who may know whom, and where `unsafe` lives.

use syn::spanned::Spanned;
use syn::visit::Visit;
use tidy::{Source, document, manifests, sources};

/// Who may depend on whom, as ARCHITECTURE.md tells it.
const ARROWS: &[(&str, &[&str])] = &[
    (FOR_ALL, &[]),
    ("paw-stats", &[]),
    ("paw-formula", &[]),
    ("paw-native", &[]),
    ("paw-foreign", &[]),
    ("paw-data", &["paw-stats", "paw-formula"]),
    ("paw-measure", &["paw-data", "paw-stats"]),
    ("paw-machine", &["paw-data", "paw-measure", "paw-native"]),
    ("paw-worker", &["paw-data", "paw-measure", "paw-native"]),
    ("paw-devices", &["paw-data", "paw-foreign", "paw-measure", "paw-native"]),
    (
        "paw-suites",
        &[
            "paw-stats",
            "paw-data",
            "paw-measure",
            "paw-machine",
            "paw-native",
            "paw-foreign",
            "paw-worker",
            "paw-devices",
        ],
    ),
    ("paw-perf", &["paw-data", "paw-formula"]),
    (
        "paw-apps",
        &[
            "paw-data",
            "paw-stats",
            "paw-formula",
            "paw-measure",
            "paw-machine",
            "paw-native",
            "paw-worker",
            "paw-perf",
            "paw-binary",
        ],
    ),
    ("paw-binary", &["paw-data"]),
    (
        "paw-kernels",
        &[
            "paw-data",
            "paw-stats",
            "paw-formula",
            "paw-measure",
            "paw-machine",
            "paw-native",
            "paw-worker",
            "paw-perf",
            "paw-binary",
            "paw-foreign",
            "paw-devices",
        ],
    ),
    ("paw-report", &["paw-data", "paw-stats"]),
    (
        "paw",
        &[
            "paw-stats",
            "paw-formula",
            "paw-data",
            "paw-measure",
            "paw-machine",
            "paw-native",
            "paw-foreign",
            "paw-worker",
            "paw-devices",
            "paw-suites",
            "paw-apps",
            "paw-perf",
            "paw-binary",
            "paw-kernels",
            "paw-report",
        ],
    ),
    ("ttbar", &[]),
];

/// The room that all others may know.
const FOR_ALL: &str = "paw-sort";

/// Rooms where `unsafe` may stand; everything else forbids it.
const UNSAFE_ROOMS: &[&str] = &[
    "crates/paw-native/src/",
    "crates/paw-native/examples/",
    "crates/paw-foreign/src/",
    "crates/paw-measure/src/clock/tsc.rs",
    "crates/paw-kernels/src/load",
    "examples/kernels/",
    "testing/mock-",
];

#[test]
fn every_arrow_is_drawn_in_the_design() {
    let is_drawn = |name: &str| name.starts_with("paw") || ARROWS.iter().any(|(crate_name, _)| *crate_name == name);
    for (name, manifest) in manifests().iter().filter(|(name, _)| is_drawn(name)) {
        let (_, allowed) =
            ARROWS.iter().find(|(crate_name, _)| crate_name == name).unwrap_or_else(|| panic!("{name}: no such room"));
        for known in dependencies(manifest).filter(|d| d.starts_with("paw-") && d != FOR_ALL) {
            assert!(allowed.contains(&known.as_str()), "{name} must not know {known}");
        }
    }
}

#[test]
fn every_dependency_has_its_sentence() {
    let architecture = document("ARCHITECTURE.md");
    for (name, manifest) in manifests() {
        for dependency in dependencies(&manifest).filter(|d| !d.starts_with("paw")) {
            assert!(
                architecture.contains(&format!("`{dependency}`")),
                "{name}: ARCHITECTURE.md says nothing of {dependency}"
            );
        }
    }
}

#[test]
fn every_crate_is_in_the_architecture() {
    let architecture = document("ARCHITECTURE.md");
    for (name, _) in manifests() {
        assert!(architecture.contains(&format!("`{name}`")), "ARCHITECTURE.md says nothing of {name}");
    }
}

#[test]
fn unsafe_stands_only_in_its_rooms_and_says_why() {
    for source in sources() {
        let mut finder = UnsafeFinder::default();
        finder.visit_file(&source.syntax());
        let allowed = is_room(&source.path);
        assert!(allowed || finder.lines.is_empty(), "{}:{}: unsafe outside its rooms", source.path, finder.lines[0]);
        for line in finder.blocks {
            assert!(says_why(&source, line), "{}:{line}: an unsafe block without a SAFETY reason", source.path);
        }
    }
}

#[test]
fn crates_without_an_unsafe_room_forbid_it() {
    let sources = sources();
    for root in sources.iter().filter(|s| s.path.ends_with("/src/lib.rs") || s.path.ends_with("/src/main.rs")) {
        let folder = root.path.rsplit_once("src/").map_or("", |(folder, _)| folder);
        let has_room = sources.iter().any(|s| s.path.starts_with(folder) && is_room(&s.path));
        assert!(has_room || root.text.contains("#![forbid(unsafe_code)]"), "{} does not forbid unsafe code", root.path);
    }
}

#[test]
fn only_commands_print_and_exit() {
    let forbidden = ["println!(", "print!(", "process::exit("];
    let is_command =
        |path: &str| path.starts_with("crates/paw/") || path.starts_with("examples/") && path.ends_with("/src/main.rs");
    for source in sources().iter().filter(|s| !s.is_test() && !is_command(&s.path)) {
        for word in forbidden {
            let code = source.text.lines().filter(|l| !l.trim_start().starts_with("//"));
            let hit = code.into_iter().any(|l| l.contains(word));
            assert!(!hit, "{}: {word}…) belongs in the command", source.path);
        }
    }
}

#[test]
fn one_sort_serves_all() {
    let closures = ["by", "by_key", "by_cached_key", "unstable_by", "unstable_by_key"].map(|by| format!(".sort_{by}("));
    let has_its_own = |path: &str| ["crates/paw-sort/src/lib.rs", "crates/paw-stats/src/rank.rs"].contains(&path);
    for source in sources().iter().filter(|s| s.path.starts_with("crates/") && !s.is_test() && !has_its_own(&s.path)) {
        let code = source.text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        for closure in &closures {
            assert!(!code.contains(closure), "{}: `{closure}` is compiled anew: see paw_sort::OrderBy", source.path);
        }
    }
}

fn is_room(path: &str) -> bool {
    path.ends_with("/sys.rs") || UNSAFE_ROOMS.iter().any(|room| path.starts_with(room))
}

/// A block's reason stands in a comment above it, or above the statement or arm it is part of.
fn says_why(source: &Source, line: usize) -> bool {
    let lines: Vec<&str> = source.text.lines().collect();
    let from = line.saturating_sub(8);
    lines[from..line].iter().any(|l| l.contains("SAFETY"))
}

fn dependencies(manifest: &toml::Table) -> impl Iterator<Item = String> {
    let table = manifest.get("dependencies").and_then(|d| d.as_table()).cloned().unwrap_or_default();
    table.into_iter().map(|(name, _)| name)
}

#[derive(Default)]
struct UnsafeFinder {
    lines: Vec<usize>,
    blocks: Vec<usize>,
}

impl<'ast> Visit<'ast> for UnsafeFinder {
    fn visit_expr_unsafe(&mut self, block: &'ast syn::ExprUnsafe) {
        let line = block.span().start().line;
        self.lines.push(line);
        self.blocks.push(line);
        syn::visit::visit_expr_unsafe(self, block);
    }

    fn visit_signature(&mut self, signature: &'ast syn::Signature) {
        if signature.unsafety.is_some() {
            self.lines.push(signature.span().start().line);
        }
        syn::visit::visit_signature(self, signature);
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if item.unsafety.is_some() {
            self.lines.push(item.span().start().line);
        }
        syn::visit::visit_item_impl(self, item);
    }
}
