//! The headline figures of an application's page.

use paw_data::scaling::{BaseKind, RunAgreement, Scaling, Sweep, SweepKind};
use paw_data::trust::Trust;

use crate::application::{figure, words};
use crate::finding::{Finding, Part};
use crate::grade::Grade;
use crate::number::percent;

/// Fastest run, speed-up and throughput; for weak scaling the efficiency.
pub fn findings(scaling: &Scaling<'_>) -> Vec<Finding> {
    let Some((sweep, row)) = scaling.headline() else { return Vec::new() };
    let Some(timing) = row.timing else { return Vec::new() };
    if sweep.kind != SweepKind::Strong {
        return weak(sweep).into_iter().collect();
    }
    let name = if scaling.app.others.is_empty() { String::new() } else { sweep.provider.to_owned() };
    let place: Vec<String> =
        [name, sweep.label(), figure::threads_words(row)].into_iter().filter(|p| !p.is_empty()).collect();
    let grade = Grade::Number(match timing.agreed() {
        agreed if agreed.is_met() && !timing.cost.lone_best => Trust::Good,
        RunAgreement::Timeout | RunAgreement::Unconverged | RunAgreement::Contended => Trust::Poor,
        _ => Trust::Fair,
    });
    let finding = |label: &str, part: Part, share: &str| Finding {
        label: label.to_owned(),
        parts: vec![part],
        share: share.to_owned(),
        place: place.join(", "),
        grade,
        doubt: if grade.doubtful() { timing.agreed().word() } else { "" },
    };
    let scale = figure::scale(scaling.yardstick, std::iter::once(timing.value()));
    let best = Part::new(figure::best_in(&scale, &timing), scale.unit);
    let label = scaling.yardstick.metric().map_or("fastest run".to_owned(), |fact| format!("best {}", fact.name));
    let mut found = vec![finding(&label, best, timing.agreed().word())];
    let is_other = sweep.base.is_some_and(|(base, _)| !std::ptr::eq(base, row.record));
    if let Some(speedup) = row.speedup.filter(|_| is_other) {
        let over = match scaling.base.kind {
            BaseKind::Program(_) | BaseKind::Command(_) => format!("over {}", scaling.base.words()),
            BaseKind::OneThread => "over 1 thread".to_owned(),
        };
        let label = words::gain_title(scaling.yardstick).replace('\n', " ") + &words::by(scaling.yardstick);
        found.push(finding(&label, Part::new(figure::speedup(&speedup), "×"), &over));
    }
    if let Some((throughput, unit)) = row.throughput().zip(scaling.throughput_unit()) {
        found.push(finding("throughput", Part::new(figure::plain(throughput, None), unit), ""));
    }
    found
}

/// Weak efficiency at the most threads.
fn weak(sweep: &Sweep<'_>) -> Option<Finding> {
    let row = sweep.rows.iter().rev().find(|row| row.efficiency.is_some())?;
    Some(Finding {
        label: "weak efficiency".to_owned(),
        parts: vec![Part::new(percent(row.efficiency?), "")],
        share: format!("at {}", figure::threads_words(row)),
        place: sweep.label(),
        grade: Grade::Number(Trust::Good),
        doubt: "",
    })
}
