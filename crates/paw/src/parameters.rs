//! Parameters in hyperfine's words as settings of paw: lists and scans.

use crate::cli::{AlikeArgs, AppArgs};
use crate::failure::Failure;

/// Most values of a scan.
const VALUES_MAX: f64 = 10_000.0;

/// `args` with its lists and scans as settings, behind those that were typed as such.
pub fn as_settings(args: &AppArgs) -> Result<AppArgs, Failure> {
    let mut args = args.clone();
    let AlikeArgs { lists, scans, step } = std::mem::take(&mut args.sweep.alike);
    let lists = lists.chunks_exact(2).map(|pair| format!("{}={}", pair[0], pair[1]));
    args.sweep.set.extend(lists);
    for scan in scans.chunks_exact(3) {
        let values = scanned(&scan[1], &scan[2], step.as_deref().unwrap_or("1"));
        let values = values.map_err(|why| Failure::usage(format!("-P {}: {why}", scan.join(" "))))?;
        args.sweep.set.push(format!("{}={}", scan[0], values.join(",")));
    }
    Ok(args)
}

/// The numbers from `min` to `max`, which is among them where a step meets it, with as many decimals as were typed.
fn scanned(min: &str, max: &str, step: &str) -> Result<Vec<String>, String> {
    let number = |text: &str| {
        let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
        number.ok_or_else(|| format!("`{text}` is not a number"))
    };
    let (from, to, by) = (number(min)?, number(max)?, number(step)?);
    if by <= 0.0 {
        return Err(format!("the step {step} leads nowhere: it must be more than 0"));
    }
    if to < from {
        return Err(format!("{min} to {max} runs backwards: write the smaller number first"));
    }
    // Half a billionth of a step for the rounding of decimals.
    let steps = ((to - from) / by + 1e-9).floor();
    if steps >= VALUES_MAX {
        return Err(format!("these are more than {VALUES_MAX} values: take larger steps"));
    }
    let decimals = |text: &str| text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let digits = decimals(min).max(decimals(step));
    Ok((0..=steps as u32).map(|count| format!("{:.digits$}", from + f64::from(count) * by)).collect())
}

#[cfg(test)]
mod tests {
    use super::scanned;

    #[test]
    fn a_scan_has_its_ends_and_the_decimals_that_were_typed() {
        let values = |min, max, step| scanned(min, max, step).unwrap().join(" ");
        assert_eq!(values("1", "9", "4"), "1 5 9");
        assert_eq!(values("1", "4", "2"), "1 3");
        assert_eq!(values("0.1", "0.5", "0.1"), "0.1 0.2 0.3 0.4 0.5");
        assert_eq!(values("-2", "0", "0.5"), "-2.0 -1.5 -1.0 -0.5 0.0");
        assert_eq!(values("7", "7", "1"), "7");
    }

    #[test]
    fn a_scan_without_an_end_is_refused() {
        let why = |min, max, step| scanned(min, max, step).unwrap_err();
        assert!(why("1", "9", "0").contains("leads nowhere") && why("1", "9", "-1").contains("leads nowhere"));
        assert!(why("9", "1", "1").contains("runs backwards"));
        assert!(why("0", "1", "1e-9").contains("take larger steps"));
        assert!(why("one", "9", "1").contains("`one` is not a number"));
        assert!(why("1", "inf", "1").contains("`inf` is not a number"));
    }
}
