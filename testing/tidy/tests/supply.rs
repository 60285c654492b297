//! What comes from others: licences, sources and versions of dependencies, against deny.toml.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use tidy::{document, root};

/// A crate of others that paw is built or tested with.
struct Foreign {
    name: String,
    version: String,
    source: String,
}

/// The packages of Cargo.lock that come from elsewhere.
fn foreign() -> Vec<Foreign> {
    let lock: toml::Table = document("Cargo.lock").parse().unwrap();
    let packages = lock["package"].as_array().unwrap().iter();
    let text = |package: &toml::Value, key: &str| package.get(key).and_then(toml::Value::as_str).map(str::to_owned);
    packages
        .filter_map(|package| {
            let source = text(package, "source")?;
            Some(Foreign { name: text(package, "name")?, version: text(package, "version")?, source })
        })
        .collect()
}

fn rules() -> toml::Table {
    document("deny.toml").parse().unwrap()
}

#[test]
fn every_dependency_comes_from_the_registry() {
    let foreign = foreign();
    assert!(foreign.len() > 50, "{}", foreign.len());
    for Foreign { name, source, .. } in foreign {
        assert!(source.starts_with("registry+"), "{name} comes from {source}");
    }
}

/// One package a line, with its licence between blanks: `cargo tree` reads what is built on this system from the manifests themselves.
fn licences() -> BTreeMap<String, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let arguments = ["tree", "--workspace", "--locked", "--offline", "--edges", "normal,build,dev", "--prefix", "none"];
    let output =
        Command::new(cargo).current_dir(root()).args(arguments).args(["--format", "{p}\t{l}"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let of_line = |line: &str| {
        let (package, licence) = line.trim_end_matches(" (*)").split_once('\t')?;
        Some((package.split(" (").next()?.to_owned(), licence.to_owned()))
    };
    text.lines().filter_map(of_line).collect()
}

/// Whether a licence can be met with the allowed ones alone: every part joined by AND has an alternative that is allowed.
fn is_met(licence: &str, allowed: &BTreeSet<String>) -> bool {
    let alternatives = |part: &str| {
        part.replace(['(', ')'], "").replace('/', " OR ").split(" OR ").any(|one| allowed.contains(one.trim()))
    };
    !licence.is_empty() && licence.split(" AND ").all(alternatives)
}

#[test]
fn every_licence_is_allowed() {
    let allowed =
        rules()["licenses"]["allow"].as_array().unwrap().iter().map(|l| l.as_str().unwrap().to_owned()).collect();
    for (licence, met) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("GPL-2.0 OR MIT", true),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("MIT AND GPL-3.0", false),
        ("Unlicense/MIT", true),
        ("", false),
    ] {
        assert_eq!(is_met(licence, &allowed), met, "{licence:?}");
    }
    let licences = licences();
    assert!(licences.len() > 50, "{}", licences.len());
    let foreign: Vec<_> = licences.iter().filter(|(_, licence)| !is_met(licence, &allowed)).collect();
    assert!(foreign.is_empty(), "licences that deny.toml does not allow: {foreign:?}");
}

#[test]
fn no_dependency_has_two_versions_but_those_of_deny_toml() {
    let skipped = rules()["bans"]["skip"].as_array().unwrap().clone();
    let is_skipped = |name: &str| {
        skipped.iter().any(|skip| skip["crate"].as_str().is_some_and(|krate| krate.split('@').next() == Some(name)))
    };
    let built: BTreeSet<_> = licences().into_keys().collect();
    let mut versions = BTreeMap::<String, BTreeSet<String>>::new();
    for Foreign { name, version, .. } in foreign() {
        if built.contains(&format!("{name} v{version}")) {
            versions.entry(name).or_default().insert(version);
        }
    }
    for (name, versions) in versions {
        assert!(
            versions.len() == 1 || is_skipped(&name),
            "{name} is built in {} versions: {versions:?}",
            versions.len()
        );
    }
}
