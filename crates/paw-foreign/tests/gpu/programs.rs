//! Kernels: those that are brought along, and those of programs.

use paw_foreign::device::{
    Argument, Builtin, Device, DeviceError, DeviceMemory, FmaKind, Grid, HostKind, Queue, Source,
};

use crate::child::{USUAL, between_s, device, in_child, near};
use crate::vendor::{SOURCE, TOO_LONG, TOO_WIDE, WARP, at_line};

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
fn kernels_of_multiplications_have_all_their_steps() {
    in_child("programs::kernels_of_multiplications_have_all_their_steps", USUAL, || {
        let device = device();
        let queue = device.queue().unwrap();
        let to = filled(&device, &queue, |_| f64::NAN);
        let run = |which: Builtin, arguments: Vec<Argument>| {
            queue.launch(&device.builtin(which).unwrap(), GRID, &arguments).unwrap();
            queue.sync().unwrap();
        };
        let one = Argument::F64(1.0);
        // 0 + 1 + … + 7, and 1024 from each; the memory has room for a thousand sums, and 1024 threads are too many.
        let many = queue.launch(&device.builtin(Builtin::Fma(FmaKind::F64)).unwrap(), GRID, &[to.argument(), one, one]);
        assert!(many.is_err(), "sums were written behind the memory's end");
        let grid = Grid { blocks: 3, ..GRID };
        let ones = [Argument::F32(1.0); 2];
        queue
            .launch(&device.builtin(Builtin::Fma(FmaKind::F32)).unwrap(), grid, &[&[to.argument()][..], &ones].concat())
            .unwrap();
        let sums = read(&device, &queue, &to)[0].to_bits();
        assert_eq!([sums as u32, (sums >> 32) as u32].map(f32::from_bits), [8220.0; 2]);
        let halves = [Argument::I32(0x3c00_3c00); 2];
        queue
            .launch(
                &device.builtin(Builtin::Fma(FmaKind::F16)).unwrap(),
                grid,
                &[&[to.argument()][..], &halves].concat(),
            )
            .unwrap();
        assert_eq!(f32::from_bits(read(&device, &queue, &to)[0].to_bits() as u32), 16440.0);
        let from = filled(&device, &queue, |i| i as f64);
        let n = Argument::I64(N as i64);
        run(Builtin::Intensity(FmaKind::F64), vec![to.argument(), from.argument(), one, one, Argument::I32(5), n]);
        assert!(read(&device, &queue, &to).iter().enumerate().all(|(i, x)| *x == i as f64 + 5.0));
        let refused = device.builtin(Builtin::Intensity(FmaKind::F16)).err().expect("there is none of halves");
        assert!(matches!(refused, DeviceError::Unsupported(_)), "{refused}");
    });
}

#[test]
fn a_chain_is_followed_and_a_table_updated_and_restored() {
    in_child("programs::a_chain_is_followed_and_a_table_updated_and_restored", USUAL, || {
        let device = device();
        let queue = device.queue().unwrap();
        let word = |bits: u64| f64::from_bits(bits);
        // From 3 on, each place leads to the next but one.
        let chain = filled(&device, &queue, |i| word((i as u64 + 2) % N as u64));
        let state = filled(&device, &queue, |_| word(3));
        let run = |which: Builtin, arguments: &[Argument], grid: Grid| {
            queue.launch(&device.builtin(which).unwrap(), grid, arguments).unwrap();
            queue.sync().unwrap();
        };
        let one = Grid { blocks: 1, threads: 1, shared_bytes: 0 };
        run(Builtin::Chase, &[state.argument(), chain.argument(), Argument::I64(5)], one);
        assert_eq!(read(&device, &queue, &state)[..2].iter().map(|x| x.to_bits()).collect::<Vec<_>>(), [13, 3]);
        let table = filled(&device, &queue, |i| word(i as u64));
        // 512 words, of which the upper nine bits of a number choose one.
        let updates = [table.argument(), Argument::I64(64 - 9), Argument::I64(8713), Argument::I64(2000)];
        let bits = || read(&device, &queue, &table).into_iter().map(f64::to_bits).collect::<Vec<_>>();
        run(Builtin::Update, &updates, GRID);
        let changed = bits();
        assert!(changed[..512].iter().zip(0..).filter(|(found, was)| *found != was).count() > 400);
        assert!(changed[512..].iter().zip(512..).all(|(found, was)| *found == was));
        run(Builtin::Update, &updates, GRID);
        assert_eq!(bits(), (0..N as u64).collect::<Vec<_>>());
    });
}

#[test]
fn a_kernel_lasts_its_launch_and_its_bytes() {
    let costs = [("MOCK_LAUNCH_US", "10"), ("MOCK_DEVICE_GBS", "0.001")];
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
        let facts = device.builtin(Builtin::Triad).unwrap().facts(256, 0).unwrap();
        assert_eq!((facts.registers, facts.block_max, facts.warp), (Some(32), Some(1024), Some(WARP)));
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
        assert_eq!(refused, TOO_WIDE);
        let long = Grid { blocks: 1 << 40, ..GRID };
        assert!(queue.launch(&empty, long, &[]).unwrap_err().to_string().contains(TOO_LONG));
        let many = vec![Argument::I32(0); 65];
        assert!(queue.launch(&empty, GRID, &many).unwrap_err().to_string().contains("64 at most"));
    });
}

fn with_compiler(name: &str, body: impl FnOnce(&Device)) {
    in_child(name, &[("MOCK_LAUNCH_US", "20")], || body(&device()));
}

fn source(text: &str) -> Source {
    Source { text: text.to_owned(), name: SOURCE.to_owned(), ..Source::default() }
}

#[test]
fn kernels_of_a_program_are_found_by_their_names_and_run() {
    with_compiler("programs::kernels_of_a_program_are_found_by_their_names_and_run", |device| {
        let text = "extern \"C\" __global__ void plain(int n) {}\ntemplate <class T> __global__ void made(T *x) {}\n";
        let names = vec!["made<float>".to_owned()];
        let (program, log) = device.compile(&Source { names, ..source(text) }).unwrap();
        assert_eq!(log, "");
        let queue = device.queue().unwrap();
        for name in ["plain", "made<float>"] {
            let kernel = program.kernel(name).unwrap();
            near(between_s(&queue, || queue.launch(&kernel, GRID, &[Argument::I32(1)]).unwrap()), 20e-6);
            assert_eq!(kernel.facts(1024, 0).unwrap().occupancy, Some(1.0));
        }
        let missing = program.kernel("other").err().expect("there is none").to_string();
        assert!(missing.contains("no kernel other") && missing.contains("extern \"C\""), "{missing}");
    });
}

#[test]
fn a_program_that_does_not_compile_says_where() {
    with_compiler("programs::a_program_that_does_not_compile_says_where", |device| {
        let failed = device.compile(&source("\n#error not so\n")).err().expect("it does not compile");
        assert_eq!(failed, DeviceError::Build { log: format!("{}: error: #error not so", at_line(2)) });
    });
}

#[test]
fn a_kernel_goes_with_its_program() {
    with_compiler("programs::a_kernel_goes_with_its_program", |device| {
        let (program, _) = device.compile(&source("extern \"C\" __global__ void plain() {}")).unwrap();
        let (queue, kernel) = (device.queue().unwrap(), program.kernel("plain").unwrap());
        drop(program);
        let refused = queue.launch(&kernel, GRID, &[]).unwrap_err().to_string();
        assert!(refused.contains("knows no Kernel"), "{refused}");
    });
}
