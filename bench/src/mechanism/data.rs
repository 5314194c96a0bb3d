//! Data to work on, the same in every run.

/// A generator of plain random numbers (splitmix64).
pub struct Numbers(u64);

impl Numbers {
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// In [0, 1).
    pub fn fraction(&mut self) -> f64 {
        (self.word() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Ranks below `keys`, the k-th with a chance of about 1/k: most rows have one of few keys.
pub fn skewed(rows: usize, keys: u32) -> Vec<u32> {
    let mut numbers = Numbers::new(1);
    #[expect(clippy::disallowed_methods, reason = "data to work on needs no error bound")]
    let rank = |u: f64| (f64::from(keys).powf(u) as u32).min(keys) - 1;
    (0..rows).map(|_| rank(numbers.fraction())).collect()
}

/// Numbers in (0, 4000) that heap up in the middle.
pub fn heaped(rows: usize) -> Vec<f64> {
    let mut numbers = Numbers::new(2);
    (0..rows).map(|_| 1000.0 * (0..4).map(|_| numbers.fraction()).sum::<f64>()).collect()
}

/// Bits, a third of them 1.
pub fn bits(rows: usize) -> Vec<bool> {
    let mut numbers = Numbers::new(3);
    (0..rows).map(|_| numbers.fraction() < 1.0 / 3.0).collect()
}

/// Counts from 0 to 999.
pub fn counts(rows: usize) -> Vec<i64> {
    let mut numbers = Numbers::new(4);
    (0..rows).map(|_| (numbers.word() % 1000) as i64).collect()
}
