//! A message for the case that a library ends the process: MPI_Init may `exit` instead of returning an error.
#![allow(unsafe_code)]

use std::io::{self, Write};
use std::sync::{Mutex, Once, PoisonError};

/// Makes the message when it is needed; an empty one is not written.
pub type MakeMessage = Box<dyn FnOnce() -> String + Send>;

/// `None` while no message is armed.
static MESSAGE: Mutex<Option<MakeMessage>> = Mutex::new(None);
static REGISTERED: Once = Once::new();

/// Arms the message until it is dropped.
#[must_use = "nothing is said once this is dropped"]
pub(super) struct ExitMessage;

impl ExitMessage {
    /// Writes `message` to standard error if the process exits before this is dropped.
    pub(super) fn ready(message: MakeMessage) -> Self {
        REGISTERED.call_once(|| {
            // SAFETY: the function takes nothing, returns nothing and does not unwind. Where it is refused nothing is said.
            let _refused = unsafe { libc::atexit(say) };
        });
        *MESSAGE.lock().unwrap_or_else(PoisonError::into_inner) = Some(message);
        Self
    }
}

impl Drop for ExitMessage {
    fn drop(&mut self) {
        *MESSAGE.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

extern "C" fn say() {
    // Another thread holds the lock only while it arms or disarms.
    let message = MESSAGE.try_lock().ok().and_then(|mut message| message.take());
    if let Some(message) = message {
        drop(io::stderr().write_all(message().as_bytes()));
    }
}
