//! The embedded kernels, run by a machine for their PTX: every element is computed once, whatever the grid, and tails are too.

use std::collections::BTreeMap;

use super::machine::Machine;
use super::{module, streams};
use crate::device::program::{Builtin, FmaKind};

/// Numbers of elements around vectors, tiles and grids, and grids of blocks and threads.
const COUNTS: [u64; 9] = [0, 1, 2, 3, 31, 32, 33, 64, 201];
const GRIDS: [(u32, u32); 4] = [(1, 1), (1, 4), (3, 4), (2, 8)];

/// Bytes before each array, so that one that is written too far shows.
const GUARD: usize = 64;

/// Runs a kernel over arrays of `n` doubles: `to`, then x and y of whole numbers; what `to` and its guard hold afterwards.
fn streamed(text: &str, which: Builtin, n: u64, grid: (u32, u32)) -> Vec<f64> {
    let room = GUARD + 8 * n as usize + (GUARD - 8 * n as usize % GUARD) % GUARD;
    let numbers = |from: f64| (0..room / 8).map(move |at| if at < GUARD / 8 { -1.0 } else { from + at as f64 });
    let memory: Vec<u8> = (0..room / 8)
        .map(|_| -1.0)
        .chain(numbers(100.0))
        .chain(numbers(1000.0))
        .chain([-1.0; GUARD / 8])
        .flat_map(f64::to_le_bytes)
        .collect();
    let [to, x, y] = [0, 1, 2].map(|array: usize| (array * room + GUARD) as u64);
    let factor = 3_f64.to_bits();
    let parameters = match which {
        Builtin::Copy => vec![to, x, n],
        Builtin::Scale => vec![to, x, factor, n],
        Builtin::Add => vec![to, x, y, n],
        _ => vec![to, x, y, factor, n],
    };
    let mut machine = Machine::new(text, which.name(), &parameters, memory);
    machine.run(grid.0, grid.1);
    let whole = machine.memory[..room + GUARD].chunks_exact(8);
    whole.map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap())).collect()
}

#[test]
fn streams_reach_every_element_and_no_other() {
    let text = streams();
    for which in [Builtin::Copy, Builtin::Scale, Builtin::Add, Builtin::Triad] {
        for (n, grid) in COUNTS.into_iter().flat_map(|n| GRIDS.map(|grid| (n, grid))) {
            let found = streamed(&text, which, n, grid);
            let expected = |at: usize| {
                let (x, y) = (100.0 + at as f64, 1000.0 + at as f64);
                match which {
                    Builtin::Copy => x,
                    Builtin::Scale => 3.0 * x,
                    Builtin::Add => x + y,
                    _ => x + 3.0 * y,
                }
            };
            for (at, found) in found.into_iter().enumerate() {
                let is_inside = (GUARD / 8..GUARD / 8 + n as usize).contains(&at);
                assert_eq!(found, if is_inside { expected(at) } else { -1.0 }, "{which:?} of {n} by {grid:?}, at {at}");
            }
        }
    }
}

#[test]
fn a_whole_tile_is_loaded_sixteen_bytes_at_a_time() {
    // Four threads of one tile: 32 doubles, and no other loads.
    let memory: Vec<u8> = vec![0; 2 * 256];
    let text = streams();
    let mut machine = Machine::new(&text, "paw_copy", &[0, 256, 32], memory);
    machine.run(1, 4);
    assert_eq!((machine.counts["ld.global.v2.f64"], machine.counts["st.global.v2.f64"]), (16, 16));
    assert!(!machine.counts.contains_key("ld.global.f64"));
}

/// Runs a kernel of chains by one block of two threads; the sums, and how often each instruction was executed.
fn chained(kind: FmaKind, [a, b]: [u64; 2]) -> (Vec<u8>, BTreeMap<String, u64>) {
    let text = module(Builtin::Fma(kind)).unwrap();
    let mut machine = Machine::new(&text, Builtin::Fma(kind).name(), &[0, a, b], vec![0xff; 2 * kind.bytes()]);
    machine.run(1, 2);
    (machine.memory, machine.counts)
}

#[test]
fn the_operations_of_a_kernel_are_those_that_are_counted() {
    let ones = |of: u64| [of, of];
    for (kind, step, arguments) in [
        (FmaKind::F64, "fma.rn.f64", ones(1_f64.to_bits())),
        (FmaKind::F32, "fma.rn.f32", ones(1_f32.to_bits().into())),
        (FmaKind::I32, "mad.lo.s32", [3, 1]),
    ] {
        let (_, counts) = chained(kind, arguments);
        // A multiplication and an addition an instruction, by two threads.
        assert_eq!(2 * counts[step], 2 * kind.operations(), "{kind:?}");
    }
    // Halves are two numbers an instruction; the machine computes with none, but the loop is the same.
    let text = module(Builtin::Fma(FmaKind::F16)).unwrap();
    let unrolled = text.matches("fma.rn.f16x2").count() as u64;
    let rounds = u64::from(FmaKind::STEPS * FmaKind::CHAINS) / unrolled;
    assert!(text.contains(&format!("mov.u32 %left, {rounds};")));
    assert_eq!(2 * 2 * unrolled * rounds, FmaKind::F16.operations());
}

#[test]
fn chains_count_their_steps() {
    let (sums, _) = chained(FmaKind::F64, [1_f64.to_bits(); 2]);
    let sums: Vec<f64> = sums.chunks_exact(8).map(|sum| f64::from_le_bytes(sum.try_into().unwrap())).collect();
    // 0 + 1 + … + 7, and 1024 from each.
    assert_eq!(sums, [8220.0; 2]);
    let (sums, _) = chained(FmaKind::F32, [1_f32.to_bits().into(); 2]);
    assert_eq!(sums, [8220_f32.to_le_bytes(); 2].concat());
    let stepped = |chain: u32| (0..1024).fold(chain, |x, _| x.wrapping_mul(3).wrapping_add(1));
    let sum = (0..8).fold(0_u32, |sum, chain| sum.wrapping_add(stepped(chain)));
    assert_eq!(chained(FmaKind::I32, [3, 1]).0, [sum.to_le_bytes(); 2].concat());
}

#[test]
fn an_element_has_as_many_steps_as_were_asked_for() {
    for (n, steps) in [0, 1, 5, 33, 70].into_iter().flat_map(|n: usize| [1_u64, 2, 7, 8, 19].map(|steps| (n, steps))) {
        let which = Builtin::Intensity(FmaKind::F32);
        let text = module(which).unwrap();
        let (room, one) = (4 * n.next_multiple_of(4), u64::from(1_f32.to_bits()));
        let memory = vec![0xff; room + 16].into_iter().chain((0..room / 4).flat_map(|at| (at as f32).to_le_bytes()));
        let parameters = [0, room as u64 + 16, one, one, steps, n as u64];
        let mut machine = Machine::new(&text, which.name(), &parameters, memory.collect());
        machine.run(2, 3);
        assert_eq!(machine.counts.get("fma.rn.f32").copied().unwrap_or(0), steps * n as u64, "{n} elements");
        for (at, found) in machine.memory[..4 * n].chunks_exact(4).enumerate() {
            assert_eq!(f32::from_le_bytes(found.try_into().unwrap()), at as f32 + steps as f32, "element {at} of {n}");
        }
        assert!(machine.memory[4 * n..room + 16].iter().all(|byte| *byte == 0xff), "{n} elements, written too far");
    }
}

#[test]
fn halves_need_a_later_device_than_the_others() {
    let target = |which| module(which).unwrap().lines().nth(1).map(str::to_owned).unwrap();
    assert_eq!(target(Builtin::Fma(FmaKind::F16)), ".target sm_53");
    assert_eq!(target(Builtin::Fma(FmaKind::F64)), ".target sm_50");
    assert_eq!(module(Builtin::Intensity(FmaKind::I32)), None);
}
