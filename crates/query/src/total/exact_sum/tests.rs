//! Against exact rationals, in every order.

use std::sync::Arc;

use datafusion::arrow::array::{AsArray, Float64Array, Int64Array, RecordBatch};
use datafusion::arrow::datatypes::{Field, Float64Type, Schema};
use datafusion::datasource::MemTable;
use datafusion::prelude::{SessionConfig, SessionContext};
use proptest::prelude::*;
use throng_numeric::Rational;

use super::*;

fn sum(values: &[f64]) -> f64 {
    let mut sum = Exact::default();
    values.iter().for_each(|&value| sum.add(value));
    sum.rounded()
}

/// The same by rationals; ties to even.
fn expected(values: &[f64]) -> f64 {
    let exact = values
        .iter()
        .filter(|value| value.is_finite())
        .fold(Rational::ZERO, |sum, &value| &sum + &Rational::from_f64(value).unwrap());
    let (down, up) = (exact.to_f64_down(), exact.to_f64_up());
    if up == f64::INFINITY {
        return f64::MAX;
    }
    if down == f64::NEG_INFINITY {
        return f64::MIN;
    }
    let below = &exact - &Rational::from_f64(down).unwrap();
    let above = &Rational::from_f64(up).unwrap() - &exact;
    match below.cmp(&above) {
        std::cmp::Ordering::Less => down,
        std::cmp::Ordering::Greater => up,
        std::cmp::Ordering::Equal => {
            if down.to_bits() & 1 == 0 {
                down
            } else {
                up
            }
        }
    }
}

#[test]
fn known_sums() {
    assert_eq!(sum(&[]), 0.0);
    assert_eq!(sum(&[1e16, 1.0, -1e16]), 1.0);
    assert_eq!(sum(&[f64::MAX, f64::MAX, -f64::MAX]), f64::MAX);
    assert_eq!(sum(&[f64::MAX, f64::MAX]), f64::MAX);
    assert_eq!(sum(&[f64::MIN, f64::MIN]), f64::MIN);
    assert_eq!(sum(&[5e-324, 5e-324]), 1e-323);
    assert_eq!(sum(&[-5e-324]), -5e-324);
    assert_eq!(sum(&[f64::MAX, 5e-324, -f64::MAX]), 5e-324);
    assert_eq!(sum(&[0.1; 10]), 1.0);
    assert_eq!(sum(&[1.0, f64::NAN, f64::INFINITY]), 1.0);
    // Ties: 2^53 + 1 lies between two doubles, and the even one is below; 2^53 + 3 goes up.
    assert_eq!(sum(&[9_007_199_254_740_992.0, 1.0]), 9_007_199_254_740_992.0);
    assert_eq!(sum(&[9_007_199_254_740_994.0, 1.0]), 9_007_199_254_740_996.0);
    assert_eq!(sum(&[9_007_199_254_740_992.0, 1.0, 5e-324]), 9_007_199_254_740_994.0);
}

fn doubles() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>(),
        (-1000i32..1000).prop_map(f64::from),
        -1e3..1e3f64,
        any::<u64>().prop_map(f64::from_bits),
        Just(f64::MAX),
        Just(f64::MIN),
        Just(5e-324),
    ]
}

proptest! {
    #[test]
    fn is_the_exact_sum_rounded_once(values in prop::collection::vec(doubles(), 0..40)) {
        prop_assert_eq!(sum(&values).to_bits(), (expected(&values) + 0.0).to_bits());
    }

    #[test]
    fn does_not_depend_on_order_or_parts(
        values in prop::collection::vec(doubles(), 1..40),
        shuffled in any::<u64>(),
        cut in 0usize..40,
    ) {
        let mut other = values.clone();
        let places = other.len();
        for place in 0..places {
            let bits = shuffled.rotate_left(u32::try_from(place).unwrap());
            other.swap(place, usize::try_from(bits).unwrap() % places);
        }
        let (left, right) = other.split_at(cut.min(other.len()));
        let mut parts = [Exact::default(), Exact::default()];
        left.iter().for_each(|&value| parts[0].add(value));
        right.iter().for_each(|&value| parts[1].add(value));
        let mut whole = Exact::from_bytes(&parts[1].to_bytes()).unwrap();
        whole.merge(&Exact::from_bytes(&parts[0].to_bytes()).unwrap());
        prop_assert_eq!(whole.rounded().to_bits(), sum(&values).to_bits());
    }
}

#[test]
fn carries_are_settled_in_time() {
    let mut sum = Exact::default().nearly_full();
    for _ in 0..10 {
        sum.add(f64::from(u32::MAX));
    }
    assert_eq!(sum.rounded(), 10.0 * f64::from(u32::MAX));
}

#[tokio::test]
#[expect(clippy::cast_possible_wrap, reason = "a small number")]
async fn through_the_engine_in_any_partitioning() {
    let values: Vec<f64> = (0..3000).map(|i| (f64::from(i) - 1500.3) * 1e10 + 1e-7).collect();
    let mut seen = Vec::new();
    for (partitions, turned) in [(1, false), (4, false), (7, true)] {
        let mut rows: Vec<(i64, f64)> =
            values.iter().enumerate().map(|(i, &v)| (i as i64 % 3, v)).collect();
        if turned {
            rows.reverse();
        }
        let config = SessionConfig::new().with_target_partitions(partitions).with_batch_size(64);
        let context = SessionContext::new_with_config(config);
        let schema = Arc::new(Schema::new(vec![
            Field::new("g", DataType::Int64, true),
            Field::new("x", DataType::Float64, true),
        ]));
        let parts = rows.chunks(rows.len().div_ceil(partitions)).map(|rows| {
            let groups: Int64Array = rows.iter().map(|row| row.0).collect();
            let values: Float64Array = rows.iter().map(|row| row.1).collect();
            vec![
                RecordBatch::try_new(Arc::clone(&schema), vec![Arc::new(groups), Arc::new(values)])
                    .unwrap(),
            ]
        });
        let table = MemTable::try_new(Arc::clone(&schema), parts.collect()).unwrap();
        context.register_table("t", Arc::new(table)).unwrap();
        context.register_udaf(exact_sum());
        for query in
            ["SELECT exact_sum(x) FROM t GROUP BY g ORDER BY g", "SELECT exact_sum(x) FROM t"]
        {
            let batches = context.sql(query).await.unwrap().collect().await.unwrap();
            for batch in batches {
                let column = batch.column(0).as_primitive::<Float64Type>().clone();
                seen.push(column.iter().map(|v| v.unwrap().to_bits()).collect::<Vec<_>>());
            }
        }
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 2, "one result for the groups and one for the whole");
}
