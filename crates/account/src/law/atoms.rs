//! A law with finitely many losses.

use std::sync::Arc;

use throng_numeric::Enclosure;

use crate::AccountError;
use crate::disc::{Disc, SLACK, U, centre};
use crate::estimate::{exp, length, ln, real};
use crate::law::bands::Bands;
use crate::law::minorant::Minorant;
use crate::law::{BLOCK, Law, Line, Tilted};

/// Losses with their chances.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Atoms {
    /// The losses, in increasing order, and their chances under P.
    atoms: Vec<(Enclosure, Enclosure)>,
    /// The sum of the chances, if it is known better than by adding them up.
    mass: Option<Enclosure>,
    /// Losses and logarithms of chances, roughly.
    estimates: Vec<(f64, f64)>,
}

impl Atoms {
    pub(crate) fn new(atoms: Vec<(Enclosure, Enclosure)>, mass: Option<Enclosure>) -> Self {
        let estimate = |(loss, chance): &(Enclosure, Enclosure)| {
            (centre(*loss).0, ln(centre(*chance).0.max(f64::MIN_POSITIVE)))
        };
        let estimates = atoms.iter().map(estimate).collect();
        Self { atoms, mass, estimates }
    }
}

impl Law for Atoms {
    fn cumulants(&self, c: f64) -> [f64; 3] {
        cumulants(self.estimates.iter().copied(), c)
    }

    fn ceiling(&self) -> f64 {
        self.atoms.iter().map(|(loss, _)| loss.upper()).fold(f64::NEG_INFINITY, f64::max)
    }

    fn attained(&self) -> Option<(f64, f64)> {
        let lowest = self.atoms.iter().map(|(loss, chance)| (loss.lower(), chance.lower()));
        lowest.filter(|(_, chance)| *chance > 0.0).max_by(|a, b| a.0.total_cmp(&b.0))
    }

    fn log_moment(&self, c: f64) -> Result<Enclosure, AccountError> {
        let [log_scale, ..] = self.cumulants(c);
        Ok(weigh(&self.atoms, None, self.mass, c, log_scale)?.log_moment)
    }

    fn truncated(&self, budget: f64) -> Option<(Arc<dyn Law>, f64)> {
        let (mut moved, mut kept) = (0.0, self.atoms.len());
        while let Some((_, chance)) = kept.checked_sub(1).and_then(|last| self.atoms.get(last)) {
            let more = (moved + chance.upper()).next_up();
            if more > budget || kept == 1 {
                break;
            }
            (moved, kept) = (more, kept - 1);
        }
        let atoms = self.atoms.get(..kept)?.to_vec();
        (kept < self.atoms.len()).then(|| (Arc::new(Self::new(atoms, None)) as Arc<dyn Law>, moved))
    }

    fn tilt(&self, line: Line) -> Result<Box<dyn Tilted>, AccountError> {
        let work = length(self.atoms.len()) * (1.0 + line.reach / line.spacing);
        if work.is_nan() || work >= MOST_WORK {
            return Err(AccountError::TooLarge {
                what: "the inversion of a finite pair".into(),
                limit: format!("{MOST_WORK:e} terms"),
            });
        }
        let [log_scale, ..] = self.cumulants(line.c);
        let weighed = weigh(&self.atoms, None, self.mass, line.c, log_scale)?;
        Ok(Box::new(TiltedAtoms::new(&self.atoms, weighed, line, 0.0, Smoothness::NONE)))
    }
}

/// K, K', K'' of a list of losses with the logarithms of their chances, by estimates.
pub(crate) fn cumulants(atoms: impl Iterator<Item = (f64, f64)> + Clone, c: f64) -> [f64; 3] {
    let top = atoms.clone().map(|(l, w)| c * l + w).fold(f64::NEG_INFINITY, f64::max);
    let (mut m0, mut m1, mut m2) = (0.0, 0.0, 0.0);
    for (l, w) in atoms {
        let t = exp(c * l + w - top);
        m0 += t;
        m1 += t * l;
        m2 += t * l * l;
    }
    let mean = m1 / m0;
    [top + ln(m0), mean, (m2 / m0 - mean * mean).max(0.0)]
}

/// Tilted chances w e^(cl) / M(c), as far as known.
#[derive(Debug)]
pub(crate) struct Weighed {
    pub(crate) log_moment: Enclosure,
    /// The middle of each tilted chance, and the relative error common to all of them.
    pub(crate) weights: Vec<f64>,
    /// The error of each tilted chance.
    pub(crate) errors: Vec<f64>,
}

/// Tilts chances by e^(cl - scale): the scale keeps the exponentials in range. Where a chance is
/// so small that its exponential would not be, its logarithm is used.
pub(crate) fn weigh(
    atoms: &[(Enclosure, Enclosure)],
    logs: Option<&[Enclosure]>,
    mass: Option<Enclosure>,
    c: f64,
    log_scale: f64,
) -> Result<Weighed, AccountError> {
    let tilt = Enclosure::point(c)?;
    let scale = Enclosure::point(log_scale)?;
    let mut tilted = Vec::with_capacity(atoms.len());
    let mut total = Sum::default();
    for (i, (loss, chance)) in atoms.iter().enumerate() {
        let exponent = tilt * *loss - scale;
        let t = match logs.and_then(|logs| logs.get(i)) {
            Some(log) => (exponent + *log).exp(),
            None if exponent.upper() > 500.0 => (exponent + chance.ln()?).exp(),
            None => *chance * exponent.exp(),
        };
        total.add(t);
        tilted.push(t);
    }
    let sum = total.enclosure();
    let (middle, sum_radius) = centre(sum);
    let inverse = 1.0 / middle;
    // What is not known of the sum is not known of every share of it.
    let common = (sum_radius * inverse + 3.0 * U) * SLACK;
    let (weights, errors) = tilted
        .into_iter()
        .map(|t| {
            let (w, radius) = centre(t);
            let weight = w * inverse;
            (weight, (radius * inverse + common * weight) * SLACK)
        })
        .unzip();
    let plain = scale + sum.ln()?;
    let log_moment = match mass {
        Some(mass) => precise_log_moment(atoms, mass, tilt)
            .and_then(|precise| precise.intersect(plain).ok())
            .unwrap_or(plain),
        None => plain,
    };
    Ok(Weighed { log_moment, weights, errors })
}

/// ln(mass + sum w (e^(cl) - 1)): exact to the last digit of the *small* number that a single
/// step contributes, which matters when the step is repeated 10^9 times.
fn precise_log_moment(
    atoms: &[(Enclosure, Enclosure)],
    mass: Enclosure,
    tilt: Enclosure,
) -> Option<Enclosure> {
    let mut total = Sum::default();
    for (loss, chance) in atoms {
        let exponent = tilt * *loss;
        if exponent.upper() > 500.0 {
            return None;
        }
        total.add(*chance * exponent.expm1());
    }
    (total.enclosure() + (mass - Enclosure::ONE)).ln_1p().ok()
}

/// A sum of enclosures: the middles are added with compensation, the radii upward.
#[derive(Debug, Default)]
pub(crate) struct Sum {
    high: f64,
    low: f64,
    magnitude: f64,
    radius: f64,
    count: f64,
}

impl Sum {
    pub(crate) fn add(&mut self, x: Enclosure) {
        let (middle, radius) = centre(x);
        // Knuth's two-sum: high + low is exactly the sum of the two terms.
        let sum = self.high + middle;
        let part = sum - self.high;
        self.low += (self.high - (sum - part)) + (middle - part);
        self.high = sum;
        self.magnitude += middle.abs();
        self.radius += radius;
        self.count += 1.0;
    }

    /// The corrections `low` are each at most u times a partial sum, and their own summation
    /// errs by at most (n u) times their sum: n^2 u^2 times the magnitude, doubled for safety.
    pub(crate) fn enclosure(&self) -> Enclosure {
        let n = self.count + 2.0;
        let value = self.high + self.low;
        let error = (self.radius + 2.0 * n * n * U * U * self.magnitude + 2.0 * U * value.abs())
            * SLACK
            * (1.0 + n * 2.0 * U);
        Enclosure::new(value - error, value + error).unwrap_or(Enclosure::REAL)
    }
}

/// The tilted law of finitely many losses, or of a quadrature rule for a continuous one.
#[derive(Debug)]
pub(crate) struct TiltedAtoms {
    log_moment: Enclosure,
    spacing: f64,
    losses: Vec<f64>,
    weights: Vec<f64>,
    /// e^(i spacing loss) - 1 of each loss.
    steps: Vec<(f64, f64)>,
    /// sum w |l|.
    first_moment: f64,
    /// sum (error of w) |l| + w (error of l): how fast the inherited error grows with u.
    drift: f64,
    /// An error that does not depend on u: quadrature.
    floor: f64,
    /// The variance of the tilted law, rounded up, and its mean.
    variance: f64,
    mean: f64,
    /// The largest |l|.
    farthest: f64,
    smoothness: Smoothness,
}

/// What is known of the density of a continuous law.
#[derive(Debug, Clone)]
pub(crate) struct Smoothness {
    pub(crate) bands: Bands,
    pub(crate) minorant: Option<Minorant>,
}

impl Smoothness {
    pub(crate) const NONE: Self = Self { bands: Bands::NONE, minorant: None };
}

/// No inversion sums more terms, unless leaps spare it.
const MOST_WORK: f64 = 4e8;

/// How many atoms are advanced side by side.
const LANES: usize = 4;

/// Angles up to here are turned with a proved error.
pub(crate) const LARGEST_ANGLE: f64 = 536_870_912.0; // 2^29

impl TiltedAtoms {
    pub(crate) fn new(
        atoms: &[(Enclosure, Enclosure)],
        weighed: Weighed,
        line: Line,
        floor: f64,
        smoothness: Smoothness,
    ) -> Self {
        let (mut first_moment, mut drift, mut floor) = (0.0, 0.0, floor);
        let mut losses = Vec::with_capacity(atoms.len());
        for (((loss, _), w), e) in atoms.iter().zip(&weighed.weights).zip(&weighed.errors) {
            let (l, radius) = centre(*loss);
            losses.push(l);
            first_moment += w * l.abs();
            drift += e * l.abs();
            if radius * line.reach < 1.0 {
                drift += (w + e) * radius;
            } else {
                // Nothing is known of where this one turns to: at most 2 off.
                floor += 2.0 * (w + e);
            }
        }
        let steps = losses
            .iter()
            .map(|l| {
                let turn = Disc::turn_minus_one(line.spacing * l, 0.0);
                (turn.re, turn.im)
            })
            .collect();
        let (mean, variance) = moments(&losses, &weighed.weights);
        let farthest = losses.iter().map(|l| l.abs()).fold(0.0, f64::max);
        Self {
            log_moment: weighed.log_moment,
            spacing: line.spacing,
            losses,
            weights: weighed.weights,
            steps,
            first_moment: first_moment * SLACK,
            drift: drift * SLACK,
            floor,
            variance,
            mean,
            farthest,
            smoothness,
        }
    }

    /// A bound of |computed - true| at the node u.
    ///
    /// With E = e^(iul) - 1 and rho = e^(i spacing l) - 1, a block advances E by E + rho + E rho.
    /// rho has error at most 10u |spacing l| (the rounded angle and the turn itself), every
    /// advance adds at most that and 8u(|E| + 3|rho|), and |1 + rho| = 1 magnifies nothing.
    /// Over at most 64 advances from a start with error 10u |ul|, with |E| <= |ul|:
    /// error <= u |l| (10 + 8*64) |u| + 64 u |l| (10 + 24) spacing.
    /// The sum over n atoms in four lanes adds (n/4 + 5) u |u| sum w|l|.
    fn error(&self, u: f64) -> f64 {
        let n = length(self.losses.len());
        let growth = if self.is_small() {
            // No advances: 10 for each turn, its weight and the sum.
            (26.0 + n) * u
        } else {
            (540.0 + n / 4.0 + 8.0) * u + 2200.0 * self.spacing
        };
        // Beyond this angle a turn is not reduced and nothing is known of it.
        let lost = if u * self.farthest > LARGEST_ANGLE { 2.0 } else { 0.0 };
        (U * self.first_moment * growth + self.drift * u + self.floor + lost) * SLACK
    }

    /// Few losses are turned anew at every node, which is more accurate than advancing.
    fn is_small(&self) -> bool {
        self.losses.len() <= 8
    }

    /// phi(u) - 1 of few losses.
    fn direct(&self, u: f64) -> Disc {
        let (mut re, mut im) = (0.0, 0.0);
        for (l, w) in self.losses.iter().zip(&self.weights) {
            let turn = Disc::turn_minus_one(u * l, 0.0);
            re += w * turn.re;
            im += w * turn.im;
        }
        Disc { re, im, error: self.error(u) }
    }

    /// phi(u) and phi'(u)/i = E[(L - m) e^(iuL)], estimates.
    fn at(&self, u: f64) -> (f64, f64, f64, f64) {
        let (mut a, mut b, mut c, mut d) = (0.0, 0.0, 0.0, 0.0);
        for (l, w) in self.losses.iter().zip(&self.weights) {
            let centred = l - self.mean;
            let turn = Disc::turn_minus_one(u * centred, 0.0);
            let (re, im) = (w * (1.0 + turn.re), w * turn.im);
            a += re;
            b += im;
            c += re * centred;
            d += im * centred;
        }
        (a, b, c, d)
    }
}

/// The mean and an upper bound of the variance about it.
fn moments(losses: &[f64], weights: &[f64]) -> (f64, f64) {
    let total: f64 = weights.iter().sum();
    let mean = losses.iter().zip(weights).map(|(l, w)| l * w).sum::<f64>() / total;
    let square: f64 = losses.iter().zip(weights).map(|(l, w)| w * (l - mean) * (l - mean)).sum();
    (mean, square * (1.0 + 1e-9))
}

impl Tilted for TiltedAtoms {
    fn log_moment(&self) -> Enclosure {
        self.log_moment
    }

    fn fill(&self, first: u64, out: &mut [Disc]) {
        if self.is_small() {
            for (j, disc) in (first..).zip(out) {
                *disc = self.direct(real(j) * self.spacing);
            }
            return;
        }
        let start = real(first) * self.spacing;
        let mut re_sums = [[0.0; LANES]; BLOCK];
        let mut im_sums = [[0.0; LANES]; BLOCK];
        let nodes = out.len().min(BLOCK);
        for (k, losses) in self.losses.chunks(LANES).enumerate() {
            let (mut w, mut er, mut ei) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
            let (mut rr, mut ri) = ([0.0; LANES], [0.0; LANES]);
            for (lane, l) in losses.iter().enumerate() {
                let i = k * LANES + lane;
                let turn = Disc::turn_minus_one(start * l, 0.0);
                (w[lane], er[lane], ei[lane]) = (self.weights[i], turn.re, turn.im);
                (rr[lane], ri[lane]) = self.steps[i];
            }
            for (re, im) in re_sums.iter_mut().zip(&mut im_sums).take(nodes) {
                for lane in 0..LANES {
                    re[lane] += w[lane] * er[lane];
                    im[lane] += w[lane] * ei[lane];
                    let next = er[lane] + rr[lane] + (er[lane] * rr[lane] - ei[lane] * ri[lane]);
                    ei[lane] = ei[lane] + ri[lane] + (er[lane] * ri[lane] + ei[lane] * rr[lane]);
                    er[lane] = next;
                }
            }
        }
        for (j, disc) in out.iter_mut().enumerate() {
            let u = real(first + j as u64) * self.spacing;
            let sum = |lanes: [f64; LANES]| (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
            *disc = Disc { re: sum(re_sums[j]), im: sum(im_sums[j]), error: self.error(u) };
        }
    }

    fn log_decay(&self, u: f64) -> f64 {
        self.smoothness.bands.log_decay(u)
    }

    /// |phi(u)|^2 = E cos(u(L - L')) for two independent copies, so its second derivative is at
    /// most E(L - L')^2 = 2 Var: |phi(u + t)|^2 <= |phi(u)|^2 + slope t + Var t^2.
    fn leap(&self, u: f64, log_bound: f64) -> f64 {
        if self.floor > 0.0 {
            // A quadrature is only valid up to the reach it was made for.
            let minorant = self.smoothness.minorant.as_ref();
            return minorant.map_or(0.0, |minorant| minorant.leap(u, log_bound));
        }
        let (a, b, c, d) = self.at(u);
        let square = a * a + b * b;
        let noise = 4.0 * self.error(u) * (1.0 + u) + 1e-12;
        // d/du (a^2 + b^2) with da = -d du, db = c du.
        let slope = 2.0 * (b * c - a * d) + noise * self.variance.sqrt();
        let room = exp(2.0 * log_bound) * (1.0 - 1e-12) - square - noise;
        if room <= 0.0 {
            return 0.0;
        }
        let v = self.variance;
        // The positive root of v t^2 + slope t = room, in the form without cancellation.
        let root = (slope * slope + 4.0 * v * room).sqrt();
        let t = if slope >= 0.0 { 2.0 * room / (slope + root) } else { (root - slope) / (2.0 * v) };
        t * (1.0 - 1e-9)
    }
}
