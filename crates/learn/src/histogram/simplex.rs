//! What counts must look like: not negative, with a given total.

/// The nearest table without negative entries that sums to `total`, in place.
///
/// The Euclidean projection: all entries fall by the same amount and stop at 0. Post-processing of
/// noisy counts; it removes most of the noise of empty cells, and biases small counts upwards.
pub(crate) fn project(values: &mut [f64], total: f64) {
    if total <= 0.0 || values.is_empty() {
        values.fill(0.0);
        return;
    }
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    // The fall with the k largest left: the last k for which the kth stays above 0.
    let (mut sum, mut kept, mut fall) = (0.0, 0.0, 0.0);
    for value in sorted {
        sum += value;
        kept += 1.0;
        let next = (sum - total) / kept;
        if value <= next {
            break;
        }
        fall = next;
    }
    for value in values.iter_mut() {
        *value = (*value - fall).max(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projections_sum_up_and_are_nearest() {
        let cases: [(&[f64], f64, &[f64]); 4] = [
            (&[3.0, 1.0], 4.0, &[3.0, 1.0]),
            (&[3.0, -1.0], 2.0, &[2.0, 0.0]),
            (&[0.0, 0.0, 0.0], 6.0, &[2.0, 2.0, 2.0]),
            (&[5.0, 1.0], -2.0, &[0.0, 0.0]),
        ];
        for (given, total, wanted) in cases {
            let mut found = given.to_vec();
            project(&mut found, total);
            assert_eq!(found, wanted);
        }
    }
}
