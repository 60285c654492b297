//! Random updates a second: `random_access`, the GUPS of HPC Challenge.

use std::rc::Rc;

use paw_data::axis;
use paw_data::headline::Pick;
use paw_data::outcome::{Caveat, Check};
use paw_data::point::{AxisValue, Point};
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;
use paw_native::buffer::{Aligned, Pages};
use paw_native::random_access::{SEQUENCES, Updates};

use crate::answer;
use crate::benchmark::{Axis, Benchmark, Common, Figure, Own, Start, Values};
use crate::engine::Engine;
use crate::host::Host;
use crate::memory::granted_pages::{PAGES, caveat, granted, pages};

/// Each thread changes random words of its part of a table.
pub const RANDOM_ACCESS: Benchmark = Own {
    name: "random_access",
    purpose: "How many random words does memory change in a second? (A thousand million of them are one GUPS.)",
    timed: "each thread changes random words of its own part of a table, eight sequences side by side",
    formula: "1024*threads; updates: a word is read, changed and written",
    work: |point| Work { updates: (UPDATES * threads(point)) as f64, ..Work::default() },
    start,
}
.of(Common {
    headline: Quantity::Updates,
    axes: &[BYTES, PAGES],
    memory_bytes: |point| point.float(axis::BYTES).unwrap_or(0.0),
    ..super::BANDWIDTH
})
.figures(&[Figure { line: 45, preference: 0, label: "updates", pick: Pick::Best }]);

const BYTES: Axis = Axis {
    name: axis::BYTES,
    meaning: "bytes of the table; each thread's part is the largest power of two that fits",
    values: Values::Machine(table_sizes),
};

/// Updates that each thread makes in one iteration.
const UPDATES: u64 = 1024;

fn table_sizes(host: &Host) -> Vec<AxisValue> {
    vec![AxisValue::Int(host.memory_bytes_for(super::CACHES * host.all_last_caches_bytes(), 1) as i64)]
}

fn threads(point: &Point) -> u64 {
    point.int(axis::THREADS).unwrap_or(1).unsigned_abs()
}

struct RandomAccess {
    engine: Rc<Engine>,
    /// The parts of all threads, one after the other; each word is its place in the table until it is changed.
    table: Aligned<u64>,
    /// Words of a part: a power of two.
    part: usize,
    /// Where each thread is in its sequences.
    updates: Vec<Updates>,
    pages: Pages,
}

fn start(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let threads = start.engine.native()?.pool.threads();
    let words = start.point.int(axis::BYTES).unwrap_or(0).max(0) as usize / 8 / threads;
    let part = words.checked_ilog2().map_or(0, |log| 1_usize << log);
    if part < Aligned::<u64>::PAGE_LEN {
        return Err(Fault::Missing("each thread's part of the table is a page of 4096 bytes at least".to_owned()));
    }
    let pages = pages(start.point);
    let table = places(start.engine, part * threads, pages)?;
    let updates = (0..threads).map(Updates::of_worker).collect();
    Ok(Box::new(RandomAccess { engine: Rc::clone(start.engine), table, part, updates, pages }))
}

/// A table whose words are their places.
fn places(engine: &Engine, len: usize, pages: Pages) -> Result<Aligned<u64>, Fault> {
    granted(Aligned::try_filled(len, pages, &engine.native()?.pool, |index| index as u64))
}

impl RandomAccess {
    /// Goes on with the updates: `loops` times [`UPDATES`] of each thread.
    fn update(&mut self, loops: u64) -> Result<(), Fault> {
        let rounds = loops * UPDATES / SEQUENCES as u64;
        let mut own: Vec<(&mut [u64], &mut Updates)> =
            self.table.chunks_exact_mut(self.part).zip(&mut self.updates).collect();
        self.engine.native()?.pool.run_parts(&mut own, 1, |_, _, own| {
            for (part, updates) in own {
                updates.apply(part, rounds);
            }
        });
        Ok(())
    }
}

impl Timed for RandomAccess {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let start = clock.start();
        self.update(loops)?;
        let stop = clock.stop();
        Ok(clock.seconds(start, stop))
    }

    /// Changes a fresh table, and makes the same changes a second time by the same sequences: every word is its place again, and was not
    /// in between.
    fn verify(&mut self) -> Result<Check, Fault> {
        let before = self.updates.clone();
        self.renew()?;
        let is_place = |(index, word): (usize, &u64)| *word == index as u64;
        self.update(1)?;
        let changed = self.table.iter().enumerate().filter(|entry| !is_place(*entry)).count();
        self.updates = before;
        self.update(1)?;
        let wrong = self.table.iter().enumerate().find(|entry| !is_place(*entry)).map(|(index, _)| index);
        let wrong = match wrong {
            Some(index) => Some(format!("word {index} is not restored by the same updates")),
            // Of 512 words, the least that a part has, 1024 random updates leave about 70 out.
            None if changed < 100 * self.updates.len() => Some(format!("only {changed} words were changed")),
            None => None,
        };
        Ok(answer::exact("every word is restored by the same updates", wrong))
    }

    fn renew(&mut self) -> Result<(), Fault> {
        self.table = places(&self.engine, self.table.len(), self.pages)?;
        Ok(())
    }

    fn threads(&self) -> Vec<i32> {
        self.engine.threads()
    }

    fn caveats(&self) -> Vec<Caveat> {
        caveat(self.pages, [self.table.page_count()]).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use paw_data::outcome::CheckVerdict::{Fail, Pass};

    use super::*;
    use crate::engine::local;

    #[test]
    fn a_table_that_no_update_changes_is_found() {
        let engine = local(&[]).expect("our own code runs everywhere");
        let table = places(&engine, 1024, Pages::Plain).expect("there is room");
        let updates = vec![Updates::of_worker(0)];
        let mut random = RandomAccess { engine, table, part: 1024, updates, pages: Pages::Plain };
        random.time(3, &Clock::monotonic()).expect("it runs");
        assert_eq!(random.verify().expect("it runs").verdict, Pass);
        // No part of the table is as long.
        random.part = 2048;
        assert_eq!(random.verify().expect("it runs").verdict, Fail);
    }
}
