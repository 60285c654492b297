//! y = alpha op(A) x + beta y.

use paw_native::gemm::Transpose;
use paw_native::gemv::{Gemv, GemvElement, GemvLayout};
use paw_native::isa::Isa;
use paw_native::pool::ThreadPool;

use crate::oracle::{FACTORS, PADDING, Sum, agrees, numbers};

/// One product, checked element by element.
fn check<T: GemvElement>(gemv: Gemv, pool: &ThreadPool, shape: GemvLayout, alpha: f64, beta: f64) {
    let GemvLayout { m, n, trans, lda } = shape;
    let (alpha, beta) = (T::from_f64(alpha), T::from_f64(beta));
    let (a, x) = (numbers::<T>(m * lda, 1), numbers::<T>(shape.x_len(), 2));
    let mut old = numbers::<T>(shape.y_len() + 3, 3);
    if beta == T::ZERO {
        old.fill(T::from_f64(f64::NAN));
    }
    old[shape.y_len()..].fill(T::from_f64(PADDING));
    let mut y = old.clone();
    gemv.run(pool, shape, alpha, &a, &x, beta, &mut y);
    for (i, &got) in y[..shape.y_len()].iter().enumerate() {
        let mut sum = Sum::default();
        for (p, &x) in x.iter().enumerate() {
            let at = if trans == Transpose::No { i * lda + p } else { p * lda + i };
            sum.add(a[at].to_f64(), x.to_f64());
        }
        let right = agrees(got, shape.x_len(), &sum, alpha, beta, old[i]);
        assert!(right, "{} {shape:?} {alpha:?} {beta:?} {:?}: y[{i}] is {got:?} of {n}", T::NAME, gemv.isa());
    }
    assert!(y[shape.y_len()..].iter().all(|&kept| kept.to_f64() == PADDING));
}

fn check_shapes<T: GemvElement>(gemv: Gemv, pool: &ThreadPool) {
    let sizes = [
        (1, 1),
        (1, 37),
        (37, 1),
        (3, 5),
        (8, 8),
        (13, 67),
        (64, 64),
        (101, 33),
        (2, 2100),
        (270, 301),
        (301, 20),
        (50, 23),
        (15, 400),
    ];
    for (m, n) in sizes {
        for trans in [Transpose::No, Transpose::Yes] {
            for pad in [0, 3] {
                for (alpha, beta) in FACTORS {
                    check::<T>(gemv, pool, GemvLayout { m, n, trans, lda: n + pad }, alpha, beta);
                }
            }
        }
    }
}

#[test]
fn every_instruction_set_gives_the_product() {
    let pool = ThreadPool::unpinned(1).unwrap();
    for isa in Isa::all_here() {
        check_shapes::<f64>(Gemv::with_isa(isa).unwrap(), &pool);
        check_shapes::<f32>(Gemv::with_isa(isa).unwrap(), &pool);
    }
}

#[test]
fn any_number_of_threads_gives_the_product() {
    for threads in 2..=4 {
        let pool = ThreadPool::unpinned(threads).unwrap();
        check_shapes::<f64>(Gemv::new(), &pool);
        check_shapes::<f32>(Gemv::new(), &pool);
    }
}

#[test]
fn an_empty_sum_leaves_beta_times_y() {
    let pool = ThreadPool::unpinned(2).unwrap();
    let mut y = [1.0, 2.0];
    Gemv::new().run(&pool, GemvLayout { m: 2, n: 0, trans: Transpose::No, lda: 0 }, 1.0, &[], &[], 0.5, &mut y);
    assert_eq!(y, [0.5, 1.0]);
    let transposed = GemvLayout { m: 0, n: 2, trans: Transpose::Yes, lda: 2 };
    Gemv::new().run(&pool, transposed, 1.0, &[], &[], 0.0, &mut y);
    assert_eq!(y, [0.0, 0.0]);
    Gemv::new().run(&pool, GemvLayout::new(0, 2), 1.0, &[], &[1.0, 1.0], 0.0, &mut y[..0]);
}

#[test]
fn slices_that_are_too_short_are_refused() {
    let refused = |a: usize, x: usize, y: usize| {
        std::panic::catch_unwind(|| {
            let pool = ThreadPool::unpinned(1).unwrap();
            Gemv::new().run(&pool, GemvLayout::new(4, 3), 1.0, &vec![1.0; a], &vec![1.0; x], 0.0, &mut vec![0.0; y]);
        })
        .is_err()
    };
    assert!(!refused(12, 3, 4));
    assert!(refused(11, 3, 4) && refused(12, 2, 4) && refused(12, 3, 3));
}
