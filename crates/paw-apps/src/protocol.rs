//! Messages between `paw` and its launcher: one line of JSON each.

use serde::{Deserialize, Serialize};

use crate::launch::{Launch, LaunchError, RunResult};

/// A message to the launcher.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LauncherRequest {
    /// Run this command, and reply with its result.
    Run(Box<Launch>),
    /// Kill the running command at once. It has no reply of its own, and no effect if nothing runs.
    Stop,
}

/// The launcher's answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LauncherReply {
    /// The first message: the launcher, a process of this number, is ready.
    Ready {
        pid: u32,
        floor_rss_bytes: u64,
    },
    Ran {
        ran: RunResult,
        floor_rss_bytes: u64,
    },
    Failed(LaunchError),
}
