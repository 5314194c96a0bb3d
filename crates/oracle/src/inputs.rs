//! Inputs: the edges, their neighbours, and random numbers of every magnitude.

/// A small fixed generator (`SplitMix64`), so that a failure can be repeated.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// A stream of its own for each seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    #[expect(clippy::cast_precision_loss, reason = "53 bits")]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform between two ends.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Positive, with a uniform logarithm between two ends.
    pub fn log_between(&mut self, low: f64, high: f64) -> f64 {
        self.between(low.ln(), high.ln()).exp().clamp(low, high)
    }

    /// Any finite `f64`, all exponents alike, subnormal ones included.
    pub fn any(&mut self) -> f64 {
        loop {
            let x = f64::from_bits(self.bits());
            if x.is_finite() {
                return x;
            }
        }
    }

    /// An integer between two ends, all magnitudes alike.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "meant so")]
    pub fn log_integer(&mut self, low: u64, high: u64) -> u64 {
        #[expect(clippy::cast_precision_loss, reason = "meant so")]
        let x = self.log_between(low as f64 + 1.0, high as f64 + 1.0);
        (x as u64 - 1).clamp(low, high)
    }
}

/// Numbers at which something special happens somewhere, with their neighbours and negatives.
#[must_use]
pub fn edges() -> Vec<f64> {
    let seeds = [
        0.0,
        f64::from_bits(1),
        f64::MIN_POSITIVE,
        1e-300,
        1e-155,
        1e-17,
        1e-8,
        0.001,
        0.0078125,
        0.00390625,
        0.0108,
        0.0625,
        0.125,
        0.25,
        0.3535,
        0.5,
        std::f64::consts::FRAC_1_SQRT_2,
        0.75,
        0.9990234375,
        0.998046875,
        1.0,
        1.00390625,
        std::f64::consts::SQRT_2,
        1.5,
        2.0,
        std::f64::consts::E,
        3.0,
        4.0,
        5.5,
        6.0,
        8.0,
        10.0,
        16.0,
        22.62741699796952,
        24.0,
        26.5,
        27.2,
        28.0,
        37.5,
        38.4,
        38.5,
        40.0,
        60.0,
        100.0,
        127.5,
        128.0,
        255.0,
        300.0,
        708.0,
        709.78,
        710.0,
        744.0,
        745.13,
        745.2,
        746.0,
        800.0,
        1e3,
        4096.0,
        16384.0,
        1e5,
        1e8,
        1e9,
        1e12,
        1e15,
        9007199254740992.0,
        1e20,
        1e100,
        1e145,
        1e150,
        1e155,
        1e200,
        1e300,
        f64::MAX,
    ];
    let mut all = Vec::new();
    for seed in seeds {
        for x in [seed, seed.next_up(), seed.next_down(), seed * (1.0 + 1e-9), seed * (1.0 - 1e-9)]
        {
            if x.is_finite() {
                all.extend([x, -x]);
            }
        }
    }
    all
}

/// The edges and `count` random numbers: half of any magnitude, half where the function lives.
#[must_use]
pub fn reals(seed: u64, count: usize, low: f64, high: f64) -> Vec<f64> {
    let mut random = Random::new(seed);
    let mut all = edges();
    for i in 0..count {
        all.push(match i % 4 {
            0 => random.any(),
            1 => {
                let magnitude = random.log_between(1e-20, 1e3);
                if random.bits() & 1 == 0 { magnitude } else { -magnitude }
            }
            _ => random.between(low, high),
        });
    }
    all
}
