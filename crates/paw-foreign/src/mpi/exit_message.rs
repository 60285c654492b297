//! What is said where a library ends the process: MPI_Init does so by `exit` instead of returning an error.
#![allow(unsafe_code)]

use std::io::{self, Write};
use std::sync::{Mutex, Once, PoisonError};

/// The sentence, while there is one.
static WORDS: Mutex<String> = Mutex::new(String::new());
static REGISTERED: Once = Once::new();

/// Holds the sentence ready; dropped, the process has outlived what might have ended it.
#[must_use = "nothing is said once this is dropped"]
pub(super) struct ExitMessage;

impl ExitMessage {
    /// Has `words` said on standard error if the process exits before this is dropped.
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
    // Another thread that holds it is the one that ends the process.
    if let Ok(words) = WORDS.try_lock() {
        drop(io::stderr().write_all(words.as_bytes()));
    }
}
