//! The vocabulary: the field's words for types and modules, plain English in comments, and a short glossary.

use syn::visit::Visit;
use tidy::{Source, document, sources};

/// Words that no systems engineer would search for: no type and no module has one of them in its name.
const DIALECT: &[&str] = &[
    "bank",
    "beside",
    "company",
    "crew",
    "heed",
    "letters",
    "meeting",
    "muster",
    "neck",
    "patience",
    "roster",
    "rung",
    "scrutiny",
    "surroundings",
    "told",
    "vigil",
    "witness",
];

/// Words that stand for too much to be a whole name; as part of one (`ByteOrder`) they are fine.
const TOO_WIDE: &[&str] =
    &["apart", "board", "cadence", "carry", "entry", "here", "look", "order", "seat", "shape", "whole"];

/// Turns of phrase that a reader has to decode; the comments of the crates hold none of them.
const RIDDLES: &[&str] = &["one who ", "so many", "speak against", "speaks against", "stands here", "what becomes of"];

/// The glossary is short enough to be learned.
const GLOSSARY_MAX: usize = 40;

#[test]
fn types_and_modules_have_the_names_of_the_field() {
    let mut found = Vec::new();
    for source in sources().iter().filter(|s| !s.is_test()) {
        let mut names = NameFinder::default();
        names.visit_file(&source.syntax());
        found.extend(names.0.iter().filter(|n| is_dialect(n)).map(|name| format!("{}: {name}", source.path)));
        found.extend(file_stem(source).into_iter().filter(|stem| is_dialect(stem)).map(|_| source.path.clone()));
    }
    assert!(found.is_empty(), "rename to what an engineer would search for:\n{}", found.join("\n"));
}

#[test]
fn comments_hold_no_riddles() {
    let mut found = Vec::new();
    for source in sources().iter().filter(|s| !s.is_test()) {
        let lines = (1..).zip(source.text.lines());
        let comments = lines.filter(|(_, line)| line.trim_start().starts_with("//"));
        found.extend(
            comments
                .filter(|(_, line)| RIDDLES.iter().any(|riddle| line.contains(riddle)))
                .map(|(number, line)| format!("{}:{number}: {}", source.path, line.trim())),
        );
    }
    assert!(found.is_empty(), "say it plainly, subject first:\n{}", found.join("\n"));
}

#[test]
fn the_glossary_can_be_learned() {
    let architecture = document("ARCHITECTURE.md");
    let glossary = architecture.split("\n## Glossary\n").nth(1).expect("ARCHITECTURE.md has a glossary");
    let glossary = glossary.split("\n## ").next().unwrap_or(glossary);
    let words: Vec<&str> = glossary.lines().filter_map(|line| line.strip_prefix("- **")?.split("**").next()).collect();
    assert!((1..=GLOSSARY_MAX).contains(&words.len()), "{} words in the glossary", words.len());
    let mut sorted = words.clone();
    sorted.sort_by_key(|word| word.to_lowercase());
    assert_eq!(words, sorted, "the glossary is in the order of the alphabet");
}

/// Whether a type's or module's name has a word of the dialect in it, or is nothing but a word too wide.
fn is_dialect(name: &str) -> bool {
    let words = words(name);
    words.iter().any(|word| DIALECT.contains(&word.as_str()))
        || words.len() == 1 && TOO_WIDE.contains(&words[0].as_str())
}

/// The words of `CamelCase` or `snake_case`, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for letter in name.chars() {
        if letter == '_' || letter.is_uppercase() {
            words.push(String::new());
        }
        if letter != '_' {
            words.last_mut().expect("there is a word").extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The name of a source's module.
fn file_stem(source: &Source) -> Option<&str> {
    source.path.rsplit('/').next()?.strip_suffix(".rs")
}

#[derive(Default)]
struct NameFinder(Vec<String>);

impl<'ast> Visit<'ast> for NameFinder {
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.0.push(item.ident.to_string());
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.0.push(item.ident.to_string());
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.0.push(item.ident.to_string());
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.0.push(item.ident.to_string());
    }
}
