//! Prints results to standard output and messages to standard error. A closed pipe is no error: what a command does, and its exit code, are
//! the same whether or not somebody reads.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use paw_data::outcome::Caveat;
use paw_data::visible::visible;
use paw_report::Colour;

use crate::confidential;
use crate::failure::Failure;

/// Columns if the width is unknown: they fit an editor window and a mail.
const WIDTH_UNKNOWN: usize = 100;
/// Fewest columns for which paw formats tables.
const WIDTH_MIN: usize = 40;

static SILENCED: AtomicBool = AtomicBool::new(false);

/// Silences this process: rank 0 of its job writes everything.
pub fn silence() {
    SILENCED.store(true, Ordering::Relaxed);
}

/// Turns styles off unless they are forced: Open MPI's launcher gives every rank a terminal, wherever its own output goes.
pub fn through_a_launcher() {
    let forced = std::env::var_os("CLICOLOR_FORCE").is_some_and(|value| !value.is_empty() && value != "0");
    if !forced {
        anstream::ColorChoice::Never.write_global();
    }
}

/// Whether this process is silenced.
pub fn is_silenced() -> bool {
    SILENCED.load(Ordering::Relaxed)
}

/// Prints help or an error of the command line; returns its exit code.
pub fn refused(said: &clap::Error) -> ExitCode {
    if is_silenced() {
        // A launcher ends all ranks once one fails: a silenced rank succeeds, so that rank 0 can still print the error.
        return ExitCode::SUCCESS;
    }
    // A failed write to a closed pipe is no error.
    let _ = said.print();
    ExitCode::from(u8::try_from(said.exit_code()).unwrap_or(1))
}

/// Writes results to standard output, without styles if it takes none.
pub fn show(text: &str) -> Result<(), Failure> {
    if is_silenced() {
        return Ok(());
    }
    let mut out = anstream::stdout().lock();
    match out.write_all(confidential::hidden(text).as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

/// Writes results that may be long to standard output, piece by piece.
pub fn stream(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    if is_silenced() {
        return Ok(());
    }
    let mut outlet = Outlet { out: io::BufWriter::new(io::stdout().lock()), reader: Reader::There };
    match write(&mut outlet).and_then(|()| outlet.flush()) {
        Err(_) if outlet.reader == Reader::Gone => Ok(()),
        written => Ok(written?),
    }
}

/// A writer that notes a closed pipe, which encoders hide behind errors of their own.
struct Outlet<W> {
    out: W,
    reader: Reader,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reader {
    There,
    Gone,
}

impl<W> Outlet<W> {
    fn noted<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        if done.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
            self.reader = Reader::Gone;
        }
        done
    }
}

impl<W: Write> Write for Outlet<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let done = self.out.write(bytes);
        self.noted(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.out.flush();
        self.noted(done)
    }
}

/// Writes a message to standard error, except from silenced ranks.
pub fn message(text: &str) {
    if !is_silenced() {
        message_from_any_rank(text);
    }
}

/// Writes a message to standard error, also from silenced ranks.
pub fn message_from_any_rank(text: &str) {
    // A failed write of a message needs no error.
    let hidden = confidential::hidden(text);
    let lines: Vec<_> = hidden.split('\n').map(visible).collect();
    let _ = writeln!(anstream::stderr().lock(), "{}", lines.join("\n"));
}

/// Writes one warning.
pub fn warn(text: &str) {
    message(&format!("warning: {text}"));
}

/// Writes one caveat: cause, action, id.
pub fn caveat(caveat: &Caveat) {
    warn(&format!("{}: {} [{}]", caveat.cause, caveat.action, caveat.id));
}

/// Says in one line how many things disturb the machine; `paw doctor` and the run have them one by one.
pub fn machine_caveats(caveats: &[Caveat]) {
    if !caveats.is_empty() {
        warn(&format!("{}: `paw doctor`", disturbed(caveats.len())));
    }
}

/// How many things disturb the machine, as a sentence without its end.
pub fn disturbed(count: usize) -> String {
    match count {
        0 => "nothing that paw can see disturbs this machine".to_owned(),
        1 => "1 thing disturbs this machine".to_owned(),
        _ => format!("{count} things disturb this machine"),
    }
}

/// Width of the output in columns: COLUMNS, else the terminal's, else 100.
pub fn width() -> usize {
    let asked = std::env::var("COLUMNS").ok().and_then(|text| text.trim().parse().ok()).filter(|columns| *columns > 0);
    let seen = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    asked.or_else(seen).unwrap_or(WIDTH_UNKNOWN).max(WIDTH_MIN)
}

/// Colours for standard output; [`show`] removes them again if the output takes none.
pub fn colour() -> Colour {
    Colour::Ansi
}

/// Whether standard error is a terminal.
pub fn is_watched() -> bool {
    io::stderr().is_terminal()
}
