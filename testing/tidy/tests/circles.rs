//! Circles of modules: files of one crate that use each other, directly or through others.
//!
//! A name that a module re-exports belongs to the module that defines it. What a module uses of its own submodules is no arrow:
//! they are parts of it.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::Visit;
use tidy::{Source, sources};

/// How many circles a crate still has. A number only ever falls; a crate that is not named has none.
const ALLOWED: &[(&str, usize)] = &[];

/// What every file of a crate uses of its own crate, by path of the file.
type Graph = BTreeMap<String, BTreeSet<String>>;

#[test]
fn modules_of_a_crate_form_no_new_circle() {
    let graphs = graphs(&sources());
    let found: Vec<(&str, Vec<Vec<String>>)> =
        graphs.iter().map(|(name, graph)| (name.as_str(), circles(graph))).collect();
    println!("{} circles of modules in the workspace", found.iter().map(|(_, circles)| circles.len()).sum::<usize>());
    let mut excess = Vec::new();
    for (name, circles) in &found {
        let shown: String = circles.iter().map(|circle| format!("\n  {}", circle.join(" "))).collect();
        let allowed = ALLOWED.iter().find(|(allowed, _)| allowed == name).map_or(0, |(_, most)| *most);
        match circles.len() {
            n if n > allowed => excess.push(format!("{name}: {n} circles, {allowed} allowed:{shown}")),
            n if n < allowed => excess.push(format!("{name}: {n} circles: lower the {allowed} of the table")),
            0 => {}
            n => println!("{name}: {n}{shown}"),
        }
    }
    assert!(excess.is_empty(), "{}", excess.join("\n"));
}

#[test]
fn a_circle_is_found_and_a_tree_is_none() {
    let graph = |arrows: &[(&str, &str)]| {
        let mut graph = Graph::new();
        for (from, to) in arrows {
            graph.entry((*to).to_owned()).or_default();
            graph.entry((*from).to_owned()).or_default().insert((*to).to_owned());
        }
        circles(&graph)
    };
    assert!(graph(&[("a", "b"), ("a", "c"), ("b", "c")]).is_empty());
    assert_eq!(graph(&[("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]), [["a", "b", "c"]]);
    assert_eq!(graph(&[("a", "b"), ("b", "a"), ("c", "d"), ("d", "c"), ("b", "c")]), [["a", "b"], ["c", "d"]]);
}

/// The graph of each crate's `src`, tests left out.
fn graphs(sources: &[Source]) -> BTreeMap<String, Graph> {
    let mut crates: BTreeMap<String, Modules> = BTreeMap::new();
    for source in sources {
        if let Some((name, file)) = source.path.strip_prefix("crates/").and_then(|path| path.split_once("/src/")) {
            crates.entry(name.to_owned()).or_default().insert(module(file), source);
        }
    }
    crates.iter().map(|(name, modules)| (name.clone(), graph(modules))).collect()
}

/// The files of a crate by the path of the module that they hold.
type Modules<'s> = BTreeMap<Path, &'s Source>;

/// A path from the root of the crate.
type Path = Vec<String>;

/// The path of the module that a file below `src` holds.
fn module(file: &str) -> Path {
    let parts: Path = file.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if parts == ["lib"] || parts == ["main"] { Vec::new() } else { parts }
}

fn graph(modules: &Modules<'_>) -> Graph {
    let paths: BTreeMap<&Path, Paths> =
        modules.iter().map(|(own, source)| (own, paths(own, source, modules))).collect();
    let fronts: BTreeMap<Path, Path> = paths.values().flat_map(|found| found.fronts.clone()).collect();
    let label = |module: &[String]| if module.is_empty() { "crate".to_owned() } else { module.join("::") };
    let arrows = paths.iter().map(|(own, found)| {
        let targets = found.used.iter().filter_map(|path| target(path, &fronts, modules));
        (label(own), targets.filter(|target| !target.starts_with(own)).map(|t| label(&t)).collect())
    });
    arrows.collect()
}

/// The module that has the item `path`: behind re-exports, of which a parent may be the front of its children.
fn target(path: &[String], fronts: &BTreeMap<Path, Path>, modules: &Modules<'_>) -> Option<Path> {
    let mut path = path.to_vec();
    for _ in 0..8 {
        let behind = (1..=path.len()).rev().find_map(|n| fronts.get(&path[..n]).map(|origin| (n, origin)));
        let Some((n, origin)) = behind else { break };
        path = origin.iter().chain(&path[n..]).cloned().collect();
    }
    // The longest module that the path begins with; what follows is an item of it.
    (0..=path.len()).rev().map(|n| path[..n].to_vec()).find(|part| modules.contains_key(part))
}

/// The paths of a file that lead into its own crate.
#[derive(Default)]
struct Paths {
    /// Those of what it uses.
    used: Vec<Path>,
    /// The names it re-exports, and whence.
    fronts: Vec<(Path, Path)>,
}

fn paths(own: &Path, source: &Source, modules: &Modules<'_>) -> Paths {
    let mut finder = PathFinder { own, modules, found: Paths::default() };
    finder.visit_file(&source.syntax());
    finder.found
}

/// Finds [`Paths`] outside tests.
struct PathFinder<'m> {
    own: &'m Path,
    modules: &'m Modules<'m>,
    found: Paths,
}

impl PathFinder<'_> {
    /// `segments` from the root of the crate; `None` where they name another crate, or an item of this file.
    fn absolute(&self, segments: &[String]) -> Option<Path> {
        let (mut base, mut rest) = match segments.first()?.as_str() {
            "crate" => (Vec::new(), &segments[1..]),
            "self" => (self.own.clone(), &segments[1..]),
            "super" => (self.own.clone(), segments),
            child => {
                let is_child = self.modules.contains_key(&[self.own.as_slice(), &[child.to_owned()]].concat());
                is_child.then(|| (self.own.clone(), segments))?
            }
        };
        while rest.first().is_some_and(|segment| segment == "super") {
            base.pop();
            rest = &rest[1..];
        }
        base.extend(rest.iter().cloned());
        Some(base)
    }

    /// The items of a `use`: their paths, and the names they get.
    fn items(tree: &syn::UseTree, before: &[String], found: &mut Vec<(Path, String)>) {
        let with = |ident: &syn::Ident| before.iter().cloned().chain([ident.to_string()]).collect::<Path>();
        match tree {
            syn::UseTree::Path(path) => Self::items(&path.tree, &with(&path.ident), found),
            syn::UseTree::Name(name) => found.push((with(&name.ident), name.ident.to_string())),
            syn::UseTree::Rename(rename) => found.push((with(&rename.ident), rename.rename.to_string())),
            syn::UseTree::Glob(_) => found.push((before.to_vec(), "*".to_owned())),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| Self::items(tree, before, found)),
        }
    }
}

impl<'ast> Visit<'ast> for PathFinder<'_> {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let mut items = Vec::new();
        Self::items(&item.tree, &[], &mut items);
        for (path, name) in items {
            let Some(origin) = self.absolute(&path) else { continue };
            if matches!(item.vis, syn::Visibility::Inherited) {
                self.found.used.push(origin);
            } else {
                self.found.fronts.push((self.own.iter().cloned().chain([name]).collect(), origin));
            }
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Path = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.found.used.extend(self.absolute(&segments).filter(|_| segments.len() > 1));
        syn::visit::visit_path(self, path);
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        let is_test = module.attrs.iter().any(|a| a.path().is_ident("cfg"));
        if !is_test {
            syn::visit::visit_item_mod(self, module);
        }
    }
}

/// Strongly connected components of more than one module: sets each of whose modules reaches all others.
fn circles(graph: &Graph) -> Vec<Vec<String>> {
    let reached: BTreeMap<&String, BTreeSet<&String>> = graph.keys().map(|from| (from, reach(graph, from))).collect();
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for from in graph.keys() {
        let both = reached[from].iter().filter(|to| reached.get(*to).is_some_and(|back| back.contains(from)));
        let circle: Vec<String> = both.map(|module| (*module).clone()).collect();
        if circle.len() > 1 && seen.insert(circle.clone()) {
            found.push(circle);
        }
    }
    found
}

/// Every module that `from` uses, directly or through others.
fn reach<'g>(graph: &'g Graph, from: &'g String) -> BTreeSet<&'g String> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(next) = open.pop() {
        for to in graph.get(next).into_iter().flatten() {
            if reached.insert(to) {
                open.push(to);
            }
        }
    }
    reached
}
