//! What differs between the code of two builds, in sentences.

use std::collections::BTreeSet;

use super::words;
use super::{CallCode, Code, LoopBody, LoopCode};

/// What `second` does otherwise than `first`, the likeliest cause of a difference in time first; empty where nothing that is looked at differs.
pub fn differences(first: &Code, second: &Code) -> Vec<String> {
    let mut told = Vec::new();
    let (before, after) = called(first, second);
    let gone: Vec<&String> = before.difference(&after).collect();
    let new: Vec<&String> = after.difference(&before).collect();
    match (gone.as_slice(), new.as_slice()) {
        ([], []) => {}
        (gone, []) => told.push(format!("no longer {}", list(gone))),
        ([], new) => told.push(list(new)),
        (gone, new) => told.push(format!("{} → {}", list(gone), list(new))),
    }
    let (Some((_, a, body_a)), Some((_, b, body_b))) = (first.busiest(), second.busiest()) else {
        return told;
    };
    told.extend(changed(words::vectorisation(a, body_a), words::vectorisation(b, body_b)));
    told.extend(taken_apart((a, body_a), (b, body_b)));
    if body_a.paths != body_b.paths {
        told.push(format!("{} → {} through the innermost loop", words::paths(body_a), words::paths(body_b)));
    }
    told.extend(unrolled(body_a, body_b));
    told.extend(chains(body_a, body_b));
    told.extend(arithmetic(body_a, body_b));
    told
}

/// What both call: in their busiest loops where both call something there, because what is left over may still call as before.
fn called(first: &Code, second: &Code) -> (BTreeSet<String>, BTreeSet<String>) {
    let within = |code: &Code| -> BTreeSet<String> {
        code.busiest().map(|(_, found, _)| found.calls.iter().map(words::call).collect()).unwrap_or_default()
    };
    let (before, after) = (within(first), within(second));
    if !before.is_empty() && !after.is_empty() {
        return (before, after);
    }
    let all = |code: &Code| code.calls().map(words::call).collect();
    (all(first), all(second))
}

/// The busiest loop of one build in a sentence: `calls exp; scalar; 2 paths`.
pub fn summary(code: &Code) -> String {
    let Some((_, found, body)) = code.busiest() else {
        let calls: Vec<CallCode> = code.calls().cloned().collect();
        return words::calls(&calls).unwrap_or_else(|| "no loop".to_owned());
    };
    let parts = words::calls(&found.calls).into_iter().chain([words::vectorisation(found, body), words::paths(body)]);
    let unrolled = words::unrolled(body).filter(|_| body.unroll > Some(1));
    let hidden = hidden(found);
    parts.chain(unrolled).chain(hidden).collect::<Vec<_>>().join("; ")
}

/// Why the counts of a loop with calls are no bound; `None` without calls.
pub fn hidden(found: &LoopCode) -> Option<String> {
    (!found.calls.is_empty()).then(|| "no bound: the work of its calls is not counted".to_owned())
}

fn list(calls: &[&String]) -> String {
    calls.iter().map(|words| words.as_str()).collect::<Vec<_>>().join(", ")
}

fn changed(before: String, after: String) -> Option<String> {
    (before != after).then(|| format!("{before} → {after}"))
}

fn unrolled(a: &LoopBody, b: &LoopBody) -> Option<String> {
    changed(words::unrolled(a)?, words::unrolled(b)?)
}

/// What a vectorised loop pays for functions that it still calls element by element.
fn taken_apart((a, before): (&LoopCode, &LoopBody), (b, after): (&LoopCode, &LoopBody)) -> Option<String> {
    let scalar: Vec<&CallCode> = b.calls.iter().filter(|call| call.lanes.is_none()).collect();
    let name = &scalar.first().filter(|_| after.packed > Some(0.0))?.words;
    let element = |found: &LoopCode, body: &LoopBody| {
        let elements = body.elements.unwrap_or(1).max(1) as f64;
        (f64::from(found.instructions) / elements, body.stack_bytes as f64 / elements)
    };
    let ((few, none), (many, stack)) = (element(a, before), element(b, after));
    let each = if after.elements == Some(scalar.len() as u64) { ", one for each element" } else { "" };
    let count = if scalar.len() == 1 { "1 call".to_owned() } else { format!("{} calls", scalar.len()) };
    let over = (stack > none).then(|| {
        let bytes = format!("{stack:.0} bytes of it an element where there were {none:.0}");
        format!("; they wait on the stack meanwhile, because a call keeps no vector register ({bytes})")
    });
    let more = (many > few).then(|| format!("; {many:.1} instructions an element where there were {few:.1}"));
    let tail = over.into_iter().chain(more).collect::<String>();
    Some(format!("its vectors are taken apart for {count} of {name}{each}{tail}"))
}

fn chains(a: &LoopBody, b: &LoopBody) -> Option<String> {
    let floats = |body: &LoopBody| body.recurrences.iter().filter(|r| r.kind == "float").count();
    let (before, after) = (floats(a), floats(b));
    (before != after)
        .then(|| format!("{before} → {after} chains of floating-point instructions from one iteration to the next"))
}

fn arithmetic(a: &LoopBody, b: &LoopBody) -> Option<String> {
    let count = |body: &LoopBody, operation: &str| {
        body.arithmetic.iter().filter(|one| one.operation == operation).map(|one| one.count).sum::<u32>()
    };
    let gained: Vec<&str> = [("fma", "fused multiply-adds"), ("div", "divisions"), ("sqrt", "square roots")]
        .into_iter()
        .filter(|(operation, _)| (count(a, operation) == 0) != (count(b, operation) == 0))
        .map(|(_, name)| name)
        .collect();
    let verb = |name: &&str| {
        let operation = match *name {
            "divisions" => "div",
            "square roots" => "sqrt",
            _ => "fma",
        };
        if count(b, operation) > 0 { format!("uses {name}") } else { format!("no longer uses {name}") }
    };
    (!gained.is_empty()).then(|| gained.iter().map(verb).collect::<Vec<_>>().join(", "))
}
