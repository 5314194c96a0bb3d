//! Hostile data: extremes, nothing, one row, the same row many times, very many rows.

/// How long the longest inputs are.
pub const MANY: usize = 100_000;

/// Real numbers that break things.
pub const REALS: [f64; 12] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    -0.0,
    5e-324,
    -f64::MIN_POSITIVE / 2.0,
    f64::MAX,
    f64::MIN,
    0.5,
    2.5,
    -1e300,
    9_007_199_254_740_993.0,
];

/// A value that nothing may print.
pub const SENTINEL: i64 = 1_234_567_654_321;

/// Integers that break things.
pub const INTEGERS: [i64; 9] =
    [i64::MIN, i64::MAX, 0, 1, -1, 1 << 62, -(1 << 62), i64::MIN + 1, SENTINEL];

/// Lists of any length.
pub fn lists<T: Clone>(values: &[T]) -> Vec<Vec<T>> {
    let mut all = vec![Vec::new(), values.to_vec()];
    for value in values {
        all.push(vec![value.clone()]);
        all.push(vec![value.clone(); 33]);
    }
    all.push(values.iter().cycle().take(MANY).cloned().collect());
    all
}

/// Lists of one length.
pub fn lists_of<T: Clone>(length: usize, values: &[T]) -> Vec<Vec<T>> {
    let mut all = Vec::new();
    for start in 0..values.len() {
        all.push(vec![values[start].clone(); length]);
        all.push(values.iter().cycle().skip(start).take(length).cloned().collect());
    }
    all
}

pub fn reals() -> Vec<Vec<f64>> {
    lists(&REALS)
}

pub fn integers() -> Vec<Vec<i64>> {
    lists(&INTEGERS)
}
