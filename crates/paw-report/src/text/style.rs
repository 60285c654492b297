//! Tones as a terminal shows them.

use anstyle::Style;

use crate::colour::{BAD, DOUBT, FAINT, GOOD, STRONG};
use crate::model::Tone;

pub fn style(tone: Tone) -> Style {
    match tone {
        Tone::Plain => Style::new(),
        Tone::Strong => STRONG,
        Tone::Good => GOOD,
        Tone::Doubt => DOUBT,
        Tone::Bad => BAD,
        Tone::Faint => FAINT,
    }
}
