//! A kernel as Markdown.

use paw_data::run::Run;

use crate::kernel::builds::facts;
use crate::kernel::text::wrong;
use crate::kernel::{KernelAnalysis, Room, protocol, verdict};
use crate::markdown::{code, escape};
use crate::sheet::list;

/// What the run comes to, as list items.
pub fn verdict_markdown(look: &KernelAnalysis<'_>) -> String {
    let name = &look.kernel().name;
    let line = |(label, text): (String, String)| {
        let label = if label.is_empty() { name.clone() } else { format!("{name}, {label}") };
        format!("- **{}**: {}\n", escape(&label), escape(&text))
    };
    verdict::verdict(look).into_iter().map(line).collect()
}

/// The tables, what their marks mean, how it was measured, and the builds.
pub fn kernel_markdown(run: &Run, look: &KernelAnalysis<'_>) -> String {
    let kernel = look.kernel();
    let mut out = format!("\n## {}\n\n", escape(&kernel.name));
    for (name, text) in protocol::subject(run, kernel) {
        let text = if name == "function" { code(&text) } else { escape(&text) };
        out.push_str(&format!("- {name}: {text}\n"));
    }
    out.push_str(&format!("- protocol: {}\n", escape(&protocol::line(run, kernel))));
    look.sheets(Room::FREE).iter().for_each(|sheet| out.push_str(&sheet.markdown()));
    let wrong = wrong(look).into_iter().map(|(name, why)| format!("{name}: {why}."));
    let remarks: Vec<String> = wrong.chain(verdict::identical(look)).chain(protocol::notes(look)).collect();
    out.push_str(&list(&remarks));
    out.push_str(&builds(look));
    out.push_str(&format!("\n### protocol\n{}", list(&protocol::sentences(run, kernel))));
    out
}

/// What was launched on a device, as list items; nothing where no kernel was.
pub fn launched_markdown(run: &Run) -> String {
    let line = |(name, text): (&str, String)| {
        format!("- {name}: {}\n", if name == "function" { code(&text) } else { escape(&text) })
    };
    let lines: String = protocol::launched(run).into_iter().map(line).collect();
    if lines.is_empty() { lines } else { format!("\n{lines}") }
}

fn builds(look: &KernelAnalysis<'_>) -> String {
    let (KernelAnalysis::Builds(matrix) | KernelAnalysis::Answers(matrix)) = look else { return String::new() };
    let mut out = String::new();
    for build in matrix.builds() {
        out.push_str(&format!("- {}\n", escape(&build.full_name())));
        for (name, text) in facts(build) {
            let text = if ["command", "code", "it said"].contains(&name) { code(&text) } else { escape(&text) };
            out.push_str(&format!("  - {name}: {text}\n"));
        }
    }
    if out.is_empty() { out } else { format!("\n### builds\n\n{out}") }
}
