//! How a kernel was measured, in words.

use paw_data::kernel::{ArrayFact, Cache, Calls, Float, Kernel, Question, Restore, Tolerance, WARMUP};
use paw_data::method::EndRule;
use paw_data::run::Run;
use paw_data::speedup::Speedup;
use paw_stats::speedup::Sampling;

use crate::kernel::KernelAnalysis;
use crate::number::{plural, significant};

/// The function, its data, and the reference of its answers.
pub fn subject(run: &Run, kernel: &Kernel) -> Vec<(&'static str, String)> {
    let is_on_device = !kernel.device.is_empty();
    let (counted, call) = if is_on_device { ("threads", "launch") } else { ("iterations", "call") };
    let iterations =
        if kernel.iterations.is_empty() { String::new() } else { format!("{} a {call}", kernel.iterations) };
    let function = if is_on_device { kernel.function.clone() } else { String::new() };
    let bytes = if kernel.footprint.is_empty() { String::new() } else { format!("{} bytes", kernel.footprint) };
    let arrays = kernel.arrays.iter().map(array);
    let data = arrays.chain((!bytes.is_empty()).then_some(bytes)).collect::<Vec<_>>().join("; ");
    let sources = kernel.sources.iter().map(|s| format!("{} ({})", s.path, s.short_hash()));
    let mut facts = vec![
        ("device", kernel.device.clone()),
        ("entry", function),
        ("function", kernel.signature.clone()),
        ("source", sources.collect::<Vec<_>>().join(", ")),
        ("data", data),
        (counted, iterations),
        ("reference", reference(run, kernel)),
        ("tolerance", tolerance(&kernel.tolerance)),
    ];
    facts.retain(|(_, text)| !text.is_empty());
    facts
}

/// `a: f32[n*n], uniform(-1, 1)`.
fn array(array: &ArrayFact) -> String {
    let output = if array.output { ", an answer" } else { "" };
    let fill = if array.fill.is_empty() { String::new() } else { format!(", {}", array.fill) };
    format!("{}: {}[{}]{fill}{output}", array.name, array.element, array.extent)
}

/// The reference of answers: a build with its variant, a file or a function.
pub fn reference(run: &Run, kernel: &Kernel) -> String {
    let (reference, variant) = (&kernel.reference, &kernel.reference_variant);
    let is_build = run.records.iter().any(|record| record.cell.provider == *reference);
    if is_build && !variant.is_empty() { format!("{reference} [{variant}]") } else { reference.clone() }
}

/// `relative error 1.0e-5 or 16 ULP`.
pub fn tolerance(tolerance: &Tolerance) -> String {
    format!("relative error {:e} or {} ULP", tolerance.relative, tolerance.ulp)
}

/// The protocol in a line: `31 samples on fresh memory, 10 warm-up calls in each, calls back to back, caches warm`.
pub fn line(run: &Run, kernel: &Kernel) -> String {
    if kernel.question == Question::Check {
        return "one call on fresh data; nothing is timed".to_owned();
    }
    let samples = match run.header.plan.method.ending {
        EndRule::Fixed { samples } => plural(samples as usize, "sample"),
        _ => "samples".to_owned(),
    };
    let mut parts = vec![
        format!("{samples} on fresh memory"),
        format!("{} in each", warmup(run, kernel)),
        match kernel.calls {
            Calls::Throughput => "calls back to back".to_owned(),
            Calls::Fenced => "calls fenced".to_owned(),
        },
        match kernel.cache {
            Cache::Warm => "caches warm".to_owned(),
            Cache::Cold => "caches cold".to_owned(),
        },
        match kernel.float {
            Float::AsLinked => "floats as linked".to_owned(),
            Float::Ieee => "floats as IEEE 754".to_owned(),
            Float::Ftz => "subnormals as zero".to_owned(),
        },
    ];
    parts.extend(kernel.restore.map(|restore| format!("input restored before each {}", each(restore))));
    parts.extend(kernel.threads.map(|threads| format!("OpenMP with {}", plural(threads as usize, "thread"))));
    parts.extend(processors(kernel));
    parts.join(", ")
}

/// `10 warm-up calls (or as many as fill 0.05 s)`.
fn warmup(run: &Run, kernel: &Kernel) -> String {
    let calls = plural(kernel.warmup as usize, "warm-up call");
    let mut values = run.records.iter().filter_map(|record| record.cell.point.int(WARMUP));
    let varies = values.next().is_some_and(|first| values.any(|other| other != first));
    match kernel.warmup_s {
        _ if varies => format!("{calls} (or as many as a row says)"),
        Some(seconds) if kernel.warmup > 1 => format!("{calls} (or as many as fill {seconds} s)"),
        _ => calls,
    }
}

/// `processor 3`, `processors 0, 1`; `None` if cells were not pinned.
fn processors(kernel: &Kernel) -> Option<String> {
    let several = kernel.cpus.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let several = (!several.is_empty()).then(|| format!("processors {several}"));
    kernel.cpu.map(|cpu| format!("processor {cpu}")).or(several)
}

/// The unit before which arrays are restored.
fn each(restore: Restore) -> &'static str {
    match restore {
        Restore::Sample => "sample",
        Restore::Call => "call, and calls are timed one by one",
    }
}

/// How everything was measured and what the columns mean, in sentences.
pub fn sentences(run: &Run, kernel: &Kernel) -> Vec<String> {
    let mut told = vec![answers(run, kernel)];
    if kernel.question == Question::Check {
        return told;
    }
    told.push(format!(
        "Every sample has memory of its own, allocated and filled for it; {} follow, which are not timed, then the calls that are.",
        warmup(run, kernel)
    ));
    told.extend(
        [
            match kernel.calls {
                Calls::Throughput => "Calls follow each other at once: the processor may begin one before the last has ended.",
                Calls::Fenced => "Every call begins when the last has ended, behind a fence.",
            },
            match kernel.cache {
                Cache::Warm => "The caches hold what the last call left in them.",
                Cache::Cold => "Every line of the arrays is flushed before every call, and calls are timed one by one.",
            },
            match kernel.float {
                Float::AsLinked => "The floating-point environment is what the loaded code left: linking with fast mathematics may read and write subnormal numbers as zero.",
                Float::Ieee => "Subnormal numbers are computed as IEEE 754 has it, whatever the code was linked with.",
                Float::Ftz => "Subnormal numbers are read and written as zero, whatever the code was linked with.",
            },
        ]
        .map(str::to_owned),
    );
    told.extend(kernel.restore.map(|restore| {
        format!("Arrays that the function changes get their initial contents back before each {}, outside the timed region.", each(restore))
    }));
    told.extend(processors(kernel).map(|processors| format!("Everything ran on {processors}.")));
    told.extend(ticks(run));
    told.push("Builds of a level, or values of a factor, are measured in shuffled rounds, one sample each, so that a machine that changes its speed changes all of them.".to_owned());
    told.push("A sample during which other work ran on the processor is marked as disturbed: it stays in the file and leaves the estimate.".to_owned());
    told.push("Builds are ranked, and values recommended, by estimated core cycles where the core's clock was steady beside each sample and they do not scatter clearly more than time; else by time.".to_owned());
    told.push("Spread is (median - minimum) ÷ minimum: GOOD below 5%, AVERAGE below 10%, else BAD.".to_owned());
    if matches!(kernel.question, Question::Matrix | Question::Measure | Question::Search) {
        told.push(
            "Speed-up is the median of the reference ÷ the median; its interval is that of the rounds' own ratios."
                .to_owned(),
        );
        told.push("Builds that share a letter under tie are not separated: the ratios of their rounds do not leave ±1%, at a confidence of 95% for all comparisons with any one of them together. Too few rounds for that confidence give no letters.".to_owned());
    }
    told
}

fn answers(run: &Run, kernel: &Kernel) -> String {
    let reference = reference(run, kernel);
    let against = if reference.is_empty() { "the reference".to_owned() } else { reference };
    format!(
        "Answers are those of a call on fresh data, outside every timed region, compared with {against} element by element; right is within {}. A wrong answer's speed is shown, but it is never ranked.",
        tolerance(&kernel.tolerance)
    )
}

/// The sentence that defines a tick.
fn ticks(run: &Run) -> Option<String> {
    let hz = run.instruments.iter().find_map(|i| i.hz)?;
    Some(format!(
        "TSC ticks are those of the time-stamp counter, {} a nanosecond whatever the core's clock does: they are no core cycles. Core cycles are estimated: time × the core's clock, as a chain of additions shows it around each sample.",
        significant(hz / 1e9, 4)
    ))
}

/// The meaning of the marks that occur in the tables.
pub fn notes(look: &KernelAnalysis<'_>) -> Vec<String> {
    let mut notes = vec!["↓ lower is better, ↑ higher is better".to_owned()];
    match look {
        KernelAnalysis::Builds(matrix) => {
            let rows = || matrix.panels.iter().flat_map(|panel| &panel.rows);
            notes.push(
                "core cycles are estimated: time × the core's clock beside each sample; TSC ticks are no core cycles"
                    .to_owned(),
            );
            if rows().any(|row| !row.letters.is_empty()) {
                notes.push("tie: builds that share a letter are not separated".to_owned());
            }
            let apart = |speedup: Speedup| speedup.interval.is_some() && speedup.taken == Sampling::Apart;
            if rows().any(|row| row.speedup.is_some_and(apart)) {
                notes.push("apart: the interval of two series on their own, because their samples have unlike numbers of calls".to_owned());
            }
            if matrix.panels.iter().any(|panel| panel.wrong().next().is_some()) {
                notes.push("a wrong answer is never ranked".to_owned());
            }
            notes.push("spread: how far the median lies above the minimum".to_owned());
        }
        KernelAnalysis::Answers(_) => notes.push("ULP: units in the last place".to_owned()),
        KernelAnalysis::Curves(_) => {
            notes.push("TSC ticks are no core cycles".to_owned());
            notes.push("spread: how far the median lies above the minimum".to_owned());
        }
    }
    vec![notes.join("; ") + "."]
}
