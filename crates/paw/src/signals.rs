//! SIGINT, SIGTERM and SIGHUP: the first asks for an orderly end, the second ends the process.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::low_level::emulate_default_handler;

use crate::exit::Code;
use crate::print;
use crate::step_process;

/// Signals this close together count as one: a launcher, or a campaign, forwards the signal that its ranks or its step already got from
/// the terminal.
const ONE_PRESS: Duration = Duration::from_millis(100);
/// As long for a step: the paw of its campaign forwards a signal once it has a processor, which a busy machine may deny it for a while.
const ONE_PRESS_OF_STEP: Duration = Duration::from_secs(1);

/// How often one press of Ctrl-C arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// The signal arrives once.
    Once,
    /// The signal may arrive twice: from the terminal, and forwarded by the launcher. So does that of a campaign's step.
    Twice,
}

/// The signals this process has received. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Signals {
    // 0 until the first signal.
    first: Arc<AtomicI32>,
}

impl Signals {
    /// Starts a thread that sleeps until a signal arrives.
    pub fn listen(delivery: Delivery) -> io::Result<Self> {
        // The tie to a campaign is a property of this thread.
        let (delivery, one_press) = match step_process::is_step() {
            true => (Delivery::Twice, ONE_PRESS_OF_STEP),
            false => (delivery, ONE_PRESS),
        };
        let signals = Self::default();
        let first = Arc::clone(&signals.first);
        let mut incoming = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
        if !is_hangup_ignored() {
            incoming.add_signal(SIGHUP)?;
        }
        thread::Builder::new().name("signals".to_owned()).spawn(move || {
            let mut began = None;
            for signal in incoming.forever() {
                let began = *began.get_or_insert_with(Instant::now);
                if first.swap(signal, Ordering::SeqCst) != 0 {
                    if delivery == Delivery::Twice && began.elapsed() < one_press {
                        continue;
                    }
                    // Ends this process as an unhandled signal does; there is nothing to do if that fails.
                    let _ = emulate_default_handler(signal);
                }
                print::message("paw: finishing the sample and saving; once more to stop at once");
            }
        })?;
        Ok(signals)
    }

    /// The exit code for the first signal; `None` before it.
    pub fn code(&self) -> Option<Code> {
        match self.first.load(Ordering::SeqCst) {
            0 => None,
            SIGTERM => Some(Code::Terminated),
            SIGHUP => Some(Code::HungUp),
            _ => Some(Code::Interrupted),
        }
    }
}

/// Lets a write beyond the limit of file sizes fail as on a full disk, where SIGXFSZ would end the process and lose what is not saved.
pub fn outlive_file_limit() {
    // Without the handler the signal keeps its default action.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// Whether this process was started to ignore SIGHUP, as nohup does: proc(5), `SigIgn`.
pub fn is_hangup_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 << (SIGHUP - 1) != 0)
}
