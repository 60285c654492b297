//! A profile as a chapter of the page.

use paw_data::profile::Profile;

use crate::model::{Chapter, Fact, Part, Picture, Plots, Sentence};
use crate::plot::flame::flame;
use crate::profile::{sentence, tables};

/// The chapter of `profile`.
pub fn chapter(profile: &Profile) -> Chapter<'_> {
    let command = crate::machine::command_line(&profile.command);
    let name = if profile.cell.is_some() { profile.name.clone() } else { String::new() };
    let facts = [("profile", name), ("command", command), ("sampled", sentence::tally(profile))];
    let facts = facts.into_iter().filter(|(_, text)| !text.is_empty());
    let tables = [tables::functions, tables::loops, tables::lines, tables::threads];
    let mut parts = vec![Part::Remarks(sentence::remarks(profile))];
    parts
        .extend(tables.map(|table| table(profile)).into_iter().filter(|t| !t.is_empty()).map(|t| Part::Table(t, None)));
    parts.insert(1, Part::Plots(Plots::new(|_| pictures(profile)), Vec::new()));
    let notes = profile.notes.iter().map(|note| Sentence::from(note.clone()));
    parts.push(Part::Remarks(notes.collect()));
    Chapter {
        subject: "profile".to_owned(),
        title: profile.name.clone(),
        facts: Fact::list(facts, &["command"]),
        parts,
        ..Chapter::default()
    }
}

fn pictures(profile: &Profile) -> Vec<Picture> {
    let svg = flame(profile).into_iter();
    svg.map(|svg| Picture { svg, title: "Flame graph".to_owned(), caption: CAPTION.to_owned(), legend: Vec::new() })
        .collect()
}

/// What a flame graph shows.
const CAPTION: &str = "Each box is as wide as its share of the samples, and lies under its caller; under a function are its loops and lines. \
    Callers are found by frame pointers, which optimised code often lacks: a function may then lie under no caller, or under its caller's.";
