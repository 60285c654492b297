//! The conclusion of an application's run in sentences: the fastest point, its agreement, and the end of scaling.

use paw_data::cell::Role;
use paw_data::outcome::Status;
use paw_data::run::Run;
use paw_data::scaling::{
    BaseKind, FittedPeak, Indecision, RunTiming, Scaling, ScalingEnd, ScalingRow, Sweep, SweepKind, ThreadPlateau,
    Yardstick,
};
use paw_data::speedup::Speedup;
use paw_stats::amdahl;

use crate::application::leader::leader;
use crate::application::{division, figure, ranking, words};
use crate::number::{self, half_width, percent, plural, significant};

/// Most absent cells that are listed.
const ABSENCES: usize = 8;

/// Numbers from which the values of an axis may be sizes.
const MAYBE_SIZES: usize = 3;

/// The conclusion: the fastest point of the largest size, and where scaling stops.
pub fn verdict(run: &Run, scaling: &Scaling<'_>) -> Vec<String> {
    let Some((sweep, fastest)) = scaling.headline() else { return vec![nothing(run, scaling)] };
    let Some(timing) = &fastest.timing else { return vec![nothing(run, scaling)] };
    let ranked = scaling.leading().and_then(|leading| ranking::sentence(scaling, leading));
    let tally = ranking::tally(scaling);
    if let SweepKind::Weak(axis) = &sweep.kind {
        return weak(run, scaling, (sweep, axis)).into_iter().chain(ranked).chain(tally).collect();
    }
    if let Some(leader) = scaling.leading().and_then(|leading| leading.rows.first()) {
        let over = over_base(scaling, sweep, fastest).map(|words| format!("{} is {words}.", leader.name));
        let told = ranked.into_iter().chain(over).chain(tally);
        return told.chain(stops(sweep)).chain(farm(scaling)).collect();
    }
    let best = figure::best(timing);
    let sure = figure::certainty(timing, figure::k(run));
    let mut first = format!("{}{best} ({sure})", fastest_at(sweep, fastest, timing));
    first.extend(over_base(scaling, sweep, fastest).map(|words| format!(", {words}")));
    let mut sentences = vec![first + "."];
    sentences.extend(stops(sweep));
    sentences.extend(farm(scaling));
    sentences
}

/// `7.12 times as fast as the original program (95%: 7.05…7.20)`; `None` without a speed-up, and for the base itself.
fn over_base(scaling: &Scaling<'_>, sweep: &Sweep<'_>, row: &ScalingRow<'_>) -> Option<String> {
    let speedup = row.speedup.filter(|_| !std::ptr::eq(sweep.base.map_or(row.record, |base| base.0), row.record))?;
    let interval = figure::ends(&speedup);
    let interval = if interval.is_empty() { interval } else { format!(" (95%: {interval})") };
    let ratio = words::ratio(scaling.yardstick, &figure::speedup(&speedup), "", &scaling.base.words());
    Some(ratio + &interval)
}

/// `Fastest at v=512: 16 threads: `; of one row only the place, and `Fastest seen` where the rounds do not separate it from all others.
fn fastest_at(sweep: &Sweep<'_>, fastest: &ScalingRow<'_>, timing: &RunTiming<'_>) -> String {
    let threads = figure::threads_words(fastest);
    if sweep.rows.len() == 1 {
        let name = timing.yardstick.metric().map_or(String::new(), |fact| fact.name.clone());
        return place(&[name, sweep.label(), threads]);
    }
    let timed: Vec<_> = sweep.rows.iter().filter_map(|row| Some((row.record, row.timing?))).collect();
    let is_shown = leader(timing.yardstick, &timed).is_some_and(|leader| std::ptr::eq(leader, fastest.record));
    let superlative = words::superlative(timing.yardstick);
    let superlative = match is_shown && timing.agreed().mark().is_empty() {
        true => superlative,
        false => superlative.replacen("est", "est seen", 1),
    };
    let at = if sweep.label().is_empty() { String::new() } else { format!(" at {}", sweep.label()) };
    format!("{superlative}{at}: {}", place(&[threads]))
}

/// `v=512, 16 threads: `; empty parts left out.
fn place(parts: &[String]) -> String {
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|p| !p.is_empty()).collect();
    if parts.is_empty() { String::new() } else { format!("{}: ", parts.join(", ")) }
}

/// Weak scaling: the numbers of one thread and of the most threads.
fn weak(run: &Run, scaling: &Scaling<'_>, (sweep, axis): (&Sweep<'_>, &str)) -> Option<String> {
    let timed = || sweep.rows.iter().filter_map(|row| Some((row, row.timing?)));
    let (_, first) = timed().next()?;
    let (last, timing) = timed().next_back()?;
    let sure = figure::certainty(&timing, figure::k(run));
    let Some(efficiency) = last.efficiency.filter(|_| last.threads > 1) else {
        let name = scaling.yardstick.metric().map_or(String::new(), |fact| fact.name.clone());
        return Some(format!("{}{} ({sure}).", place(&[name, figure::threads_words(last)]), figure::best(&timing)));
    };
    let [takes, take] = if scaling.yardstick == Yardstick::WallTime { ["takes", "take"] } else { ["has", "have"] };
    let of = scaling.yardstick.metric().map_or(String::new(), |fact| format!(" as its {}", fact.name));
    Some(format!(
        "One thread {takes} {}{of}; {} threads with {} × {axis} {take} {} ({sure}): weak efficiency {}.",
        figure::best(&first),
        last.threads,
        last.threads,
        figure::best(&timing),
        percent(efficiency)
    ))
}

fn nothing(run: &Run, scaling: &Scaling<'_>) -> String {
    if let Some(crowd) = crowd(scaling) {
        return crowd;
    }
    let of = |status: Option<Status>| {
        let subject = run.records.iter().filter(|r| r.cell.role == Role::Subject);
        subject.filter(|r| r.outcome.as_ref().map(|o| o.status) == status).count()
    };
    let counts =
        [(of(Some(Status::Failed)), "failed"), (of(Some(Status::Skipped)), "skipped"), (of(None), "not finished")];
    let counts: Vec<String> = counts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
    let counts = if counts.is_empty() { String::new() } else { format!(": {}", counts.join(", ")) };
    let what = scaling.yardstick.metric().map_or("a number", |fact| &fact.name);
    format!("No point of the program has {what}{counts}.")
}

/// The time of the most copies at once, where no copy ran alone.
fn crowd(scaling: &Scaling<'_>) -> Option<String> {
    let rows = scaling.copy_sweeps.iter().flat_map(|farm| &farm.rows).filter_map(|row| Some((row, row.row.timing?)));
    let (row, timing) = rows.max_by_key(|(row, _)| row.copies)?;
    let (copies, best) = (row.copies, figure::best(&timing));
    Some(format!(
        "{copies} copies at once: {best} ({}). No copy ran alone: --copies 1,{copies} tells what they gain.",
        timing.agreed().word()
    ))
}

/// The thread count at which scaling stops.
fn stops(sweep: &Sweep<'_>) -> Option<String> {
    let ThreadPlateau { threads, fastest, most, margin } = match sweep.end()? {
        ScalingEnd::At(plateau) => plateau,
        ScalingEnd::NotDetermined(Indecision::FewRuns(runs)) => {
            let have = if runs == 1 { "has one run".to_owned() } else { format!("has {runs} runs, too few to agree") };
            return Some(format!(
                "Where scaling stops is not determined: a point that decides it {have}, which does not tell how far runs differ. More \
                 measurements of each point would tell."
            ));
        }
        ScalingEnd::NotDetermined(Indecision::Contended(threads)) => {
            return Some(format!(
                "Where scaling stops is not determined: other work ran beside {threads} threads. Measuring them again on an idle machine \
                 would tell."
            ));
        }
        ScalingEnd::NotDetermined(Indecision::Spread(spread)) => {
            let spread = half_width(spread);
            return Some(format!(
                "Where scaling stops is not determined: the best runs that decide it lie {spread} apart, or did not meet their \
                 rule. More runs (--max) on an idle machine would tell."
            ));
        }
    };
    let margin = half_width(margin);
    Some(if threads == most {
        format!("It still gains at {threads} threads, the most that were measured.")
    } else if threads == fastest {
        format!("Scaling stops there: up to {most} threads nothing is faster.")
    } else {
        format!(
            "Scaling stops at {}: up to {most} nothing is more than {margin} faster.",
            plural(threads as usize, "thread")
        )
    })
}

/// The best throughput of several copies at once.
fn farm(scaling: &Scaling<'_>) -> Option<String> {
    if scaling.yardstick != Yardstick::WallTime {
        return None;
    }
    if let Some(divided) = division::sentence(scaling) {
        return Some(divided);
    }
    let rows = || scaling.copy_sweeps.iter().rfind(|f| f.provider == scaling.app.first()).map(|farm| farm.rows.iter());
    let best =
        rows()?.filter(|r| r.gain.is_some()).max_by(|a, b| a.gain.partial_cmp(&b.gain).expect("gains are finite"))?;
    let (gain, slowdown) = (best.gain?, best.slowdown?);
    let copies = plural(best.copies as usize, "copy").replace("copys", "copies");
    let compared = rows()?.filter(|row| row.copies == 1 || row.copies == best.copies);
    let mut unmet =
        compared.filter_map(|row| row.row.timing).map(|timing| timing.agreed()).filter(|own| !own.mark().is_empty());
    let doubt = unmet.next().map_or(String::new(), |agreed| format!(", if the times are right ({})", agreed.word()));
    (best.copies > 1).then(|| {
        let (gain, slowdown) = (significant(gain, 3), significant(slowdown, 3));
        format!("{copies} at once get {gain} times as much done as one; each takes {slowdown} times as long{doubt}.")
    })
}

/// Remarks on the curve of the largest size.
pub fn remarks(scaling: &Scaling<'_>) -> Vec<String> {
    let Some((sweep, _)) = scaling.headline() else { return Vec::new() };
    let is_one = scaling.sweeps.len() < 2 || sweep.label().is_empty();
    let at = match (words::by(scaling.yardstick), is_one) {
        (by, true) if by.is_empty() => by,
        (by, true) => format!("{}: ", by.trim_start()),
        (by, false) if by.is_empty() => format!("At {}: ", sweep.label()),
        (by, false) => format!("{} at {}: ", by.trim_start(), sweep.label()),
    };
    let mut told: Vec<String> =
        [cost(scaling, sweep), serial(sweep), grows(sweep), peak(sweep), smt(sweep)].into_iter().flatten().collect();
    if let Some(first) = told.first_mut() {
        *first = format!("{at}{first}");
    }
    told.extend(breaks_even(scaling));
    told.iter().map(|text| number::capitalised(text)).collect()
}

fn cost(scaling: &Scaling<'_>, sweep: &Sweep<'_>) -> Option<String> {
    let overhead = figure::overhead(sweep)?;
    let word = if overhead < 0.0 { "less" } else { "more" };
    Some(format!(
        "one thread takes {} {word} than {}, before anything runs in parallel.",
        percent(overhead.abs()),
        scaling.base.words()
    ))
}

fn serial(sweep: &Sweep<'_>) -> Option<String> {
    let fitted = sweep.amdahl?;
    let part = percent(fitted.serial);
    if let Some(off) = sweep.amdahl_misfit() {
        let off = half_width(off);
        return Some(format!(
            "Amdahl's law does not fit: with {part} of the work serial its times are off by {off} on average."
        ));
    }
    let interval = fitted.interval.map(|i| format!(" (95%: {}…{})", percent(i.low), percent(i.high)));
    let limit = amdahl::limit(fitted.serial).filter(|l| *l < 1e4).map(|limit| {
        format!(
            "; extrapolated, no number of threads makes it more than {} times as fast as one",
            significant(limit, 3)
        )
    });
    let (interval, limit) = (interval.unwrap_or_default(), limit.unwrap_or_default());
    Some(format!("by Amdahl's law {part} of its work is serial{interval}{limit}."))
}

fn grows(sweep: &Sweep<'_>) -> Option<String> {
    (sweep.overhead_grows?).then(|| {
        "The part that does not scale (Karp-Flatt) rises with the threads: it is overhead rather than serial work."
            .to_owned()
    })
}

fn peak(sweep: &Sweep<'_>) -> Option<String> {
    Some(match sweep.peak()? {
        FittedPeak::At(peak) => format!("The law of scalability puts the highest speed-up at about {peak:.0} threads."),
        FittedPeak::Beyond(peak, largest) => format!(
            "The law of scalability puts the highest speed-up at about {peak:.0} threads, extrapolated beyond the {largest} measured."
        ),
        FittedPeak::Misfit(off) => {
            let off = half_width(off);
            format!(
                "The law of scalability does not fit: its times are off by {off} on average, and nothing is extrapolated from it."
            )
        }
        FittedPeak::NotDetermined => {
            "Where more threads would make it slower is not determined by these points.".to_owned()
        }
    })
}

fn smt(sweep: &Sweep<'_>) -> Option<String> {
    let gain = sweep.smt_gain?;
    let change = percent((gain - 1.0).abs());
    Some(if gain >= 1.0 {
        format!("Two threads on each core gain {change} over one.")
    } else {
        format!("Two threads on each core lose {change} against one.")
    })
}

/// The smallest size at which the program beats the original one; `None` if it does at all sizes.
fn breaks_even(scaling: &Scaling<'_>) -> Option<String> {
    if !matches!(scaling.base.kind, BaseKind::Program(_)) {
        return None;
    }
    let bests: Vec<(String, f64)> = scaling
        .sweeps
        .iter()
        .filter(|s| s.provider == scaling.app.first())
        .filter_map(|s| {
            // A row is faster where the interval of its speed-up says so.
            let surely = |found: Speedup| found.interval.map_or(f64::NAN, |interval| interval.low);
            let best = s.rows.iter().filter_map(|r| r.speedup).filter(Speedup::decides).map(surely).reduce(f64::max)?;
            Some((s.label(), best))
        })
        .collect();
    let faster = words::comparative(scaling.yardstick).to_owned() + &words::by(scaling.yardstick);
    let wins = bests.iter().position(|(_, best)| *best > 1.0);
    match wins {
        Some(0) => None,
        Some(first) => Some(format!("It is {faster} than the original program from {} on.", bests[first].0)),
        None if bests.is_empty() => None,
        None => Some(format!("No size shows that it is {faster} than the original program.")),
    }
}

/// Cells without a time, with the reason: `v=256, 64 threads: failed: exit code 139`.
pub fn absences(scaling: &Scaling<'_>) -> Vec<String> {
    let rows = scaling.sweeps.iter().flat_map(|sweep| sweep.rows.iter().map(move |row| (sweep, row)));
    let line = |(sweep, row): (&Sweep<'_>, &ScalingRow<'_>)| {
        let (_, why) = figure::absence(row)?;
        Some(place(&[sweep.label(), figure::threads_words(row)]) + &why)
    };
    let all: Vec<String> = rows.filter_map(line).collect();
    let more = all.len().saturating_sub(ABSENCES);
    let more = (more > 0).then(|| format!("and {} without a number", plural(more, "more cell")));
    all.into_iter().take(ABSENCES).chain(more).collect()
}

/// Facts about the command, its base and its work.
pub fn subject(scaling: &Scaling<'_>) -> Vec<(&'static str, String)> {
    let app = scaling.app;
    let line = |words: &[String]| if app.shell { words.join(" ") } else { crate::machine::command_line(words) };
    let several = !app.others.is_empty();
    let named =
        |(name, words): (&str, &[String])| if several { format!("{name}: {}", line(words)) } else { line(words) };
    let mut facts: Vec<_> = app.commands().map(|command| ("command", named(command))).collect();
    let base = match scaling.base.kind {
        BaseKind::Program(words) if !words.is_empty() => Some(format!("{}: {}", scaling.base.words(), line(words))),
        // Nothing is held against one thread of a program whose threads nobody set.
        _ => scaling
            .sweeps
            .iter()
            .flat_map(|s| &s.rows)
            .any(|row| row.speedup.is_some() || row.efficiency.is_some())
            .then(|| scaling.base.words().into_owned()),
    };
    facts.extend(base.map(|base| ("base", base)));
    facts.extend(app.work.as_ref().map(|w| ("work", format!("{} {}", w.formula, w.unit).trim().to_owned())));
    let numbers = || scaling.rankings.iter().flat_map(|ranking| &ranking.rows).map(|row| &row.record.cell.point);
    let is_number = |axis: &&String| {
        let values = numbers().filter_map(|point| point.float(axis)).fold(Vec::new(), |mut seen: Vec<f64>, value| {
            seen.extend((!seen.contains(&value)).then_some(value));
            seen
        });
        values.len() >= MAYBE_SIZES
    };
    facts.extend(app.alternatives.iter().find(is_number).map(|axis| {
        ("values", format!("of {axis} are alternatives; if they are sizes, --ladder {axis} measures them in order and shows how the time grows"))
    }));
    facts.extend(app.weak.as_ref().map(|axis| ("weak", format!("{axis} grows with the threads"))));
    facts.extend(scaling.yardstick.metric().map(|fact| {
        let unit = if fact.unit.is_empty() { String::new() } else { format!(", in {}", fact.unit) };
        ("headline", format!("the printed number {}{unit}, not wall time", fact.name))
    }));
    facts.extend(app.drive.as_ref().map(|name| ("ends by", format!("the printed number {name}, not wall time"))));
    facts.retain(|(_, text)| !text.is_empty());
    facts
}
