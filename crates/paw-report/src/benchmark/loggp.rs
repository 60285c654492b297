//! The parameters of LogGP from trains of messages: latency, overhead, gap, and gap per byte, each as far as the intervals carry it.
//!
//! Of n messages of b bytes and an answer, single takes 2 (L + 2 o + (b - 1) G), apart n - 1 overheads o more, and together n - 1 times
//! the larger of o and g + (b - 1) G more (Hoefler, Lichei and Rehm, IPDPS 2007).

use paw_data::axis;
use paw_data::quantity::Quantity;
use paw_data::train;
use paw_sort::OrderBy;

use crate::model::Sentence;
use crate::number::{self, Scale};
use crate::reading::Reading;
use crate::section::Section;

/// How far half a round trip may lie from the line between the shortest and the longest message.
const ON_THE_LINE: f64 = 0.1;

/// Bytes of an element.
const ELEMENT_BYTES: f64 = 8.0;

/// A value and what it may be off by, either way.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Bounded {
    value: f64,
    off: f64,
}

impl Bounded {
    fn of(reading: &Reading<'_>) -> Option<Self> {
        let value = reading.value?;
        Some(Self { value: value.middle, off: value.half_width()? })
    }

    /// This less `times` the other: the most that both may be off by adds up.
    fn less(self, times: f64, other: Self) -> Self {
        Self { value: self.value - times * other.value, off: self.off + times * other.off }
    }

    fn over(self, divisor: f64) -> Self {
        Self { value: self.value / divisor, off: self.off / divisor }
    }

    /// `o = 0.2 ± 0.1 µs`, or what it is below where it may be nothing.
    fn told(self, name: &str) -> String {
        if self.value > self.off {
            let scale = Scale::of(self.value, Quantity::Time);
            let [value, off] = [self.value, self.off].map(|number| scale.digits(number, None));
            return format!("{name} = {value} ± {off} {}", scale.unit);
        }
        match self.value + self.off {
            most if most > 0.0 => format!("{name} is below {}", number::quantity(most, Quantity::Time, None)),
            _ => {
                format!("{name} cannot be told: these trains give less than nothing, as where both sides work at once")
            }
        }
    }
}

/// What trains of one size say.
#[derive(Debug, Clone, Copy)]
struct Size {
    bytes: f64,
    round_trip: Bounded,
    /// Time of a message more, in a train whose messages lie apart: o.
    overhead: Bounded,
    /// The same where they follow each other: the larger of o and g + (b - 1) G.
    gap: Bounded,
}

impl Size {
    /// The size of `n` elements, where all three trains have a number with an interval.
    fn of(section: &Section<'_>, n: i64) -> Option<Self> {
        let train = |word: &str| {
            let is_it = |reading: &&Reading<'_>| {
                let point = &reading.record.cell.point;
                point.int(axis::N) == Some(n) && point.text(axis::TRAIN) == Some(word)
            };
            section.rows.iter().filter(is_it).find(|reading| reading.is_sound())
        };
        let more = |word: &str| {
            let reading = train(word)?;
            let messages = train::messages(&reading.record.cell.point) - 1;
            Some(Bounded::of(reading)?.less(1.0, Bounded::of(train(train::SINGLE)?)?).over(messages as f64))
        };
        Some(Self {
            bytes: ELEMENT_BYTES * n as f64,
            round_trip: Bounded::of(train(train::SINGLE)?)?,
            overhead: more(train::APART)?,
            gap: more(train::TOGETHER)?,
        })
    }

    fn name(&self) -> String {
        number::size(self.bytes)
    }
}

/// The parameters, and how well they tell the time of the sizes between.
pub fn sentences(section: &Section<'_>) -> Vec<Sentence> {
    let mut elements: Vec<i64> = section.rows.iter().filter_map(|row| row.record.cell.point.int(axis::N)).collect();
    elements.sort_unstable();
    elements.dedup();
    let sizes: Vec<Size> = elements.into_iter().filter_map(|n| Size::of(section, n)).collect();
    let sentence = |text: String| Sentence { label: "LogGP".to_owned(), text };
    let [shortest, between @ .., longest] = &sizes[..] else {
        let missing = "two sizes are needed of which all three trains have a number of good or fair trust with an interval: measure more sizes, or again on an idle machine";
        return vec![sentence(missing.to_owned())];
    };
    let per_byte = longest.gap.less(1.0, shortest.gap).over(longest.bytes - shortest.bytes);
    let latency = shortest.round_trip.over(2.0).less(2.0, shortest.overhead).less(shortest.bytes - 1.0, per_byte);
    let parameters = format!(
        "of messages of {}: {}, {}, {}; from there to {}: {} a byte",
        shortest.name(),
        latency.told("L"),
        shortest.overhead.told("o"),
        shortest.gap.told("g"),
        longest.name(),
        per_byte.told("G"),
    );
    let mut told = vec![sentence(parameters)];
    told.extend(fit(shortest, between, longest).map(sentence));
    told
}

/// How far half a round trip of the sizes between lies from a line from the shortest to the longest message.
fn fit(shortest: &Size, between: &[Size], longest: &Size) -> Option<String> {
    let slope = (longest.round_trip.value - shortest.round_trip.value) / (longest.bytes - shortest.bytes);
    let ratio = |size: &Size| {
        let line = shortest.round_trip.value + slope * (size.bytes - shortest.bytes);
        (size.round_trip.value / line, size.name())
    };
    let mut ratios: Vec<(f64, String)> = between.iter().map(ratio).collect();
    ratios.order_by(|a, b| a.0.total_cmp(&b.0));
    let ((least, of_least), (most, of_most)) = (ratios.first()?, ratios.last()?);
    let is_line = *least >= 1.0 - ON_THE_LINE && *most <= 1.0 + ON_THE_LINE;
    let how = if is_line { "one line fits" } else { "no one line fits, as where the library changes its protocol" };
    let ends = [(least, of_least), (most, of_most)].map(|(ratio, size)| format!("{ratio:.2} ({size})"));
    let ratios = if ends[0] == ends[1] { ends[0].clone() } else { ends.join(" to ") };
    Some(format!(
        "between {} and {} a round trip takes {ratios} times what the line from one to the other says: {how}",
        shortest.name(),
        longest.name(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn bounded(value: f64, off: f64) -> Bounded {
        Bounded { value, off }
    }

    #[test]
    fn what_may_be_nothing_is_said_to_be_below_a_bound() {
        assert_eq!(bounded(2e-6, 1e-7).told("o"), "o = 2.00 ± 0.100 µs");
        assert_eq!(bounded(1e-7, 2e-7).told("o"), "o is below 300 ns");
        assert_eq!(
            bounded(-3e-7, 2e-7).told("o"),
            "o cannot be told: these trains give less than nothing, as where both sides work at once"
        );
    }

    #[test]
    fn what_two_numbers_may_be_off_by_adds_up() {
        assert_eq!(bounded(8.0, 1.0).less(2.0, bounded(3.0, 0.5)), bounded(2.0, 2.0));
        assert_eq!(bounded(8.0, 1.0).over(4.0), bounded(2.0, 0.25));
    }

    #[test]
    fn a_bend_between_the_sizes_is_no_line() {
        let size = |bytes: f64, round_trip: f64| Size {
            bytes,
            round_trip: bounded(round_trip, 0.0),
            overhead: bounded(0.0, 0.0),
            gap: bounded(0.0, 0.0),
        };
        let (shortest, longest) = (size(0.0, 1.0), size(100.0, 3.0));
        let text = fit(&shortest, &[size(50.0, 2.1)], &longest).expect("there is one between");
        assert!(text.ends_with("one line fits") && text.contains("takes 1.05 (50 B) times"), "{text}");
        let text = fit(&shortest, &[size(20.0, 1.4), size(50.0, 2.8)], &longest).expect("there are two between");
        assert!(text.contains("1.00 (20 B) to 1.40 (50 B)") && text.contains("no one line fits"), "{text}");
        assert_eq!(fit(&shortest, &[], &longest), None);
    }
}
