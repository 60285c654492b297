//! Matrix products, by CLBlast and by the kernel of our own, against the same computed here.

use paw_foreign::device::{
    Backend, Device, DeviceError, DeviceMemory, GemmKind, GemmOperands, HostKind, Queue, discover,
};
use pocl::{ONE, in_child};

use crate::opened::device;

/// The kernel of our own.
const OWN: &[(&str, &str)] = &[("POCL_DEVICES", "pthread"), ("PAW_CLBLAST_LIBRARY", "none")];
/// Bytes before each operand.
const BEFORE: usize = 64;

#[test]
fn clblast_multiplies_right() {
    in_child("products::clblast_multiplies_right", ONE, || {
        // One order: a library compiles its kernels for seconds.
        let by = products(&[37]);
        assert!(by.starts_with("CLBlast 1."), "{by}");
    });
}

#[test]
fn the_portable_kernel_multiplies_right() {
    in_child("products::the_portable_kernel_multiplies_right", OWN, || {
        let by = products(&[1, 16, 37, 100]);
        assert_eq!(by, "portable kernel of paw");
    });
}

/// All products of both types and these orders; by whom.
fn products(orders: &[usize]) -> String {
    let device = device();
    let queue = device.queue().unwrap();
    let mut by = String::new();
    for (kind, bound) in [(GemmKind::Fp64, 1e-12), (GemmKind::Fp32, 1e-4)] {
        for &n in orders {
            let error;
            (error, by) = product(&device, &queue, kind, n);
            assert!(error < bound, "{kind:?} {n}: error {error} by {by}");
        }
    }
    by
}

fn product(device: &Device, queue: &Queue, kind: GemmKind, n: usize) -> (f64, String) {
    let plan = device.gemm_plan(queue, kind, n).unwrap();
    let [a, b, x] = [1, 2, 3].map(|seed| numbers(n * n, seed));
    let [ma, mb, mx] = [&a, &b, &x].map(|numbers| on_device(device, queue, kind, numbers));
    let nan = vec![f64::NAN; n * n];
    let [mc, my] = [0, 1].map(|_| on_device(device, queue, kind, &nan));
    queue.gemm(&plan, GemmOperands { a: ma.at(BEFORE), b: mb.at(BEFORE), c: mc.at(BEFORE) }).unwrap();
    let by = queue.gemv(kind, n, GemmOperands { a: ma.at(BEFORE), b: mx.at(BEFORE), c: my.at(BEFORE) }).unwrap();
    assert_eq!(by, plan.by());
    let (c, y) = (from_device(device, queue, kind, &mc), from_device(device, queue, kind, &my));
    let dot = |row: usize, right: &[f64]| (0..n).map(|k| a[row + k * n] * right[k]).sum::<f64>();
    let mut error: f64 = 0.0;
    for (row, column) in (0..n).flat_map(|row| (0..n).map(move |column| (row, column))) {
        error = error.max((c[row + column * n] - dot(row, &b[column * n..])).abs());
    }
    for (row, y) in y.iter().enumerate().take(n) {
        error = error.max((y - dot(row, &x)).abs());
    }
    assert!(c.iter().all(|c| c.is_finite()), "{kind:?} {n}: what was in C before has gone into it");
    assert!(y.iter().take(n).all(|y| y.is_finite()), "{kind:?} {n}: what was in y before has gone into it");
    (error, by)
}

/// Numbers that both types hold, so that only the sums are rounded.
fn numbers(count: usize, seed: u64) -> Vec<f64> {
    (0..count as u64).map(|i| ((i * 7919 + seed * 104_729) % 2003) as f64 / 1024.0 - 1.0).collect()
}

fn on_device(device: &Device, queue: &Queue, kind: GemmKind, numbers: &[f64]) -> DeviceMemory {
    let mut bytes = vec![0; BEFORE];
    match kind {
        GemmKind::Fp32 => bytes.extend(numbers.iter().flat_map(|x| (*x as f32).to_ne_bytes())),
        _ => bytes.extend(numbers.iter().flat_map(|x| x.to_ne_bytes())),
    }
    let host = device.host_memory(bytes.len(), HostKind::Pageable).unwrap();
    host.write(0, &bytes).unwrap();
    let memory = device.memory(bytes.len()).unwrap();
    queue.copy_in((&memory, 0), (&host, 0), bytes.len()).unwrap();
    queue.sync().unwrap();
    memory
}

fn from_device(device: &Device, queue: &Queue, kind: GemmKind, memory: &DeviceMemory) -> Vec<f64> {
    let bytes = memory.bytes() - BEFORE;
    let host = device.host_memory(bytes, HostKind::Pageable).unwrap();
    queue.copy_out((&host, 0), (memory, BEFORE), bytes).unwrap();
    queue.sync().unwrap();
    let mut read = vec![0; bytes];
    host.read(0, &mut read).unwrap();
    match kind {
        GemmKind::Fp32 => read.chunks_exact(4).map(|x| f32::from_ne_bytes(x.try_into().unwrap()).into()).collect(),
        _ => read.chunks_exact(8).map(|x| f64::from_ne_bytes(x.try_into().unwrap())).collect(),
    }
}

#[test]
fn other_types_and_places_are_refused() {
    in_child("products::other_types_and_places_are_refused", ONE, || {
        let device = device();
        let queue = device.queue().unwrap();
        let refused = device.gemm_plan(&queue, GemmKind::Bf16, 16).err().expect("OpenCL has no bfloat16");
        let why = "OpenCL has no library here that multiplies matrices in BF16; choose FP32 or FP64";
        assert_eq!(refused, DeviceError::Unsupported(why.to_owned()));
        for kind in GemmKind::ALL {
            assert_eq!(device.peak_per_clock(kind), None);
        }
        let plan = device.gemm_plan(&queue, GemmKind::Fp64, 16).unwrap();
        let memory = device.memory(16 * 16 * 8 + 8).unwrap();
        let at = |offset| GemmOperands { a: memory.at(offset), b: memory.at(0), c: memory.at(0) };
        assert!(matches!(queue.gemm(&plan, at(16)), Err(DeviceError::Beyond { .. })));
        assert!(queue.gemm(&plan, at(4)).unwrap_err().to_string().contains("not a multiple of its elements' 8"));
    });
}

#[test]
fn clblast_is_among_the_libraries() {
    in_child("products::clblast_is_among_the_libraries", ONE, || {
        let libraries = discover(Backend::OpenCl).libraries;
        let [(name, Ok(file))] = &libraries[..] else { panic!("{libraries:?}") };
        assert!(name == "CLBlast" && file.contains("libclblast.so.1"), "{libraries:?}");
    });
}

#[test]
fn a_clblast_that_is_declined_is_said_so() {
    in_child("products::a_clblast_that_is_declined_is_said_so", OWN, || {
        let libraries = discover(Backend::OpenCl).libraries;
        let [(_, Err(why))] = &libraries[..] else { panic!("{libraries:?}") };
        assert_eq!(why, "PAW_CLBLAST_LIBRARY is `none`; the portable kernel of paw multiplies");
    });
}

#[test]
fn a_clblast_that_is_none_is_one_sentence() {
    let wrong = [("POCL_DEVICES", "pthread"), ("PAW_CLBLAST_LIBRARY", "libm.so.6")];
    in_child("products::a_clblast_that_is_none_is_one_sentence", &wrong, || {
        let device = device();
        let queue = device.queue().unwrap();
        let refused = device.gemm_plan(&queue, GemmKind::Fp32, 16).err().expect("libm multiplies no matrices");
        let why = "PAW_CLBLAST_LIBRARY: libm.so.6 is not CLBlast: it has no CLBlastSgemm; name libclblast.so.1, or `none` for the portable kernel of paw";
        assert_eq!(refused, DeviceError::Absent(why.to_owned()));
    });
}
