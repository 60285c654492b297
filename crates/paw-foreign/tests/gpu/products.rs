//! Matrix products, by the vendor's libraries.

use paw_foreign::device::{Device, DeviceError, DeviceMemory, GemmKind, GemmOperands, HostKind, Queue, discover};

use crate::child::{device, in_child};
use crate::vendor::{BACKEND, BESIDE, LACKING, MOCK, UNFIT, by};

const N: usize = 16;

fn filled(device: &Device, queue: &Queue, bytes: &[u8]) -> DeviceMemory {
    let (memory, host) =
        (device.memory(bytes.len()).unwrap(), device.host_memory(bytes.len(), HostKind::Pinned).unwrap());
    host.write(0, bytes).unwrap();
    queue.copy_in((&memory, 0), (&host, 0), bytes.len()).unwrap();
    queue.sync().unwrap();
    memory
}

fn read(device: &Device, queue: &Queue, memory: &DeviceMemory) -> Vec<u8> {
    let host = device.host_memory(memory.bytes(), HostKind::Pinned).unwrap();
    queue.copy_out((&host, 0), (memory, 0), memory.bytes()).unwrap();
    queue.sync().unwrap();
    let mut bytes = vec![0; memory.bytes()];
    host.read(0, &mut bytes).unwrap();
    bytes
}

/// How a small whole number is stored.
fn stored(kind: GemmKind, value: i8) -> Vec<u8> {
    // 0, 1, 2 and -1 in bfloat16, half precision and e4m3.
    let row = match value {
        0 => [0, 0, 0],
        1 => [0x3f80, 0x3c00, 0x38],
        2 => [0x4000, 0x4000, 0x40],
        _ => [0xbf80, 0xbc00, 0xb8],
    };
    match kind {
        GemmKind::Fp64 => f64::from(value).to_le_bytes().to_vec(),
        GemmKind::Fp32 | GemmKind::Tf32 => f32::from(value).to_le_bytes().to_vec(),
        GemmKind::Bf16 => u16::to_le_bytes(row[0]).to_vec(),
        GemmKind::Fp16 => u16::to_le_bytes(row[1]).to_vec(),
        GemmKind::Int8 => value.to_le_bytes().to_vec(),
        GemmKind::Fp8 => vec![row[2] as u8],
    }
}

/// A of column-major order: row 0 is 1, 2, 0 …, row 1 is -1, 0 …; B: column 0 is 1, 1, 0 …, so that C[0, 0] is 3 and C[1, 0] is -1.
fn operands(kind: GemmKind) -> (Vec<u8>, Vec<u8>) {
    let a = |row: usize, column: usize| match (row, column) {
        (0, 0) => 1,
        (0, 1) => 2,
        (1, 0) => -1,
        _ => 0,
    };
    let b = |row: usize, column: usize| i8::from(column == 0 && row < 2);
    let transposed = kind.is_a_transposed();
    let a = (0..N * N).flat_map(|at| {
        let (fast, slow) = (at % N, at / N);
        stored(kind, if transposed { a(slow, fast) } else { a(fast, slow) })
    });
    (a.collect(), (0..N * N).flat_map(|at| stored(kind, b(at % N, at / N))).collect())
}

#[test]
fn a_product_of_every_kind_has_its_layout_and_its_types() {
    in_child("products::a_product_of_every_kind_has_its_layout_and_its_types", &[], || {
        let device = device();
        let queue = device.queue().unwrap();
        for kind in GemmKind::ALL.into_iter().filter(|kind| !LACKING.contains(kind)) {
            let plan = device.gemm_plan(&queue, kind, N).unwrap();
            assert_eq!(plan.by(), by(kind));
            let (a, b) = operands(kind);
            let (a, b) = (filled(&device, &queue, &a), filled(&device, &queue, &b));
            let c = filled(&device, &queue, &vec![0xff; N * N * kind.output().bytes()]);
            queue.gemm(&plan, GemmOperands { a: a.at(0), b: b.at(0), c: c.at(0) }).unwrap();
            let c = read(&device, &queue, &c);
            let size = kind.output().bytes();
            let (three, minus_one) = match kind {
                GemmKind::Fp64 => (3_f64.to_le_bytes().to_vec(), (-1_f64).to_le_bytes().to_vec()),
                GemmKind::Fp32 | GemmKind::Tf32 => (3_f32.to_le_bytes().to_vec(), (-1_f32).to_le_bytes().to_vec()),
                GemmKind::Bf16 | GemmKind::Fp8 => (vec![0x40, 0x40], vec![0x80, 0xbf]),
                GemmKind::Fp16 => (vec![0x00, 0x42], vec![0x00, 0xbc]),
                GemmKind::Int8 => (3_i32.to_le_bytes().to_vec(), (-1_i32).to_le_bytes().to_vec()),
            };
            assert_eq!((&c[..size], &c[size..2 * size]), (&three[..], &minus_one[..]), "{kind:?}");
        }
    });
}

#[test]
fn a_matrix_times_a_vector_needs_no_plan() {
    in_child("products::a_matrix_times_a_vector_needs_no_plan", &[], || {
        let device = device();
        let queue = device.queue().unwrap();
        let doubles = |values: &[f64]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
        // Column-major: [1 3; 2 4] · [1; 10].
        let (a, x) =
            (filled(&device, &queue, &doubles(&[1.0, 2.0, 3.0, 4.0])), filled(&device, &queue, &doubles(&[1.0, 10.0])));
        let y = device.memory(16).unwrap();
        let name = queue.gemv(GemmKind::Fp64, 2, GemmOperands { a: a.at(0), b: x.at(0), c: y.at(0) }).unwrap();
        assert_eq!((name.as_str(), read(&device, &queue, &y)), (by(GemmKind::Fp64), doubles(&[31.0, 42.0])));
        let beyond = queue.gemv(GemmKind::Fp64, 3, GemmOperands { a: a.at(0), b: x.at(0), c: y.at(0) });
        assert!(matches!(beyond, Err(DeviceError::Beyond { .. })));
    });
}

#[test]
fn what_does_not_fit_is_said_in_a_sentence() {
    in_child("products::what_does_not_fit_is_said_in_a_sentence", &[], || {
        let device = device();
        let queue = device.queue().unwrap();
        for (kind, n, words) in UNFIT {
            let Err(DeviceError::Unsupported(why)) = device.gemm_plan(&queue, *kind, *n) else { panic!("{kind:?}") };
            words.iter().for_each(|word| assert!(why.contains(word), "{word}: {why}"));
        }
        let plan = device.gemm_plan(&queue, GemmKind::Fp64, N).unwrap();
        let (other, memory) = (device.queue().unwrap(), device.memory(8 * N * N).unwrap());
        let at = GemmOperands { a: memory.at(0), b: memory.at(0), c: memory.at(0) };
        assert!(other.gemm(&plan, at).unwrap_err().to_string().contains("planned for"));
        let short = GemmOperands { c: memory.at(8), ..at };
        assert!(matches!(queue.gemm(&plan, short), Err(DeviceError::Beyond { .. })));
    });
}

#[test]
fn the_libraries_are_listed_and_peaks_are_facts() {
    in_child("products::the_libraries_are_listed_and_peaks_are_facts", &[], || {
        let found = discover(BACKEND);
        for name in BESIDE {
            let (_, path) = found.libraries.iter().find(|(library, _)| library == *name).expect("it is listed");
            assert!(path.as_ref().unwrap().ends_with(MOCK), "{path:?}");
        }
        // 4 units like those of an H100, or of an MI250X.
        assert_eq!(found.devices[0].peaks["fp64"], 4.0 * 256.0);
    });
}
