//! The scripts of a cluster's job: plain sh, made to be read.

use std::path::Path;

use paw_foreign::mpi::launcher::RANK_VARIABLES;

use super::cluster_file::{ClusterFile, ClusterStep, StepNodes};
use super::{LOG, NODE_SCRIPT, NODES};
use crate::amount::counted;

/// A job's circumstances.
pub struct JobPlace<'a> {
    pub file: &'a ClusterFile,
    /// How many nodes it has.
    pub nodes: u32,
    /// The program on every node, absolute.
    pub paw: &'a Path,
    /// The directory of the assessment, absolute.
    pub home: &'a Path,
}

impl JobPlace<'_> {
    /// The script of the job.
    pub fn job(&self) -> String {
        let file = self.file;
        let mut lines = vec!["#!/bin/sh".to_owned()];
        lines.extend(file.engine.head.iter().map(|line| self.filled(line, self.nodes, 1)));
        lines.extend(file.lines.iter().cloned());
        lines.push("# Written by paw cluster plan: what fails costs its own runs, and the rest goes on.".to_owned());
        lines.push(format!("cd {} || exit 7", self.directory()));
        lines.push(format!("paw={}", self.program()));
        lines.extend(file.setup.iter().cloned());
        if !file.engine.names.is_empty() {
            lines.push(format!("{} > {NODES}", file.engine.names));
        }
        lines.extend(file.steps.iter().flat_map(|step| self.step(step)));
        lines.push("\n# The page is the job's last word, and its exit code the job's.".to_owned());
        lines.push("\"$paw\" cluster report .".to_owned());
        lines.join("\n") + "\n"
    }

    /// The script that every node runs in a step that it does by itself. It is no rank: what the launcher says of ranks is taken away.
    pub fn node(&self, step: &ClusterStep) -> String {
        let unset: Vec<String> = RANK_VARIABLES.iter().map(|name| format!("-u {name}")).collect();
        let own = arguments(step, &format!("\"{}/{}\"", step.name, self.file.engine.node));
        format!(
            "#!/bin/sh\ncd {} || exit 7\nexec env {} \\\n  {} {own}\n",
            self.directory(),
            unset.join(" "),
            self.program()
        )
    }

    fn step(&self, step: &ClusterStep) -> Vec<String> {
        match &step.nodes {
            StepNodes::Each => {
                let each = self.file.each.as_deref().unwrap_or(self.file.engine.each);
                let launch = self.filled(each, self.nodes, 1);
                let title = format!("\n# {}: every node by itself, all at once", step.name);
                vec![title, format!("{launch} /bin/sh {}/{NODE_SCRIPT}", step.name)]
            }
            StepNodes::All | StepNodes::Counts(_) => {
                step.nodes.counts(self.nodes).into_iter().flat_map(|count| self.of_ranks(step, count)).collect()
            }
        }
    }

    /// The lines that start a step of ranks over `nodes` nodes.
    fn of_ranks(&self, step: &ClusterStep, nodes: u32) -> [String; 2] {
        let ranks = self.file.ranks.as_deref().unwrap_or(self.file.engine.ranks);
        let out = format!("{}/{}", step.name, directory(nodes));
        let count = counted(nodes.saturating_mul(step.per_node), "rank");
        [
            format!("\n# {}: {count} on {}", step.name, counted(nodes, "node")),
            format!("{} \"$paw\" {}", self.filled(ranks, nodes, step.per_node), arguments(step, &out)),
        ]
    }

    /// `text` with what stands in braces replaced, for a command over `nodes` nodes.
    fn filled(&self, text: &str, nodes: u32, per_node: u32) -> String {
        let minutes = (self.file.time_s / 60.0).ceil() as u64;
        text.replace("{name}", &self.file.name)
            .replace("{nodes}", &nodes.to_string())
            .replace("{ranks}", &nodes.saturating_mul(per_node).to_string())
            .replace("{per_node}", &per_node.to_string())
            .replace("{minutes}", &minutes.to_string())
            .replace("{hms}", &format!("{:02}:{:02}:00", minutes / 60, minutes % 60))
            .replace("{log}", &self.home.join(LOG).to_string_lossy())
    }

    fn directory(&self) -> String {
        quoted(&self.home.to_string_lossy())
    }

    fn program(&self) -> String {
        quoted(&self.paw.to_string_lossy())
    }
}

/// The directory of a job of ranks on `nodes` nodes, in that of its step.
pub fn directory(nodes: u32) -> String {
    format!("{nodes:05}")
}

/// The step's words behind `paw`, for a shell, with the directory `out`, a word of the shell. A program's own words come behind `--`.
fn arguments(step: &ClusterStep, out: &str) -> String {
    let end = step.words.iter().position(|word| word == "--").unwrap_or(step.words.len());
    let (own, program) = (&step.words[1..end], &step.words[end..]);
    let flags = ["--quiet".to_owned(), "--out".to_owned(), out.to_owned()];
    let words = own.iter().map(|word| quoted(word)).chain(flags).chain(program.iter().map(|word| quoted(word)));
    words.collect::<Vec<_>>().join(" ")
}

/// A word of a shell. One of harmless characters stays as it is.
fn quoted(word: &str) -> String {
    let is_harmless = |c: char| c.is_ascii_alphanumeric() || "-_=+,.:/@%".contains(c);
    if !word.is_empty() && word.chars().all(is_harmless) {
        return word.to_owned();
    }
    // No argument of a command line and no path has a zero byte, which alone cannot be quoted.
    shlex::try_quote(word).map_or_else(|_| "''".to_owned(), |word| word.into_owned())
}
