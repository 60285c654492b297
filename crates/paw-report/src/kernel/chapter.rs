//! A kernel as a chapter of the page.

use paw_data::build::Build;
use paw_data::matrix::{Matrix, Panel};
use paw_data::run::Run;
use paw_data::sensitivity::{Curve, Factor, Sensitivity};

use crate::explanation;
use crate::kernel::answers::answers;
use crate::kernel::roofline::under_roofs;
use crate::kernel::{KernelAnalysis, builds, curves, protocol, verdict};
use crate::model::{Chapter, Fact, Part, Picture, Plots, Sentence};
use crate::plot::{RowLinks, accuracy, builds as bars, sensitivity as curve_plot};
use crate::section::Section;
use crate::under_roofs::UnderRoofs;

/// Facts that are code.
const CODE: [&str; 4] = ["function", "command", "code", "it said"];

/// The chapter of the kernel of `run`.
pub fn chapter<'a>(run: &Run, sections: &[Section<'_>], analysis: &'a KernelAnalysis<'a>) -> Chapter<'a> {
    let kernel = analysis.kernel();
    let own_line = ("protocol", protocol::line(run, kernel));
    let mut parts = match analysis {
        KernelAnalysis::Builds(matrix) => of_builds(matrix),
        KernelAnalysis::Answers(matrix) => vec![Part::Table(answers(matrix), None)],
        KernelAnalysis::Curves(sensitivity) => of_curves(sensitivity),
    };
    parts.splice(..0, explanation::parts(run));
    if let KernelAnalysis::Builds(matrix) = analysis {
        let readings = sections.iter().flat_map(|section| &section.rows);
        let under = under_roofs(matrix, |_| true, readings, &run.header.machine.identity);
        parts.extend(under.into_iter().flat_map(UnderRoofs::parts));
    }
    parts.retain(|part| !matches!(part, Part::Table(table, _) if table.is_empty()));
    let found = verdict::wrong_answers(analysis).into_iter().chain(verdict::side_effects(analysis));
    let wrong = found.map(|(label, text)| Sentence { label, text });
    let identical = verdict::identical(analysis).into_iter().map(Sentence::from);
    parts.push(Part::Remarks(wrong.chain(identical).collect()));
    parts.push(Part::Notes(protocol::notes(analysis)));
    parts.push(Part::Builds(all_builds(analysis).into_iter().map(build).collect()));
    parts.push(Part::Protocol(protocol::sentences(run, kernel)));
    Chapter {
        subject: "kernel".to_owned(),
        title: kernel.name.clone(),
        facts: Fact::list(protocol::subject(run, kernel).into_iter().chain([own_line]), &CODE),
        parts,
        ..Chapter::default()
    }
}

/// The kernel launched on a device, and the reference of its answers; `None` where no kernel was launched.
pub fn launched(run: &Run) -> Option<Chapter<'static>> {
    let kernel = run.header.kernel.as_ref().filter(|kernel| !kernel.device.is_empty())?;
    Some(Chapter {
        subject: "kernel".to_owned(),
        title: kernel.name.clone(),
        facts: Fact::list(protocol::subject(run, kernel), &CODE),
        ..Chapter::default()
    })
}

fn of_builds<'a>(matrix: &'a Matrix<'a>) -> Vec<Part<'a>> {
    let panel = |panel: &'a Panel<'a>| {
        Part::Table(builds::panel(panel), Some(Plots::new(|links| pictures(panel, matrix, links))))
    };
    matrix.panels.iter().map(panel).chain([Part::Table(builds::residency(matrix), None)]).collect()
}

fn pictures(panel: &Panel<'_>, matrix: &Matrix<'_>, links: &RowLinks) -> Vec<Picture> {
    let view = |svg: Option<String>, title: &str, caption: &str| {
        svg.map(|svg| Picture { svg, title: title.to_owned(), caption: caption.to_owned(), legend: Vec::new() })
    };
    let speed = view(
        bars::bars(panel, links),
        "Speed",
        "Dark bars are the fastest, and those that nothing separates from it. Whiskers reach from the fastest sample to the \
         95% quantile; the dashed line is the reference. GOOD, AVERAGE, BAD: how far the median lies above the minimum. \
         A wrong answer has an empty bar.",
    );
    let error = view(
        accuracy::accuracy(panel, &matrix.kernel.tolerance, links),
        "What speed costs",
        "The largest relative error of an answer over its speed-up: to the right is faster, down is more exact. Crosses are \
         wrong answers. Right is what lies under the tolerance, or within its units in the last place.",
    );
    speed.into_iter().chain(error).collect()
}

fn of_curves<'a>(sensitivity: &'a Sensitivity<'a>) -> Vec<Part<'a>> {
    let plots = |curve: &'a Curve<'a>| {
        Plots::new(move |links| {
            let svg = curve_plot::curve(sensitivity, curve, links).into_iter();
            svg.map(|svg| Picture { svg, title: String::new(), caption: caption(curve), legend: Vec::new() }).collect()
        })
    };
    let part = |curve: &'a Curve<'a>| Part::Table(curves::curve(sensitivity, curve), Some(plots(curve)));
    let steps = Part::Table(curves::steps(sensitivity), None);
    std::iter::once(steps).chain(sensitivity.curves.iter().map(part)).collect()
}

fn caption(curve: &Curve<'_>) -> String {
    let band = "The band is the 95% interval; hollow points are unsteady.";
    if curve.factor == Factor::Size {
        return format!("{band} Vertical lines: the largest size that fits a cache.");
    }
    let level = curve.plateau.and_then(Result::ok);
    let shade = level.map_or(String::new(), |level| {
        format!(" Shaded: within {:.0}% of the level, from its knee on.", 100.0 * level.tolerance)
    });
    format!("{} {band}{shade}", crate::number::capitalised(&verdict::plateau(curve)))
}

fn all_builds<'run>(analysis: &KernelAnalysis<'run>) -> Vec<&'run Build> {
    match analysis {
        KernelAnalysis::Builds(matrix) | KernelAnalysis::Answers(matrix) => matrix.builds(),
        KernelAnalysis::Curves(_) => Vec::new(),
    }
}

fn build(build: &Build) -> (String, Vec<Fact>) {
    (build.full_name(), Fact::list(builds::facts(build), &CODE))
}
