//! Where a campaign lies, and where its file comes from.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use paw_data::bounded;

use crate::acceptance::ledger::{self, LedgerLine};
use crate::acceptance::step::Steps;
use crate::acceptance::{self, COPY};
use crate::confidential::HIDDEN_PATH;
use crate::failure::Failure;
use crate::file;
use crate::outdir::{self, RESULTS};
use crate::print;

/// The directory of a campaign, its file, and where its steps are started.
#[derive(Debug)]
pub struct Place {
    /// The campaign's directory, absolute.
    pub home: PathBuf,
    /// The file that is read: the user's, or the copy.
    source: PathBuf,
    /// Where steps are started: where the campaign began.
    pub directory: PathBuf,
}

impl Place {
    /// The campaign of the file `source` in `out`, or in a new directory; refused where `out` holds another one.
    pub fn of_file(source: &Path, out: Option<&Path>) -> Result<Self, Failure> {
        let new = || Path::new(RESULTS).join(outdir::name(SystemTime::now(), &mut fastrand::Rng::new()));
        let place = Self::at(&out.map_or_else(new, Path::to_path_buf), source.to_owned())?;
        let copy = place.home.join(COPY);
        if copy.exists() && text(&copy)? != text(source)? {
            let why = format!("{} holds a campaign by another file than {}", place.home.display(), source.display());
            let hint =
                format!("name a new --out, or go on with that one: `paw campaign resume {}`", place.home.display());
            return Err(Failure::usage(why).hint(hint));
        }
        Ok(place)
    }

    /// The campaign that `home` holds.
    pub fn of_directory(home: &Path) -> Result<Self, Failure> {
        let copy = home.join(COPY);
        if !copy.is_file() {
            let why = format!("{} holds no campaign: there is no {COPY} in it", home.display());
            return Err(Failure::io(why).hint("`paw campaign run FILE --out DIR` begins one"));
        }
        Self::at(home, copy)
    }

    fn at(home: &Path, source: PathBuf) -> Result<Self, Failure> {
        let home = std::path::absolute(home).map_err(|error| Failure::io(format!("{}: {error}", home.display())))?;
        if home.to_str().is_none() {
            let why = format!("{} is no UTF-8, and the command lines of steps have to name it", home.display());
            return Err(Failure::usage(why).hint("name another --out, or begin in another directory"));
        }
        let began = ledger::read(&home)?.into_iter().find_map(|line| match line {
            LedgerLine::Session { directory, .. } => Some(PathBuf::from(directory)),
            _ => None,
        });
        let directory = match began {
            Some(began) => began_in(began)?,
            None => here(),
        };
        Ok(Self { home, source, directory })
    }

    /// The steps of its file.
    pub fn steps(&self) -> Result<Steps, Failure> {
        acceptance::read(&self.source).map_err(|error| Failure::usage(error.to_string()))
    }

    /// Makes the directory, with a copy of the file.
    pub fn make(&self) -> Result<(), Failure> {
        if self.home.parent().is_some_and(|parent| parent.ends_with(RESULTS)) {
            self.home.parent().into_iter().try_for_each(outdir::owned)?;
        }
        outdir::owned(&self.home)?;
        fs::create_dir_all(&self.home).map_err(|error| {
            Failure::io(format!("cannot make {}: {error}", self.home.display())).hint("name another --out")
        })?;
        let copy = self.home.join(COPY);
        if copy.exists() { Ok(()) } else { file::write(&copy, &text(&self.source)?) }
    }
}

fn here() -> PathBuf {
    std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."))
}

/// The directory in which a campaign was begun; refused where it is gone, because the same words would name other files elsewhere.
fn began_in(directory: PathBuf) -> Result<PathBuf, Failure> {
    if directory.is_dir() {
        return Ok(directory);
    }
    if directory.to_string_lossy().contains(HIDDEN_PATH) {
        let here = here();
        print::warn(&format!("--redact has hidden where the campaign was begun: steps are done in {}", here.display()));
        return Ok(here);
    }
    let why = format!("the directory in which the campaign was begun is gone: {}", directory.display());
    Err(Failure::usage(why).hint("make it again, with the files that the commands name"))
}

fn text(path: &Path) -> Result<String, Failure> {
    bounded::text(path).map_err(|error| Failure::io(format!("{} cannot be read: {error}", path.display())))
}
