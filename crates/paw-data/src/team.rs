//! Processes that measured together: what launched them, which library joins them, where each one runs.

use serde::{Deserialize, Serialize};

use crate::cell::{Library, Rank};

/// A team. A run lists it once, however many cells it measured; fewer ranks of the same job are a team of their own,
/// because they are paired otherwise.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Team {
    /// Number within the run.
    pub id: u32,
    /// The launcher of the processes: `mpiexec.hydra`, `srun (pmi2)`.
    pub launcher: String,
    /// The library through which the ranks exchange messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub library: Option<Library>,
    /// The thread support the library gave: `single`, `funneled`, `serialized`, `multiple`.
    pub thread_level: String,
    /// Where each rank runs, in the order of ranks.
    pub ranks: Vec<Rank>,
}
