//! C = alpha op(A) op(B) + beta C.

use paw_native::gemm::{Gemm, GemmElement, GemmLayout, Transpose};
use paw_native::isa::Isa;
use paw_native::pool::ThreadPool;
use paw_native::real::Real;

use crate::oracle::{FACTORS, PADDING, Sum, agrees, numbers};

const TRANSPOSES: [(Transpose, Transpose); 4] = [
    (Transpose::No, Transpose::No),
    (Transpose::No, Transpose::Yes),
    (Transpose::Yes, Transpose::No),
    (Transpose::Yes, Transpose::Yes),
];

fn shape(m: usize, n: usize, k: usize, (transa, transb): (Transpose, Transpose), pad: usize) -> GemmLayout {
    let lda = pad + if transa == Transpose::No { k } else { m };
    let ldb = pad + if transb == Transpose::No { n } else { k };
    GemmLayout { m, n, k, transa, transb, lda, ldb, ldc: n + pad }
}

/// Every stored element beyond the rows holds the padding.
fn padded<T: Real>(rows: usize, columns: usize, stride: usize, seed: u64) -> Vec<T> {
    let mut elements = numbers::<T>(rows * stride, seed);
    for row in elements.chunks_mut(stride.max(1)) {
        row[columns..].fill(T::from_f64(PADDING));
    }
    elements
}

/// The operands of a product, and what their product is.
struct Case<T> {
    shape: GemmLayout,
    a: Vec<T>,
    b: Vec<T>,
    sums: Vec<Sum>,
}

impl<T: GemmElement> Case<T> {
    fn new(shape: GemmLayout) -> Case<T> {
        let GemmLayout { m, n, k, transa, transb, lda, ldb, .. } = shape;
        let plain = |trans: Transpose| trans == Transpose::No;
        let a = if plain(transa) { padded::<T>(m, k, lda, 1) } else { padded::<T>(k, m, lda, 1) };
        let b = if plain(transb) { padded::<T>(k, n, ldb, 2) } else { padded::<T>(n, k, ldb, 2) };
        let mut sums = vec![Sum::default(); m * n];
        for (at, sum) in sums.iter_mut().enumerate() {
            let (i, j) = (at / n, at % n);
            for p in 0..k {
                let a = a[if plain(transa) { i * lda + p } else { p * lda + i }];
                let b = b[if plain(transb) { p * ldb + j } else { j * ldb + p }];
                sum.add(a.to_f64(), b.to_f64());
            }
        }
        Case { shape, a, b, sums }
    }

    /// One product, checked element by element, and the padding bit by bit.
    fn check(&self, gemm: Gemm, pool: &ThreadPool, (alpha, beta): (f64, f64)) {
        let GemmLayout { m, n, k, ldc, .. } = self.shape;
        let (alpha, beta) = (T::from_f64(alpha), T::from_f64(beta));
        let mut old = padded::<T>(m, n, ldc, 3);
        if beta == T::ZERO {
            old.chunks_mut(ldc).for_each(|row| row[..n].fill(T::from_f64(f64::NAN)));
        }
        let mut c = old.clone();
        gemm.run(pool, self.shape, alpha, &self.a, &self.b, beta, &mut c);
        for (at, sum) in self.sums.iter().enumerate() {
            let (i, j) = (at / n, at % n);
            let got = c[i * ldc + j];
            let right = agrees(got, k, sum, alpha, beta, old[i * ldc + j]);
            let (name, shape, isa) = (T::NAME, self.shape, gemm.isa());
            assert!(right, "{name} {shape:?} {alpha:?} {beta:?} {isa:?}: C[{i},{j}] is {got:?}");
        }
        for row in c.chunks(ldc) {
            assert!(row[n..].iter().all(|&kept| kept.to_f64() == PADDING));
        }
    }
}

/// All sizes with all transposes, with and without padding, by each of these kernels with each of these factors.
fn check_all<T: GemmElement>(
    gemms: &[Gemm],
    pool: &ThreadPool,
    sizes: &[(usize, usize, usize)],
    factors: &[(f64, f64)],
) {
    for &(m, n, k) in sizes {
        for transposes in TRANSPOSES {
            for pad in [0, 3] {
                let case = Case::<T>::new(shape(m, n, k, transposes, pad));
                for &gemm in gemms {
                    factors.iter().for_each(|&factors| case.check(gemm, pool, factors));
                }
            }
        }
    }
}

/// The kernels of every instruction set this processor has.
fn all_here() -> Vec<Gemm> {
    Isa::all_here().into_iter().map(|isa| Gemm::with_isa(isa).unwrap()).collect()
}

/// Shapes around every edge of the blocks: rows 1 to 17, columns 1 to beyond three vectors.
const SMALL: [(usize, usize, usize); 14] = [
    (1, 1, 1),
    (2, 3, 4),
    (3, 50, 2),
    (4, 7, 9),
    (5, 16, 8),
    (7, 17, 5),
    (8, 8, 8),
    (9, 24, 3),
    (13, 25, 16),
    (15, 33, 1),
    (16, 41, 7),
    (17, 31, 33),
    (1, 67, 12),
    (33, 1, 20),
];

#[test]
fn every_instruction_set_gives_small_products() {
    let pool = ThreadPool::unpinned(1).unwrap();
    check_all::<f64>(&all_here(), &pool, &SMALL, &FACTORS);
    check_all::<f32>(&all_here(), &pool, &SMALL, &FACTORS);
}

#[test]
fn every_instruction_set_gives_products_that_are_packed() {
    let pool = ThreadPool::unpinned(1).unwrap();
    let sizes = [(61, 175, 300), (150, 70, 800)];
    check_all::<f64>(&all_here(), &pool, &sizes, &[(0.5, -1.3), (1.0, 0.0)]);
    check_all::<f32>(&all_here(), &pool, &sizes, &[(0.5, -1.3), (1.0, 0.0)]);
}

#[test]
fn few_rows_and_few_steps_take_their_own_ways() {
    let pool = ThreadPool::unpinned(1).unwrap();
    let sizes = [(13, 300, 400), (3, 501, 301), (270, 310, 17)];
    check_all::<f64>(&all_here(), &pool, &sizes, &[(0.5, -1.3)]);
    check_all::<f32>(&all_here(), &pool, &sizes, &[(1.0, 0.0)]);
}

#[test]
fn few_columns_and_wide_updates_of_few_steps_are_cut_where_they_are() {
    let pool = ThreadPool::unpinned(1).unwrap();
    let sizes = [(30, 91, 600), (27, 913, 61), (27, 1024, 61), (70, 1700, 9)];
    check_all::<f64>(&[Gemm::new()], &pool, &sizes, &[(1.0, 1.0)]);
    check_all::<f32>(&[Gemm::new()], &pool, &[(25, 190, 611), (26, 1711, 63)], &[(1.0, 1.0)]);
}

#[test]
fn any_number_of_threads_gives_the_product() {
    for threads in 2..=4 {
        let pool = ThreadPool::unpinned(threads).unwrap();
        let sizes = [(89, 91, 77), (1, 700, 800), (801, 5, 140)];
        check_all::<f64>(&[Gemm::new()], &pool, &sizes, &[(-0.7, 1.0)]);
        check_all::<f32>(&[Gemm::new()], &pool, &sizes, &[(1.0, 0.0)]);
    }
}

#[test]
fn long_sums_cross_every_block_of_k() {
    let pool = ThreadPool::unpinned(1).unwrap();
    Case::<f64>::new(shape(30, 40, 2050, TRANSPOSES[0], 0)).check(Gemm::new(), &pool, (1.0, 0.0));
    Case::<f32>::new(shape(30, 40, 2050, TRANSPOSES[3], 1)).check(Gemm::new(), &pool, (-2.0, 0.5));
}

#[test]
fn wide_products_cross_every_block_of_columns() {
    let pool = ThreadPool::unpinned(1).unwrap();
    Case::<f64>::new(shape(25, 4200, 520, TRANSPOSES[0], 0)).check(Gemm::new(), &pool, (1.0, 1.0));
}

#[test]
fn empty_products_leave_beta_times_c() {
    let pool = ThreadPool::unpinned(2).unwrap();
    let mut c = [1.0, 2.0, 3.0, 4.0];
    Gemm::new().run(&pool, GemmLayout::new(2, 2, 0), 1.0, &[], &[], 0.5, &mut c);
    assert_eq!(c, [0.5, 1.0, 1.5, 2.0]);
    Gemm::new().run(&pool, GemmLayout::new(0, 2, 2), 1.0, &[], &[1.0; 4], 0.0, &mut c);
    Gemm::new().run(&pool, GemmLayout::new(2, 0, 2), 1.0, &[1.0; 4], &[], 0.0, &mut c);
    assert_eq!(c, [0.5, 1.0, 1.5, 2.0]);
}

#[test]
fn slices_that_are_too_short_are_refused() {
    let refused = |a: usize, b: usize, c: usize, lda: usize| {
        std::panic::catch_unwind(|| {
            let pool = ThreadPool::unpinned(1).unwrap();
            let shape = GemmLayout { lda, ..GemmLayout::new(4, 5, 3) };
            Gemm::new().run(&pool, shape, 1.0, &vec![1.0; a], &vec![1.0; b], 0.0, &mut vec![0.0; c]);
        })
        .is_err()
    };
    assert!(!refused(12, 15, 20, 3));
    assert!(refused(12, 15, 20, usize::MAX / 3 + 1));
    assert!(refused(11, 15, 20, 3) && refused(12, 14, 20, 3) && refused(12, 15, 19, 3) && refused(12, 15, 20, 2));
}
