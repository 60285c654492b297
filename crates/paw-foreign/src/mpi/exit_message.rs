//! A message for the case that a library ends the process: MPI_Init may `exit` instead of returning an error.
#![allow(unsafe_code)]

use std::io::{self, Write};
use std::sync::{Mutex, Once, PoisonError};

/// The message; empty while none is armed.
static WORDS: Mutex<String> = Mutex::new(String::new());
static REGISTERED: Once = Once::new();

/// Arms the message until it is dropped.
#[must_use = "nothing is said once this is dropped"]
pub(super) struct ExitMessage;

impl ExitMessage {
    /// Writes `words` to standard error if the process exits before this is dropped.
    pub(super) fn ready(words: String) -> Self {
        REGISTERED.call_once(|| {
            // SAFETY: the function takes nothing, returns nothing and does not unwind. Where it is refused nothing is said.
            let _refused = unsafe { libc::atexit(say) };
        });
        *WORDS.lock().unwrap_or_else(PoisonError::into_inner) = words;
        Self
    }
}

impl Drop for ExitMessage {
    fn drop(&mut self) {
        WORDS.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

extern "C" fn say() {
    // Another thread holds the lock only while it arms or disarms.
    if let Ok(words) = WORDS.try_lock() {
        drop(io::stderr().write_all(words.as_bytes()));
    }
}
