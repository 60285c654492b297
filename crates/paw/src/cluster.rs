//! What `paw cluster` plans: the file that asks for it, the engine that starts it, and the script of the job.

pub mod cluster_file;
pub mod engine;
pub mod job_script;

/// The copy of the file in the directory of an assessment.
pub const COPY: &str = "cluster.toml";
/// The script of the job.
pub const SCRIPT: &str = "job.sh";
/// The script that every node runs, in the directory of its step.
pub const NODE_SCRIPT: &str = "node.sh";
/// The names of the job's nodes, a line each, which the script writes where the engine tells them.
pub const NODES: &str = "nodes.txt";
/// What the job prints.
pub const LOG: &str = "job.log";
