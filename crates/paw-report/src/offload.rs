//! The size from which a device beats the host, transfers included: lines of the headline.

use paw_data::axis;
use paw_data::cell::Role;
use paw_data::comparison::PROCESS_MARGIN;
use paw_data::offload::{LadderStep, Offload, Threshold, offloads};
use paw_data::run::Run;
use paw_stats::verdict::{Doubt, Verdict};

use crate::finding::{Finding, Part};
use crate::grade::Grade;
use crate::section::Section;

/// One line for each product, kind of transfer and device of `run`, which has these `sections`.
pub fn findings(run: &Run, sections: &[Section<'_>]) -> Vec<Finding> {
    offloads(run).iter().filter_map(|offload| finding(offload, sections)).collect()
}

fn finding(offload: &Offload, sections: &[Section<'_>]) -> Option<Finding> {
    let Offload { kernel, transfers, device, host, iterations, .. } = offload;
    let sound: Vec<Option<Grade>> = offload.steps.iter().map(|step| grade(offload, step, sections)).collect();
    let verdicts = offload.steps.iter().zip(&sound).map(|(step, grade)| (step.n, verdict(step, grade.is_some())));
    let threshold = Threshold::of(&verdicts.collect::<Vec<_>>())?;
    let iterations = iterations.map(|count| format!(", {count} iterations")).unwrap_or_default();
    let largest = Largest { n: offload.steps.last()?.n, is_sound: sound.last()?.is_some() };
    let part = Part { name: String::new(), number: words(threshold, largest), unit: String::new() };
    // Where no size has a sound number, the words say that nothing is decided, which no grade can weaken.
    let grade = sound.into_iter().flatten().max().unwrap_or(Grade::Absent);
    Some(Finding {
        label: format!("{kernel} offload"),
        parts: vec![part],
        share: String::new(),
        place: format!("{device} against {host}, transfers {transfers}{iterations}"),
        grade,
        doubt: grade.doubt(),
    })
}

/// What a size shows once its numbers are looked at: two processes of one program differ by as much as decides nothing, and so does a
/// number that nobody may rely on.
fn verdict(step: &LadderStep, is_sound: bool) -> Verdict {
    let is_apart = step.speedup.ln().abs() > PROCESS_MARGIN.ln_1p();
    match step.verdict {
        _ if !is_sound => Verdict::Inconclusive(Doubt::NoInterval),
        Verdict::Faster(_) | Verdict::Slower(_) if !is_apart => Verdict::Inconclusive(Doubt::Wide),
        decided => decided,
    }
}

/// The weaker word of the device's number and the host's at one size; `None` where one of them is poor, wrong or of a series that broke.
fn grade(offload: &Offload, step: &LadderStep, sections: &[Section<'_>]) -> Option<Grade> {
    let of_size = || {
        let readings = sections.iter().flat_map(|section| &section.rows);
        readings.filter(|reading| reading.record.cell.point.int(axis::N) == Some(step.n))
    };
    let device = of_size().find(|reading| {
        let cell = &reading.record.cell;
        let has = |axis: &str, word: &str| cell.point.text(axis).unwrap_or_default() == word;
        cell.role == Role::Subject
            && *cell.provider == *offload.device
            && has(axis::KERNEL, &offload.kernel)
            && has(axis::TRANSFERS, &offload.transfers)
            && cell.point.int(axis::ITERATIONS) == offload.iterations
    })?;
    let host = of_size().find(|reading| {
        let cell = &reading.record.cell;
        cell.role == Role::Base && cell.group == device.record.cell.group && *cell.benchmark == *offload.kernel
    })?;
    (device.is_sound() && host.is_sound()).then(|| device.grade.max(host.grade))
}

/// The largest size measured, and whether its numbers are sound.
#[derive(Debug, Clone, Copy)]
struct Largest {
    n: i64,
    is_sound: bool,
}

/// The threshold in words, and as far as which size it was looked at.
fn words(threshold: Threshold, Largest { n: largest, is_sound }: Largest) -> String {
    let up_to = |n: i64| if n == largest { String::new() } else { format!(" up to n={largest}") };
    match threshold {
        Threshold::Everywhere { from } if from == largest => format!("faster at n={from}, the only size measured"),
        Threshold::Everywhere { from } => format!("faster at every size from n={from} to n={largest}"),
        Threshold::Between { slower, faster } => {
            format!("faster from between n={slower} and n={faster} on{}, the largest measured", up_to(faster))
        }
        Threshold::AtMost { faster } => {
            format!("faster from n={faster} on{}, the largest measured; undecided below", up_to(faster))
        }
        Threshold::NotAtLargest { up_to } => format!("no faster at n={up_to}, the largest size"),
        Threshold::Undecided { up_to } if !is_sound => {
            format!("undecided at n={up_to}, the largest size: its numbers are poor, wrong or of a series that broke")
        }
        Threshold::Undecided { up_to } => {
            format!("undecided at n={up_to}, the largest size: give it longer with --budget, or larger sizes")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_is_told_in_words() {
        let told = [
            Threshold::Everywhere { from: 64 },
            Threshold::Everywhere { from: 4096 },
            Threshold::Between { slower: 512, faster: 1024 },
            Threshold::AtMost { faster: 128 },
            Threshold::AtMost { faster: 4096 },
            Threshold::NotAtLargest { up_to: 4096 },
            Threshold::Undecided { up_to: 4096 },
        ];
        let expected = [
            "faster at every size from n=64 to n=4096",
            "faster at n=4096, the only size measured",
            "faster from between n=512 and n=1024 on up to n=4096, the largest measured",
            "faster from n=128 on up to n=4096, the largest measured; undecided below",
            "faster from n=4096 on, the largest measured; undecided below",
            "no faster at n=4096, the largest size",
            "undecided at n=4096, the largest size: give it longer with --budget, or larger sizes",
        ];
        let words = |is_sound| move |threshold| words(threshold, Largest { n: 4096, is_sound });
        assert_eq!(told.map(words(true)), expected);
        let doubted = words(false)(Threshold::Undecided { up_to: 4096 });
        assert!(doubted.ends_with("its numbers are poor, wrong or of a series that broke"), "{doubted}");
    }
}
