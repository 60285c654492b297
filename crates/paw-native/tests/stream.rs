//! The kernels that move memory, against plain loops.

use paw_native::buffer::Pages;
use paw_native::isa::Isa;
use paw_native::pool::ThreadPool;
use paw_native::stream::{READ_STREAMS_MAX, Stores, StreamArrays, StreamKernels, StreamOp};

fn ramp(len: usize, from: f64) -> Vec<f64> {
    (0..len).map(|i| from + (i % 64) as f64 / 4.0).collect()
}

/// All four kernels on slices that start anywhere; small binary fractions make every sum exact.
fn check(stream: StreamKernels, stores: Stores, len: usize, skip: usize) {
    let (x, y, s) = (ramp(len + skip, 1.0), ramp(len + skip, 8.5), 0.5);
    let (x, y) = (&x[skip..], &y[skip..]);
    let same = |kernel: &dyn Fn(&mut [f64]), want: &dyn Fn(usize) -> f64| {
        let mut z = vec![-1.0; len + skip + 1];
        kernel(&mut z[skip..skip + len]);
        assert!(z[..skip].iter().chain(&z[skip + len..]).all(|&kept| kept == -1.0), "nothing beside is written");
        let right = (0..len).all(|i| z[skip + i] == want(i));
        assert!(right, "{:?} {stores:?} {len} from {skip}", stream.isa());
    };
    same(&|z| stream.copy(stores, x, z), &|i| x[i]);
    same(&|z| stream.scale(stores, s, x, z), &|i| s * x[i]);
    same(&|z| stream.add(stores, x, y, z), &|i| x[i] + y[i]);
    same(&|z| stream.triad(stores, s, x, y, z), &|i| x[i] + s * y[i]);
    same(&|z| stream.write(stores, s, z), &|_| s);
    same(&|z| stream.repeated(3).write(stores, s, z), &|_| s);
    same(&|z| stream.repeated(3).increase(s, z), &|_| 0.5);
    same(&|z| stream.repeated(2).triad(stores, s, x, y, z), &|i| x[i] + s * y[i]);
    same(&|z| stream.increase(s, z), &|_| -0.5);
    for streams in 1..=READ_STREAMS_MAX {
        let sum: f64 = x.iter().sum();
        assert_eq!(stream.read(streams, x), sum, "{streams} streams of {len}");
        assert_eq!(stream.repeated(3).read(streams, x), 3.0 * sum, "{streams} streams of {len}");
    }
}

#[test]
fn every_instruction_set_moves_every_element() {
    for isa in Isa::all_here() {
        let stream = StreamKernels::with_isa(isa).unwrap();
        for stores in [Stores::Normal, Stores::NonTemporal] {
            for len in [0, 1, 7, 8, 63, 64, 65, 1000] {
                for skip in [0, 1, 5] {
                    check(stream, stores, len, skip);
                }
            }
        }
    }
}

#[test]
fn arrays_hold_exactly_what_the_operations_make() {
    for isa in Isa::all_here() {
        for threads in 1..=3 {
            let pool = ThreadPool::unpinned(threads).unwrap();
            let kernels = StreamKernels::with_isa(isa).unwrap();
            let mut arrays = StreamArrays::try_new(kernels, &pool, 5003, Pages::Plain).unwrap();
            assert_eq!(arrays.bytes(StreamOp::Copy), 2 * 5003 * 8);
            assert_eq!(arrays.bytes(StreamOp::Triad), 3 * 5003 * 8);
            for stores in [Stores::Normal, Stores::NonTemporal] {
                for _ in 0..300 {
                    StreamOp::ALL.iter().for_each(|&op| arrays.run(&pool, op, stores));
                }
                assert_eq!(arrays.error(), 0.0, "{isa:?} {stores:?} on {threads} threads");
            }
        }
    }
}

#[test]
fn any_number_of_cycles_keeps_the_values_near_one() {
    let pool = ThreadPool::unpinned(1).unwrap();
    let mut arrays = StreamArrays::try_new(StreamKernels::new(), &pool, 8, Pages::Plain).unwrap();
    for _ in 0..100_000 {
        StreamOp::ALL.iter().for_each(|&op| arrays.run(&pool, op, Stores::Normal));
    }
    let mean = arrays.read(&pool, 1) / 8.0;
    assert!((mean - 1.0).abs() < 1e-6, "{mean}");
}

#[test]
fn reading_sums_the_first_array_with_any_team() {
    for threads in 1..=3 {
        let pool = ThreadPool::unpinned(threads).unwrap();
        let arrays = StreamArrays::try_new(StreamKernels::new(), &pool, 4321, Pages::Plain).unwrap();
        for streams in 1..=READ_STREAMS_MAX {
            assert_eq!(arrays.read(&pool, streams), 4321.0);
        }
    }
}
