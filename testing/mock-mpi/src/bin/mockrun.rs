//! `mockrun -n N [--kill-others] [--limit SECONDS] COMMAND…`: N ranks of a command under the mock.
#![forbid(unsafe_code)]

use std::env;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use mock_mpi::{Launch, Others, Streams};

const USAGE: &str = "usage: mockrun -n N [--kill-others] [--limit SECONDS] COMMAND…";

fn main() -> ExitCode {
    let Some(launch) = parse(env::args_os().skip(1).collect()) else { return complain(USAGE) };
    match launch.streams(Streams::Inherited).run() {
        Ok(ended) => ExitCode::from(u8::try_from(ended.code()).unwrap_or(1)),
        Err(error) => complain(&format!("mockrun: {error}")),
    }
}

fn complain(sentence: &str) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "{sentence}");
    ExitCode::from(2)
}

fn parse(arguments: Vec<OsString>) -> Option<Launch> {
    let (mut ranks, mut others, mut limit) = (None, Others::LiveOn, None);
    let mut rest = arguments.into_iter().peekable();
    while let Some(option) = rest.next_if(|argument| argument.to_string_lossy().starts_with('-')) {
        let mut number = || rest.next()?.to_str()?.parse::<usize>().ok();
        match option.to_str()? {
            "-n" | "-np" => ranks = Some(number()?),
            "--limit" => limit = Some(Duration::from_secs(number()? as u64)),
            "--kill-others" => others = Others::Die,
            _ => return None,
        }
    }
    rest.peek()?;
    let launch = Launch::new(ranks.filter(|n| *n > 0)?, rest).others(others);
    Some(match limit {
        Some(limit) => launch.limit(limit),
        None => launch,
    })
}
