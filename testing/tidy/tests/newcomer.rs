//! The recipe in CONTRIBUTING.md, applied to a copy of the sources: one new file, two lines, and the benchmark is there and right.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tidy::{TOPS, document, root};

/// The heading above the recipe, and the one that ends it.
const RECIPE: (&str, &str) = ("## Recipe: a new benchmark", "\n## ");

/// What the copy is asked beside its own tests.
const PROBE: &str = r#"//! The new benchmark is in the catalogue, and its cells say where reports show it.

use paw_data::headline::Family;

#[test]
fn the_new_benchmark_is_there() {
    let write = paw_suites::named("write").expect("it is in the catalogue");
    let place = write.report_place();
    assert_eq!((place.family, place.figures[0].label.as_str()), (Family::Memory, "write"));
    assert!(write.quick.is_none() && write.aliases.is_empty() && write.dat.is_none(), "nothing is inherited unseen");
}
"#;

#[test]
fn adding_a_benchmark_is_one_new_file_and_two_lines() {
    let contributing = document("CONTRIBUTING.md");
    let recipe = contributing.split(RECIPE.0).nth(1).expect("the recipe has its heading");
    let recipe = recipe.split(RECIPE.1).next().unwrap_or(recipe);
    let [file, module, entry] = &code_blocks(recipe)[..] else { panic!("the recipe is one file and two lines") };
    assert_eq!((module.lines().count(), entry.lines().count()), (1, 1), "the recipe is two lines");

    let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join("newcomer");
    copy_sources(&root(), &copy);
    let suites = copy.join("crates/paw-suites");
    fs::write(suites.join("src/memory/write.rs"), file).expect("the copy takes a new file");
    let contents = suites.join("src/memory.rs");
    let table = fs::read_to_string(&contents).expect("the suite has its table of contents");
    let table = insert_after(&table, "pub mod ", module);
    fs::write(&contents, insert_after(&table, "    &", entry)).expect("the copy takes two lines");
    fs::write(suites.join("tests/newcomer.rs"), PROBE).expect("the copy takes a test");

    let mut cargo = Command::new(env!("CARGO"));
    // What is compiled for one short run need not be fast.
    let manifest: toml::Table = document("Cargo.toml").parse().expect("the manifest is TOML");
    let optimised = manifest["profile"]["dev"]["package"].as_table().expect("tests have optimised packages");
    for package in optimised.keys() {
        cargo.args(["--config", &format!("profile.dev.package.{package}.opt-level=0")]);
    }
    cargo.args(["--config", "profile.dev.debug=false"]);
    cargo.args(["test", "--offline", "--locked", "-p", "paw-suites", "--test", "newcomer", "--test", "catalogue"]);
    // A target folder of its own: cargo takes what it built of the copy for the original's, where both share one.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("newcomer-target");
    let output = cargo.current_dir(&copy).env("CARGO_TARGET_DIR", target).output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The texts between ```rust and ```, in order.
fn code_blocks(text: &str) -> Vec<String> {
    text.split("```rust\n").skip(1).filter_map(|rest| Some(rest.split("```").next()?.to_owned())).collect()
}

/// `text` with `line` after its last line that begins with `prefix`.
fn insert_after(text: &str, prefix: &str, line: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let last = lines.iter().rposition(|l| l.starts_with(prefix)).expect("the table of contents has such a line");
    let (before, after) = lines.split_at(last + 1);
    [before, &[line.trim_end()], after].concat().join("\n") + "\n"
}

fn copy_sources(from: &Path, to: &Path) {
    if to.exists() {
        fs::remove_dir_all(to).expect("an old copy can be removed");
    }
    for name in ["Cargo.toml", "Cargo.lock", "rust-toolchain.toml"] {
        fs::create_dir_all(to).expect("the copy has a place");
        fs::copy(from.join(name), to.join(name)).expect("the root's files are readable");
    }
    for name in TOPS {
        copy_tree(&from.join(name), &to.join(name));
    }
}

fn copy_tree(from: &Path, to: &PathBuf) {
    fs::create_dir_all(to).expect("the copy has room");
    for entry in fs::read_dir(from).expect("a folder is readable") {
        let path = entry.expect("an entry is readable").path();
        let target = to.join(path.file_name().expect("an entry has a name"));
        if path.is_dir() {
            copy_tree(&path, &target);
        } else {
            fs::copy(&path, &target).expect("a file is copied");
        }
    }
}
