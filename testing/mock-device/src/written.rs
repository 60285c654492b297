//! Which bytes of a device's memory were ever written, and how often others were read.

use std::fs;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::config::Config;

/// Addresses that were written, as ranges that neither overlap nor touch.
#[derive(Debug, Default)]
pub(crate) struct Written(Vec<Range<usize>>);

impl Written {
    /// Notes one more range.
    pub(crate) fn add(&mut self, mut new: Range<usize>) {
        self.0.retain(|old| {
            let is_apart = old.end < new.start || new.end < old.start;
            if !is_apart {
                new = old.start.min(new.start)..old.end.max(new.end);
            }
            is_apart
        });
        self.0.push(new);
    }

    /// Whether all of a range was written.
    pub(crate) fn holds(&self, range: Range<usize>) -> bool {
        range.is_empty() || self.0.iter().any(|old| old.start <= range.start && range.end <= old.end)
    }
}

/// Counts a read of what was never written, in the file that the configuration names.
pub(crate) fn count_unwritten() {
    static READS: Mutex<u64> = Mutex::new(0);
    let mut reads = READS.lock().unwrap_or_else(PoisonError::into_inner);
    *reads += 1;
    let file = &Config::chosen().unwritten;
    if !file.as_os_str().is_empty() {
        fs::write(file, reads.to_string()).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    }
}

#[cfg(test)]
mod tests {
    use super::Written;

    #[test]
    fn a_range_is_written_when_all_of_it_is() {
        let mut written = Written::default();
        assert!(!written.holds(0..1) && written.holds(5..5));
        written.add(0..10);
        written.add(20..30);
        assert!(written.holds(2..10) && written.holds(20..30));
        assert!(!written.holds(5..11) && !written.holds(9..21));
        written.add(10..20);
        assert!(written.holds(0..30) && !written.holds(0..31));
    }
}
