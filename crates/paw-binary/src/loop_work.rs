//! What the innermost loops of a function do, where every run through them does the same.

use std::path::Path;

use crate::analysis::operation::repeats;
use crate::analysis::{Context, body};
use crate::code_loop::{followed, is_call, target};
use crate::error::BinaryError;
use crate::function::{Code, Loop, callee};
use crate::image::Image;

/// What one run through an innermost loop does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopWork {
    /// Floating-point operations; a fused multiply-add is two for each element.
    pub flop: u64,
    /// Bytes loaded, without those of the stack.
    pub load_bytes: u64,
    /// Bytes stored, without those of the stack.
    pub store_bytes: u64,
}

/// The innermost loops of a function and of the functions in its file that it calls.
#[derive(Debug, Clone)]
pub struct FunctionWork {
    /// What a run through each does, in the order of [`inner_loops`](crate::inner_loops); a sentence where not every run does the same.
    pub loops: Vec<Result<LoopWork, String>>,
    /// Names of functions whose code is elsewhere and that do work of their own.
    pub foreign: Vec<String>,
    /// Whether some of the loops may be missing: a jump whose targets are not known, or a cycle that is no natural loop.
    pub is_incomplete: bool,
}

/// Parts of the names of functions that end a program, and do no work in one that goes on.
const ENDS: &[&str] = &["stack_chk_fail", "panic", "abort", "os_error", "runtime_error", "assert_fail"];

/// What the innermost loops of the function `name` of the file at `path` do.
///
/// # Errors
/// The file cannot be read, is for another processor than x86-64, or has no such function.
pub fn loop_work(path: &Path, name: &str) -> Result<FunctionWork, BinaryError> {
    let image = Image::open(path)?;
    let context = Context { image: &image, lines: None };
    let codes = followed(&image, name)?;
    let is_incomplete = codes.iter().any(|code| !code.unknown_jumps().is_empty() || !code.tangled().is_empty());
    let mut work = FunctionWork { loops: Vec::new(), foreign: Vec::new(), is_incomplete };
    for code in &codes {
        let innermost = code.loops().iter().filter(|found| found.is_innermost);
        work.loops.extend(innermost.map(|found| of_loop(&context, code, found)));
    }
    let here = |at: u64| codes.iter().any(|code| (code.function().start..code.function().end).contains(&at));
    for instruction in codes.iter().flat_map(Code::instructions) {
        let leaves =
            target(instruction).is_some_and(|at| !here(at)) || is_call(instruction) && target(instruction).is_none();
        if !leaves {
            continue;
        }
        let called = callee(&image, instruction).unwrap_or_else(|| "a function through a pointer".to_owned());
        if !ENDS.iter().any(|end| called.contains(end)) && !work.foreign.contains(&called) {
            work.foreign.push(called);
        }
    }
    Ok(work)
}

fn of_loop(context: &Context<'_>, code: &Code, found: &Loop) -> Result<LoopWork, String> {
    let address = code.instructions()[code.blocks()[found.head].start].ip();
    let refused = |why: String| Err(format!("the loop at {address:#x} {why}"));
    let inside = |block: &usize| found.blocks.binary_search(block).is_ok();
    let leaves_early = |block: &usize| {
        !found.latches.contains(block) && code.blocks()[*block].successors.iter().any(|next| !inside(next))
    };
    let body = body(context, code, found, None);
    match body.paths {
        Some(1) if found.blocks.iter().any(leaves_early) => {
            refused("can be left before its end, so that its last run is not a whole one".to_owned())
        }
        Some(1) if code.instructions_of(found).any(repeats) => {
            refused("repeats an instruction for bytes that are not counted here".to_owned())
        }
        Some(1) if body.masked > 0 => refused("masks vectors, so that not every element counts".to_owned()),
        Some(1) => Ok(LoopWork { flop: body.flop, load_bytes: body.load_bytes, store_bytes: body.store_bytes }),
        Some(ways) => refused(format!("has {ways} ways through it, which do different work")),
        None => refused("holds a cycle that is no loop".to_owned()),
    }
}
