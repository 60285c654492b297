//! Loops that one loop of the source became: the main one, and those for the rest.

use paw_data::code::{LoopCode, Role};

/// Lines by which the beginnings of two loops of one source loop may differ.
const NEAR_LINES: u32 = 2;

/// Says of each innermost loop what it is among those of the same lines; nothing without debug information.
pub(super) fn assign(loops: &mut [LoopCode]) {
    let roles: Vec<Option<Role>> = loops.iter().map(|found| role(found, loops)).collect();
    for (found, role) in loops.iter_mut().zip(roles) {
        if let Some(body) = &mut found.body {
            body.role = role;
        }
    }
}

fn role(found: &LoopCode, loops: &[LoopCode]) -> Option<Role> {
    found.body.as_ref()?;
    found.source.as_ref()?;
    let alike: Vec<&LoopCode> = loops.iter().filter(|other| is_alike(found, other)).collect();
    if alike.len() < 2 {
        return Some(Role::Single);
    }
    let main = alike.into_iter().max_by_key(|other| (work(other), std::cmp::Reverse(other.id)))?;
    Some(if main.id == found.id { Role::Main } else { Role::Remainder })
}

/// Whether two innermost loops come from the same lines and lie in the same loop.
fn is_alike(a: &LoopCode, b: &LoopCode) -> bool {
    let (Some(x), Some(y)) = (&a.source, &b.source) else { return false };
    let near = x.first.abs_diff(y.first) <= NEAR_LINES && x.last.abs_diff(y.last) <= NEAR_LINES;
    let overlap = x.first <= y.last && y.first <= x.last;
    b.body.is_some() && x.file == y.file && a.parent == b.parent && near && overlap
}

/// How much an iteration does: operations, vector lanes of its calls, bytes that it moves.
fn work(found: &LoopCode) -> (u64, u32, u64) {
    let lanes = found.calls.iter().filter_map(|call| call.lanes).max().unwrap_or(0);
    let body = found.body.as_ref();
    body.map_or((0, lanes, 0), |body| (body.flop, lanes, body.load_bytes + body.store_bytes))
}
