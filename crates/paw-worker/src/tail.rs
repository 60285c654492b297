//! The last lines a process printed: its output is drained so that it never blocks, and only the end is kept.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Bytes kept: a page of text, enough for the loader's or a panic's message.
const KEPT: usize = 4096;
/// Lines reported: what fits into one sentence.
const LINES_REPORTED: usize = 4;
/// How long to wait for the output of a process that has ended. It is in the pipe already; only a descendant that holds the pipe
/// open causes a wait.
const ARRIVAL: Duration = Duration::from_millis(500);

/// The last lines of a process's output.
#[derive(Debug, Clone)]
pub(crate) struct OutputTail(Arc<(Mutex<TailState>, Condvar)>);

#[derive(Debug, Default)]
struct TailState {
    bytes: VecDeque<u8>,
    ended: bool,
}

impl OutputTail {
    /// Drains `source` on a thread of its own until it ends.
    pub(crate) fn of(mut source: impl Read + Send + 'static) -> Self {
        let tail = Self(Arc::default());
        let kept = tail.clone();
        thread::spawn(move || {
            let mut buffer = [0; KEPT];
            while let Ok(count @ 1..) = source.read(&mut buffer) {
                kept.keep(&buffer[..count]);
            }
            kept.end();
        });
        tail
    }

    /// The last lines, or the first ones of a panic, joined by `|`; empty if nothing was printed.
    pub(crate) fn last_words(&self) -> String {
        let (words, ended) = &*self.0;
        let words = words.lock().unwrap_or_else(PoisonError::into_inner);
        let (words, _) =
            ended.wait_timeout_while(words, ARRIVAL, |words| !words.ended).unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = words.bytes.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        // A panic's message comes before its backtrace.
        let panic = lines.iter().position(|line| line.contains(" panicked at "));
        let first = panic.unwrap_or(lines.len().saturating_sub(LINES_REPORTED));
        let last: Vec<&str> = lines[first..].iter().copied().take(LINES_REPORTED).collect();
        last.join(" | ")
    }

    fn keep(&self, bytes: &[u8]) {
        let mut words = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        words.bytes.extend(bytes);
        let excess = words.bytes.len().saturating_sub(KEPT);
        words.bytes.drain(..excess);
    }

    fn end(&self) {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner).ended = true;
        self.0.1.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_lines_are_reported() {
        let long: String = (0..100_000).map(|line| format!("line {line}\n")).collect();
        let tail = OutputTail::of(std::io::Cursor::new(long.into_bytes()));
        assert_eq!(tail.last_words(), "line 99996 | line 99997 | line 99998 | line 99999");
    }

    #[test]
    fn a_silent_process_has_no_last_words() {
        assert_eq!(OutputTail::of(std::io::empty()).last_words(), "");
    }
}
