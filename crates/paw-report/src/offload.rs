//! The size from which a device beats the host, transfers included: lines of the headline.

use paw_data::offload::{Offload, Threshold, offloads};
use paw_data::run::Run;
use paw_data::trust::Trust;

use crate::finding::{Finding, Part};
use crate::grade::Grade;

/// One line for each product, kind of transfer and device.
pub fn findings(run: &Run) -> Vec<Finding> {
    offloads(run).iter().map(finding).collect()
}

fn finding(offload: &Offload) -> Finding {
    let Offload { kernel, transfers, device, host, iterations, .. } = offload;
    let iterations = iterations.map(|count| format!(", {count} iterations")).unwrap_or_default();
    let part = Part { name: String::new(), number: words(offload.threshold), unit: String::new() };
    Finding {
        label: format!("{kernel} offload"),
        parts: vec![part],
        share: String::new(),
        place: format!("{device} against {host}, transfers {transfers}{iterations}"),
        grade: Grade::Number(Trust::Good),
        doubt: "",
    }
}

fn words(threshold: Threshold) -> String {
    match threshold {
        Threshold::Everywhere { from } => format!("faster from the smallest size on, n={from}"),
        Threshold::Between { slower, faster } => format!("faster from between n={slower} and n={faster} on"),
        Threshold::AtMost { faster } => format!("faster from n={faster} on, undecided below"),
        Threshold::NotAtLargest { up_to } => format!("no faster at n={up_to}, the largest size"),
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
            Threshold::Between { slower: 512, faster: 1024 },
            Threshold::AtMost { faster: 128 },
            Threshold::NotAtLargest { up_to: 4096 },
            Threshold::Undecided { up_to: 4096 },
        ];
        let expected = [
            "faster from the smallest size on, n=64",
            "faster from between n=512 and n=1024 on",
            "faster from n=128 on, undecided below",
            "no faster at n=4096, the largest size",
            "undecided at n=4096, the largest size: give it longer with --budget, or larger sizes",
        ];
        assert_eq!(told.map(words), expected);
    }
}
