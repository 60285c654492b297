//! File names of PAW's tests, in both conventions.

use crate::axis;
use crate::cell::{Cell, Dat};
use crate::point::AxisValue;
use crate::quantity::Quantity;

/// How `.dat` files are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DatNames {
    /// As PAW's user guide has them: `dgemm_flops-np_0002.dat`, `mrate_rate-np_0002.dat`.
    #[default]
    Guide,
    /// As PAW 1.6 writes them: `dgemm_fp-np_0002.dat`, `mrate_rate-ws_128-np_0002.dat`, `ping_time-np_0002.dat`.
    V16,
}

/// What the columns of a file hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Content {
    Time,
    Flops,
    Bandwidth,
    Rate,
}

impl Content {
    /// The content of a cell's file of rates: its headline, or bytes per second where the headline is a time (PAW's collectives);
    /// `None` where PAW writes no file of rates.
    pub fn rate_of(cell: &Cell) -> Option<Self> {
        let is_one_file = cell.dat.as_ref().is_some_and(|dat| dat.stem.ends_with(".dat"));
        match cell.headline {
            Quantity::Flops => Some(Content::Flops),
            Quantity::Bytes => Some(Content::Bandwidth),
            Quantity::Messages => Some(Content::Rate),
            Quantity::Time if cell.work.bytes > 0.0 && !is_one_file => Some(Content::Bandwidth),
            Quantity::Time | Quantity::Updates | Quantity::Cycles => None,
        }
    }

    fn word(self, names: DatNames) -> &'static str {
        match (self, names) {
            (Content::Time, _) => "time",
            (Content::Flops, DatNames::Guide) => "flops",
            (Content::Flops, DatNames::V16) => "fp",
            (Content::Bandwidth, _) => "bw",
            (Content::Rate, _) => "rate",
        }
    }

    fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "time" => Content::Time,
            "flops" | "fp" => Content::Flops,
            "bw" => Content::Bandwidth,
            "rate" => Content::Rate,
            _ => return None,
        })
    }
}

/// PAW's DEFAULT_WINDOW_SIZE: messages in flight of its message rates.
const WINDOW: i64 = 128;

/// The name of a file without `.dat`. `np` is the number of threads or processes, `window` that of messages in flight.
pub(super) fn file_stem(dat: &Dat, content: Content, np: u32, window: Option<i64>, names: DatNames) -> String {
    if let Some(whole) = dat.stem.strip_suffix(".dat") {
        return whole.to_owned();
    }
    if dat.stem.contains("{}") {
        // PAW 1.6 says `flops` in these.
        return dat.stem.replace("{}", content.word(DatNames::Guide));
    }
    let stem = match (names, dat.stem.as_str()) {
        (DatNames::V16, "isend_ping") => "ping",
        (_, stem) => stem,
    };
    // A point leaves its axes' defaults out.
    let window = window.or_else(|| dat.time_factor().map(|_| WINDOW));
    let window = match (names, window) {
        (DatNames::V16, Some(window)) => format!("-ws_{window:03}"),
        _ => String::new(),
    };
    format!("{stem}_{}{window}-np_{np:04}", content.word(names))
}

/// The facts in a file name.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FileName {
    /// The test: `dgemm`, `gpu_transfer_in_pinned`.
    pub test: String,
    /// The content of the columns.
    pub content: Content,
    /// Threads or processes.
    pub np: Option<u32>,
    /// Further axes in the name.
    pub axes: Vec<(String, AxisValue)>,
}

/// Reads a file name of either convention; `None` where it is not one of PAW's.
pub(super) fn parse(name: &str) -> Option<FileName> {
    let name = name.strip_suffix(".dat")?;
    // `dgemm_time-np_0002.2`: the second run that was left in this directory.
    let name = match name.rsplit_once('.') {
        Some((first, number)) if number.parse::<u32>().is_ok() => first,
        _ => name,
    };
    match name {
        "latency" => return Some(plain("latency", Content::Time)),
        "time_init" => return Some(plain("init", Content::Time)),
        _ => {}
    }
    let mut parts = name.split('-');
    let (test, content) = test_and_content(parts.next()?)?;
    let mut file = plain(&test, content);
    for part in parts {
        let (axis, value) = part.split_once('_')?;
        match axis {
            "np" => file.np = Some(value.parse().ok()?),
            "ws" => file.axes.push((axis::WINDOW.to_owned(), word(value))),
            _ => file.axes.push((axis.to_owned(), word(value))),
        }
    }
    Some(file)
}

fn plain(test: &str, content: Content) -> FileName {
    FileName { test: test.to_owned(), content, np: None, axes: Vec::new() }
}

/// `dgemm_time` and, from the device tests, `gpu_transfer_time_in_pinned`.
fn test_and_content(text: &str) -> Option<(String, Content)> {
    let words: Vec<&str> = text.split('_').collect();
    let at = words.iter().rposition(|w| Content::from_word(w).is_some())?;
    let content = Content::from_word(words[at])?;
    let test: Vec<&str> = words[..at].iter().chain(&words[at + 1..]).copied().collect();
    let test = test.join("_");
    let test = if test == "ping" { "isend_ping".to_owned() } else { test };
    (at > 0).then_some((test, content))
}

/// An axis value as a name or a comment writes it.
pub(super) fn word(text: &str) -> AxisValue {
    match (text.parse::<i64>(), text.parse::<f64>()) {
        (Ok(whole), _) => AxisValue::Int(whole),
        (_, Ok(real)) => AxisValue::Float(real),
        _ => AxisValue::Text(text.into()),
    }
}
