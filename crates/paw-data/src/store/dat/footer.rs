//! The line below the rows: the best point.

use super::name::Content;

/// The best rate of a file, in SI units, and its size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BestRow {
    pub rate: f64,
    pub size: f64,
}

impl BestRow {
    /// The row with the higher rate.
    pub fn or(best: Option<Self>, other: Self) -> Option<Self> {
        match best {
            Some(best) if best.rate >= other.rate => Some(best),
            _ if other.rate.is_finite() => Some(other),
            _ => best,
        }
    }
}

/// PAW's closing line for tests whose rate is `rate`; as in PAW the best is the largest MAX.
pub(super) fn footer(rate: Content, title: &str, best: BestRow) -> String {
    let BestRow { rate: value, size } = best;
    match rate {
        Content::Flops => {
            format!("\n# Fastest {title}         : {:6.1} GFLOPS (N={size})\n", value / 1e9)
        }
        Content::Rate => format!("\n# Maximum Rate : {:6.1} MIO/s (N={size})\n", value / 1e6),
        Content::Bandwidth | Content::Time => format!("\n# BW Maximum : {:6.1} MB/s (N={size})\n", value / 1e6),
    }
}
