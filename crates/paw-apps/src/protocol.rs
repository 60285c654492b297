//! What `paw` and its launcher say to each other: one line of JSON a message.

use serde::{Deserialize, Serialize};

use crate::launch::{Launch, LaunchError, Ran};

/// A message to the launcher.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LauncherRequest {
    /// Run this, and answer.
    Run(Box<Launch>),
    /// End what runs at once. It has no answer of its own; where nothing runs any more, it is too late.
    Stop,
}

/// The launcher's answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LauncherReply {
    /// The first message: it listens.
    Ready {
        floor_rss_bytes: u64,
    },
    Ran {
        ran: Ran,
        floor_rss_bytes: u64,
    },
    Failed(LaunchError),
}
