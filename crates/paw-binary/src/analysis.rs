//! What a function does: loops, arithmetic, accesses to memory, calls, as the run records it.

use std::collections::{BTreeMap, BTreeSet};

use iced_x86::{Formatter, GasFormatter, Instruction, Mnemonic};
use paw_data::code::{AssemblyLine, CallCode, Code as CodeRecord, FunctionCode, LoopCode, SourceLines};

use crate::function::{Code, callee};
use crate::function_table::{Function, How};
use crate::image::{Architecture, Image};
use crate::lines::Lines;

mod body;
mod effects;
mod evaluate;
mod linear;
pub mod operation;
mod recurrences;
mod roles;
mod strides;
pub mod vector_function;

pub(crate) use body::of as body;

/// Functions called from those asked for that are analysed too.
const FUNCTIONS_MAX: usize = 64;
/// Names of functions that linkers add to every program.
const STARTUP: &[&str] = &[
    "_start",
    "_init",
    "_fini",
    "deregister_tm_clones",
    "register_tm_clones",
    "__do_global_dtors_aux",
    "frame_dummy",
    "_dl_relocate_static_pie",
];

/// What an analysis reads beside the code.
pub struct Context<'a> {
    /// The file.
    pub image: &'a Image,
    /// Source lines; `None` without debug information.
    pub lines: Option<&'a Lines<'a>>,
}

/// The record of a file in which `functions` were looked at, in their order.
pub fn analyse(context: &Context<'_>, functions: &[Function]) -> CodeRecord {
    let image = context.image;
    let mut record = CodeRecord {
        file: visible(&image.path().display().to_string()),
        architecture: image.architecture().to_string(),
        ..CodeRecord::default()
    };
    if context.lines.is_none() {
        record.unknown.push("source lines: the file has no debug information; compile with -g to see them".to_owned());
    }
    if let Some(missing) = context.lines.and_then(Lines::missing) {
        record.unknown.push(format!(
            "some source lines: a part of the debug information is in {} (by dwz), which is not here; its debug package has it",
            visible(&missing.display().to_string())
        ));
    }
    if *image.architecture() != Architecture::X86_64 {
        record.unknown.push(format!("loops and instructions: not supported: {}; symbols only", image.architecture()));
    }
    let mut producers = BTreeSet::new();
    for function in functions {
        producers.extend(context.lines.and_then(|lines| lines.producer(function.start)));
        record.functions.push(of_function(context, function));
    }
    record.producers = producers.into_iter().map(|text| visible(&text)).collect();
    record
}

/// The functions of a file that its user may have written: not those that the linker adds, not stubs.
pub fn own_functions(image: &Image) -> impl Iterator<Item = Function> {
    image.functions().filter(|function| {
        let is_startup = function.symbol.as_deref().is_some_and(|symbol| STARTUP.contains(&symbol));
        function.how != How::Stub && !is_startup
    })
}

/// `function`, what the compiler split off it, and the functions of the same file that these call.
pub fn with_callees(image: &Image, function: &Function) -> Vec<Function> {
    let mut found = vec![function.clone()];
    if let Some(symbol) = &function.symbol {
        let part = format!("{symbol}.");
        let parts =
            image.functions().filter(|other| other.symbol.as_deref().is_some_and(|name| name.starts_with(&part)));
        found.extend(parts);
    }
    let mut next = 0;
    while next < found.len() && found.len() < FUNCTIONS_MAX {
        let Ok(code) = Code::of(image, &found[next]) else { break };
        for instruction in code.instructions() {
            let called = callee(image, instruction).and_then(|name| image.functions_named(&name).into_iter().next());
            if let Some(function) = called.filter(|f| f.how == How::Symbol)
                && !found.iter().any(|known| known.start == function.start)
                && found.len() < FUNCTIONS_MAX
            {
                found.push(function);
            }
        }
        next += 1;
    }
    found
}

fn of_function(context: &Context<'_>, function: &Function) -> FunctionCode {
    let mut record = FunctionCode {
        name: visible(&function.title()),
        symbol: visible(function.symbol.as_deref().unwrap_or_default()),
        start: function.start,
        end: function.end,
        source: context.lines.and_then(|lines| lines.frames(function.start).pop()).map(|place| SourceLines {
            file: visible(&place.file),
            first: place.line,
            last: place.line,
        }),
        ..FunctionCode::default()
    };
    let code = match Code::of(context.image, function) {
        Ok(code) => code,
        Err(why) => {
            record.unknown.push(visible(&why.to_string()));
            return record;
        }
    };
    record.instructions = code.instructions().len() as u32;
    record.calls = calls(context, &code, code.instructions());
    record.loops = loops(context, &code);
    for address in code.unknown_jumps() {
        record.unknown.push(format!("indirect jump at {address:#x}: incomplete; loops through it are missing"));
    }
    let innermost = code.loops().iter().filter(|found| found.is_innermost);
    for repeated in innermost.flat_map(|found| code.instructions_of(found)).filter(|own| operation::repeats(own)) {
        let text = assembly(context, repeated, None).text;
        record.unknown.push(format!("how many bytes `{text}` at {:#x} moves, which are in no count", repeated.ip()));
    }
    for address in code.tangled() {
        record.unknown.push(format!("a cycle at {address:#x} is entered at several places and is not analysed"));
    }
    record
}

fn loops(context: &Context<'_>, code: &Code) -> Vec<LoopCode> {
    let mut records = Vec::new();
    for (id, found) in code.loops().iter().enumerate() {
        let instructions: Vec<Instruction> = code.instructions_of(found).copied().collect();
        let lines = source_lines(context, &instructions);
        let first = code.instructions()[code.blocks()[found.head].start].ip();
        let mut record = LoopCode {
            id: id as u32,
            parent: found.parent.map(|parent| parent as u32),
            depth: found.depth as u32,
            start: first,
            end: instructions.iter().map(Instruction::next_ip).max().unwrap_or(first),
            source: lines,
            instructions: instructions.len() as u32,
            body: None,
            calls: calls(context, code, &instructions),
        };
        if found.is_innermost {
            record.body = Some(body::of(context, code, found, record.source.as_ref()));
        }
        records.push(record);
    }
    roles::assign(&mut records);
    records
}

/// The lines of a loop in the file that most of its instructions come from.
fn source_lines(context: &Context<'_>, instructions: &[Instruction]) -> Option<SourceLines> {
    let lines = context.lines?;
    let mut files: BTreeMap<String, (usize, u32, u32)> = BTreeMap::new();
    for place in instructions.iter().filter_map(|instruction| lines.place(instruction.ip())) {
        let (count, first, last) = files.entry(place.file).or_insert((0, u32::MAX, 0));
        *count += 1;
        *first = place.line.min(*first);
        *last = place.line.max(*last);
    }
    let (file, (_, first, last)) = files.into_iter().max_by_key(|(_, (count, ..))| *count)?;
    Some(SourceLines { file: visible(&file), first, last })
}

fn calls(context: &Context<'_>, code: &Code, instructions: &[Instruction]) -> Vec<CallCode> {
    let mut calls = Vec::new();
    for instruction in instructions {
        let is_tail = operation::class(instruction) == operation::Class::Branch && leaves(code, instruction);
        if operation::class(instruction) != operation::Class::Call && !is_tail {
            continue;
        }
        let symbol = callee(context.image, instruction);
        if is_tail && symbol.is_none() || is_system_call(instruction) {
            continue;
        }
        let symbol = symbol.unwrap_or_default();
        calls.push(CallCode {
            address: instruction.ip(),
            words: visible(&vector_function::called_in_words(&symbol)),
            lanes: vector_function::vector_function(&symbol).and_then(|vector| vector.lanes),
            symbol: visible(&symbol),
            line: context.lines.and_then(|lines| lines.place(instruction.ip())).map(|place| place.line),
            within: code.innermost_at(instruction.ip()).map(|index| index as u32),
        });
    }
    calls
}

/// Whether a jump goes out of the function: a call whose return is left to the callee.
fn leaves(code: &Code, instruction: &Instruction) -> bool {
    let function = code.function();
    let target = instruction.near_branch_target();
    instruction.is_jmp_short_or_near() && !(function.start..function.end).contains(&target)
        || instruction.is_jmp_near_indirect() && instruction.is_ip_rel_memory_operand()
}

fn visible(text: &str) -> String {
    paw_data::visible::visible(text).into_owned()
}

/// An instruction of a loop in the file `own` as text, with its line; a function that it calls has its name.
pub(crate) fn assembly(context: &Context<'_>, instruction: &Instruction, own: Option<&str>) -> AssemblyLine {
    let mut text = String::new();
    GasFormatter::new().format(instruction, &mut text);
    if operation::class(instruction) == operation::Class::Call
        && let Some(name) = callee(context.image, instruction)
    {
        text = format!("{} {}", text.split_whitespace().next().unwrap_or_default(), visible(&name));
    }
    let place = context.lines.and_then(|lines| lines.place(instruction.ip()));
    let (line, file) = place.map_or((None, None), |place| (Some(place.line), Some(visible(&place.file))));
    AssemblyLine { address: instruction.ip(), text, line, file: file.filter(|file| Some(file.as_str()) != own) }
}

/// Whether it calls the system rather than a function.
fn is_system_call(instruction: &Instruction) -> bool {
    matches!(instruction.mnemonic(), Mnemonic::Syscall | Mnemonic::Sysenter | Mnemonic::Vmcall | Mnemonic::Vmmcall)
}
