//! Sums of products that are exact in floating point.
//!
//! A matrix product of integers is exact in `f64` as long as no partial sum exceeds 2^53 in size,
//! whatever the order of the additions, with or without fused multiply-add: every intermediate
//! result is an integer that an `f64` holds. So each record is put on a grid of integers first, and
//! the fast product of a library, which promises nothing about rounding, has none to do. What
//! comes out does not depend on the order of the records or on how the work is divided.

use std::ops::Range;

use faer::{Accum, Par};

use crate::math::{count, nearest};
use crate::parallel::over_rows;
use crate::{LearnError, Matrix};

/// Partial sums stay below this, 2^53.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The sums over all records of a_i b_j, p × q of them row by row, for p columns of `a` and q of `b`.
///
/// `reach` bounds |a_i b_j| in every record. Rows are taken in blocks so that all partial
/// sums are exact; totals saturate at the ends of `i64`.
///
/// # Guarantee
/// Exact, if all entries are integers and `reach` is a bound, as the caller promises.
///
/// # Errors
/// If the tables do not have as many rows as each other, or `reach` is not in [1, 2^52].
pub fn cross(a: &Matrix<f64>, b: &Matrix<f64>, reach: f64) -> Result<Vec<i64>, LearnError> {
    if a.rows() != b.rows() {
        return Err(LearnError::invalid("the number of rows", b.rows(), a.rows().to_string()));
    }
    if !(1.0..=EXACT / 2.0).contains(&reach) {
        return Err(LearnError::invalid("the reach of a product", reach, "in [1, 2^52]"));
    }
    let cells = a.columns().saturating_mul(b.columns());
    let parts = over_rows(a.rows(), cells, |rows| of_rows(a, b, rows, rows_of_a_block(reach)));
    let mut totals = vec![0_i64; cells];
    for part in parts {
        for (total, sum) in totals.iter_mut().zip(part) {
            *total = total.saturating_add(sum);
        }
    }
    Ok(totals)
}

/// The sums over some rows, block by block.
fn of_rows(a: &Matrix<f64>, b: &Matrix<f64>, rows: Range<usize>, block: usize) -> Vec<i64> {
    let (p, q) = (a.columns(), b.columns());
    let mut totals = vec![0_i64; p.saturating_mul(q)];
    let mut sums = Matrix::filled(p, q, 0.0);
    for start in rows.clone().step_by(block) {
        let count = block.min(rows.end - start);
        let (left, right) = (a.view().subrows(start, count), b.view().subrows(start, count));
        let out = faer::MatMut::from_row_major_slice_mut(sums.values_mut(), p, q);
        faer::linalg::matmul::matmul(out, Accum::Replace, left.transpose(), right, 1.0, Par::Seq);
        for (total, sum) in totals.iter_mut().zip(sums.values()) {
            *total = total.saturating_add(nearest(*sum));
        }
    }
    totals
}

/// How many products of that size stay within 2^53 together; 2^20 at most.
fn rows_of_a_block(reach: f64) -> usize {
    let most = 1_usize << 20;
    let fits = nearest((EXACT / reach).floor().min(count(most)));
    usize::try_from(fits).unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_exact_where_one_sum_would_not_be() {
        // The product of both is just below the reach, 2^52; two of them are odd numbers beyond 2^53.
        let large = 67_108_861.0_f64;
        let rows = 40;
        let a = Matrix::filled(rows, 2, large);
        let b = Matrix::filled(rows, 1, large + 2.0);
        let found = cross(&a, &b, EXACT / 2.0).unwrap();
        let one = (1_i64 << 26) - 3;
        assert_eq!(found, vec![one * (one + 2) * 40; 2]);
    }

    #[test]
    fn many_rows_on_many_threads_are_exact_too() {
        let rows = 1 << 19;
        let values = (0..2 * rows).map(|i: u32| f64::from(i % 1000) - 500.0).collect();
        let a = Matrix::new(1 << 19, 2, values).unwrap();
        let by_hand = |p: usize, q: usize| -> i64 {
            a.iter().map(|row| nearest(row[p]) * nearest(row[q])).sum()
        };
        let expected = [by_hand(0, 0), by_hand(0, 1), by_hand(1, 0), by_hand(1, 1)];
        assert_eq!(cross(&a, &a, 250_000.0).unwrap(), expected);
        // Enough columns for several threads.
        let wide = Matrix::filled(1 << 17, 16, 3.0);
        assert_eq!(cross(&wide, &wide, 9.0).unwrap(), vec![9 << 17; 256]);
    }

    #[test]
    fn shapes_and_reaches_are_checked() {
        let a = Matrix::filled(3, 2, 1.0);
        assert!(cross(&a, &Matrix::filled(2, 2, 1.0), 1.0).is_err());
        assert!(cross(&a, &a, f64::NAN).is_err());
        assert!(cross(&a, &a, 0.0).is_err());
        let none = Matrix::filled(0, 2, 1.0);
        assert_eq!(cross(&none, &none, 1.0).unwrap(), vec![0; 4]);
    }
}
