//! Writing as the run goes: kills, full disks, directories.

use std::cell::{Cell, RefCell};
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::rc::Rc;

use paw_data::run::End;
use paw_data::sample::{Phase, Sample};
use paw_data::store::{FILE, ReadError, WriteError, Writer, create, create_under, read};

use crate::jsonl::{opened, parsed};
use crate::sample_run::{dgemm, header};

/// A disk that takes `room` bytes and then is full.
#[derive(Clone, Default)]
struct Disk {
    room: Rc<Cell<usize>>,
    content: Rc<RefCell<Vec<u8>>>,
    /// Length of each write.
    writes: Rc<RefCell<Vec<usize>>>,
}

impl Disk {
    fn with_room(room: usize) -> Self {
        Disk { room: Rc::new(Cell::new(room)), ..Disk::default() }
    }
}

impl Write for Disk {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let n = buf.len().min(self.room.get());
        if n == 0 {
            return Err(ErrorKind::StorageFull.into());
        }
        self.room.set(self.room.get() - n);
        self.writes.borrow_mut().push(n);
        self.content.borrow_mut().extend_from_slice(&buf[..n]);
        Ok(n)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn sample(elapsed_s: f64) -> Sample {
    Sample { elapsed_s, loops: 1, ..Sample::default() }
}

/// Header, a cell, and two rounds of two samples, each saved; returns the errors met.
fn session(disk: &Disk) -> Vec<WriteError> {
    let mut writer = Writer::new(disk.clone(), "results/run.jsonl");
    let mut errors = Vec::new();
    let mut note = |result: Result<(), WriteError>| errors.extend(result.err());
    note(writer.header(&header()));
    note(writer.cell(&dgemm(0, 8)));
    for round in 0..2 {
        writer.push(0, Phase::Measure, sample(f64::from(round)));
        writer.push(0, Phase::Measure, sample(f64::from(round) + 0.5));
        note(writer.flush());
    }
    // Space is freed before the run ends.
    disk.room.set(disk.room.get().max(1 << 20));
    note(writer.end(&End::default()));
    errors
}

#[test]
fn a_disk_that_fills_up_at_any_byte_loses_no_sample() {
    let whole = Disk::with_room(1 << 20);
    assert!(session(&whole).is_empty());
    let length = whole.content.borrow().len();
    for room in 0..length {
        let disk = Disk::with_room(room);
        let errors = session(&disk);
        let run = opened(&disk.content.borrow());
        assert_eq!(run.records[0].samples.elapsed_s, [0.0, 0.5, 1.0, 1.5], "{room}");
        assert_eq!(run.damage, None, "{room}");
        for error in errors {
            assert_eq!(
                error.to_string(),
                "results/run.jsonl cannot be written: the disk is full: free some space; what was saved before can still be read"
            );
        }
    }
}

#[test]
fn every_line_leaves_in_one_write() {
    let disk = Disk::with_room(1 << 20);
    assert!(session(&disk).is_empty());
    let content = disk.content.borrow();
    let lines: Vec<usize> = content.split_inclusive(|b| *b == b'\n').map(<[u8]>::len).collect();
    assert_eq!(*disk.writes.borrow(), lines);
}

#[test]
fn a_kill_loses_what_was_pushed_since_the_last_flush_and_no_more() {
    let disk = Disk::with_room(1 << 20);
    let mut writer = Writer::new(disk.clone(), "run.jsonl");
    writer.header(&header()).unwrap();
    writer.cell(&dgemm(0, 8)).unwrap();
    writer.push(0, Phase::Measure, sample(1.0));
    writer.flush().unwrap();
    writer.push(0, Phase::Measure, sample(2.0));
    // A killed process runs no destructor.
    std::mem::forget(writer);
    let run = opened(&disk.content.borrow());
    assert_eq!(run.records[0].samples.elapsed_s, [1.0]);
    assert!(run.damage.is_some());
}

#[test]
fn a_writer_that_is_dropped_saves_what_is_pending() {
    let disk = Disk::with_room(1 << 20);
    let mut writer = Writer::new(disk.clone(), "run.jsonl");
    writer.header(&header()).unwrap();
    writer.cell(&dgemm(0, 8)).unwrap();
    writer.push(0, Phase::Measure, sample(1.0));
    drop(writer);
    assert_eq!(opened(&disk.content.borrow()).records[0].samples.len(), 1);
}

#[test]
fn a_process_killed_at_its_start_leaves_an_empty_file_and_that_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("a");
    drop(create(&run).unwrap());
    assert!(matches!(read(&run), Err(ReadError::Empty(_))));
    assert!(parsed(b"").is_err());
}

#[test]
fn a_directory_that_holds_a_run_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("a");
    create(&run).unwrap().header(&header()).unwrap();
    let before = std::fs::read(run.join(FILE)).unwrap();
    let error = create(&run).unwrap_err();
    assert!(matches!(error, WriteError::Occupied { .. }));
    assert!(error.to_string().contains("already holds a run: choose another directory"), "{error}");
    assert_eq!(std::fs::read(run.join(FILE)).unwrap(), before);
}

#[test]
fn a_directory_without_a_run_is_used() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("notes.txt"), "mine").unwrap();
    create(dir.path()).unwrap().header(&header()).unwrap();
    assert_eq!(read(dir.path()).unwrap().header, header());
    assert_eq!(std::fs::read_to_string(dir.path().join("notes.txt")).unwrap(), "mine");
}

#[test]
fn a_missing_parent_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let error = create(&dir.path().join("no/such/place")).unwrap_err();
    assert!(matches!(&error, WriteError::NoParent { parent, .. } if *parent == dir.path().join("no")), "{error}");
    let error = create_under(&dir.path().join("no/such"), "id").unwrap_err();
    assert!(matches!(&error, WriteError::NoParent { parent, .. } if *parent == dir.path().join("no")), "{error}");
}

#[test]
fn results_are_made_with_the_first_run() {
    let dir = tempfile::tempdir().unwrap();
    let results = dir.path().join("paw-results");
    for id in ["one", "two"] {
        let writer = create_under(&results, id).unwrap();
        assert_eq!(writer.path(), results.join(id).join(FILE));
    }
}

#[test]
fn a_file_in_the_place_of_a_directory_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    assert!(matches!(create(&file), Err(WriteError::NotADirectory(_))));
    assert!(create_under(&file, "id").unwrap_err().to_string().contains("file"));
}

#[test]
fn refusals_of_the_system_name_the_path_and_a_way_out() {
    let says = |kind: ErrorKind| WriteError::Io { path: Path::new("/a/b").into(), source: kind.into() }.to_string();
    assert_eq!(
        says(ErrorKind::PermissionDenied),
        "/a/b cannot be written: permission denied: choose a directory you may write to"
    );
    assert_eq!(
        says(ErrorKind::ReadOnlyFilesystem),
        "/a/b cannot be written: the file system is read-only: choose another directory"
    );
    assert!(says(ErrorKind::QuotaExceeded).contains("free some space"));
}
