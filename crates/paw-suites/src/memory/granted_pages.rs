//! The pages that a cell asks for, held against those that it got.

use paw_data::axis;
use paw_data::outcome::Caveat;
use paw_data::point::Point;
use paw_measure::fault::Fault;
use paw_native::buffer::{Aligned, Number, OutOfMemory, Pages};
use paw_native::page_count::PageCount;

use crate::benchmark::{Axis, Values};

/// The word for small pages.
pub const SMALL: &str = "small";
const HUGE: &str = "huge";
const DEFAULT: &str = "default";

/// The pages of the data.
pub const PAGES: Axis = Axis {
    name: axis::PAGES,
    meaning: "those that the system gives without being asked (default), small ones, or huge ones of 2 MiB (fewer address translations)",
    values: Values::Words(&[DEFAULT, SMALL, HUGE]),
};

/// Small pages and huge ones, side by side.
pub const SMALL_AND_HUGE: Axis = Axis { values: Values::Each(&[SMALL, HUGE]), ..PAGES };

/// Share of huge pages from which on all are called huge: the rest moves a figure by less than its ±.
const ALL: f64 = 0.99;

/// The pages that `point` names; where it names none, the system's own, as programs and the operands of other suites have.
pub fn pages(point: &Point) -> Pages {
    match point.text(axis::PAGES) {
        Some(SMALL) => Pages::Small,
        Some(HUGE) => Pages::Huge,
        _ => Pages::Plain,
    }
}

/// A buffer that was touched, unless the system refused the memory or gave none of the huge pages that it was asked for.
pub fn granted<T: Number>(made: Result<Aligned<T>, OutOfMemory>) -> Result<Aligned<T>, Fault> {
    let buffer = made.map_err(|error| Fault::Missing(error.to_string()))?;
    refuse(buffer.pages(), buffer.page_count())?;
    Ok(buffer)
}

/// A fault where pages that were to be huge are all small.
pub fn refuse(asked: Pages, found: Option<PageCount>) -> Result<(), Fault> {
    match found {
        Some(count) if asked == Pages::Huge && count.all_bytes > 0 && count.huge_bytes == 0 => Err(Fault::Missing(
            "the kernel gave no huge page to who asked (/sys/kernel/mm/transparent_hugepage/enabled, or no free memory in one piece)"
                .to_owned(),
        )),
        _ => Ok(()),
    }
}

/// What is to be said of buffers that were to have pages of one kind, by the counts of each.
pub fn caveat(asked: Pages, found: impl IntoIterator<Item = Option<PageCount>>) -> Option<Caveat> {
    let found = found.into_iter().try_fold(PageCount::default(), |sum, count| Some(sum + count?));
    let mixed = |share: f64, action: &str| {
        let cause = format!("{:.1} % of the data are on huge pages now, by the kernel's count", 100.0 * share);
        Some(Caveat::new("mixed-pages", cause, action))
    };
    match (asked, found.map(|count| (count, count.huge_share()))) {
        (Pages::Plain, _) => None,
        (Pages::Huge, None) => Some(Caveat::new(
            "untold-pages",
            "the kernel does not tell whether pages are huge (AnonHugePages in /proc/self/smaps)",
            "hold the figure against pages=small",
        )),
        (Pages::Huge, Some((count, share))) if count.all_bytes > 0 && share < ALL => {
            mixed(share, "free memory in large pieces (/proc/sys/vm/compact_memory), or ask for less")
        }
        (Pages::Small, Some((_, share))) if share > 0.0 => {
            mixed(share, "switch huge pages off (/sys/kernel/mm/transparent_hugepage/enabled)")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(huge: u64) -> Option<PageCount> {
        Some(PageCount { huge_bytes: huge << 20, all_bytes: 1000 << 20 })
    }

    fn said(asked: Pages, counts: &[Option<PageCount>]) -> String {
        caveat(asked, counts.iter().copied()).map_or(String::new(), |caveat| format!("{} {}", caveat.id, caveat.cause))
    }

    #[test]
    fn pages_that_are_not_what_they_are_called_are_told_with_their_share() {
        assert_eq!(said(Pages::Huge, &[count(1000), count(990)]), "");
        assert!(said(Pages::Huge, &[count(1000), count(500)]).starts_with("mixed-pages 75.0 % of the data"));
        assert!(said(Pages::Huge, &[count(1000), None]).starts_with("untold-pages"));
        assert!(said(Pages::Small, &[count(0), count(2)]).starts_with("mixed-pages 0.1 %"));
        assert_eq!(said(Pages::Small, &[count(0), None]), "");
        assert_eq!(said(Pages::Plain, &[count(500)]), "", "the system gives what it gives");
        assert_eq!(said(Pages::Huge, &[Some(PageCount::default())]), "", "no data");
    }

    #[test]
    fn huge_pages_of_which_there_is_none_are_no_huge_pages() {
        assert!(refuse(Pages::Huge, count(0)).is_err_and(|fault| fault.to_string().contains("no huge page")));
        assert!(refuse(Pages::Huge, count(2)).is_ok() && refuse(Pages::Huge, None).is_ok());
        assert!(refuse(Pages::Small, count(0)).is_ok() && refuse(Pages::Plain, count(0)).is_ok());
    }
}
