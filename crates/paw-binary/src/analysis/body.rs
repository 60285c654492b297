//! What an innermost loop does in an iteration.

use std::collections::BTreeMap;

use iced_x86::Instruction;
use paw_data::code::{AccessCount, ArithmeticCount, LoopBody, Mix, RecurrenceCode, SourceLines};

use super::evaluate::{Access, Direction, Iteration, evaluate};
use super::linear::Location;
use super::operation::{Arithmetic, Class, class, vector_bytes};
use super::recurrences::{Kind, recurrences};
use super::strides::{Movement, Stride, Strides};
use super::{Context, assembly};
use crate::function::{Code, Loop, paths};

/// Instructions of a loop that are recorded as text.
const ASSEMBLY_MAX: usize = 400;

/// The record of the body of a loop, which is in these lines of the source.
pub(crate) fn of(context: &Context<'_>, code: &Code, found: &Loop, source: Option<&SourceLines>) -> LoopBody {
    let file = source.map(|source| source.file.as_str());
    let instructions: Vec<&Instruction> = code.instructions_of(found).collect();
    let classes: Vec<Class> = instructions.iter().map(|instruction| class(instruction)).collect();
    let mut body = LoopBody { paths: paths(code, found), mix: mix(&classes), ..LoopBody::default() };
    count_arithmetic(&classes, &mut body);
    let is_arithmetic = |class: &Class| matches!(class, Class::Arithmetic(_));
    let masked = instructions.iter().zip(&classes).filter(|(own, class)| is_arithmetic(class) && own.has_op_mask());
    body.masked = masked.count() as u32;
    if body.vector_bytes.is_none() && body.packed.is_none() {
        let integers = instructions.iter().zip(&classes).filter(|(_, class)| **class == Class::VectorInteger);
        body.vector_bytes = integers.filter_map(|(instruction, _)| vector_bytes(instruction)).max();
    }
    if let Some(iteration) = evaluate(code, found) {
        let mut strides = Strides::new(code, &iteration);
        count_accesses(&iteration, &mut strides, &mut body);
        let element = element_bytes(&body);
        body.elements = elements(&iteration, &mut strides, element);
        let lanes = lanes(context, code, found, &body);
        let unroll = |elements| lanes.map(|lanes| elements / u64::from(lanes.max(1))).filter(|unroll| *unroll > 0);
        body.unroll = body.elements.and_then(unroll);
        for recurrence in recurrences(code, found, &iteration, &mut strides) {
            let kind = match recurrence.kind {
                Kind::Counter => "counter",
                Kind::Integer => "integer",
                Kind::Float => "float",
                Kind::Pointer => "pointer",
            };
            let text = |at: &usize| assembly(context, &code.instructions()[*at], file);
            body.recurrences.push(RecurrenceCode {
                kind: kind.to_owned(),
                through_memory: recurrence.through_memory,
                instructions: recurrence.instructions.iter().take(ASSEMBLY_MAX).map(text).collect(),
            });
        }
    }
    let shown = instructions.iter().take(ASSEMBLY_MAX);
    body.assembly = shown.map(|instruction| assembly(context, instruction, file)).collect();
    body
}

fn mix(classes: &[Class]) -> Mix {
    let mut mix = Mix::default();
    for class in classes {
        let count = match class {
            Class::Arithmetic(_) => &mut mix.arithmetic,
            Class::Comparison => &mut mix.comparison,
            Class::Conversion => &mut mix.conversion,
            Class::Shuffle => &mut mix.shuffle,
            Class::VectorInteger => &mut mix.vector_integer,
            Class::Move => &mut mix.moves,
            Class::Integer => &mut mix.integer,
            Class::Branch => &mut mix.branch,
            Class::Call => &mut mix.call,
            Class::Other => &mut mix.other,
        };
        *count += 1;
    }
    mix
}

fn count_arithmetic(classes: &[Class], body: &mut LoopBody) {
    let mut counts: BTreeMap<Arithmetic, u32> = BTreeMap::new();
    for class in classes {
        if let Class::Arithmetic(arithmetic) = class {
            *counts.entry(*arithmetic).or_insert(0) += 1;
        }
    }
    let total: u32 = counts.values().sum();
    let packed: u32 = counts.iter().filter(|(a, _)| a.lanes > 1).map(|(_, count)| count).sum();
    body.packed = (total > 0).then(|| f64::from(packed) / f64::from(total));
    body.vector_bytes = counts.keys().filter(|a| a.lanes > 1).map(|a| a.bits / 8).max();
    body.flop = counts.iter().map(|(a, count)| u64::from(a.flop) * u64::from(*count)).sum();
    let record = |(a, count): (&Arithmetic, &u32)| ArithmeticCount {
        operation: a.operation.to_owned(),
        element: a.element.to_owned(),
        bits: a.bits,
        lanes: a.lanes,
        count: *count,
    };
    body.arithmetic = counts.iter().map(record).collect();
}

fn count_accesses(iteration: &Iteration, strides: &mut Strides<'_>, body: &mut LoopBody) {
    let mut counts: BTreeMap<(bool, Direction, Stride, u32), u32> = BTreeMap::new();
    for (access, stride) in iteration.accesses.iter().zip(strides.all()) {
        let is_stack = is_stack(iteration, access);
        *counts.entry((is_stack, access.direction, stride, access.bytes)).or_insert(0) += 1;
        let sum = match (is_stack, access.direction) {
            (true, _) => &mut body.stack_bytes,
            (false, Direction::Load) => &mut body.load_bytes,
            (false, Direction::Store) => &mut body.store_bytes,
        };
        *sum += u64::from(access.bytes);
    }
    // What is moved in no known number of bytes is told as unknown.
    counts.retain(|(_, _, _, bytes), _| *bytes > 0);
    for ((stack, direction, stride, bytes), count) in counts {
        let (class, stride_bytes) = match stride {
            Stride::Zero => ("0", None),
            Stride::Unit => ("1", None),
            Stride::Distance(by) => ("n", by),
            Stride::Indirect => ("indirect", None),
            Stride::Unknown => ("unknown", None),
        };
        let direction = match direction {
            Direction::Load => "load",
            Direction::Store => "store",
        };
        body.accesses.push(AccessCount {
            direction: direction.to_owned(),
            stride: class.to_owned(),
            stride_bytes,
            bytes,
            count,
            stack,
        });
    }
}

fn is_stack(iteration: &Iteration, access: &Access) -> bool {
    matches!(iteration.word(&access.address), Some(Location::Stack(..)))
}

/// Bytes of an element of the type that most arithmetic works on.
fn element_bytes(body: &LoopBody) -> Option<i64> {
    let most = body.arithmetic.iter().filter(|a| a.element != "f80").max_by_key(|a| a.count)?;
    match most.element.as_str() {
        "f64" => Some(8),
        "f32" => Some(4),
        _ => Some(2),
    }
}

/// Elements of a stream that an iteration passes: by how far a stream moves, and how large or how far apart its elements are. A vector whose
/// elements are of no known size tells nothing.
fn elements(iteration: &Iteration, strides: &mut Strides<'_>, element: Option<i64>) -> Option<u64> {
    let classes = strides.all();
    let mut counts = Vec::new();
    for (access, stride) in iteration.accesses.iter().zip(classes) {
        let Movement::By(by) = strides.movement(&access.address) else { continue };
        let size = match stride {
            Stride::Unit if access.bytes <= 8 => i64::from(access.bytes),
            Stride::Unit => element.unwrap_or(0),
            Stride::Distance(Some(spacing)) if access.bytes <= 8 => spacing,
            _ => continue,
        };
        if size != 0 && by % size == 0 {
            counts.extend((by / size).checked_abs().filter(|count| *count > 0));
        }
    }
    counts.into_iter().min().map(i64::unsigned_abs)
}

/// Elements of the widest arithmetic or of the vector functions that are called; `None` where vectors hold whole numbers of no known size.
fn lanes(context: &Context<'_>, code: &Code, found: &Loop, body: &LoopBody) -> Option<u32> {
    if body.packed.is_none() && body.vector_bytes.is_some() {
        return None;
    }
    let own = body.arithmetic.iter().map(|a| a.lanes).max().unwrap_or(1);
    let names =
        code.instructions_of(found).filter_map(|instruction| crate::function::callee(context.image, instruction));
    let called = names.filter_map(|name| super::vector_function::vector_function(&name)?.lanes).max().unwrap_or(1);
    Some(own.max(called))
}
