//! A step of a campaign: one command of paw.

use std::path::Path;

use crate::command_line;

/// A command of paw with a name, and what it may take.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Its place in the file, from 1.
    pub number: usize,
    pub name: String,
    /// The command line as written, beginning with `paw`.
    pub words: Vec<String>,
    /// Seconds that it may take; `None`: as long as it needs.
    pub budget_s: Option<f64>,
    /// The seed of its shuffles; `None`: one of its own, which its run records.
    pub seed: Option<u64>,
    /// Names of steps before it that must have ended with 0.
    pub needs: Vec<String>,
}

/// What a campaign's file asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct Steps {
    pub steps: Vec<Step>,
    /// Seconds that all steps together may take.
    pub budget_s: Option<f64>,
}

impl Step {
    /// The name of its directory within the campaign's: `01-blas`.
    pub fn directory(&self) -> String {
        format!("{:02}-{}", self.number, self.name)
    }

    /// Whether it leaves a run: it takes a directory, and has progress to hide.
    pub fn measures(&self) -> bool {
        command_line::takes(&self.words, "out") && command_line::takes(&self.words, "quiet")
    }

    /// Whether it can show what it would do.
    pub fn shows_plan(&self) -> bool {
        command_line::takes(&self.words, "dry-run")
    }

    /// Whether its command keeps a budget by itself.
    pub fn keeps_budget(&self) -> bool {
        command_line::takes(&self.words, "budget")
    }

    /// The whole command line, in the campaign that lies in `home` and has these `steps`: with budget, seed and directory, and in gates with
    /// the directories of other steps in the place of `{name}`.
    pub fn line(&self, home: &Path, steps: &[Step]) -> Vec<String> {
        let path = |step: &Step| home.join(step.directory()).to_string_lossy().into_owned();
        let mut line = self.words.clone();
        if !self.measures() {
            for step in steps {
                let name = format!("{{{}}}", step.name);
                line.iter_mut().for_each(|word| *word = word.replace(&name, &path(step)));
            }
        }
        if let (Some(budget_s), true) = (self.budget_s, self.keeps_budget()) {
            line = command_line::with(&line, ["--budget".to_owned(), format!("{budget_s}s")]);
        }
        if let (Some(seed), true) = (self.seed, command_line::takes(&self.words, "seed"))
            && !command_line::has(&line, "seed")
        {
            line = command_line::with(&line, ["--seed".to_owned(), seed.to_string()]);
        }
        if self.measures() {
            line = command_line::with(&line, ["--out".to_owned(), path(self)]);
        }
        line
    }
}
