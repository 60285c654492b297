//! What the launcher itself costs: runs a command that does nothing, and prints median and minimum of its wall time.
//!
//! `spawn [--runs N] [--hold MB] [--print summary|times|json] [-- COMMAND…]`; `testing/spawn/compare.sh` holds it against
//! hyperfine. It is also the launcher, and the large parent, of the tests.

use std::error::Error;
use std::hint::black_box;

use paw_apps::launch::{Launch, Sink};
use paw_apps::launcher::Launcher;

const USAGE: &str = "spawn [--runs N] [--hold MB] [--print summary|times|json] [-- COMMAND…]";

struct Asked {
    runs: usize,
    hold_mb: usize,
    print: String,
    words: Vec<String>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut asked = Asked { runs: 200, hold_mb: 0, print: "summary".to_owned(), words: vec!["/bin/true".to_owned()] };
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "__launcher" => return Ok(paw_apps::serve::serve()?),
            "--runs" => asked.runs = arguments.next().ok_or(USAGE)?.parse()?,
            "--hold" => asked.hold_mb = arguments.next().ok_or(USAGE)?.parse()?,
            "--print" => asked.print = arguments.next().ok_or(USAGE)?,
            "--" => asked.words = arguments.by_ref().collect(),
            _ => return Err(USAGE.into()),
        }
    }
    measure(asked)
}

fn measure(asked: Asked) -> Result<(), Box<dyn Error>> {
    let mut launcher = Launcher::start(&std::env::current_exe()?, &["__launcher"])?;
    // Ones, since the kernel gives no memory for zeros that nobody wrote.
    let held = black_box(vec![1_u8; asked.hold_mb * 1_000_000]);
    let launch = Launch::new(asked.words, Sink::Null, Sink::Null);
    let mut times = Vec::with_capacity(asked.runs);
    for _ in 0..asked.runs {
        let ran = launcher.run(&launch)?;
        if asked.print == "json" {
            println!("{}", serde_json::to_string(&ran)?);
        }
        times.push(ran.wall_s);
    }
    black_box(&held);
    match asked.print.as_str() {
        "json" => {}
        "times" => times.iter().for_each(|time| println!("{time}")),
        _ => {
            times.sort_by(f64::total_cmp);
            let us = |time: Option<&f64>| time.map_or(f64::NAN, |time| time * 1e6);
            let (median, min) = (us(times.get(times.len() / 2)), us(times.first()));
            println!("{} runs, median {median:.0} us, minimum {min:.0} us", times.len());
            println!("launcher's own memory {} kB", launcher.floor_rss_bytes() / 1000);
        }
    }
    Ok(())
}
