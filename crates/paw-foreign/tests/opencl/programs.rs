//! Programs in OpenCL C and the kernels that every device is given.

use paw_foreign::device::{
    Argument, Builtin, Device, DeviceError, DeviceMemory, FmaKind, Grid, HostKind, Queue, Source,
};
use pocl::{ONE, in_child};

use crate::opened::device;

const N: usize = 1000;
const GRID: Grid = Grid { blocks: 16, threads: 64, shared_bytes: 0 };

fn program(text: &str, options: &[&str]) -> Source {
    let options = options.iter().map(|&option| option.to_owned()).collect();
    Source { text: text.to_owned(), name: "kinfit.cl".to_owned(), options, ..Source::default() }
}

fn write(device: &Device, queue: &Queue, memory: &DeviceMemory, numbers: &[f64]) {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
    let host = device.host_memory(bytes.len(), HostKind::Pageable).unwrap();
    host.write(0, &bytes).unwrap();
    queue.copy_in((memory, 0), (&host, 0), bytes.len()).unwrap();
    queue.sync().unwrap();
}

fn read(device: &Device, queue: &Queue, memory: &DeviceMemory) -> Vec<f64> {
    let host = device.host_memory(memory.bytes(), HostKind::Pageable).unwrap();
    queue.copy_out((&host, 0), (memory, 0), memory.bytes()).unwrap();
    queue.sync().unwrap();
    let mut bytes = vec![0; memory.bytes()];
    host.read(0, &mut bytes).unwrap();
    bytes.chunks_exact(8).map(|word| f64::from_ne_bytes(word.try_into().unwrap())).collect()
}

#[test]
fn the_kernels_that_a_device_is_given_compute() {
    in_child("programs::the_kernels_that_a_device_is_given_compute", ONE, || {
        let device = device();
        assert!(device.facts().fp64);
        let queue = device.queue().unwrap();
        let [a, b, c] = [0, 1, 2].map(|_| device.memory(N * 8).unwrap());
        let (ma, mb, mc) = (a.argument(), b.argument(), c.argument());
        let (s, n) = (Argument::F64(3.0), Argument::I64(N as i64));
        let x: Vec<f64> = (0..N).map(|i| i as f64).collect();
        let y: Vec<f64> = (0..N).map(|i| 7.0 - i as f64 / 8.0).collect();
        let run = |which, arguments: &[Argument]| {
            write(&device, &queue, &a, &x);
            write(&device, &queue, &b, &y);
            write(&device, &queue, &c, &y);
            queue.launch(&device.builtin(which).unwrap(), GRID, arguments).unwrap();
            queue.sync().unwrap();
        };
        run(Builtin::Empty, &[]);
        run(Builtin::Copy, &[mc, ma, n]);
        assert_eq!(read(&device, &queue, &c), x);
        run(Builtin::Scale, &[mb, mc, s, n]);
        assert_eq!(read(&device, &queue, &b), y.iter().map(|y| 3.0 * y).collect::<Vec<_>>());
        run(Builtin::Add, &[mc, ma, mb, n]);
        assert_eq!(read(&device, &queue, &c), x.iter().zip(&y).map(|(x, y)| x + y).collect::<Vec<_>>());
        run(Builtin::Triad, &[ma, mb, mc, s, n]);
        assert_eq!(read(&device, &queue, &a), y.iter().map(|y| y + 3.0 * y).collect::<Vec<_>>());
    });
}

/// A kernel over `n` doubles from a, and b if it has one, to the beginning of a longer array: what that array holds afterwards.
fn over(device: &Device, queue: &Queue, which: Builtin, n: usize, grid: Grid) -> Vec<f64> {
    let [to, x, y] = [0, 1, 2].map(|_| device.memory(8 * (n + 40)).unwrap());
    write(device, queue, &to, &vec![-1.0; n + 40]);
    write(device, queue, &x, &(0..n + 40).map(|i| i as f64).collect::<Vec<_>>());
    write(device, queue, &y, &(0..n + 40).map(|i| 1000.0 + i as f64).collect::<Vec<_>>());
    let (count, one) = (Argument::I64(n as i64), Argument::F64(1.0));
    let [to_place, x, y] = [&to, &x, &y].map(DeviceMemory::argument);
    let arguments = match which {
        Builtin::Triad => vec![to_place, x, y, Argument::F64(3.0), count],
        _ => vec![to_place, x, one, one, Argument::I32(11), count],
    };
    queue.launch(&device.builtin(which).unwrap(), grid, &arguments).unwrap();
    read(device, queue, &to)
}

#[test]
fn vectors_tiles_and_tails_are_all_reached_and_nothing_behind_them() {
    in_child("programs::vectors_tiles_and_tails_are_all_reached_and_nothing_behind_them", ONE, || {
        let device = device();
        let queue = device.queue().unwrap();
        for (which, of) in [
            (Builtin::Triad, (|i| i + 3.0 * (1000.0 + i)) as fn(f64) -> f64),
            (Builtin::Intensity(FmaKind::F64), |i| i + 11.0),
        ] {
            for (n, blocks) in [1, 2, 7, 31, 32, 33, 129, 1000].into_iter().flat_map(|n| [(n, 1), (n, 3)]) {
                let found = over(&device, &queue, which, n, Grid { blocks, threads: 4, shared_bytes: 0 });
                let expected = (0..n + 40).map(|i| if i < n { of(i as f64) } else { -1.0 });
                assert!(found.iter().copied().eq(expected), "{which:?} of {n} by {blocks}: {found:?}");
            }
            let grid = device.grid_over(which, 1000, 64);
            // Eight doubles a work-item.
            assert_eq!((grid.blocks, grid.threads), (2, 64));
        }
    });
}

#[test]
fn chains_count_their_steps_and_a_type_that_is_lacking_is_told() {
    in_child("programs::chains_count_their_steps_and_a_type_that_is_lacking_is_told", ONE, || {
        let device = device();
        let queue = device.queue().unwrap();
        let to = device.memory(8 * 64).unwrap();
        let grid = Grid { blocks: 1, threads: 64, shared_bytes: 0 };
        let one = Argument::F64(1.0);
        queue.launch(&device.builtin(Builtin::Fma(FmaKind::F64)).unwrap(), grid, &[to.argument(), one, one]).unwrap();
        assert_eq!(read(&device, &queue, &to), [8220.0; 64]);
        let integers = [to.argument(), Argument::I32(3), Argument::I32(1)];
        queue.launch(&device.builtin(Builtin::Fma(FmaKind::I32)).unwrap(), grid, &integers).unwrap();
        let stepped = |chain: u32| (0..1024).fold(chain, |x, _| x.wrapping_mul(3).wrapping_add(1));
        let sum = (0..8).fold(0_u32, |sum, chain| sum.wrapping_add(stepped(chain)));
        assert_eq!(read(&device, &queue, &to)[0].to_bits() as u32, sum);
        if let Err(refused) = device.builtin(Builtin::Fma(FmaKind::F16)) {
            assert!(matches!(refused, DeviceError::Unsupported(_)), "{refused}");
        }
    });
}

#[test]
fn a_program_gets_its_options_and_its_arguments() {
    in_child("programs::a_program_gets_its_options_and_its_arguments", ONE, || {
        let device = device();
        let text = "__kernel void put(__global double *to, int i, long l, float f, double d) {
            if (get_global_id(0) == 0) { to[0] = i; to[1] = l; to[2] = f; to[3] = d; to[4] = EXTRA; }
        }";
        let (program, _) = device.compile(&program(text, &["-D", "EXTRA=5"])).unwrap();
        let kernel = program.kernel("put").unwrap();
        let queue = device.queue().unwrap();
        let memory = device.memory(5 * 8).unwrap();
        let values = [Argument::I32(-1), Argument::I64(-2), Argument::F32(0.5), Argument::F64(0.25)];
        let arguments = [&[memory.argument()][..], &values].concat();
        queue.launch(&kernel, GRID, &arguments).unwrap();
        assert_eq!(read(&device, &queue, &memory), [-1.0, -2.0, 0.5, 0.25, 5.0]);
    });
}

#[test]
fn a_program_that_does_not_compile_is_reported_with_file_and_line() {
    in_child("programs::a_program_that_does_not_compile_is_reported_with_file_and_line", ONE, || {
        let wrong = program("__kernel void k(__global int *a) {\n  a[0] = nothing;\n}\n", &[]);
        let Err(DeviceError::Build { log }) = device().compile(&wrong) else { panic!("that is not OpenCL C") };
        assert!(log.contains("kinfit.cl:2:") && log.contains("nothing"), "{log}");
    });
}

#[test]
fn a_kernel_that_a_program_has_not_is_named_with_those_it_has() {
    in_child("programs::a_kernel_that_a_program_has_not_is_named_with_those_it_has", ONE, || {
        let (program, _) =
            device().compile(&program("__kernel void one(void) {}\n__kernel void two(void) {}", &[])).unwrap();
        let refused = program.kernel("three").err().expect("there are two").to_string();
        assert!(refused.starts_with("the program has no kernel three; its kernels are: "), "{refused}");
        assert!(refused.contains("one") && refused.contains("two"), "{refused}");
    });
}

#[test]
fn arguments_that_do_not_fit_are_refused() {
    in_child("programs::arguments_that_do_not_fit_are_refused", ONE, || {
        let device = device();
        let text = "__kernel void k(__global int *a, int n, __local int *w) { a[0] = n + w[0]; }
            __kernel void simple(__global int *a, int n) { a[0] = n; }";
        let (program, _) = device.compile(&program(text, &[])).unwrap();
        let queue = device.queue().unwrap();
        let memory = device.memory(64).unwrap();
        let (kernel, simple) = (program.kernel("k").unwrap(), program.kernel("simple").unwrap());
        let refused = |kernel, grid, arguments: &[Argument]| {
            queue.launch(kernel, grid, arguments).err().map_or("taken".to_owned(), |error| error.to_string())
        };
        let (m, n) = (memory.argument(), Argument::I32(1));
        assert_eq!(refused(&simple, GRID, &[m]), "simple takes 2 arguments and was given 1");
        assert_eq!(
            refused(&simple, GRID, &[Argument::I64(1), n]),
            "argument 0 of simple is a memory, and was given a number"
        );
        assert_eq!(refused(&simple, GRID, &[m, m]), "argument 1 of simple is a number, and was given a memory");
        assert_eq!(
            refused(&simple, GRID, &[m, Argument::I64(1)]),
            "argument 1 of simple has another size than 8 bytes"
        );
        assert_eq!(refused(&kernel, GRID, &[m, n, n]), "argument 2 of k is local memory; declare it in the kernel");
        let shared = Grid { shared_bytes: 64, ..GRID };
        assert!(refused(&simple, shared, &[m, n]).contains("declare it as __local in the kernel"));
        let endless = Grid { blocks: u64::MAX, ..GRID };
        assert_eq!(refused(&simple, endless, &[m, n]), "that many work-items cannot be counted");
        assert_eq!(refused(&simple, GRID, &[m, n]), "taken");
        queue.sync().unwrap();
    });
}

#[test]
fn a_kernel_tells_what_became_of_it() {
    in_child("programs::a_kernel_tells_what_became_of_it", ONE, || {
        let device = device();
        let text = "__kernel void k(__global int *a) {
            __local int w[64];
            const int i = get_local_id(0);
            w[i] = a[i];
            barrier(CLK_LOCAL_MEM_FENCE);
            a[i] = w[63 - i];
        }";
        let (program, _) = device.compile(&program(text, &[])).unwrap();
        let facts = program.kernel("k").unwrap().facts(64, 0).unwrap();
        assert!(facts.block_max.is_some_and(|most| most >= 64), "{facts:?}");
        assert!(facts.shared_bytes.is_some_and(|bytes| bytes >= 256), "{facts:?}");
        assert_eq!((facts.registers, facts.warp, facts.occupancy), (None, None, None));
    });
}
