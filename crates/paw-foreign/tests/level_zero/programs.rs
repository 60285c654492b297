//! Kernels: paw's own, users' in SPIR-V and in OpenCL C, and launches that cannot be.

use paw_foreign::device::{Argument, Builtin, Device, DeviceError, DeviceMemory, FmaKind, Grid, Queue, Source};

use crate::child::{USUAL, between_s, device, in_child, near};
use crate::contents::{filled, read};

const N: usize = 10_000;
const GRID: Grid = Grid { blocks: 40, threads: 256, shared_bytes: 0 };
/// SPIR-V as a compiler makes it.
const WORDS: &[u8] = include_bytes!("../../src/device/level_zero/kernels/paw-double.spv");

fn doubles(device: &Device, queue: &Queue, value: f64) -> DeviceMemory {
    filled(device, queue, &value.to_le_bytes().repeat(N))
}

#[test]
fn embedded_kernels_compute_what_they_say() {
    in_child("programs::embedded_kernels_compute_what_they_say", USUAL, || {
        let device = device();
        let queue = device.queue().unwrap();
        let arrays = [1.0, 2.0, 4.0].map(|value| doubles(&device, &queue, value));
        let [a, b, c] = arrays.each_ref().map(DeviceMemory::argument);
        let (s, n) = (Argument::F64(3.0), Argument::I64(N as i64));
        let cases: [(Builtin, &[Argument], usize, f64); 4] = [
            (Builtin::Triad, &[a, b, c, s, n], 0, 14.0),
            (Builtin::Scale, &[b, c, s, n], 1, 12.0),
            (Builtin::Copy, &[c, b, n], 2, 12.0),
            (Builtin::Add, &[c, a, b, n], 2, 26.0),
        ];
        for (which, arguments, to, value) in cases {
            queue.launch(&device.builtin(which).unwrap(), GRID, arguments).unwrap();
            assert_eq!(read(&device, &queue, &arrays[to]), value.to_le_bytes().repeat(N), "{which:?}");
        }
    });
}

#[test]
fn a_launch_takes_the_time_it_takes() {
    in_child("programs::a_launch_takes_the_time_it_takes", &[("MOCK_LAUNCH_US", "100")], || {
        let device = device();
        let queue = device.queue().unwrap();
        let empty = device.builtin(Builtin::Empty).unwrap();
        let launches = || (0..10).for_each(|_| queue.launch(&empty, GRID, &[]).unwrap());
        near(between_s(&queue, launches), 1e-3);
        let facts = empty.facts(256, 0).unwrap();
        assert_eq!((facts.block_max, facts.warp, facts.shared_bytes), (Some(1024), Some(32), Some(0)));
        assert_eq!((facts.registers, facts.occupancy), (None, None));
    });
}

#[test]
fn a_launch_that_cannot_be_is_refused() {
    in_child("programs::a_launch_that_cannot_be_is_refused", USUAL, || {
        let device = device();
        let queue = device.queue().unwrap();
        let copy = device.builtin(Builtin::Copy).unwrap();
        let memory = doubles(&device, &queue, 1.0);
        let good = [memory.argument(), memory.argument(), Argument::I64(N as i64)];
        let refused =
            |grid: Grid, arguments: &[Argument]| queue.launch(&copy, grid, arguments).unwrap_err().to_string();
        let wide = refused(Grid { threads: 2048, ..GRID }, &good);
        assert!(wide.contains("work-groups of 2048 work-items"), "{wide}");
        assert!(refused(Grid { blocks: 1 << 40, ..GRID }, &good).contains("4294967295 at most"));
        assert!(refused(Grid { shared_bytes: 64, ..GRID }, &good).contains("__local"));
        assert!(refused(GRID, &good[..2]).contains("takes 3 arguments and was given 2"));
        let narrow = [good[0], good[1], Argument::I32(7)];
        assert!(refused(GRID, &narrow).contains("argument 2 of paw_copy has another size than 4 bytes"));
        queue.launch(&copy, GRID, &good).unwrap();
        queue.sync().unwrap();
    });
}

#[test]
fn spirv_is_taken_as_it_is() {
    in_child("programs::spirv_is_taken_as_it_is", USUAL, || {
        let device = device();
        let source = Source { words: WORDS.to_vec(), name: "user.spv".to_owned(), ..Source::default() };
        let (program, log) = device.compile(&source).unwrap();
        assert_eq!(log, "");
        let queue = device.queue().unwrap();
        let (to, from) = (doubles(&device, &queue, 0.0), doubles(&device, &queue, 5.0));
        let kernel = program.kernel("paw_copy").unwrap();
        queue.launch(&kernel, GRID, &[to.argument(), from.argument(), Argument::I64(N as i64)]).unwrap();
        assert_eq!(read(&device, &queue, &to), 5_f64.to_le_bytes().repeat(N));
        let missing = program.kernel("other").err().expect("there is none").to_string();
        assert!(missing.contains("no kernel other") && missing.contains("paw_add, paw_chase, paw_copy"), "{missing}");
        drop(program);
        let gone = queue.launch(&kernel, GRID, &[]).unwrap_err().to_string();
        assert!(gone.contains("ze0 knows no Kernel"), "{gone}");
    });
}

#[test]
fn words_that_are_no_spirv_do_not_build() {
    in_child("programs::words_that_are_no_spirv_do_not_build", USUAL, || {
        let broken = Source { words: WORDS[..98].to_vec(), ..Source::default() };
        let failed = device().compile(&broken).err().expect("it breaks off");
        assert_eq!(failed, DeviceError::Build { log: "error: the module is no SPIR-V".to_owned() });
    });
}

fn source(text: &str) -> Source {
    Source { text: text.to_owned(), name: "user.cl".to_owned(), options: vec!["-DA=1".to_owned()], ..Source::default() }
}

#[test]
fn opencl_c_is_compiled_by_ocloc() {
    in_child("programs::opencl_c_is_compiled_by_ocloc", &[("MOCK_LAUNCH_US", "100")], || {
        let device = device();
        let (program, _) = device.compile(&source("__kernel void plain(__global float *x, int n) {}\n")).unwrap();
        let (queue, kernel, memory) =
            (device.queue().unwrap(), program.kernel("plain").unwrap(), device.memory(64).unwrap());
        let arguments = [memory.argument(), Argument::I32(1)];
        near(between_s(&queue, || queue.launch(&kernel, GRID, &arguments).unwrap()), 100e-6);
        let failed = device.compile(&source("\n#error not so\n")).err().expect("it does not compile");
        assert_eq!(failed, DeviceError::Build { log: "user.cl:2:2: error: #error not so".to_owned() });
    });
}

#[test]
fn without_a_compiler_the_way_out_is_said() {
    let wrong = [("PAW_OCLOC_LIBRARY", "libm.so.6")];
    in_child("programs::without_a_compiler_the_way_out_is_said", &wrong, || {
        let Err(DeviceError::Absent(why)) = device().compile(&source("__kernel void plain() {}")) else { panic!() };
        assert!(why.contains("libm.so.6") && why.contains("oclocInvoke") && why.contains("PAW_OCLOC_LIBRARY"), "{why}");
    });
}

#[test]
fn halves_and_random_updates_have_modules_of_their_own() {
    in_child("programs::halves_and_random_updates_have_modules_of_their_own", USUAL, || {
        let device = device();
        let queue = device.queue().unwrap();
        let sums = filled(&device, &queue, &[0xff; 4 * 256]);
        let ones = Argument::I32(0x3c00_3c00);
        let grid = Grid { blocks: 1, threads: 256, shared_bytes: 0 };
        let chains = device.builtin(Builtin::Fma(FmaKind::F16)).unwrap();
        queue.launch(&chains, grid, &[sums.argument(), ones, ones]).unwrap();
        // 0 to 7 and 1024 steps of each, twice.
        assert_eq!(read(&device, &queue, &sums), 16440_f32.to_le_bytes().repeat(256));
        let table = filled(&device, &queue, &[0; 8 * 16]);
        let [shift, seed, n] = [60, 1, 1].map(Argument::I64);
        let update = device.builtin(Builtin::Update).unwrap();
        queue.launch(&update, grid, &[table.argument(), shift, seed, n]).unwrap();
        assert_eq!(read(&device, &queue, &table).chunks(8).filter(|word| *word != [0; 8]).count(), 1);
    });
}

/// The driver of the tests builds no module that declares what its devices lack.
#[test]
fn what_a_device_lacks_is_said_by_the_flag() {
    in_child("programs::what_a_device_lacks_is_said_by_the_flag", &[("MOCK_MODULE_FLAGS", "0")], || {
        let device = device();
        let why = |which| match device.builtin(which) {
            Err(DeviceError::Unsupported(why)) => why,
            Err(other) => panic!("{which:?}: {other}"),
            Ok(_) => panic!("{which:?} is there"),
        };
        assert!(why(Builtin::Fma(FmaKind::F16)).contains("ze0 has no arithmetic on halves"));
        assert!(why(Builtin::Fma(FmaKind::F64)).contains("ze0 has no arithmetic on doubles"));
        assert!(why(Builtin::Update).contains("ze0 has no atomic operations on 64 bits"));
        for which in [Builtin::Copy, Builtin::Fma(FmaKind::F32), Builtin::Fma(FmaKind::I32)] {
            device.builtin(which).unwrap();
        }
        let double = Source { words: WORDS.to_vec(), name: "user.spv".to_owned(), ..Source::default() };
        let Err(DeviceError::Build { log }) = device.compile(&double) else { panic!("it builds") };
        assert!(log.contains("a capability that the device has not"), "{log}");
    });
}
