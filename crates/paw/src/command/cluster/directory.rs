//! The directory of an assessment: `STEP/NODE/run.jsonl` of steps that every node does by itself, `STEP/COUNT/run.jsonl` of ranks.

use std::fs;
use std::path::{Path, PathBuf};

use paw_data::bounded;
use paw_data::store::FILE;

use crate::cluster::cluster_file::ClusterFile;
use crate::cluster::job_script;
use crate::cluster::{COPY, NODES};
use crate::failure::Failure;

/// The directory of an assessment, and the file that it was planned by.
pub struct ClusterDirectory {
    pub path: PathBuf,
    pub file: ClusterFile,
}

impl ClusterDirectory {
    /// The assessment in `path`.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let copy = path.join(COPY);
        if !copy.is_file() {
            let why = format!("{} holds no assessment of a cluster: there is no {COPY} in it", path.display());
            return Err(Failure::io(why).hint("`paw cluster plan FILE --out DIR` writes one"));
        }
        let file = ClusterFile::read(&copy).map_err(|error| Failure::usage(error.to_string()))?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// The nodes of `step` that have begun a run, by name, with its path.
    pub fn runs(&self, step: &str) -> Vec<(String, PathBuf)> {
        let Ok(entries) = fs::read_dir(self.path.join(step)) else { return Vec::new() };
        let run = |entry: fs::DirEntry| {
            let path = entry.path();
            path.join(FILE).is_file().then(|| (entry.file_name().to_string_lossy().into_owned(), path))
        };
        let mut runs: Vec<_> = entries.flatten().filter_map(run).collect();
        runs.sort();
        runs
    }

    /// The jobs of ranks that the script has, by step and number of nodes, with the directory of their run.
    pub fn rank_jobs(&self) -> Vec<(String, u32, PathBuf)> {
        let nodes = self.file.nodes.unwrap_or_else(|| u32::try_from(self.names().len()).unwrap_or(u32::MAX));
        let jobs = self.file.steps.iter().flat_map(|step| {
            let counts = step.nodes.counts(nodes).into_iter();
            counts
                .map(|count| (step.name.clone(), count, self.path.join(&step.name).join(job_script::directory(count))))
        });
        jobs.collect()
    }

    /// The names of the job's nodes, where the job has written them.
    pub fn names(&self) -> Vec<String> {
        let text = bounded::text(&self.path.join(NODES)).unwrap_or_default();
        text.lines().map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
    }
}
