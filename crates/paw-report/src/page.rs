//! The page of a run: everything that printers show.

use paw_data::between_runs::BetweenRuns;
use paw_data::cell::Role;
use paw_data::parts;
use paw_data::run::{ClockKind, Instrument, Run};
use paw_data::trust::Trust;
use paw_sort::OrderBy;

use crate::analysis::Analysis;
use crate::assessment::{Assessment, assessment};
use crate::benchmark::absence::shared;
use crate::benchmark::multiples::multiples;
use crate::benchmark::{chapter, references, roofline};
use crate::caveat::caveats;
use crate::code;
use crate::device_sample;
use crate::family::families;
use crate::finding::Finding;
use crate::grade::Grade;
use crate::guideline::violations;
use crate::layout::layout;
use crate::machine;
use crate::method;
use crate::model::{Chapter, ColumnKind, Conclusion, Fact, Family, LongTable, Page, Part};
use crate::number;
use crate::section::Section;
use crate::{application, counters, kernel, profile};

/// The page of an analysed run.
pub fn page<'a>(analysis: &'a Analysis<'a>) -> Page<'a> {
    let run = analysis.run;
    let header = &run.header;
    let identity = &header.machine.identity;
    let fact = |(name, text): (String, String)| Fact { name, text, is_code: false };
    let own = own_findings(analysis);
    let repeated = own.len();
    let mut assessment = assessment(run, &analysis.sections, analysis.tables());
    assessment.findings.splice(..0, own);
    if analysis.is_sampled() {
        assessment = sampled(run, assessment);
    }
    let subjects: Vec<&Section<'_>> = analysis.tables().filter(|s| s.role == Role::Subject).collect();
    let shared = shared(&subjects);
    let is_told = |section: &&&Section<'_>| !shared.iter().any(|shared| shared.names(section));
    let subjects: Vec<&Section<'_>> = subjects.iter().filter(is_told).copied().collect();
    let mut chapters = own_chapters(analysis);
    let families = families_of(&subjects, chapters.len());
    chapters.extend(parts::each(&subjects, 1, |section| chapter(section, run)));
    chapters.extend(roofline::chapter(&analysis.tables().collect::<Vec<_>>(), identity));
    explain_trust(&mut chapters, BetweenRuns::of(&header.machine));
    let others = || analysis.tables().filter(|s| s.role != Role::Subject);
    let rows = || analysis.sections.iter().flat_map(|s| &s.rows);
    let named = machine::named_facts(identity).into_iter().map(|(name, value)| fact((name.to_owned(), value)));
    let disturbances = header.machine.caveats.iter();
    let disturbances = disturbances.map(|caveat| (caveat.id.clone(), format!("{}: {}", caveat.cause, caveat.action)));
    let selftest = header.selftest.as_ref().map(|made| ("self-test".to_owned(), made.sentence()));
    Page {
        id: header.id.clone(),
        host: identity.host.clone(),
        utc: number::to_second(&header.utc),
        tool: header.tool.clone(),
        command: machine::command_line(&header.argv),
        conclusions: conclusions(analysis),
        assessment,
        repeated,
        machine: machine::facts(identity),
        facts: named.chain(disturbances.map(fact)).collect(),
        recorded: &header.machine,
        without_roofs: roofline::lacking(&analysis.tables().collect::<Vec<_>>(), identity),
        devices: machine::device_facts(run)
            .into_iter()
            .chain(device_sample::alike(run))
            .chain(selftest)
            .map(fact)
            .collect(),
        state: states(run),
        teams: run.teams.iter().map(layout).collect(),
        families,
        chapters,
        shared,
        references: others().flat_map(references).collect(),
        is_disturbed: rows().filter_map(|r| r.value).any(|v| v.disturbed > 0),
        guidelines: violations(rows()),
        caveats: caveats(rows()),
        method: header.plan.method.name.clone(),
        explanation: if analysis.is_sampled() { profile::protocol(&run.profiles) } else { method::explanation(run) },
        protocol: protocol(analysis),
        clocks: run.instruments.iter().map(clock).collect(),
        environment: header.imported().is_none().then(|| header.env.clone().into_iter().collect()),
        cells: rows().map(|reading| (reading.record.cell.id, reading)).collect(),
    }
}

/// The assessment of a run that has nothing but profiles: how many samples there are.
fn sampled(run: &Run, assessment: Assessment) -> Assessment {
    let missing = run.profiles.iter().any(|profile| profile.missing().is_some());
    let is_misplaced = run.profiles.iter().any(|profile| profile::misplaced(profile).is_some());
    let (word, grade) = match (is_misplaced, missing) {
        (true, _) => ("samples are misplaced", Trust::Poor),
        (false, true) => ("samples are missing", Trust::Poor),
        (false, false) => ("sampled", Trust::Good),
    };
    let tally = |profile: &paw_data::profile::Profile| number::capitalised(&profile::tally(profile)) + ".";
    let reasons = run.profiles.iter().map(tally).chain(run.damage.clone()).collect();
    let is_empty = run.profiles.iter().all(|profile| profile.sampling.samples == 0);
    let (word, grade) = if is_empty { ("no sample", Grade::Absent) } else { (word, Grade::Number(grade)) };
    Assessment { word: word.to_owned(), grade, reasons, ..assessment }
}

/// Adds the explanation of the words of trust to the first table that every printer shows whole, else to the first with such words.
fn explain_trust(chapters: &mut [Chapter<'_>], between_runs: BetweenRuns) {
    let parts = chapters.iter_mut().flat_map(|chapter| &mut chapter.parts);
    let mut tables: Vec<&mut LongTable> = parts
        .filter_map(|part| match part {
            Part::Long(long) => Some(long.as_mut()),
            _ => None,
        })
        .filter(|long| !long.full.rows.is_empty() && long.full.columns.iter().any(|c| c.kind == ColumnKind::Trust))
        .collect();
    tables.order_by_key(|long| long.is_long);
    if let Some(long) = tables.first_mut() {
        long.full.note =
            [Trust::MEANING.to_owned()].into_iter().chain(between_runs.sentence()).collect::<Vec<_>>().join("; ");
    }
}

/// The figures of a program or a kernel.
fn own_findings(analysis: &Analysis<'_>) -> Vec<Finding> {
    let program = analysis.scaling.as_ref().map(application::findings);
    let kernel = analysis.kernel.as_ref().map(kernel::findings);
    program.into_iter().chain(kernel).flatten().collect()
}

fn own_chapters<'a>(analysis: &'a Analysis<'a>) -> Vec<Chapter<'a>> {
    let others = &analysis.others;
    let program = analysis.scaling.as_ref();
    let program = program.map(|scaling| application::chapter(analysis.run, &analysis.sections, scaling, others));
    let kernel = analysis.kernel.as_ref().map(|own| kernel::chapter(analysis.run, &analysis.sections, own));
    let profiles = analysis.run.profiles.iter().map(profile::chapter);
    program
        .into_iter()
        .chain(kernel)
        .chain(kernel::launched(analysis.run))
        .chain(profiles)
        .chain(counters::chapter(analysis.run))
        .chain(code::chapter(analysis.run))
        .collect()
}

fn conclusions(analysis: &Analysis<'_>) -> Vec<Conclusion> {
    let program = analysis.scaling.as_ref().map(|scaling| Conclusion {
        name: scaling.program.to_owned(),
        label: String::new(),
        text: application::verdict::verdict(analysis.run, scaling).join(" "),
    });
    let kernel = analysis.kernel.iter().flat_map(|own| {
        let name = &own.kernel().name;
        let conclusion = |(label, text)| Conclusion { name: name.clone(), label, text };
        kernel::verdict::verdict(own).into_iter().map(conclusion)
    });
    let profiles = analysis.run.profiles.iter().map(|profile| Conclusion {
        name: profile.name.clone(),
        label: String::new(),
        text: profile::conclusion(profile),
    });
    program.into_iter().chain(kernel).chain(profiles).collect()
}

/// The families of benchmarks, whose chapters follow `before` others in the order of `subjects`.
fn families_of<'a>(subjects: &[&'a Section<'a>], before: usize) -> Vec<Family<'a>> {
    let family = |members: crate::family::FamilyMembers<'a, 'a>| {
        let place = |own: &&Section<'_>| subjects.iter().position(|s| std::ptr::eq(*s, *own)).map(|at| before + at);
        let chapters = members.sections.iter().filter_map(place).collect();
        Family::new((members.title, members.lead), chapters, move |links| multiples(&members, links))
    };
    families(subjects).into_iter().map(family).collect()
}

fn protocol(analysis: &Analysis<'_>) -> Vec<String> {
    if analysis.run.header.imported().is_some() {
        return Vec::new();
    }
    let sentences: &[&str] = if analysis.scaling.is_some() {
        &[
            "Thread counts, copies and commands of one size are measured in shuffled rounds, one run each, so that a machine that changes its speed changes all of them.",
            "All runs of a program count. Those whose main thread waited for a processor for over 1% of their time are counted in the notes.",
        ]
    } else if analysis.kernel.is_some() || analysis.is_sampled() {
        &[]
    } else {
        &[
            "Alternatives (providers, threads, references) are measured in shuffled rounds, one sample each, so that a machine that changes its speed changes all of them.",
            "A sample during which other work ran on its processors is marked as disturbed (a ring in the plots): it stays in the file and leaves the estimate. No sample is left out for being slow.",
            "Every answer is checked outside the timed regions; where it is wrong there is no number.",
        ]
    };
    let app = analysis.run.header.app.as_ref().filter(|app| analysis.scaling.is_some() && !app.output.is_empty());
    let output = app.map(|app| format!("The standard output of the programs: {}.", app.output));
    sentences.iter().map(|sentence| (*sentence).to_owned()).chain(output).collect()
}

fn clock(instrument: &Instrument) -> String {
    let name = match instrument.clock {
        ClockKind::Monotonic => "The operating system's monotonic clock",
        ClockKind::Realtime => "The operating system's wall clock, which may be set while it runs",
        ClockKind::Tsc => "The time-stamp counter (TSC ticks, no core cycles)",
        ClockKind::Event => "The device's own events",
        ClockKind::Scripted => "A test's script instead of a clock",
    };
    let (resolution, overhead) = (number::duration(instrument.resolution_s), number::duration(instrument.overhead_s));
    format!("{name}: resolution {resolution}, overhead {overhead}")
}

/// Readings of the state: name, at the start, and at the end where it changed.
fn states(run: &Run) -> Vec<(String, String, String)> {
    let after = run.end.as_ref().map(|end| &end.machine_state);
    let changed = |name: &String, value: &String| {
        after.and_then(|a| a.get(name)).filter(|v| *v != value).cloned().unwrap_or_default()
    };
    run.header.machine.state.iter().map(|(name, value)| (name.clone(), value.clone(), changed(name, value))).collect()
}
