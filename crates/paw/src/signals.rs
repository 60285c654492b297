//! SIGINT and SIGTERM: the first asks for an end, the second is one.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::low_level::emulate_default_handler;

use crate::exit::Code;
use crate::print;

/// Signals this close together are one: a launcher passes on what the terminal has sent to its ranks already. No finger is as fast.
const ONE_PRESS: Duration = Duration::from_millis(100);

/// How one press of keys arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// As one signal.
    Once,
    /// As one or two: from the terminal, and from the launcher of this rank.
    Twice,
}

/// What has been asked of this process by signals.
#[derive(Debug, Clone, Default)]
pub struct Signals {
    // 0 until the first signal.
    first: Arc<AtomicI32>,
}

impl Signals {
    /// Listens from now on, in a thread that sleeps until a signal comes.
    pub fn listen(delivery: Delivery) -> io::Result<Self> {
        let signals = Self::default();
        let first = Arc::clone(&signals.first);
        let mut incoming = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
        thread::Builder::new().name("signals".to_owned()).spawn(move || {
            let mut began = None;
            for signal in incoming.forever() {
                let began = *began.get_or_insert_with(Instant::now);
                if first.swap(signal, Ordering::SeqCst) != 0 {
                    if delivery == Delivery::Twice && began.elapsed() < ONE_PRESS {
                        continue;
                    }
                    // It ends this process as if nobody had listened; there is nothing left to do should it fail.
                    let _ = emulate_default_handler(signal);
                }
                print::message("paw: finishing the sample and saving; once more to stop at once");
            }
        })?;
        Ok(signals)
    }

    /// The exit code that the first signal asks for, once there was one.
    pub fn code(&self) -> Option<Code> {
        match self.first.load(Ordering::SeqCst) {
            0 => None,
            SIGTERM => Some(Code::Terminated),
            _ => Some(Code::Interrupted),
        }
    }
}
