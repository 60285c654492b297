//! Products of short numbers, exact in every instruction set: operands are small whole numbers, whose sums 24 binary digits hold.

use paw_native::pool::ThreadPool;
use paw_native::short_gemm::{Bf16, Bf16Product, Int8Product, ShortGemm, ShortProduct};

/// Sizes around blocks of every instruction set, and depths beyond what is summed at a time.
const SIZES: [[usize; 3]; 8] =
    [[1, 1, 1], [3, 5, 7], [8, 48, 32], [9, 49, 33], [70, 130, 65], [5, 3, 2100], [33, 31, 0], [140, 150, 1100]];

/// Whole numbers from -8 to 7, the same every time.
fn number(index: usize) -> i8 {
    (index.wrapping_mul(0x9E37_79B9) >> 16 & 15) as i8 - 8
}

fn check<P: ShortProduct>(a: fn(usize) -> P::A, b: fn(usize) -> P::B, unread: P::Sum, exact: fn(P::Sum) -> i64)
where
    P::A: Into<f64>,
    P::B: Into<f64>,
{
    for [m, n, k] in SIZES {
        let (a, b): (Vec<_>, Vec<_>) = ((0..m * k).map(a).collect(), (0..k * n).map(|index| b(index + 7)).collect());
        let product = |row: usize, column: usize| -> i64 {
            (0..k).map(|p| (a[row * k + p].into() * b[p * n + column].into()) as i64).sum()
        };
        let expected: Vec<_> = (0..m * n).map(|at| product(at / n, at % n)).collect();
        for isa in ShortGemm::<P>::isas() {
            for workers in [1, 3] {
                let pool = ThreadPool::unpinned(workers).unwrap();
                let mut gemm = ShortGemm::<P>::with_isa(isa, [m, n, k], &pool).unwrap().unwrap();
                for _ in 0..2 {
                    let mut c = vec![unread; m * n];
                    gemm.run(&pool, &a, &b, &mut c);
                    let found: Vec<_> = c.iter().map(|sum| exact(*sum)).collect();
                    assert_eq!(found, expected, "{isa}, {m} x {n} x {k}, {workers} workers");
                }
            }
        }
    }
}

#[test]
fn products_of_bfloat16_numbers_are_right_in_every_instruction_set() {
    let whole = |index| Bf16::nearest(f32::from(number(index)));
    check::<Bf16Product>(whole, whole, f32::NAN, |sum| sum as i64);
}

#[test]
fn products_of_bytes_are_right_in_every_instruction_set() {
    check::<Int8Product>(|index| number(index).cast_unsigned(), number, i32::MIN, i64::from);
}

/// 255 · (−128) + 255 · (−128) does not fit 16 bits: instructions that saturate there would show.
#[test]
fn the_largest_products_of_bytes_are_not_cut_off() {
    check::<Int8Product>(|_| 255, |_| -128, i32::MIN, i64::from);
}

#[test]
fn plain_code_runs_everywhere() {
    assert_eq!(ShortGemm::<Bf16Product>::isas().last(), Some(&"scalar"));
    assert_eq!(ShortGemm::<Int8Product>::isas().last(), Some(&"scalar"));
}
