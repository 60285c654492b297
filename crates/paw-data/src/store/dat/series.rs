//! The `.dat` files of a run: one for each test, process count, provider and variant, begun when its first point finishes.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::footer::{BestRow, footer};
use super::header::{header, unit};
use super::name::{Content, DatNames, file_stem};
use super::row::{self, row};
use crate::axis;
use crate::cell::Cell;
use crate::point::{AxisValue, Point};
use crate::run::{Header, Record};
use crate::store::WriteError;

/// Whether providers share a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folders {
    /// All files lie together: there is one provider.
    One,
    /// One folder for each provider.
    PerProvider,
}

/// Writes `.dat` files as points finish, one row at a time, each in a single write.
///
/// A file of another run is never touched: rows of two runs never mix, and an older result stays where it was published. The
/// new file gets the next free number instead (`dgemm_time-np_0002.2.dat`), and [`finish`](DatFiles::finish) returns its path.
/// Refusing would throw rows away at the moment they are ready; appending, as PAW did, makes both runs unreadable.
#[derive(Debug)]
pub struct DatFiles {
    dir: PathBuf,
    run: Header,
    names: DatNames,
    folders: Folders,
    series: Vec<DatSeries>,
}

/// One file.
#[derive(Debug)]
struct DatSeries {
    provider: String,
    /// The file's name by PAW's convention.
    stem: String,
    /// Axes that stay the same in the file.
    rest: Point,
    path: PathBuf,
    rate: Option<Content>,
    title: String,
    best: Option<BestRow>,
}

impl DatFiles {
    /// Files of the run `header` in the directory `dir`, which is created with the first row.
    pub fn new(dir: &Path, header: &Header, names: DatNames, folders: Folders) -> Self {
        Self { dir: dir.to_owned(), run: header.clone(), names, folders, series: Vec::new() }
    }

    /// Appends the rows of a finished cell: one in the file of times, one in the file of rates. Cells without a name in PAW,
    /// without numbers, with a wrong answer or in the role of a reference have none.
    pub fn append(&mut self, record: &Record) -> Result<(), WriteError> {
        if !row::has_rows(record) {
            return Ok(());
        }
        let rate = Content::rate_of(&record.cell);
        let best = rate.and_then(|rate| row(record, rate)).map(|r| BestRow { rate: r.max, size: r.size });
        for content in [Some(Content::Time), rate].into_iter().flatten() {
            let Some(row) = row(record, content) else { continue };
            let line = row.line(unit(&record.cell, content).si);
            let series = self.series(&record.cell, content)?;
            series.write(&line)?;
            // As in PAW only the file of rates has a closing line.
            if let (Some(best), true) = (best, rate == Some(content)) {
                series.best = BestRow::or(series.best, best);
            }
        }
        Ok(())
    }

    /// Writes the closing lines and returns the paths of all files.
    pub fn finish(self) -> Result<Vec<PathBuf>, WriteError> {
        let mut paths = Vec::new();
        for series in self.series {
            if let (Some(rate), Some(best)) = (series.rate, series.best) {
                series.write(&footer(rate, &series.title, best))?;
            }
            paths.push(series.path);
        }
        Ok(paths)
    }

    fn series(&mut self, cell: &Cell, content: Content) -> Result<&mut DatSeries, WriteError> {
        let key = SeriesKey::new(cell, content, self.names);
        let found =
            self.series.iter().position(|s| s.provider == cell.provider && s.stem == key.stem && s.rest == key.rest);
        let at = match found {
            Some(at) => at,
            None => {
                let series = self.begin(cell, content, key)?;
                self.series.push(series);
                self.series.len() - 1
            }
        };
        Ok(&mut self.series[at])
    }

    fn begin(&self, cell: &Cell, content: Content, key: SeriesKey) -> Result<DatSeries, WriteError> {
        // The first variant has PAW's name; later ones say where they differ from it.
        let first = self.series.iter().find(|s| s.provider == cell.provider && s.stem == key.stem);
        let stem = key.stem.clone() + &difference(&key.rest, &baseline(first.map_or(&key.rest, |first| &first.rest)));
        let dir = match self.folders {
            Folders::One => self.dir.clone(),
            Folders::PerProvider => self.dir.join(safe(&cell.provider, "-_.")),
        };
        fs::create_dir_all(&dir).map_err(|e| WriteError::io(&dir, e))?;
        let path = fresh(&dir, &stem)?;
        let series = DatSeries {
            provider: cell.provider.to_string(),
            stem: key.stem,
            path,
            rate: Content::rate_of(cell),
            title: cell.dat.as_ref().map_or_else(String::new, |dat| dat.title.clone()),
            best: None,
            rest: key.rest,
        };
        let text = header(&self.run, cell, &series.rest.to_string(), content);
        series.write(&text)?;
        Ok(series)
    }
}

impl DatSeries {
    fn write(&self, text: &str) -> Result<(), WriteError> {
        // Opened anew each time: a run may leave more files than a process may hold open.
        let file = OpenOptions::new().append(true).open(&self.path);
        file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|e| WriteError::io(&self.path, e))
    }
}

/// The facts that choose a cell's file, apart from its provider.
struct SeriesKey {
    stem: String,
    rest: Point,
}

impl SeriesKey {
    fn new(cell: &Cell, content: Content, names: DatNames) -> Self {
        let np = processes(cell);
        let size = cell.dat.as_ref().and_then(|dat| cell.point.value(&dat.size));
        let window = cell.point.int(axis::WINDOW);
        let mut rest = Point::new();
        for (axis, value) in cell.point.iter() {
            let is_size = cell.dat.as_ref().is_some_and(|dat| dat.size == axis);
            // Axes that follow the size (m and k of a square product) are not variants.
            let follows = Some(value) == size && matches!(value, AxisValue::Int(_)) && axis != axis::THREADS;
            let is_np = [axis::THREADS, axis::RANKS].contains(&axis) && *value == AxisValue::Int(i64::from(np))
                || axis == axis::DEVICES;
            if !is_size && !follows && !is_np {
                rest.set(axis, value.clone());
            }
        }
        let stem = cell.dat.as_ref().map_or_else(String::new, |dat| file_stem(dat, content, np, window, names));
        Self { stem, rest }
    }
}

/// Ranks where there are any, else the threads really used, else those asked for.
fn processes(cell: &Cell) -> u32 {
    let axis = |name| cell.point.int(name).and_then(|n| u32::try_from(n).ok());
    let really = cell.library.as_ref().map(|library| library.threads).filter(|threads| *threads > 0);
    axis(axis::RANKS).or(really).or_else(|| axis(axis::THREADS)).unwrap_or(1)
}

/// The variant that keeps PAW's name: the first, but of collectives the back-to-back one, which is what PAW measures.
fn baseline(first: &Point) -> Point {
    let mut rest = first.clone();
    if rest.value(axis::CADENCE).is_some() {
        rest.set(axis::CADENCE, axis::STREAMING.into());
    }
    rest
}

/// `-transa_T-beta_0`: the axes of `one` that differ from `other`.
fn difference(one: &Point, other: &Point) -> String {
    let differing = one.iter().filter(|(axis, value)| other.value(axis) != Some(value));
    differing.map(|(axis, value)| format!("-{}_{}", safe(axis, ""), safe(&value.to_string(), "."))).collect()
}

/// `text` as part of a file name: letters, digits and the `allowed` marks stay, and no name begins with a dot.
fn safe(text: &str, allowed: &str) -> String {
    let keep = |c: char| if c.is_ascii_alphanumeric() || allowed.contains(c) { c } else { '~' };
    text.trim_start_matches('.').chars().map(keep).collect()
}

/// Most files of one name in a directory: more are an error.
const NUMBERS: u32 = 10_000;

/// Creates `stem.dat`, or with the next free number where that exists.
fn fresh(dir: &Path, stem: &str) -> Result<PathBuf, WriteError> {
    let mut last = dir.join(format!("{stem}.dat"));
    for number in 1..NUMBERS {
        if number > 1 {
            last = dir.join(format!("{stem}.{number}.dat"));
        }
        match OpenOptions::new().append(true).create_new(true).open(&last) {
            Ok(_) => return Ok(last),
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
            Err(e) => return Err(WriteError::io(&last, e)),
        }
    }
    Err(WriteError::Occupied { dir: dir.to_owned(), file: last })
}
