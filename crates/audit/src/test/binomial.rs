//! Binomial chances, many at once, from above.

/// The chances of Binomial(n, p) in a window around its mode, from above.
///
/// # Guarantee
/// By the recurrence w(k+1) / w(k) = (n-k)/(k+1) p/(1-p), started with 1 at the mode and followed in both
/// directions until it falls below 1e-30; then divided by its sum. The sum is that of a part of the terms,
/// so the quotients are too large, never too small, but for rounding: each step has five roundings, the
/// sum one each, so after 10^6 steps the relative error is below 10^7 2^-53 < 1.2e-9, and all is multiplied
/// by 1 + 4e-9. What is left out has at most n <= 2^32 terms of at most 1e-30: below 1e-20.
#[derive(Debug, Clone)]
pub(crate) struct Window {
    pub(crate) first: u64,
    pub(crate) mass: Vec<f64>,
}

/// What the window leaves out, at most.
pub(crate) const LEFT_OUT: f64 = 1e-20;

/// The largest number of runs for which the bounds are proved.
pub(crate) const MOST_RUNS: u64 = 1 << 32;

const NEGLIGIBLE: f64 = 1e-30;
const SLACK: f64 = 1.0 + 4e-9;

impl Window {
    pub(crate) fn of(n: u64, p: f64) -> Self {
        if p <= 0.0 {
            return Self { first: 0, mass: vec![1.0] };
        }
        if p >= 1.0 {
            return Self { first: n, mass: vec![1.0] };
        }
        let odds = p / (1.0 - p);
        let mode = floor((real(n) + 1.0) * p).min(n);
        let mut up = Vec::new();
        let (mut weight, mut k) = (1.0f64, mode);
        while k < n {
            weight *= real(n - k) / real(k + 1) * odds;
            if weight < NEGLIGIBLE {
                break;
            }
            up.push(weight);
            k += 1;
        }
        let mut down = Vec::new();
        (weight, k) = (1.0, mode);
        while k > 0 {
            weight *= real(k) / real(n - k + 1) / odds;
            if weight < NEGLIGIBLE {
                break;
            }
            down.push(weight);
            k -= 1;
        }
        let mut mass: Vec<f64> = down.into_iter().rev().collect();
        mass.push(1.0);
        mass.extend(up);
        let sum: f64 = mass.iter().sum();
        mass.iter_mut().for_each(|x| *x = *x / sum * SLACK);
        Self { first: k, mass }
    }

    /// P(X >= first + i) for each i in the window, from above.
    pub(crate) fn tails(&self) -> Vec<f64> {
        let mut tail = LEFT_OUT;
        let mut tails: Vec<f64> = self
            .mass
            .iter()
            .rev()
            .map(|mass| {
                tail += mass;
                tail * SLACK
            })
            .collect();
        tails.reverse();
        tails
    }
}

#[expect(clippy::cast_precision_loss, reason = "runs are below 2^32")]
pub(crate) fn real(n: u64) -> f64 {
    n as f64
}

/// The whole part of a number that is not negative and below 2^53.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked")]
pub(crate) fn floor(x: f64) -> u64 {
    if (0.0..9e15).contains(&x) { x as u64 } else { 0 }
}

#[cfg(test)]
mod tests {
    use throng_numeric::{Enclosure, tails};

    use super::*;

    #[test]
    fn windows_bound_the_tails_and_are_tight() {
        for (n, p) in [(1, 0.5), (10, 0.3), (1000, 0.001), (5000, 0.27), (100_000, 0.9), (7, 1e-9)]
        {
            let window = Window::of(n, p);
            for (k, upper) in (window.first..).zip(window.tails()) {
                let exact = match k {
                    0 => Enclosure::ONE,
                    _ => tails::binomial_survival(k - 1, n, Enclosure::point(p).unwrap()).unwrap(),
                };
                assert!(upper >= exact.lower(), "{n} {p} {k}: {upper} {exact:?}");
                assert!(upper <= exact.upper() * (1.0 + 1e-7) + 2e-20, "{n} {p} {k}");
            }
        }
    }

    #[test]
    fn certain_chances() {
        assert_eq!(Window::of(5, 0.0).first, 0);
        assert_eq!(Window::of(5, 1.0).first, 5);
    }
}
