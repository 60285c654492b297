//! The shape of files and functions.

use std::collections::BTreeSet;

use syn::spanned::Spanned;
use syn::visit::Visit;
use tidy::{Source, sources};

/// A file past this is two rooms.
const FILE_LINES_MAX: usize = 400;
/// A function past this does not fit a screen.
const FUNCTION_LINES_MAX: usize = 70;
/// Names that say nothing of what is inside.
const NAMELESS: &[&str] = &["utils", "util", "common", "helpers", "helper", "shared", "misc", "mod"];

#[test]
fn every_file_is_a_room_of_one_screenful_of_thought() {
    for source in sources() {
        let lines = source.text.lines().count();
        assert!(lines <= FILE_LINES_MAX, "{} has {lines} lines: split it", source.path);
    }
}

#[test]
fn every_function_fits_a_screen() {
    for source in sources() {
        let mut finder = FunctionFinder::default();
        finder.visit_file(&source.syntax());
        for (name, line, length) in finder.functions {
            assert!(length <= FUNCTION_LINES_MAX, "{}:{line}: {name} has {length} lines: split it", source.path);
        }
    }
}

#[test]
fn every_file_begins_with_what_it_is_for() {
    for source in sources() {
        assert!(source.text.starts_with("//!"), "{} does not say what the room is for", source.path);
    }
}

#[test]
fn every_file_is_a_noun() {
    for source in sources() {
        let name = source.path.rsplit('/').next().unwrap_or_default().trim_end_matches(".rs");
        assert!(!NAMELESS.contains(&name), "{}: name it after the thing it holds", source.path);
    }
}

/// A file that no `mod` lists is not compiled, and its tests do not run.
#[test]
fn every_file_is_listed() {
    let sources = sources();
    let listed: BTreeSet<String> = sources.iter().flat_map(modules).collect();
    for source in sources.iter().filter(|s| s.path.contains("/src/")) {
        let is_root = ["/src/lib.rs", "/src/main.rs"].iter().any(|r| source.path.ends_with(r))
            || source.path.contains("/src/bin/");
        assert!(is_root || listed.contains(&source.path), "{}: no module lists it", source.path);
    }
}

#[test]
fn nothing_is_left_undone_or_switched_off() {
    let words = ["todo!", "unimplemented!"].map(|w| format!("{w}("));
    let switches = ["ignore", "should_panic"].map(|w| format!("#[{w}"));
    for source in sources() {
        for word in words.iter().chain(&switches) {
            assert!(!source.text.contains(word.as_str()), "{}: {word} stands here", source.path);
        }
    }
}

/// Paths that the `mod name;` items of a file stand for, in both places Rust looks.
fn modules(source: &Source) -> Vec<String> {
    let (folder, file) = source.path.rsplit_once('/').unwrap_or(("", &source.path));
    let stem = file.trim_end_matches(".rs");
    let base = if stem == "lib" || stem == "main" { folder.to_owned() } else { format!("{folder}/{stem}") };
    let syntax = source.syntax();
    let items = syntax.items.iter();
    let outer = items.filter_map(|item| match item {
        syn::Item::Mod(module) if module.content.is_none() => Some(module.ident.to_string()),
        _ => None,
    });
    outer.map(|name| format!("{base}/{name}.rs")).collect()
}

#[derive(Default)]
struct FunctionFinder {
    functions: Vec<(String, usize, usize)>,
}

impl FunctionFinder {
    fn note(&mut self, signature: &syn::Signature, whole: proc_macro2::Span) {
        let (from, to) = (signature.span().start().line, whole.end().line);
        self.functions.push((signature.ident.to_string(), from, to + 1 - from));
    }
}

impl<'ast> Visit<'ast> for FunctionFinder {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.note(&function.sig, function.span());
        syn::visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.note(&function.sig, function.span());
        syn::visit::visit_impl_item_fn(self, function);
    }
}
