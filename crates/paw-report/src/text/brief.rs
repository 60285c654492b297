//! The answer for a single program in a few lines: its time, what it used, how far to trust it, where the rest is.

use paw_data::run::Run;

use crate::analysis::Analysis;
use crate::application::figure;
use crate::colour::{Colour, DOUBT};
use crate::counters;
use crate::model::{Page, Tone};
use crate::number::{self, plural};
use crate::page::page;
use crate::text::style::style;
use crate::text::{MARGIN, Margin, NARROWEST};
use crate::wrap::width as columns_of;

/// Most printed numbers that still make a short answer.
const METRICS: usize = 2;

/// The answer in at most five lines of some 80 columns; `None` of a run that is more than one program's times.
pub fn brief(run: &Run, width: usize, colour: Colour) -> Option<String> {
    let app = run.header.app.as_ref().filter(|app| app.metrics.len() <= METRICS)?;
    let is_alone = run.records.len() == 1 && run.profiles.is_empty() && run.codes.is_empty() && app.roofline.is_none();
    if !is_alone || counters::chapter(run).is_some() {
        return None;
    }
    let analysis = Analysis::of(run);
    let scaling = analysis.scaling.as_ref()?;
    let page = page(&analysis);
    let longest = page.conclusions.iter().map(|c| columns_of(c.margin()) + 2).max().unwrap_or(0);
    let margin = Margin { indent: longest.clamp(MARGIN.0, MARGIN.1), width: width.max(NARROWEST), colour };
    let mut out: String = page.conclusions.iter().map(|c| margin.line(c.margin(), &c.text)).collect();
    if let Some(timing) = scaling.headline().and_then(|(_, row)| row.timing) {
        let scale = figure::scale(timing.yardstick, [timing.value()].into_iter());
        let median = format!("median {} {}", scale.digits(timing.median(), None), scale.unit).trim_end().to_owned();
        let cpu = timing.cpu_s().map(|cpu| format!("CPU {}", number::duration(cpu)));
        let memory = figure::memory(&timing).map(|memory| format!("memory {memory}"));
        let delayed =
            (timing.delayed > 0).then(|| format!("{} of {} delayed", timing.delayed, plural(timing.cost.n, "run")));
        let parts: Vec<String> = [Some(median), cpu, memory, delayed].into_iter().flatten().collect();
        out.push_str(&margin.line("", &parts.join(", ")));
    }
    for (other, timing) in analysis.others.iter().filter_map(|own| Some((own, own.headline()?.1.timing?))) {
        let (best, median) = (figure::best(&timing), figure::median(&timing));
        let text = format!("best {best}, median {median} ({})", timing.agreed().word());
        out.push_str(&margin.line(other.yardstick.name(), &text));
    }
    Some(out + &trust(&page, &margin))
}

/// The word for the run, and the names of its caveats.
fn trust(page: &Page<'_>, margin: &Margin) -> String {
    let word = &page.assessment.word;
    let names: Vec<&str> = page.caveats.iter().map(|caveat| caveat.id.as_str()).collect();
    let rest = match names.as_slice() {
        [] => String::new(),
        names => format!(": {}", names.join(", ")),
    };
    let line = margin.line("trust", &format!("{word}{rest}"));
    let tone = if names.is_empty() { style(Tone::of(page.assessment.grade)) } else { DOUBT };
    line.replacen(word.as_str(), &margin.colour.paint(word, tone), 1)
}
