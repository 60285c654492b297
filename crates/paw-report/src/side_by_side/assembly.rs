//! The hot loops of two builds, instruction by instruction, beside the source lines they come from.

use paw_data::code::{Code, FunctionCode, LoopBody, LoopCode, words};

use crate::model::{Listing, Part, Stretch};
use crate::side_by_side::{Pair, Side};

/// The listing of each build's hot loop, one below the other; none where neither run has one.
pub fn parts<'a>(pair: &Pair<'_>) -> Vec<Part<'a>> {
    let sides = [&pair.first, &pair.second];
    let listings: Vec<Listing> = sides.into_iter().filter_map(|side| from_code(side).or_else(|| plain(side))).collect();
    if listings.is_empty() { Vec::new() } else { vec![Part::Listings(listings)] }
}

fn from_code(side: &Side<'_>) -> Option<Listing> {
    let code = side.code?;
    let (function, found, body) = side.hot_loop()?;
    let stretches = stretches(code, found, body);
    let left = (found.instructions as usize).saturating_sub(body.assembly.len());
    let place = words::place(function, found);
    (!stretches.is_empty()).then(|| Listing {
        title: side.name.clone(),
        place,
        note: note(&stretches, left),
        stretches,
    })
}

/// What the listing lacks, and what would add it.
fn note(stretches: &[Stretch], left: usize) -> String {
    let cut = (left > 0).then(|| format!("{left} more instructions are not in the run."));
    let has = |what: &dyn Fn(&Stretch) -> bool| stretches.iter().any(what);
    let bare = if !has(&|stretch| !stretch.line.is_empty()) {
        Some("Which source lines these come from is not in the run.".to_owned())
    } else if !has(&|stretch| !stretch.source.is_empty()) {
        Some("The run has the numbers of the lines and not their text.".to_owned())
    } else {
        None
    };
    cut.into_iter().chain(bare).collect::<Vec<_>>().join(" ")
}

fn stretches(code: &Code, found: &LoopCode, body: &LoopBody) -> Vec<Stretch> {
    let own = found.source.as_ref().map_or("", |source| source.file.as_str());
    let mut stretches: Vec<Stretch> = Vec::new();
    let mut before = None;
    for line in &body.assembly {
        let place = line.line.map(|number| (line.file.as_deref().unwrap_or(own), number));
        if before != Some(place) {
            let label = place.map_or(String::new(), |(file, number)| match file.rsplit('/').next() {
                Some(name) if file != own => format!("{name}:{number}"),
                _ => number.to_string(),
            });
            let source = place.and_then(|(file, number)| code.source_line(file, number)).unwrap_or_default();
            let is_repeated = stretches.iter().any(|known| known.line == label);
            stretches.push(Stretch { line: label, source: source.to_owned(), is_repeated, instructions: Vec::new() });
        }
        before = Some(place);
        if let Some(last) = stretches.last_mut() {
            last.instructions.push(line.text.clone());
        }
    }
    let indent = |stretch: &Stretch| stretch.source.len() - stretch.source.trim_start().len();
    // What was inlined from another file has an indent of its own.
    let is_own = |stretch: &&mut Stretch| !stretch.line.contains(':');
    let own = stretches.iter_mut().filter(is_own).filter(|stretch| !stretch.source.trim().is_empty());
    let common = own.map(|stretch| indent(stretch)).min().unwrap_or(0);
    stretches.iter_mut().filter(is_own).for_each(|own| own.source = own.source.chars().skip(common).collect());
    stretches
}

/// The instructions alone, as the loop that was taken apart has them.
fn plain(side: &Side<'_>) -> Option<Listing> {
    let hot = side.explained.as_ref()?.explanation.hot.as_ref()?;
    let stretch =
        Stretch { line: String::new(), source: String::new(), is_repeated: false, instructions: hot.listing.clone() };
    let place = format!("{} at {:#x}", hot.function, hot.address);
    let note = note(std::slice::from_ref(&stretch), 0);
    (!hot.listing.is_empty()).then(|| Listing { title: side.name.clone(), place, stretches: vec![stretch], note })
}

impl<'r> Side<'r> {
    /// The loop in which most instructions were executed, as counted; else the one that looks busiest in the code.
    pub fn hot_loop(&self) -> Option<(&'r FunctionCode, &'r LoopCode, &'r LoopBody)> {
        let code = self.code?;
        let hot = self.explained.as_ref().and_then(|explained| explained.explanation.hot.as_ref());
        let counted = hot.and_then(|hot| {
            let all = code.functions.iter().flat_map(|function| {
                function.loops.iter().filter_map(move |found| Some((function, found, found.body.as_ref()?)))
            });
            all.into_iter().find(|(_, found, _)| found.start == hot.address)
        });
        counted.or_else(|| code.busiest())
    }
}
