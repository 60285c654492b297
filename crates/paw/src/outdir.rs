//! The directory of a run: made before the first sample, never one that holds a run already.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use paw_data::store::{self, WriteError, Writer};

use crate::failure::Failure;
use crate::utc;

/// Default parent directory of runs.
pub const RESULTS: &str = "paw-results";
/// The report, next to `run.jsonl`.
pub const REPORT_FILE: &str = "report.html";

/// Characters of a run's name, without those easily mistaken for one another.
const LETTERS: &[u8] = b"abcdefghjkmnpqrstuvwxyz23456789";

/// The directory of a new run.
#[derive(Debug)]
pub struct OutDir {
    pub path: PathBuf,
    /// Name of the run: UTC time and six characters.
    pub id: String,
    /// When the run began, RFC 3339 in UTC.
    pub utc: String,
    /// The run's file, still empty.
    pub writer: Writer<File>,
}

/// Makes the directory of a new run: `out`, or one of its own under [`RESULTS`].
pub fn make(out: Option<&Path>, now: SystemTime, rng: &mut fastrand::Rng) -> Result<OutDir, Failure> {
    let id = name(now, rng);
    let writer = match out {
        Some(directory) => {
            owned(directory)?;
            store::create(directory)
        }
        None => {
            owned(Path::new(RESULTS))?;
            store::create_under(Path::new(RESULTS), &id)
        }
    };
    let writer = writer.map_err(unwritten)?;
    let path = out.map_or_else(|| Path::new(RESULTS).join(&id), Path::to_path_buf);
    // Runs of one second have an order by its fraction.
    Ok(OutDir { path, id, utc: utc::to_millisecond(now), writer })
}

/// A new name: UTC time and six characters.
pub fn name(now: SystemTime, rng: &mut fastrand::Rng) -> String {
    let six: String = (0..6).filter_map(|_| rng.choice(LETTERS)).map(|letter| char::from(*letter)).collect();
    format!("{}-{six}", utc::to_second(now).replace(['-', ':'], ""))
}

/// Makes `directory` unless it exists, and refuses one in which another user may have planted links and files of names that paw writes.
pub fn owned(directory: &Path) -> Result<(), Failure> {
    if fs::create_dir(directory).is_ok() {
        return Ok(());
    }
    if directory.exists() && !directory.is_dir() {
        return Err(unwritten(WriteError::NotADirectory(directory.to_owned())));
    }
    let own = rustix::process::geteuid().as_raw();
    let is_foreign = |facts: fs::Metadata| {
        let is_open = facts.is_dir() && facts.mode() & 0o002 != 0;
        is_open || facts.uid() != own && facts.uid() != 0
    };
    let seen = [fs::symlink_metadata(directory), fs::metadata(directory)];
    if !seen.into_iter().flatten().any(is_foreign) {
        return Ok(());
    }
    let why = format!("{} belongs to another user, or every user may write to it", directory.display());
    Err(Failure::io(why).hint("name a directory of your own, which may be new and below it"))
}

/// An error of saving as a failure of the command.
pub fn unwritten(error: WriteError) -> Failure {
    Failure::io(error.to_string())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn made(out: &Path) -> Result<OutDir, Failure> {
        make(Some(out), SystemTime::UNIX_EPOCH, &mut fastrand::Rng::with_seed(1))
    }

    #[test]
    fn a_run_has_a_name_of_time_and_letters() {
        let home = tempfile::tempdir().unwrap();
        let dir = made(&home.path().join("a")).unwrap();
        let (time, rng) = dir.id.split_once('-').unwrap();
        assert_eq!((time, rng.len()), ("19700101T000000Z", 6));
        assert_eq!(dir.utc, "1970-01-01T00:00:00.000Z");
        assert!(dir.path.join(store::FILE).is_file());
    }

    #[test]
    fn a_directory_that_others_may_have_filled_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let open = home.path().join("open");
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, fs::Permissions::from_mode(0o1777)).unwrap();
        std::os::unix::fs::symlink(&open, home.path().join("link")).unwrap();
        for name in ["open", "link"] {
            let failure = made(&home.path().join(name)).unwrap_err();
            assert!(failure.code as i32 == 7 && failure.sentence.contains("another user"), "{failure}");
        }
        assert_eq!(fs::read_dir(&open).unwrap().count(), 0);
        made(&open.join("mine")).unwrap();
        if rustix::process::geteuid().is_root() {
            let theirs = home.path().join("theirs");
            fs::create_dir(&theirs).unwrap();
            std::os::unix::fs::chown(&theirs, Some(65_534), None).unwrap();
            assert!(made(&theirs).is_err());
        }
    }

    #[test]
    fn a_directory_with_a_run_is_refused() {
        let home = tempfile::tempdir().unwrap();
        made(home.path()).unwrap();
        let failure = made(home.path()).unwrap_err();
        assert_eq!(failure.code as i32, 7);
        assert!(failure.sentence.contains("already holds a run"), "{failure}");
    }
}
