//! Loops and calls in words.

use super::{CallCode, FunctionCode, LoopBody, LoopCode, Role};

/// How the arithmetic of an innermost loop is done: `vectorised, 32-byte vectors`. Moves alone make no loop vectorised.
pub fn vectorisation(found: &LoopCode, body: &LoopBody) -> String {
    let lanes = found.calls.iter().filter_map(|call| call.lanes).max();
    let packed = body.packed.unwrap_or(0.0);
    let scalar_calls = found.calls.iter().filter(|call| call.lanes.is_none()).count();
    match (body.packed, body.vector_bytes) {
        (Some(_), Some(bytes)) if packed > 0.0 && scalar_calls > 0 => {
            let plural = if scalar_calls == 1 { "" } else { "s" };
            format!("{bytes}-byte vectors around {scalar_calls} call{plural} of scalar functions")
        }
        (Some(_), Some(bytes)) if packed >= 0.5 => format!("vectorised, {bytes}-byte vectors"),
        (Some(_), Some(bytes)) if packed > 0.0 => {
            format!("{:.0} % of the floating-point instructions are vectorised, {bytes}-byte vectors", packed * 100.0)
        }
        (Some(_), _) if lanes.is_some() => "scalar arithmetic around calls of vector functions".to_owned(),
        (Some(_), _) => "scalar".to_owned(),
        (None, _) if lanes.is_some() => "calls of vector functions, no arithmetic of its own".to_owned(),
        (None, Some(bytes)) => format!("integers in {bytes}-byte vectors, no floating-point arithmetic"),
        (None, None) if !found.calls.is_empty() => "calls, no arithmetic of its own".to_owned(),
        (None, None) => "no floating-point arithmetic".to_owned(),
    }
}

/// The ways through an innermost loop: `1 path`.
pub fn paths(body: &LoopBody) -> String {
    match body.paths {
        Some(1) => "1 path".to_owned(),
        Some(u64::MAX) => "more paths than can be counted".to_owned(),
        Some(count) => format!("{count} paths"),
        None => "paths unknown: it is entered at several places".to_owned(),
    }
}

/// What a call does, in words: `calls exp`.
pub fn call(call: &CallCode) -> String {
    match call.symbol.as_str() {
        "" => "calls through a pointer".to_owned(),
        _ => format!("calls {}", call.words),
    }
}

/// Where a loop is: `triad.c:12-14`, or its address without debug information.
pub fn place(function: &FunctionCode, found: &LoopCode) -> String {
    match &found.source {
        Some(lines) => {
            let file = lines.file.rsplit('/').next().unwrap_or(&lines.file);
            if lines.first == lines.last {
                format!("{file}:{}", lines.first)
            } else {
                format!("{file}:{}-{}", lines.first, lines.last)
            }
        }
        None => format!("{}+{:#x}", function.name, found.start.saturating_sub(function.start)),
    }
}

/// How often a loop is unrolled: `unrolled 4 times`, `not unrolled`; `None` where no stream tells.
pub fn unrolled(body: &LoopBody) -> Option<String> {
    match body.unroll? {
        0 | 1 => Some("not unrolled".to_owned()),
        times => Some(format!("unrolled {times} times")),
    }
}

/// What a loop is among those of the same lines: `main`, `remainder`; empty where it is the only one.
pub fn role(body: &LoopBody) -> &'static str {
    match body.role {
        Some(Role::Main) => "main",
        Some(Role::Remainder) => "remainder",
        _ => "",
    }
}

/// The calls of a loop in words, each once: `calls exp, twice`; `None` without calls.
pub fn calls(calls: &[CallCode]) -> Option<String> {
    let mut counted: Vec<(String, usize)> = Vec::new();
    for one in calls {
        let words = call(one);
        match counted.iter_mut().find(|(known, _)| *known == words) {
            Some((_, count)) => *count += 1,
            None => counted.push((words, 1)),
        }
    }
    let spoken = counted.into_iter().map(|(words, count)| match count {
        1 => words,
        2 => format!("{words} twice"),
        _ => format!("{words} {count} times"),
    });
    let joined = spoken.collect::<Vec<_>>().join("; ");
    (!joined.is_empty()).then_some(joined)
}

/// Recurrences other than counters, in words: `a chain of 2 floating-point instructions`.
pub fn recurrences(body: &LoopBody) -> Vec<String> {
    let told = body.recurrences.iter().filter(|recurrence| recurrence.kind != "counter");
    told.map(|recurrence| {
        let count = recurrence.instructions.len();
        let what = match recurrence.kind.as_str() {
            "float" => "floating-point",
            "pointer" => "pointer",
            _ => "integer",
        };
        let plural = if count == 1 { "" } else { "s" };
        let memory = if recurrence.through_memory { ", through memory" } else { "" };
        format!("a chain of {count} {what} instruction{plural}{memory}")
    })
    .collect()
}

/// The accesses in words: `3 loads of 32 bytes, stride 1`.
pub fn accesses(body: &LoopBody) -> Vec<String> {
    let each = body.accesses.iter().map(|access| {
        let plural = if access.count == 1 { "" } else { "s" };
        let stride = match (access.stride.as_str(), access.stride_bytes) {
            _ if access.stack => "on the stack".to_owned(),
            ("n", Some(bytes)) => format!("stride {bytes} bytes"),
            ("n", None) => "a stride that is not known here".to_owned(),
            ("indirect", _) => "indirect".to_owned(),
            ("unknown", _) => "stride unknown".to_owned(),
            (stride, _) => format!("stride {stride}"),
        };
        let bytes = if access.bytes == 1 { "byte" } else { "bytes" };
        format!("{} {}{plural} of {} {bytes}, {stride}", access.count, access.direction, access.bytes)
    });
    each.collect()
}
