//! Kernels: those that are brought along.

use paw_foreign::device::{Argument, Builtin, Device, DeviceMemory, Grid, HostKind, Queue};

use crate::child::{USUAL, between_s, device, in_child, near};

/// A kernel, its arguments, and what element i is afterwards.
type Case = (Builtin, Vec<Argument>, fn(f64) -> f64);

const N: usize = 1000;
const GRID: Grid = Grid { blocks: 4, threads: 256, shared_bytes: 0 };

fn filled(device: &Device, queue: &Queue, value: impl Fn(usize) -> f64) -> DeviceMemory {
    let (memory, host) = (device.memory(8 * N).unwrap(), device.host_memory(8 * N, HostKind::Pinned).unwrap());
    let bytes: Vec<u8> = (0..N).flat_map(|i| value(i).to_le_bytes()).collect();
    host.write(0, &bytes).unwrap();
    queue.copy_in((&memory, 0), (&host, 0), 8 * N).unwrap();
    queue.sync().unwrap();
    memory
}

fn read(device: &Device, queue: &Queue, memory: &DeviceMemory) -> Vec<f64> {
    let host = device.host_memory(8 * N, HostKind::Pinned).unwrap();
    queue.copy_out((&host, 0), (memory, 0), 8 * N).unwrap();
    queue.sync().unwrap();
    let mut bytes = vec![0; 8 * N];
    host.read(0, &mut bytes).unwrap();
    let (words, _) = bytes.as_chunks::<8>();
    words.iter().map(|word| f64::from_le_bytes(*word)).collect()
}

#[test]
fn every_kernel_that_is_brought_along_is_right() {
    in_child("programs::every_kernel_that_is_brought_along_is_right", USUAL, || {
        let device = device();
        let queue = device.queue().unwrap();
        let a = filled(&device, &queue, |i| i as f64);
        let b = filled(&device, &queue, |i| 2.0 * i as f64 + 1.0);
        let to = filled(&device, &queue, |_| f64::NAN);
        let (n, s) = (Argument::I64(N as i64), Argument::F64(3.0));
        let [a, b, out] = [&a, &b, &to].map(DeviceMemory::argument);
        let cases: [Case; 4] = [
            (Builtin::Copy, vec![out, a, n], |i| i),
            (Builtin::Scale, vec![out, a, s, n], |i| 3.0 * i),
            (Builtin::Add, vec![out, a, b, n], |i| 3.0 * i + 1.0),
            (Builtin::Triad, vec![out, a, b, s, n], |i| 7.0 * i + 3.0),
        ];
        for (which, arguments, expected) in cases {
            let kernel = device.builtin(which).unwrap();
            queue.launch(&kernel, GRID, &arguments).unwrap();
            let found = read(&device, &queue, &to);
            assert!(found.iter().enumerate().all(|(i, x)| *x == expected(i as f64)), "{which:?}: {:?}", &found[..4]);
        }
        queue.launch(&device.builtin(Builtin::Empty).unwrap(), GRID, &[]).unwrap();
        queue.sync().unwrap();
    });
}

#[test]
fn a_kernel_lasts_its_launch_and_its_bytes() {
    let costs = [("MOCK_CUDA_LAUNCH_US", "10"), ("MOCK_CUDA_DEVICE_GBS", "0.001")];
    in_child("programs::a_kernel_lasts_its_launch_and_its_bytes", &costs, || {
        let device = device();
        let queue = device.queue().unwrap();
        let (from, to) = (filled(&device, &queue, |_| 1.0), filled(&device, &queue, |_| 2.0));
        let arguments = [to.argument(), from.argument(), Argument::I64(N as i64)];
        let (copy, empty) = (device.builtin(Builtin::Copy).unwrap(), device.builtin(Builtin::Empty).unwrap());
        near(between_s(&queue, || queue.launch(&copy, GRID, &arguments).unwrap()), 10e-6 + 16.0 * N as f64 / 1e6);
        let launches = || (0..10).for_each(|_| queue.launch(&empty, GRID, &[]).unwrap());
        near(between_s(&queue, launches), 100e-6);
    });
}

#[test]
fn a_kernel_tells_what_the_compiler_made_of_it() {
    in_child("programs::a_kernel_tells_what_the_compiler_made_of_it", USUAL, || {
        let device = device();
        let facts = device.builtin(Builtin::Triad).unwrap().facts(256).unwrap();
        assert_eq!((facts.registers, facts.block_max, facts.warp), (Some(32), Some(1024), Some(32)));
        assert_eq!((facts.shared_bytes, facts.local_bytes, facts.occupancy), (Some(0), Some(0), Some(1.0)));
    });
}

#[test]
fn a_launch_that_cannot_be_is_refused() {
    in_child("programs::a_launch_that_cannot_be_is_refused", USUAL, || {
        let device = device();
        let queue = device.queue().unwrap();
        let empty = device.builtin(Builtin::Empty).unwrap();
        let wide = Grid { threads: 2048, ..GRID };
        let refused = queue.launch(&empty, wide, &[]).unwrap_err().to_string();
        assert_eq!(refused, "cuLaunchKernel failed with 1 (CUDA_ERROR_INVALID_VALUE)");
        let long = Grid { blocks: 1 << 40, ..GRID };
        assert!(queue.launch(&empty, long, &[]).unwrap_err().to_string().contains("2147483647"));
        let many = vec![Argument::I32(0); 65];
        assert!(queue.launch(&empty, GRID, &many).unwrap_err().to_string().contains("64 at most"));
    });
}
