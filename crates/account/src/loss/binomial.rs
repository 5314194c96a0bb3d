//! Repeating a pair of two outcomes: only the number of the larger losses matters.
//!
//! With losses l < h, chances p_l, p_h under P and q_l, q_h under Q (and what is infinite apart),
//! after n runs the loss is (n - k) l + k h when h came k times. With k0 the least k for which
//! that exceeds epsilon, the finite part of delta is
//! (p_l + p_h)^n P(Bin(n, p_h/(p_l + p_h)) >= k0) - e^epsilon (the same under Q).

use throng_numeric::{Enclosure, tails};

use crate::law::product::count;
use crate::pair::Profile;
use crate::pair::discrete::{Atom, DiscretePair};

/// n runs of a pair of two outcomes.
#[derive(Debug)]
pub(crate) struct Binomial {
    low: Atom,
    high: Atom,
    times: u64,
    /// The chance under P that some loss is infinite.
    infinite: Enclosure,
    /// (ln of the chance that none is, the chance of the high loss given that), under P and Q.
    under_p: (Enclosure, Enclosure),
    under_q: (Enclosure, Enclosure),
}

/// Beyond this the tail of a binomial law takes milliseconds; inversion is faster.
const MOST_TIMES: u64 = 2_000_000;

impl Binomial {
    pub(crate) fn of(pair: &DiscretePair, times: u64) -> Option<Self> {
        let [low, high] = pair.atoms.as_slice() else { return None };
        if times > MOST_TIMES || low.loss.upper() >= high.loss.lower() {
            return None;
        }
        let n = count(times);
        let side = |only: Enclosure, l: Enclosure, h: Enclosure| {
            let log = (-only).ln_1p().ok()? * n;
            Some((log, h / (l + h)))
        };
        let under_p = side(pair.p_only, low.p, high.p)?;
        let under_q = side(pair.q_only, low.q, high.q)?;
        let infinite = -under_p.0.expm1();
        Some(Self { low: *low, high: *high, times, infinite, under_p, under_q })
    }

    /// The loss when the high one came k times.
    fn loss(&self, k: u64) -> Enclosure {
        count(self.times - k) * self.low.loss + count(k) * self.high.loss
    }

    /// The least k whose loss may exceed epsilon, and the least k whose loss certainly does;
    /// up to n + 1.
    fn first_above(&self, epsilon: f64) -> (u64, u64) {
        let least = |above: &dyn Fn(Enclosure) -> bool| {
            let (mut from, mut to) = (0, self.times + 1);
            while from < to {
                let middle = from + (to - from) / 2;
                if above(self.loss(middle)) { to = middle } else { from = middle + 1 }
            }
            from
        };
        (least(&|loss| loss.upper() > epsilon), least(&|loss| loss.lower() > epsilon))
    }

    fn tail(&self, side: (Enclosure, Enclosure), k: u64) -> Option<Enclosure> {
        if k == 0 {
            return Some(side.0.exp());
        }
        let survival = tails::ln_binomial_survival(k - 1, self.times, side.1).ok()?;
        Some((side.0 + survival).exp())
    }

    /// Any k gives a lower bound of a supremum over events, and the right one attains it; if
    /// two are possible, the larger of both is between.
    fn finite(&self, epsilon: f64) -> Option<Enclosure> {
        let (from, to) = self.first_above(epsilon);
        if to - from > 2 {
            return None; // the losses are not told apart
        }
        let growth = Enclosure::point(epsilon).ok()?.exp();
        let mut best = Enclosure::ZERO;
        for k in from..=to {
            if k > self.times {
                continue;
            }
            let value = self.tail(self.under_p, k)? - growth * self.tail(self.under_q, k)?;
            best = best.max(value);
        }
        Some(best)
    }
}

impl Profile for Binomial {
    fn delta(&self, epsilon: f64) -> Enclosure {
        let finite = self.finite(epsilon).unwrap_or(Enclosure::UNIT);
        (finite + self.infinite).max(Enclosure::ZERO).min(Enclosure::ONE)
    }
}
