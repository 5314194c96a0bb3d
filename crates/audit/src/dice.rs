//! Randomness for simulations: fast, repeatable, predictable.

/// A seeded generator (xoshiro256++, Blackman and Vigna 2019) with the laws that exhibits and simulations use.
///
/// Nothing here may touch a release: the stream can be computed from the seed, and the real laws are
/// those of textbook floating-point code.
#[derive(Debug, Clone)]
pub struct Dice([u64; 4]);

impl Dice {
    /// Dice that roll the same for the same seed.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        let mut state = seed;
        Self(std::array::from_fn(|_| scramble(&mut state)))
    }

    /// 64 bits.
    pub fn bits(&mut self) -> u64 {
        let [a, b, c, d] = self.0;
        let drawn = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let (c, d) = (c ^ a, d ^ b);
        self.0 = [a ^ d, b ^ c, c ^ (b << 17), d.rotate_left(45)];
        drawn
    }

    /// A multiple of 2^-53 in (0, 1].
    pub fn uniform(&mut self) -> f64 {
        (real(i64::try_from(self.bits() >> 11).unwrap_or(0)) + 1.0) * (f64::EPSILON / 2.0)
    }

    /// Whether an event of this chance happens.
    pub fn coin(&mut self, chance: f64) -> bool {
        self.uniform() <= chance
    }

    /// A number below `n`, or 0.
    pub fn below(&mut self, n: usize) -> usize {
        let n = u64::try_from(n).unwrap_or(u64::MAX);
        let scaled = (u128::from(self.bits()) * u128::from(n)) >> 64;
        usize::try_from(scaled).unwrap_or(0)
    }

    /// Exponential noise.
    #[expect(clippy::disallowed_methods, reason = "a simulation")]
    pub fn exponential(&mut self, scale: f64) -> f64 {
        -scale * self.uniform().ln()
    }

    /// The textbook's Laplace noise, with all that is wrong with it.
    pub fn laplace(&mut self, scale: f64) -> f64 {
        let size = self.exponential(scale);
        if self.coin(0.5) { size } else { -size }
    }

    /// The textbook's normal noise: Box and Muller 1958.
    #[expect(clippy::disallowed_methods, reason = "a simulation")]
    pub fn normal(&mut self, deviation: f64) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        deviation * radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// Normal noise rounded to whole steps.
    pub fn normal_steps(&mut self, deviation: f64) -> i64 {
        whole(self.normal(deviation))
    }

    /// k >= 0 with chance proportional to e^(-k/scale).
    pub fn geometric(&mut self, scale: f64) -> i64 {
        whole((self.exponential(scale)).floor())
    }

    /// Any k with chance proportional to e^(-|k|/scale): discrete Laplace noise.
    pub fn two_sided(&mut self, scale: f64) -> i64 {
        self.geometric(scale) - self.geometric(scale)
    }

    /// Puts things in random order.
    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        for last in (1..things.len()).rev() {
            things.swap(last, self.below(last + 1));
        }
    }
}

fn scramble(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    hash(*state)
}

/// The finaliser of splitmix64: a bijection without visible pattern.
pub(crate) const fn hash(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// The nearest real number.
#[expect(clippy::cast_precision_loss, reason = "exact for all that exhibits compute with")]
pub(crate) const fn real(number: i64) -> f64 {
    number as f64
}

/// The nearest whole number.
#[expect(clippy::cast_possible_truncation, reason = "rounded; saturates at the ends")]
pub(crate) fn whole(number: f64) -> i64 {
    number.round_ties_even() as i64
}

/// e^x in simulations.
#[expect(clippy::disallowed_methods, reason = "a simulation")]
pub(crate) fn exp(x: f64) -> f64 {
    x.exp()
}
