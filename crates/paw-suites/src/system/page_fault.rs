//! The first touch of a page: `page_fault`.

use std::rc::Rc;

use paw_data::axis;
use paw_data::outcome::Check;
use paw_data::work::Work;
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;
use paw_native::system::{FreshPages, PageSize, ThreadCounts};

use crate::answer;
use crate::benchmark::{Axis, Benchmark, Common, Own, Start, Values};
use crate::engine::Engine;

/// Seconds of the first write to a page of anonymous memory.
pub const PAGE_FAULT: Benchmark = Own {
    name: "page_fault",
    purpose: "What does the first touch of a page cost?",
    timed: "the first write to each page of fresh memory: the fault, and the kernel's clearing of the page; the mapping is not timed",
    formula: "1; one page",
    work: |_| Work::default(),
    start,
}
.of(Common { axes: &[PAGES], memory_bytes: |_| CHUNK_BYTES as f64, ..super::COST });

const SMALL: &str = "small";
const HUGE: &str = "huge";
const PAGES: Axis = Axis {
    name: axis::PAGES,
    meaning: "small pages (4 KiB on x86-64), or huge ones of 2 MiB",
    values: Values::Each(&[SMALL, HUGE]),
};

/// Memory that is mapped at a time.
const CHUNK_BYTES: usize = 64 << 20;

struct PageFault {
    engine: Rc<Engine>,
    size: PageSize,
}

fn start(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let size = if start.point.text(axis::PAGES) == Some(HUGE) { PageSize::Huge } else { PageSize::Small };
    let fault = PageFault { engine: Rc::clone(start.engine), size };
    if size == PageSize::Huge && fault.touch(HUGE_TRIED, None)?.unlike_pages().is_some() {
        let why = "the kernel gives no huge pages to who asks (/sys/kernel/mm/transparent_hugepage/enabled)";
        return Err(Fault::Missing(why.to_owned()));
    }
    Ok(Box::new(fault))
}

/// Faults that a thread may have beside those of its fresh pages.
const FAULTS_BESIDE: i64 = 8;

/// Pages touched to learn whether the kernel gives huge ones.
const HUGE_TRIED: usize = 4;

/// What touching pages took.
#[derive(Debug, Default)]
struct Touched {
    seconds: f64,
    /// Faults that the kernel counted.
    faults: i64,
    pages: usize,
}

impl Touched {
    /// Why the seconds are not those of one fault a page: huge pages that ran out are many small ones, and one fault may bring several.
    fn unlike_pages(&self) -> Option<String> {
        let (faults, pages) = (self.faults, self.pages as i64);
        let is_right = faults >= pages && faults <= pages + pages / 10 + FAULTS_BESIDE;
        (!is_right).then(|| format!("the kernel counted {faults} faults for {pages} pages of the asked size"))
    }
}

impl PageFault {
    /// Touches `pages` fresh pages.
    fn touch(&self, pages: usize, clock: Option<&Clock>) -> Result<Touched, Fault> {
        let mut all = Touched::default();
        let most = CHUNK_BYTES / self.size.bytes();
        while all.pages < pages {
            let count = most.min(pages - all.pages);
            let refused = || Fault::Missing("the system refused 64 MiB of memory".to_owned());
            let mut fresh = FreshPages::new(count, self.size).ok_or_else(refused)?;
            let before = ThreadCounts::now().minor_faults;
            let start = clock.map(Clock::start);
            fresh.touch(0..count);
            if let (Some(clock), Some(start)) = (clock, start) {
                all.seconds += clock.seconds(start, clock.stop());
            }
            all.faults += ThreadCounts::now().minor_faults - before;
            all.pages += count;
        }
        Ok(all)
    }
}

impl Timed for PageFault {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        self.engine.native()?.pool.run_on_caller(|| ());
        let touched = self.touch(loops as usize, Some(clock))?;
        touched.unlike_pages().map_or(Ok(touched.seconds), |why| Err(Fault::Broken(why)))
    }

    /// Counts the kernel's faults: one a page.
    fn verify(&mut self) -> Result<Check, Fault> {
        Ok(answer::exact("one fault a page", self.touch(64, None)?.unlike_pages()))
    }

    fn threads(&self) -> Vec<i32> {
        self.engine.threads()
    }
}
