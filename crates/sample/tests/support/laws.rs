//! The laws of the samplers, computed independently of them and with certified bounds.

use throng_numeric::fixed;
use throng_numeric::{Enclosure, Integer, Natural, Rational};

use super::law::{Cell, Law};

pub(crate) fn rational(text: &str) -> Rational {
    text.parse().unwrap()
}

/// An integer that f64 holds exactly.
pub(crate) fn whole(value: i64) -> Enclosure {
    assert!(value.unsigned_abs() < 1 << 53, "{value} is no exact f64");
    Enclosure::point(value as f64).unwrap()
}

/// e^-x for x >= 0, to nearly full precision even when it is tiny.
pub(crate) fn exp_neg(x: &Rational) -> Enclosure {
    let Ok(size @ ..=680) = u32::try_from(x.floor()) else {
        return Enclosure::new(0.0, 1e-290).unwrap(); // e^-680 < 10^-295
    };
    let bits = 80 + 3 * size as usize / 2;
    let bounds = fixed::exp_neg(x, bits).unwrap();
    let value = |n: Natural| Rational::new(Integer::from(n), Natural::ONE << bits).unwrap();
    Enclosure::new(value(bounds.lower).to_f64_down(), value(bounds.upper).to_f64_up()).unwrap()
}

/// Cells of single integers, `first..=last`, and the two ends.
pub(crate) fn single(first: i64, last: i64) -> Vec<i64> {
    (first..=last + 1).collect()
}

/// About `cells` cells of equal width between -reach and reach.
pub(crate) fn spread(reach: i64, cells: i64) -> Vec<i64> {
    (0..=cells).map(|i| i * 2 * reach / cells - reach).collect()
}

/// A coin: 0 with probability 1 - p, 1 with probability p.
pub(crate) fn coin(p: Enclosure) -> Law {
    Law::finite(&[Enclosure::ONE - p, p])
}

/// P(k) proportional to e^(-k/scale) on k >= 0: P(X >= k) = e^(-k/scale).
pub(crate) fn geometric(scale: &Rational, edges: Vec<i64>) -> Law {
    let at_least = |k: i64| exp_neg(&Rational::from(k.max(0)).checked_div(scale).unwrap());
    Law::new(edges, |cell| {
        let from = cell.from.map_or(Enclosure::ONE, at_least);
        let below = cell.below.map_or(Enclosure::ZERO, at_least);
        if cell.below.is_some_and(|k| k <= 0) { Enclosure::ZERO } else { from - below }
    })
}

/// P(k) proportional to e^(-|k|/scale): P(X >= k) = e^(-k/scale) / (1 + e^(-1/scale)), k >= 1.
pub(crate) fn discrete_laplace(scale: &Rational, edges: Vec<i64>) -> Law {
    let share = Enclosure::ONE + exp_neg(&Rational::ONE.checked_div(scale).unwrap());
    symmetric(edges, |k| exp_neg(&Rational::from(k).checked_div(scale).unwrap()) / share)
}

/// A fair sign times a geometric magnitude, where zero is not drawn again: 0 counts twice.
pub(crate) fn laplace_with_double_zero(scale: &Rational, edges: Vec<i64>) -> Law {
    symmetric(edges, |k| exp_neg(&Rational::from(k).checked_div(scale).unwrap()) / whole(2))
}

/// A symmetric law by its upper tail P(X >= k), k >= 1.
fn symmetric(edges: Vec<i64>, tail: impl Fn(i64) -> Enclosure) -> Law {
    let tail = |k: Option<i64>| k.map_or(Enclosure::ZERO, &tail);
    Law::new(edges, |Cell { from, below }| {
        if from.is_some_and(|a| a >= 1) {
            tail(from) - tail(below)
        } else if below.is_some_and(|b| b <= 0) {
            // X in [a, b) iff -X in [1 - b, 1 - a).
            tail(below.map(|b| 1 - b)) - tail(from.map(|a| 1 - a))
        } else {
            Enclosure::ONE - tail(below) - tail(from.map(|a| 1 - a))
        }
    })
}

/// P(k) proportional to e^(-k²/(2 variance)).
pub(crate) fn discrete_gaussian(variance: &Rational, edges: Vec<i64>) -> Law {
    let bell = Bell::new(variance);
    Law::of_weights(edges, |cell| bell.weight(cell))
}

/// The bell e^(-k²/(2v)), summed in blocks.
struct Bell {
    v: Enclosure,
    half_over_v: Rational,
    /// Beyond ±end the sum is bounded, not computed.
    end: i64,
    /// Blocks hold at most 2 radius + 1 integers.
    radius: i64,
}

impl Bell {
    fn new(variance: &Rational) -> Self {
        let sigma = variance.to_f64_up().sqrt();
        Self {
            v: Enclosure::of_rational(variance),
            half_over_v: Rational::ONE.checked_div(&(variance + variance)).unwrap(),
            end: (13.0 * sigma).ceil() as i64 + 1,
            radius: (sigma / 2000.0) as i64,
        }
    }

    fn at(&self, k: i64) -> Enclosure {
        exp_neg(&(&Rational::from(k).square() * &self.half_over_v))
    }

    fn weight(&self, cell: Cell) -> Enclosure {
        let from = cell.from.unwrap_or(-self.end);
        let below = cell.below.unwrap_or(self.end + 1);
        let mut total = Enclosure::ZERO;
        if cell.from.is_none() || cell.below.is_none() {
            assert!(from >= -self.end && below <= self.end + 1, "edges beyond 13 sigma");
            total = total + self.rest();
        }
        let mut start = from;
        while start < below {
            let radius = self.radius.min((below - start - 1) / 2);
            total = total + self.block(start + radius, radius);
            start += 2 * radius + 1;
        }
        total
    }

    /// The sum over |k - c| <= r. Paired about c, it is f(c) (1 + 2 sum of e^(-j²/(2v)) cosh(cj/v)):
    /// each of the 2r + 1 terms lies between f(c) (1 - r²/(2v)) and f(c) cosh(cr/v), and
    /// cosh y <= 1 + y² for |y| <= 1.
    fn block(&self, c: i64, r: i64) -> Enclosure {
        let (centre, size) = (self.at(c), whole(2 * r + 1));
        let dip = whole(r).square() / (whole(2) * self.v);
        let rise = (whole(c) * whole(r) / self.v).abs();
        assert!(rise.upper() <= 1.0 && dip.upper() <= 1.0, "a block too wide");
        let low = (Enclosure::ONE - dip).lower();
        let high = (Enclosure::ONE + rise.square()).upper();
        centre * size * Enclosure::new(low, high).unwrap()
    }

    /// The sum over k > end = K: its terms fall at least by e^(-K/v), so it is at most
    /// f(K) / (1 - e^(-K/v)) <= f(K) (1 + v/K).
    fn rest(&self) -> Enclosure {
        let most = self.at(self.end) * (Enclosure::ONE + self.v / whole(self.end));
        Enclosure::new(0.0, most.upper()).unwrap()
    }
}

/// P(k) = e^-λ λ^k/k!, by P(k+1)/P(k) = λ/(k+1).
pub(crate) fn poisson(rate: &Rational, edges: Vec<i64>) -> Law {
    let lambda = Enclosure::of_rational(rate);
    let mode = i64::try_from(rate.floor()).unwrap();
    let up = |k: i64| lambda / whole(k + 1);
    let down = |k: i64| whole(k) / lambda;
    unimodal(mode, up, down, edges)
}

/// C(n, k) p^k (1-p)^(n-k), by P(k+1)/P(k) = (n-k) p / ((k+1) (1-p)), for 0 < p < 1.
pub(crate) fn binomial(trials: i64, p: &Rational, edges: Vec<i64>) -> Law {
    let odds = Enclosure::of_rational(&p.checked_div(&(&Rational::ONE - p)).unwrap());
    let mode = i64::try_from((p * &Rational::from(trials + 1)).floor()).unwrap().min(trials);
    let up = |k: i64| whole(trials - k) / whole(k + 1) * odds;
    let down = |k: i64| whole(k) / (whole(trials - k + 1) * odds);
    unimodal(mode, up, down, edges)
}

/// A law by the ratios P(k+1)/P(k) and P(k-1)/P(k), which do not increase away from the mode.
fn unimodal(
    mode: i64,
    up: impl Fn(i64) -> Enclosure,
    down: impl Fn(i64) -> Enclosure,
    edges: Vec<i64>,
) -> Law {
    let right = walk(|i| up(mode + i));
    let left = walk(|i| down(mode - i));
    let first = mode - i64::try_from(left.len()).unwrap();
    let weights: Vec<Enclosure> =
        left.iter().rev().chain([&Enclosure::ONE]).chain(&right).copied().collect();
    let index = |k: i64| usize::try_from((k - first).max(0)).unwrap().min(weights.len());
    Law::of_weights(edges, |cell| {
        let from = cell.from.map_or(0, index);
        let below = cell.below.map_or(weights.len(), index);
        super::law::sum(&weights[from..below])
    })
}

/// The weights 1, 2, ... steps from the mode. Where they end, the last holds all the rest: by then
/// the ratio ρ is below 1 and the rest is at most w ρ/(1 - ρ).
fn walk(ratio: impl Fn(i64) -> Enclosure) -> Vec<Enclosure> {
    let (mut weights, mut weight) = (Vec::new(), Enclosure::ONE);
    let mut i = 0;
    loop {
        let step = ratio(i);
        i += 1;
        if weight.upper() < 1e-40 && step.upper() < 1.0 {
            let rest = weight * step / (Enclosure::ONE - step);
            weights.push(Enclosure::new(0.0, rest.upper().max(0.0)).unwrap());
            return weights;
        }
        weight = weight * step;
        weights.push(weight);
    }
}

/// The remainder of a discrete Laplace variable modulo m, which shows the low bits that wide cells
/// do not: with q = e^(-1/scale), the sum of q^|r + j m| over all j is (q^r + q^(m-r))/(1 - q^m) for
/// 0 < r < m and (1 + q^m)/(1 - q^m) for r = 0; the total over r is (1 + q)/(1 - q).
pub(crate) fn laplace_remainder(scale: &Rational, m: i64) -> Law {
    let power = |k: i64| exp_neg(&Rational::from(k).checked_div(scale).unwrap());
    let factor =
        (Enclosure::ONE - power(1)) / ((Enclosure::ONE + power(1)) * (Enclosure::ONE - power(m)));
    let cells: Vec<Enclosure> = (0..m).map(|r| (power(r) + power(m - r)) * factor).collect();
    Law::finite(&cells)
}

/// The remainder of a discrete Gaussian variable modulo m, for σ >= 2m. By Poisson summation, the
/// sum of f(r + j m) over all j is σ √(2π)/m (1 + 2 sum over j >= 1 of e^(-2π²σ²j²/m²) cos(2πjr/m)),
/// and e^(-2π² 4) < 10^-34: every remainder has probability 1/m but for a relative 10^-33.
pub(crate) fn gaussian_remainder(variance: &Rational, m: i64) -> Law {
    assert!(*variance >= Rational::from(4 * m * m), "the bell is too narrow for remainders");
    let cell = Enclosure::ONE / whole(m) * Enclosure::new(1.0 - 1e-15, 1.0 + 1e-15).unwrap();
    Law::finite(&vec![cell; usize::try_from(m).unwrap()])
}

/// A law on 0, ..., m - 1 after its lowest bit was lost: even values hold their odd neighbours.
pub(crate) fn without_low_bit(law: &Law) -> Law {
    let pairs = law.cells().chunks(2);
    let cells: Vec<Enclosure> =
        pairs.flat_map(|pair| [super::law::sum(pair), Enclosure::ZERO]).collect();
    Law::finite(&cells)
}
