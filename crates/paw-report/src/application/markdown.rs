//! An application as Markdown.

use paw_data::run::Run;
use paw_data::scaling::{Scaling, Sweep};

use crate::application::sheets::{further, matrix};
use crate::application::threads::threads;
use crate::application::verdict;
use crate::markdown::{code, escape};
use crate::sheet::{Sheet, list};

/// What the run comes to, as list items.
pub fn verdict_markdown(run: &Run, scaling: &Scaling<'_>) -> String {
    let text = verdict::verdict(run, scaling).join(" ");
    format!("- **{}**: {}\n", escape(scaling.program), escape(&text))
}

/// The tables and what they mean.
pub fn application_markdown(run: &Run, scaling: &Scaling<'_>) -> String {
    let mut out = format!("\n## {}\n\n", escape(scaling.program));
    for (name, text) in verdict::subject(scaling) {
        let text = if ["command", "other"].contains(&name) { code(&text) } else { escape(&text) };
        out.push_str(&format!("- {name}: {text}\n"));
    }
    if scaling.sweeps.len() > 1 {
        out.push_str(&matrix(scaling).markdown());
    }
    let all: Vec<&Sweep<'_>> = scaling.sweeps.iter().collect();
    out.push_str(&Sheet { title: "every thread count".to_owned(), ..threads(scaling, &all) }.markdown());
    out.push_str(&list(&verdict::remarks(scaling)));
    further(scaling).iter().for_each(|sheet| out.push_str(&sheet.markdown()));
    out.push_str(&list(&verdict::notes(run, scaling)));
    out
}
