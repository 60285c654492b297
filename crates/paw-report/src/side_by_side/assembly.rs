//! The hot loops of two builds, instruction by instruction, with the source lines they come from.

use paw_data::code::AssemblyLine;

use crate::model::{Fact, Part};
use crate::side_by_side::{Pair, Side};

/// The listing of each build's busiest loop, one below the other; none where neither run has one.
pub fn parts<'a>(pair: &Pair<'_>) -> Vec<Part<'a>> {
    let sides: Vec<(String, Vec<Fact>)> = [&pair.first, &pair.second].into_iter().filter_map(listing).collect();
    if sides.is_empty() { Vec::new() } else { vec![Part::Builds(sides)] }
}

fn listing(side: &Side<'_>) -> Option<(String, Vec<Fact>)> {
    let lines = from_code(side).or_else(|| from_explanation(side))?;
    let fact = Fact { name: "hot loop".to_owned(), text: lines.join("\n"), is_code: true };
    Some((side.name.clone(), vec![fact]))
}

/// `   12  vaddpd …`: the source line where it changes, then the instruction.
fn from_code(side: &Side<'_>) -> Option<Vec<String>> {
    let (_, _, body) = side.code?.busiest()?;
    let mut before = None;
    let line = |line: &AssemblyLine| {
        let source = line.line.filter(|own| before != Some(*own)).map_or(String::new(), |own| own.to_string());
        before = line.line;
        format!("{source:>5}  {}", line.text)
    };
    let lines: Vec<String> = body.assembly.iter().map(line).collect();
    (!lines.is_empty()).then_some(lines)
}

fn from_explanation(side: &Side<'_>) -> Option<Vec<String>> {
    let hot = side.explained.as_ref()?.explanation.hot.as_ref()?;
    (!hot.listing.is_empty()).then(|| hot.listing.clone())
}
