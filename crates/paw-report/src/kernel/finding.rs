//! The figures of a kernel over the fold of its page.

use paw_data::matrix::Panel;
use paw_data::speedup::Speedup;
use paw_data::trust::Trust;
use paw_stats::stability::Grade as Steady;

use crate::finding::{Finding, Part};
use crate::grade::Grade;
use crate::kernel::{KernelAnalysis, builds, figure, verdict};
use crate::number::significant;

/// The fastest right build of each level.
pub fn findings(analysis: &KernelAnalysis<'_>) -> Vec<Finding> {
    let KernelAnalysis::Builds(matrix) = analysis else { return Vec::new() };
    matrix.panels.iter().filter_map(finding).collect()
}

fn finding(panel: &Panel<'_>) -> Option<Finding> {
    let leaders = panel.leaders();
    let row = *leaders.first()?;
    let timing = row.timing?;
    let unit = builds::unit(panel);
    let certain = row.speedup.filter(Speedup::decides);
    let others = match leaders.len() - 1 {
        0 => String::new(),
        n => format!(" and {n} that nothing separates from it"),
    };
    let stability = figure::steadiness(&timing, panel.by);
    let grade = stability.map_or(Grade::Absent, |s| {
        Grade::Number(match s.grade {
            Steady::Good => Trust::Good,
            Steady::Average => Trust::Fair,
            Steady::Bad => Trust::Poor,
        })
    });
    Some(Finding {
        label: format!(
            "{}, {}",
            if panel.is_told() { "fastest right build" } else { "smallest median" },
            verdict::short(panel)
        ),
        parts: vec![Part::new(unit.digits(&timing), format!("{}/iter", unit.word()))],
        share: certain
            .map(|s| format!("{} times as fast as the reference", significant(s.value, 3)))
            .unwrap_or_default(),
        place: row.name() + &others,
        grade,
        doubt: if grade.doubtful() { stability.map_or("", |s| s.grade.word()) } else { "" },
    })
}
