//! Local reports in random order.
//!
//! # The pair
//! Each of n users runs an ε0-private local randomiser R; only the multiset of reports is seen.
//! Let the first user's value be x1 in world P and x1' in world Q.
//!
//! 1. *The victim's report.* R(x1) and R(x1') are ε0-close, so with a = e^ε0/(1 + e^ε0), b = 1-a
//!    there are laws U, V with R(x1) = aU + bV and R(x1') = bU + aV (Kairouz, Oh, Viswanath).
//! 2. *Clones.* For every other user's x, R(x) >= e^-ε0 R(x1) and R(x) >= e^-ε0 R(x1'), so R(x) >=
//!    e^-ε0 (R(x1) + R(x1'))/2 = e^-ε0 (U + V)/2. Thus with chance p = e^-ε0 the user's report is
//!    from U or V, evenly, and otherwise from a law that does not depend on the world.
//! 3. So the output is post-processing of the number of reports from U and from V: with C ~
//!    Bin(n-1, p), A ~ Bin(C, 1/2), D ~ Bern(a), of (A + D, C - A + 1 - D) in world P, and of
//!    (A + 1 - D, C - A + D) in world Q. Exchanging U and V exchanges the worlds: symmetric.
//!
//! For k-ary response every report is each value with chance at least 1/(e^ε0 + k - 1), so
//! p = 2/(e^ε0 + k - 1) >= e^-ε0 when k = 2; and the victim's report is neither x1 nor x1' with
//! the same chance in both worlds, when nothing is revealed: all is scaled by
//! (e^ε0 + 1)/(e^ε0 + k - 1), the chance that it is one of them.
//!
//! # The profile
//! The total C + 1 is public. Given C = m, let T(k) be the chance that Bin(m, 1/2) >= k and
//! B(k) that it is k. The likelihood ratio of j reports from U is monotone in j and exceeds γ for
//! j > (m+1) τ, τ = (γ e^ε0 - 1)/((e^ε0 - 1)(1 + γ)). So with k = ⌊(m+1) τ⌋ + 1
//!
//! > δ_m = (a T(k-1) + b T(k)) - γ (b T(k-1) + a T(k)) = (a - γb) B(k-1) - (γ-1) T(k).
//!
//! One more clone is post-processing, so δ_m does not increase with m. T and B for m-1 follow from
//! those for m by one addition and one product each; as T grows on the way down, the
//! rounding of earlier steps only loses weight.
//!
//! # Reference
//! V. Feldman, A. McMillan, K. Talwar, "Hiding among the clones", 2021.

use throng_numeric::rounding::add_up;
use throng_numeric::{Enclosure, NumericError, Rational, gamma, tails};

use super::counts::reach_from;
use super::normal::mirrored;
use super::{Profile, claimed, one_minus_exp, probability, real, whole};
use crate::AccountError;

/// What the number of clones may exceed its window by, in chance.
const CUT: f64 = 1e-60;

/// What may be bounded instead of summed, relative to the sum.
const NEGLIGIBLE: f64 = 1e-10;

/// Below this a tail is too close to the end of the range to start from.
const FAINT: f64 = 1e-270;

/// A local randomiser run by many users, whose reports are shuffled.
///
/// # Guarantee
/// The profile of the pair above, symmetric, up to 1e-60 of what is cut off.
#[derive(Debug, Clone)]
pub struct ShuffledProfile {
    epsilon0: Enclosure,
    /// The chance that the victim's report tells anything.
    weight: Enclosure,
    /// The fewest clones in the window.
    first: u64,
    /// Chances of first, first + 1, ... clones.
    clones: Vec<Enclosure>,
    /// At least the chances of fewer than first, first + 1, ... clones.
    below: Vec<f64>,
    /// The last number of clones worth a look: more have a chance of at most 1e-10.
    last: u64,
    /// The chance of fewer clones, and that of more, from above.
    fewer: f64,
    more: f64,
}

impl ShuffledProfile {
    /// Any epsilon0-private randomiser.
    ///
    /// # Errors
    /// If epsilon0 is not positive, or there are no users or too many.
    pub fn pure(epsilon0: &Rational, users: u64) -> Result<Self, AccountError> {
        let chance = (-real(epsilon0)).exp();
        Self::with_clones(epsilon0, users, chance, Enclosure::ONE)
    }

    /// k-ary response.
    ///
    /// # Errors
    /// As for [`ShuffledProfile::pure`], and if k is below 2.
    pub fn kary(k: u64, epsilon0: &Rational, users: u64) -> Result<Self, AccountError> {
        if k < 2 {
            return Err(AccountError::invalid("k", k, "at least 2"));
        }
        let e0 = real(epsilon0).exp();
        let all = e0 + whole(k - 1);
        let weight = if k == 2 { Enclosure::ONE } else { (e0 + Enclosure::ONE) / all };
        Self::with_clones(epsilon0, users, whole(2) / all, weight)
    }

    fn with_clones(
        epsilon0: &Rational,
        users: u64,
        chance: Enclosure,
        weight: Enclosure,
    ) -> Result<Self, AccountError> {
        if !epsilon0.is_positive() || chance.lower() <= 0.0 {
            return Err(AccountError::invalid("epsilon0", epsilon0, "above 0 and below 700"));
        }
        if users == 0 || users > 1 << 50 {
            return Err(AccountError::invalid("users", users, "from 1 to 2^50"));
        }
        let others = users - 1;
        let odds = chance / (Enclosure::ONE - chance);
        let (clones, first, fewer, more) = binomial(others, chance, odds)?;
        let mut below = vec![fewer];
        for chance in &clones {
            below.push(add_up(below.last().copied().unwrap_or(1.0), chance.upper()));
        }
        let seen = below.partition_point(|chance| *chance < 1.0 - NEGLIGIBLE).max(1);
        let last = first + u64::try_from(seen.min(clones.len())).unwrap_or(1) - 1;
        let (epsilon0, weight) = (real(epsilon0), probability(weight));
        Ok(Self { epsilon0, weight, first, clones, below, last, fewer, more })
    }

    fn at(&self, epsilon: f64) -> Result<Enclosure, NumericError> {
        let e = Enclosure::point(epsilon)?;
        if epsilon >= self.epsilon0.upper() {
            return Ok(Enclosure::ZERO);
        }
        let test = Test::new(self.epsilon0, e)?;
        let start = self.start(&test, self.last)?;
        // Nothing reveals more than no clone at all.
        let alone = test.gain.max(Enclosure::ZERO);
        let fewer = Enclosure::new(0.0, self.fewer)? * alone;
        let Some(start) = start else {
            // Even the fewest clones leave too little to be computed.
            let most = test.begin(self.first)?.delta(&test).upper();
            let rest = Enclosure::new(0.0, most.max(FAINT))?;
            return Ok(self.weight * (fewer + rest));
        };
        let mut state = test.begin(start)?;
        let beyond = usize::try_from(start - self.first + 1).unwrap_or(usize::MAX);
        let (within, faint) = self.clones.split_at_checked(beyond).unwrap_or((&self.clones, &[]));
        let more = faint.iter().fold(Enclosure::new(0.0, self.more)?, |sum, w| sum + *w);
        let mut sum = Enclosure::new(0.0, (more * state.delta(&test)).upper())?;
        for (i, (weight, below)) in within.iter().zip(&self.below).rev().enumerate() {
            if i > 0 {
                state.one_clone_less(&test);
            }
            sum = sum + *weight * state.delta(&test);
            if *below <= NEGLIGIBLE * sum.lower() {
                return Ok(self.weight * (sum + Enclosure::new(0.0, *below)? * alone));
            }
        }
        Ok(self.weight * (sum + Enclosure::new(0.0, fewer.upper())?))
    }

    /// The most clones in the window for which tails are within range, by bisection.
    fn start(&self, test: &Test, last: u64) -> Result<Option<u64>, NumericError> {
        let visible =
            |m: u64| Ok::<_, NumericError>(test.tail(m, test.place(m) - 1)?.lower() > FAINT);
        if visible(last)? {
            return Ok(Some(last));
        }
        let (mut seen, mut unseen) = (self.first, last);
        if !visible(seen)? {
            return Ok(None);
        }
        while unseen - seen > 1 {
            let middle = seen + (unseen - seen) / 2;
            if visible(middle)? {
                seen = middle;
            } else {
                unseen = middle;
            }
        }
        Ok(Some(seen))
    }
}

impl Profile for ShuffledProfile {
    fn delta(&self, epsilon: f64) -> Enclosure {
        mirrored(epsilon, |epsilon| claimed(self.at(epsilon)))
    }

    fn reversed(&self, epsilon: f64) -> Enclosure {
        self.delta(epsilon)
    }

    fn is_symmetric(&self) -> bool {
        true
    }
}

/// The law of Bin(n, p) in a window: chances, the first count, the chances below and above.
fn binomial(
    n: u64,
    p: Enclosure,
    odds: Enclosure,
) -> Result<(Vec<Enclosure>, u64, f64, f64), AccountError> {
    if odds.upper().is_infinite() {
        // p may be 1: everyone is a clone, or nobody else is there.
        let cut = (whole(n) * (Enclosure::ONE - p)).upper();
        return Ok((vec![Enclosure::new((1.0 - cut).max(0.0), 1.0)?], n, cut, 0.0));
    }
    let mode =
        u64::try_from(Rational::from_f64((whole(n) * p).lower())?.floor()).unwrap_or(0).min(n);
    let up = |k: u64| (k < n).then(|| (k + 1, whole(n - k) * odds / whole(k + 1)));
    let down = |k: u64| k.checked_sub(1).map(|j| (j, whole(k) / (whole(n - j) * odds)));
    let (last, more) = reach_from(mode, CUT, up)?;
    let (first, fewer) = reach_from(mode, CUT, down)?;
    let mut weights = vec![Enclosure::ONE];
    for k in (first + 1..=mode).rev() {
        let factor = down(k).map_or(Enclosure::ZERO, |(_, factor)| factor);
        weights.push(weights.last().copied().unwrap_or(Enclosure::ZERO) * factor);
    }
    weights.reverse();
    for k in mode..last {
        let factor = up(k).map_or(Enclosure::ZERO, |(_, factor)| factor);
        weights.push(weights.last().copied().unwrap_or(Enclosure::ZERO) * factor);
    }
    let sum = weights.iter().fold(Enclosure::ZERO, |sum, w| sum + *w);
    // The cut is below 2e-60: nothing next to a rounding of the sum.
    let kept = Enclosure::new(1.0_f64.next_down(), 1.0)?;
    Ok((weights.iter().map(|w| *w * kept / sum).collect(), first, fewer, more))
}

/// The best test at one ε, whatever the number of clones.
struct Test {
    /// τ.
    threshold: Enclosure,
    /// a - γb = (e^ε0 - γ)/(1 + e^ε0).
    gain: Enclosure,
    /// γa - b.
    loss: Enclosure,
    /// γ - 1.
    excess: Enclosure,
}

impl Test {
    fn new(epsilon0: Enclosure, epsilon: Enclosure) -> Result<Self, NumericError> {
        let excess = epsilon.expm1();
        let decay = (-epsilon0).exp();
        let gain = one_minus_exp(epsilon - epsilon0) / (Enclosure::ONE + decay);
        // (γ e0 - 1)/(1 + e0) = (e^(ε+ε0) - 1)/(1 + e0)
        let loss = (epsilon + epsilon0).expm1() * decay / (Enclosure::ONE + decay);
        let gamma = epsilon.exp();
        let threshold =
            (epsilon + epsilon0).expm1() / (epsilon0.expm1() * (Enclosure::ONE + gamma));
        Ok(Self { threshold, gain, loss, excess })
    }

    /// k - 1 = ⌊(m+1) τ⌋, from below and from above.
    fn places(&self, clones: u64) -> (u64, u64) {
        let place = probability(self.threshold) * (whole(clones) + Enclosure::ONE);
        (floor(place.lower()).min(clones), floor(place.upper()).min(clones + 1))
    }

    /// The smaller k.
    fn place(&self, clones: u64) -> u64 {
        self.places(clones).0 + 1
    }

    /// P(Bin(m, 1/2) >= k) for k >= 1.
    fn tail(&self, clones: u64, k: u64) -> Result<Enclosure, NumericError> {
        let half = Enclosure::ONE / whole(2);
        if k == 0 {
            return Ok(Enclosure::ONE);
        }
        tails::binomial_survival(k - 1, clones, half)
    }

    fn begin(&self, clones: u64) -> Result<State, NumericError> {
        let k = self.place(clones);
        let tail = self.tail(clones, k)?;
        let by_tails = self.tail(clones, k - 1)? - tail;
        let (m, j) = (whole(clones), whole(k - 1));
        let one = Enclosure::ONE;
        let ln = gamma::ln_gamma(m + one)?
            - gamma::ln_gamma(j + one)?
            - gamma::ln_gamma(m - j + one)?
            - m * whole(2).ln()?;
        let mass = by_tails.intersect(ln.exp()).unwrap_or(by_tails).max(Enclosure::ZERO);
        Ok(State { clones, k, tail, mass })
    }
}

/// The largest integer not above x >= 0.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "x is at least 0 and at most 2^51"
)]
fn floor(x: f64) -> u64 {
    x.max(0.0).floor() as u64
}

/// T(k) and B(k-1) for some number of clones.
struct State {
    clones: u64,
    k: u64,
    tail: Enclosure,
    mass: Enclosure,
}

impl State {
    /// δ_m. Where rounding leaves open which of two neighbouring k is best, the other one gains
    /// at most what the outcome between them is worth.
    fn delta(&self, test: &Test) -> Enclosure {
        let value = (test.gain * self.mass - test.excess * self.tail).max(Enclosure::ZERO);
        let (low, high) = test.places(self.clones);
        if low == high {
            return value;
        }
        // The outcome j = k: (a - γb) B(k-1) - (γa - b) B(k), B(k) = B(k-1) (m-k+1)/k.
        let (m, k) = (whole(self.clones), whole(self.k));
        let next = self.mass * (m + Enclosure::ONE - k) / k;
        let worth = (test.gain * self.mass - test.loss * next).abs().upper();
        value + Enclosure::new(0.0, worth).unwrap_or(Enclosure::UNIT)
    }

    /// From m to m - 1, m >= 1: first to the k of m - 1, which is at most m, so that no mass
    /// vanishes on the way; then to m - 1.
    fn one_clone_less(&mut self, test: &Test) {
        let two = whole(2);
        let m = whole(self.clones);
        let target = test.place(self.clones - 1);
        while self.k > target {
            // T(k-1) = T(k) + B(k-1), B(k-2) = B(k-1) (k-1)/(m-k+2).
            self.tail = self.tail + self.mass;
            let k = whole(self.k);
            self.mass = self.mass * (k - Enclosure::ONE) / (m - k + two);
            self.k -= 1;
        }
        // B_{m-1}(j) = B_m(j) 2(m-j)/m, T_{m-1}(k) = T_m(k) - B_{m-1}(k-1)/2.
        let half = self.mass * (m - whole(self.k - 1)) / m;
        self.tail = (self.tail - half).max(Enclosure::ZERO);
        self.mass = half * two;
        self.clones -= 1;
    }
}

/// At least the epsilon of shuffled epsilon0-private reports at a delta, in closed form; for
/// comparison. None where it is not known to hold.
///
/// # Reference
/// V. Feldman, A. McMillan, K. Talwar, "Hiding among the clones", 2021, theorem 3.1.
#[must_use]
pub fn shuffled_asymptotic(epsilon0: f64, users: u64, delta: f64) -> Option<f64> {
    let (e0, delta, n) =
        (Enclosure::point(epsilon0).ok()?, Enclosure::point(delta).ok()?, whole(users));
    let log = |x: u64| (whole(x) / delta).ln().ok();
    let limit = (n / (whole(16) * log(2)?)).ln().ok()?;
    if !(epsilon0 > 0.0 && epsilon0 <= limit.lower()) {
        return None;
    }
    let eight = whole(8);
    let grown = e0.exp();
    let bound = eight * (grown * log(4)? / n).sqrt().ok()? + eight * grown / n;
    let share = e0.expm1() / (grown + Enclosure::ONE);
    Some((share * bound).ln_1p().ok()?.upper())
}
