//! The loops of functions in which samples were found, with their source lines.

use std::collections::{BTreeMap, HashMap};

use paw_binary::function::Code;
use paw_binary::{Function, Image, Lines};
use paw_data::profile::Loop;

/// Most functions of a file that are decoded: the rest, which has few samples each, goes without loops.
const FUNCTIONS_MAX: usize = 2000;

/// Functions of one file, decoded when their first sample comes.
#[derive(Debug, Default)]
pub struct CodeLoops {
    decoded: HashMap<u64, Option<Code>>,
}

impl CodeLoops {
    /// The innermost loop of `function` around `address`; its number within the function makes it unique. Its function is for the caller
    /// to fill in.
    pub fn at(&mut self, image: &Image, function: &Function, lines: Option<&Lines<'_>>, address: u64) -> Option<Loop> {
        if self.decoded.len() >= FUNCTIONS_MAX && !self.decoded.contains_key(&function.start) {
            return None;
        }
        let code = self.decoded.entry(function.start).or_insert_with(|| Code::of(image, function).ok()).as_ref()?;
        let found = &code.loops()[code.innermost_at(address)?];
        let head = code.blocks().get(found.head)?;
        let first = code.instructions().get(head.start)?.ip();
        let (file, lines) = lines.and_then(|lines| extent(code, found, lines)).unwrap_or_default();
        Some(Loop { function: 0, address: first, depth: found.depth as u32, file, lines })
    }
}

/// The file of most of the loop's instructions, and their first and last line in it.
fn extent(code: &Code, found: &paw_binary::function::Loop, lines: &Lines<'_>) -> Option<(String, (u32, u32))> {
    let mut files: BTreeMap<String, (usize, u32, u32)> = BTreeMap::new();
    for place in code.instructions_of(found).filter_map(|instruction| lines.place(instruction.ip())) {
        let (count, first, last) = files.entry(place.file).or_insert((0, place.line, place.line));
        *count += 1;
        (*first, *last) = ((*first).min(place.line), (*last).max(place.line));
    }
    let (file, (_, first, last)) = files.into_iter().max_by_key(|(_, (count, ..))| *count)?;
    Some((file, (first, last)))
}
