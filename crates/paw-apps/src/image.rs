//! A prepared launch: the program is found, its files are open, and the arguments of exec are laid out, before the clock starts.

use std::ffi::{CString, OsStr, OsString};
use std::fs::{File, OpenOptions};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::launch::{Launch, LaunchError, Sink};
use crate::lookup;
use crate::output_pipe::{self, OutputPipe};
use crate::sys::{ExecTarget, Strings};

/// A launch that is ready to be started and timed.
#[derive(Debug)]
pub(crate) struct Image {
    /// The file of the program, for messages.
    pub(crate) path: PathBuf,
    /// The arguments of exec, the same for every copy.
    pub(crate) program: ExecTarget,
    /// Files and processors of each copy.
    pub(crate) copies: Vec<CopyImage>,
}

/// Files and processors of one copy.
#[derive(Debug)]
pub(crate) struct CopyImage {
    /// Standard input, output and error.
    pub(crate) files: [OwnedFd; 3],
    /// The other ends of its output and error where they are pipes.
    pub(crate) pipes: [Option<OutputPipe>; 2],
    /// Logical processors that it may run on; empty: those of the launcher.
    pub(crate) cpus: Vec<u32>,
}

impl Image {
    /// Prepares `launch`, whose environment is `inherited` with the launch's own changes.
    pub(crate) fn of(launch: &Launch, inherited: Vec<(OsString, OsString)>) -> Result<Image, LaunchError> {
        let directory = directory(launch)?;
        let environment = environment(launch, inherited);
        let search = environment.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.as_os_str());
        let word = launch.words.first().ok_or_else(|| refused("no command was given: write one after `--`"))?;
        let path = lookup::program(word, search, &directory).map_err(LaunchError::Refused)?;
        let words = launch.words.iter().map(|word| text(OsStr::new(word))).collect::<Result<Vec<_>, _>>()?;
        let pairs = environment.iter().map(|(name, value)| text(&pair(name, value)));
        let program = ExecTarget {
            path: text(path.as_os_str())?,
            directory: launch.directory.as_ref().map(|directory| text(directory.as_os_str())).transpose()?,
            words: Strings::from(words),
            environment: Strings::from(pairs.collect::<Result<Vec<_>, _>>()?),
        };
        let copies = (0..launch.copies.max(1)).map(|copy| copy_image(launch, copy)).collect::<Result<_, _>>()?;
        Ok(Image { path, program, copies })
    }

    /// Takes the pipes of the copies' outputs. While the image lives, this process has their other ends open too: a program that closes its
    /// own, as each does a moment before it has ended, wakes nobody.
    pub(crate) fn take_pipes(&mut self) -> Vec<[Option<OutputPipe>; 2]> {
        self.copies.iter_mut().map(|copy| std::mem::take(&mut copy.pipes)).collect()
    }
}

fn refused(why: impl Into<String>) -> LaunchError {
    LaunchError::Refused(why.into())
}

/// The directory that the command runs in; an error unless it exists.
fn directory(launch: &Launch) -> Result<PathBuf, LaunchError> {
    let Some(directory) = &launch.directory else {
        return std::env::current_dir().map_err(|error| refused(format!("the current directory is gone: {error}")));
    };
    match directory.metadata() {
        Ok(data) if data.is_dir() => Ok(directory.clone()),
        Ok(_) => Err(refused(format!("{} is not a directory to run in: name one", directory.display()))),
        Err(error) => {
            Err(refused(format!("the directory {} to run in: {error}; create it or name another", directory.display())))
        }
    }
}

/// The inherited variables without those that the launch removes, and with those that it sets.
fn environment(launch: &Launch, mut inherited: Vec<(OsString, OsString)>) -> Vec<(OsString, OsString)> {
    let replaced = |name: &OsString| {
        launch.removed.iter().any(|removed| name == removed.as_str())
            || launch.environment.iter().any(|(set, _)| name == set.as_str())
    };
    inherited.retain(|(name, _)| !replaced(name));
    for (at, (name, value)) in launch.environment.iter().enumerate() {
        // If a variable is set twice, the last value counts.
        if !launch.environment[at + 1..].iter().any(|(later, _)| later == name) {
            inherited.push((name.into(), value.into()));
        }
    }
    inherited
}

fn pair(name: &OsStr, value: &OsStr) -> OsString {
    OsString::from_vec([name.as_bytes(), b"=", value.as_bytes()].concat())
}

fn text(text: &OsStr) -> Result<CString, LaunchError> {
    CString::new(text.as_bytes())
        .map_err(|_| refused(format!("{} holds a zero byte, which no program can be handed", text.display())))
}

fn copy_image(launch: &Launch, copy: u32) -> Result<CopyImage, LaunchError> {
    let input = launch.stdin.as_deref().unwrap_or(Path::new("/dev/null"));
    let name = input.display();
    let stdin = File::open(input)
        .map_err(|error| refused(format!("the input {name} cannot be read: {error}; name another file")))?;
    if stdin.metadata().is_ok_and(|data| data.is_dir()) {
        return Err(refused(format!("the input {name} is a directory: name a file")));
    }
    let (out, err) = (launch.stdout.of_copy(copy), launch.stderr.of_copy(copy));
    let (stdout, out_pipe) = output(&out, std::io::stdout().as_fd())?;
    let (stderr, err_pipe) = match (&err, &out) {
        // One open file has one offset: two would overwrite each other's output.
        (Sink::File(err), Sink::File(out)) if err == out => (stdout.try_clone().map_err(too_many)?, None),
        _ => output(&err, std::io::stderr().as_fd())?,
    };
    let cpus = launch.copy_cpus.get(copy as usize).unwrap_or(&launch.cpus).clone();
    Ok(CopyImage { files: [stdin.into(), stdout, stderr], pipes: [out_pipe, err_pipe], cpus })
}

fn too_many(error: std::io::Error) -> LaunchError {
    refused(format!("no more files can be opened: {error}"))
}

/// A program's end of `sink`, and the launcher's if it is a pipe; `inherited` is the launcher's own stream.
fn output(sink: &Sink, inherited: BorrowedFd<'_>) -> Result<(OwnedFd, Option<OutputPipe>), LaunchError> {
    let opened = |path: &Path| {
        let file = OpenOptions::new().write(true).create(true).truncate(true).open(path);
        file.map_err(|error| refused(output_pipe::cannot_be_written(path, &error)))
    };
    match sink {
        Sink::Null => Ok((opened(Path::new("/dev/null"))?.into(), None)),
        Sink::Inherit => Ok((inherited.try_clone_to_owned().map_err(too_many)?, None)),
        Sink::File(path) => Ok((opened(path)?.into(), None)),
        Sink::Ends(path) => {
            let (pipe, writer) = OutputPipe::new(path.clone()).map_err(too_many)?;
            Ok((writer.into(), Some(pipe)))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::sys::wait_for;

    use super::*;

    #[test]
    fn a_program_that_closes_its_output_wakes_nobody_while_the_image_lives() {
        let directory = tempfile::tempdir().unwrap();
        let err = Sink::Ends(directory.path().join("err"));
        let mut image = Image::of(&Launch::new(vec!["/bin/true".to_owned()], Sink::Null, err), Vec::new()).unwrap();
        let pipes = image.take_pipes();
        let [None, Some(pipe)] = &pipes[0] else { panic!("{pipes:?}") };
        let wakes = || wait_for(&[pipe.waited().unwrap()], Some(Duration::ZERO)) == [true];
        let of_program = image.copies[0].files[2].try_clone().unwrap();
        drop(of_program);
        assert!(!wakes());
        drop(image);
        assert!(wakes(), "the end of a pipe is read");
    }

    #[test]
    fn variables_are_removed_and_set_over_the_inherited_ones() {
        let mut launch = Launch::new(vec![], Sink::Null, Sink::Null);
        launch.removed = vec!["B".to_owned()];
        launch.environment = [("C", "3"), ("D", "4"), ("C", "5")].map(|(n, v)| (n.to_owned(), v.to_owned())).to_vec();
        let inherited = ["A", "B", "C"].map(|name| (OsString::from(name), OsString::from("0"))).to_vec();
        let left: Vec<_> = environment(&launch, inherited).iter().map(|(name, value)| pair(name, value)).collect();
        assert_eq!(left, ["A=0", "D=4", "C=5"]);
    }
}
