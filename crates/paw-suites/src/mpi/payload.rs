//! The content of messages: a pattern of sender, length and index, so that the first wrong element is found.

use paw_foreign::mpi::{Datatype, Memory, Part};

use super::element_layout::ElementLayout;

/// Period of the pattern: a prime, so that a shift by a power of two shows, and small enough for exact sums of a thousand ranks.
const PERIOD: u64 = 8191;
/// Content of a receive buffer before a message arrives, and of its gaps thereafter.
const EMPTY: f64 = -1.0;
/// Content of the gaps between elements that are sent.
const UNSENT: f64 = -2.0;

/// Element `index` of a message of `count` elements that `rank` sends.
pub fn value(rank: usize, count: usize, index: usize) -> f64 {
    ((rank as u64 * 1009 + count as u64 * 31 + index as u64) % PERIOD) as f64
}

/// Writes the pattern of `rank` into `part`.
pub fn fill(memory: &Memory, part: Part, rank: usize) {
    write(memory, part, |index| value(rank, part.len(), index));
}

/// Writes the pattern of `rank` into the places of `span` that hold an element by `layout`, and into the gaps what is not to be sent.
pub fn fill_apart(memory: &Memory, span: Part, layout: ElementLayout, rank: usize) {
    let count = span.len() / layout.places();
    write(memory, span, |place| layout.element(place).map_or(UNSENT, |index| value(rank, count, index)));
}

/// A sentence on the first place of `span` that holds neither the element that `rank` sent to it, nor, in a gap, nothing.
pub fn wrong_apart(memory: &Memory, span: Part, layout: ElementLayout, rank: usize) -> Option<String> {
    let count = span.len() / layout.places();
    let expected = |place| layout.element(place).map_or(EMPTY, |index| value(rank, count, index));
    let found = wrong(memory, span, expected);
    if layout == ElementLayout::Contiguous { found } else { found.map(|found| format!("counting gaps, {found}")) }
}

/// Writes into `part` a value that no message holds.
pub fn clear(memory: &Memory, part: Part) {
    write(memory, part, |_| EMPTY);
}

/// Elements written and read at once: messages may fill the memory, so that a whole copy does not fit.
const PIECE: usize = 4096;

/// `part` piece by piece, each with the index of its first element.
fn pieces(part: Part) -> impl Iterator<Item = (usize, Part)> {
    (0..part.len()).step_by(PIECE).map(move |first| {
        let offset_bytes = part.offset_bytes() + first * part.kind().bytes();
        (first, Part::new(offset_bytes, PIECE.min(part.len() - first) as i32, part.kind()))
    })
}

fn write(memory: &Memory, part: Part, of: impl Fn(usize) -> f64) {
    for (first, piece) in pieces(part) {
        let values = (first..first + piece.len()).map(&of);
        match piece.kind() {
            Datatype::Byte => memory.write(piece.offset_bytes(), &values.map(low_bits).collect::<Vec<_>>()),
            _ => memory.write_doubles(piece.offset_bytes(), &values.collect::<Vec<_>>()),
        }
    }
}

/// The byte pattern of a value.
fn low_bits(value: f64) -> u8 {
    value as i64 as u8
}

/// A sentence on the first element of `part` that differs from `expected`.
pub fn wrong(memory: &Memory, part: Part, expected: impl Fn(usize) -> f64) -> Option<String> {
    let narrowed = |x: f64| if part.kind() == Datatype::Byte { f64::from(low_bits(x)) } else { x };
    pieces(part).find_map(|(first, piece)| {
        let found: Vec<f64> = match piece.kind() {
            Datatype::Byte => memory.read(piece).into_iter().map(f64::from).collect(),
            _ => memory.read_doubles(piece),
        };
        let wanted = (first..).map(|index| (index, narrowed(expected(index))));
        let differs = found.into_iter().zip(wanted).find(|(value, (_, wanted))| value != wanted);
        differs.map(|(value, (index, wanted))| {
            format!("element {index} of {} is {value} and should be {wanted}", part.len())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_element_is_found_wherever_it_is() {
        for kind in [Datatype::Byte, Datatype::Double] {
            let part = Part::new(64, 3 * PIECE as i32 + 5, kind);
            let memory = Memory::new(64 + part.bytes()).unwrap();
            let expected = |index| value(1, part.len(), index);
            for index in [0, PIECE - 1, PIECE, part.len() - 1] {
                fill(&memory, part, 1);
                assert_eq!(wrong(&memory, part, expected), None);
                clear(&memory, Part::new(64 + index * kind.bytes(), 1, kind));
                let fault = wrong(&memory, part, expected).expect("one element is not what was sent");
                assert!(fault.starts_with(&format!("element {index} of {}", part.len())), "{fault}");
            }
        }
    }

    #[test]
    fn a_wrong_element_and_a_written_gap_are_found() {
        for layout in [ElementLayout::Vector, ElementLayout::Indexed] {
            let span = Part::new(64, 10 * layout.places() as i32, Datatype::Double);
            let memory = Memory::new(64 + span.bytes()).unwrap();
            let arrived = || {
                clear(&memory, span);
                (0..10).for_each(|index| memory.write_doubles(64 + 8 * layout.place(index), &[value(1, 10, index)]));
            };
            arrived();
            assert_eq!(wrong_apart(&memory, span, layout, 1), None);
            for place in [layout.place(7), layout.place(7) + 1] {
                memory.write_doubles(64 + 8 * place, &[UNSENT]);
                let fault = wrong_apart(&memory, span, layout, 1).expect("one place is not what it should be");
                assert!(fault.starts_with(&format!("counting gaps, element {place} of {}", span.len())), "{fault}");
                arrived();
            }
            fill_apart(&memory, span, layout, 1);
            assert!(wrong_apart(&memory, span, layout, 1).is_some(), "gaps of what is sent differ from what was there");
        }
    }

    #[test]
    fn a_byte_tells_one_rank_from_another_and_from_none() {
        let [first, second, none] = [value(0, 1, 0), value(1, 1, 0), EMPTY].map(low_bits);
        assert!(first != second && first != none && second != none);
    }
}
