//! From the transform of a loss to its profile.
//!
//! For c > 0 the finite part of delta(epsilon) = E(1 - e^(epsilon - L))_+ is
//!
//! delta(epsilon) = (1/2 pi) integral of M(c + iu) e^(-(c + iu) epsilon) / (z(z + 1)) du, z = c + iu.
//!
//! # The trapezoidal rule is an upper bound
//! With spacing 2 pi / P the rule gives exactly the sum over all integers k of
//! e^(ckP) delta(epsilon + kP) (Poisson summation): delta(epsilon) itself and *non-negative*
//! aliases. So the rule never underestimates, and what it overestimates is bounded by Chernoff's
//! inequality delta(x) <= M(c') e^(-c' x), with c' > c for the aliases on the right and c' < c
//! on the left. No smoothness is needed for this.
//!
//! # Where the rule ends
//! Far nodes are skipped where |phi| is proved to be negligible (`log_decay`, `leap`). Where the
//! law is too rough for that, a Gaussian pair of tiny mu = eta is composed with it, whose factor
//! e^(-eta^2 u^2/2) ends the rule. Composing only increases delta: still an upper bound. It
//! increases it by at most E[b(L - epsilon)], b(t) = eta phi(t/eta) e^(-t/2): for Black and
//! Scholes' formula in the variance, d/ds of the gap at s is e^(-t/2 - s^2/8) phi(t/s), at most
//! e^(-t/2) phi(t/eta), integrated over s from 0 to eta. The transform of b is
//! eta^2 e^(eta^2/8) e^(-z epsilon) e^(eta^2 z(z+1)/2): the same nodes without the kernel. What
//! the rule gives for it is, again, never too small, so it may be subtracted.
//!
//! # Reference
//! Alghamdi et al. 2023 (the contour formula); Poisson summation as in Abate and Whitt 1992.

use std::f64::consts::TAU;

use throng_numeric::Enclosure;

use crate::AccountError;
use crate::disc::{Disc, SLACK, U, centre};
use crate::error::unless_given_up;
use crate::estimate::{exp, length, ln, real, whole};
use crate::law::atoms::LARGEST_ANGLE;
use crate::law::gaussian::normal_minus_one;
use crate::law::product::Product;
use crate::law::{BLOCK, Law, Line, Tilted};

/// Contributions below e^-DIGITS of the whole are bounded instead of computed.
const DIGITS: f64 = 38.0;

/// No inversion evaluates more nodes than this.
const MOST_NODES: usize = 1 << 22;

/// A vertical line with the transform on it; answers delta(epsilon) for epsilon near its saddle.
#[derive(Debug)]
pub(crate) struct Contour {
    c: f64,
    ending: Ending,
    spacing: f64,
    /// ln E e^(cL) with the smoothing included.
    log_moment: Enclosure,
    /// phi(u_j) times the smoothing over z(z+1); node 0 first.
    kernel: Nodes,
    /// What is subtracted: see [`Ending`].
    second: Option<Nodes>,
    /// (c', ln E e^(c'L)) for bounding aliases, with the smoothing.
    chernoff: Vec<(f64, f64)>,
}

/// Why the rule may end where it ends.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Ending {
    /// The transform itself decays.
    Decay,
    /// A Gaussian pair of this mu is composed; the second nodes bound what it adds.
    Smoothing(f64),
    /// The losses lie on a lattice, so the transform is periodic: the rule takes one period.
    /// The second nodes belong to e^epsilon Q(L > epsilon).
    Lattice(Grid),
}

/// The lattice of the composed loss: all of its values are `offset` plus multiples of `step`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Grid {
    pub(crate) step: Enclosure,
    pub(crate) offset: Enclosure,
}

impl Ending {
    fn eta(self) -> f64 {
        match self {
            Self::Smoothing(eta) => eta,
            Self::Decay | Self::Lattice(_) => 0.0,
        }
    }
}

/// Values at the nodes and what is known of their errors.
#[derive(Debug, Default)]
struct Nodes {
    /// (index, real, imaginary); skipped nodes are missing.
    values: Vec<(u64, f64, f64)>,
    /// The sum of all errors, skipped nodes included.
    error: f64,
    /// The sum of all moduli.
    modulus: f64,
}

impl Nodes {
    fn push(&mut self, index: u64, value: Disc) {
        let weight = if index == 0 { 0.5 } else { 1.0 };
        self.values.push((index, value.re * weight, value.im * weight));
        self.error += value.error;
        self.modulus += value.modulus();
    }

    /// 2 sum of Re(value e^(-iux)), node 0 counted once.
    fn transform(&self, spacing: f64, x: Enclosure) -> Enclosure {
        let (x, blur) = centre(x);
        let angle = -spacing * x;
        let step = Disc::turn_minus_one(angle, 0.0);
        let (mut index, mut re, mut im) = (u64::MAX, 1.0, 0.0);
        let (mut sum, mut turns) = (0.0, 64u32);
        for (j, a, b) in &self.values {
            if index.wrapping_add(1) == *j && turns < 64 {
                (re, im) = (re + (re * step.re - im * step.im), im + (re * step.im + im * step.re));
                turns += 1;
            } else {
                let turn = Disc::turn_minus_one(angle * real(*j), 0.0);
                (re, im) = (1.0 + turn.re, turn.im);
                turns = 0;
            }
            index = *j;
            sum += a * re - b * im;
        }
        // The angle u_j x is known up to 3 roundings, and each of at most 64 turns adds
        // that of one step and 8u of its own; the sum of n terms adds n u of its moduli.
        let last = self.values.last().map_or(0.0, |(j, ..)| real(*j));
        // On a lattice the spacing itself is off by up to 5 roundings: 16 instead of 4 covers it.
        let phase = U * ((16.0 * last + 300.0) * angle.abs() + 1200.0) + last * spacing * blur;
        if last * angle.abs() > LARGEST_ANGLE {
            return Enclosure::REAL; // such angles are not reduced
        }
        let rounding = (phase + length(self.values.len()) * U) * self.modulus;
        let error = 2.0 * (self.error + rounding) * SLACK * SLACK;
        Enclosure::new(2.0 * sum - error, 2.0 * sum + error).unwrap_or(Enclosure::REAL)
    }
}

/// Where the integrand at a given epsilon is highest on the real axis: the best line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Saddle {
    pub(crate) c: f64,
    pub(crate) epsilon: f64,
    /// An estimate of ln delta(epsilon).
    pub(crate) log_delta: f64,
    /// The second derivative of the exponent.
    curvature: f64,
}

const LEAST_C: f64 = 1e-9;
const MOST_C: f64 = 1e9;

/// The saddle of the line at c: epsilon and an estimate of ln delta there.
pub(crate) fn saddle_at(law: &Product, c: f64) -> Saddle {
    let [k, slope, curvature] = law.cumulants(c);
    let epsilon = slope - 1.0 / c - 1.0 / (c + 1.0);
    let curvature = curvature + 1.0 / (c * c) + 1.0 / ((c + 1.0) * (c + 1.0));
    let log_delta = k - c * epsilon - ln(c * (c + 1.0)) - 0.5 * ln(TAU * curvature);
    Saddle { c, epsilon, log_delta, curvature }
}

/// Finds the line at which a quantity that rises with c passes 0: outward from c = 1 in growing
/// strides, then by bisection, in ln c.
fn find_c(law: &Product, rising: impl Fn(&Saddle) -> f64) -> Saddle {
    let above = |x: f64| {
        let value = rising(&saddle_at(law, exp(x)));
        value >= 0.0 || value.is_nan()
    };
    let (least, most) = (ln(LEAST_C), ln(MOST_C));
    let up = !above(0.0);
    let (mut low, mut high, mut stride) = (0.0_f64, 0.0_f64, 1.5);
    while low > least && high < most {
        let end = if up { (high + stride).min(most) } else { (low - stride).max(least) };
        (low, high) = if up { (high, end) } else { (end, low) };
        if above(end) == up {
            break;
        }
        stride *= 2.0;
    }
    while high - low > 2e-3 {
        let middle = f64::midpoint(low, high);
        if above(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    saddle_at(law, exp(f64::midpoint(low, high)))
}

/// The saddle for a given epsilon.
pub(crate) fn saddle_for_epsilon(law: &Product, epsilon: f64) -> Saddle {
    find_c(law, |s| s.epsilon - epsilon)
}

/// The saddle at which delta is about e^log_delta.
pub(crate) fn saddle_for_delta(law: &Product, log_delta: f64) -> Saddle {
    find_c(law, |s| log_delta - s.log_delta)
}

/// How fine an answer is asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Finish {
    /// The relative width of delta that smoothing may cause.
    pub(crate) tolerance: f64,
}

impl Contour {
    /// The line through a saddle.
    pub(crate) fn new(
        law: &Product,
        grid: Option<Grid>,
        saddle: Saddle,
        finish: Finish,
    ) -> Result<Self, AccountError> {
        let c = saddle.c;
        if let Some(grid) = grid {
            return Self::on_lattice(law, grid, saddle);
        }
        let probe = Line { c, spacing: 1.0, reach: 1e-9, log_times: 0.0 };
        let natural = natural_reach(law.tilt(probe)?.as_ref(), saddle);
        let eta = (finish.tolerance / (2.0 * c * (c + 1.0))).sqrt();
        let forced = (2.0 * (DIGITS + 4.0)).sqrt() / eta;
        let (reach, ending) = if natural <= forced {
            (natural, Ending::Decay)
        } else {
            (forced, Ending::Smoothing(eta))
        };
        let aliases = Aliases::of(law, saddle, ending.eta());
        let spacing = TAU / aliases.period;
        Self::walk(law, Line { c, spacing, reach, log_times: 0.0 }, ending, aliases)
    }

    /// One period of the transform, with an odd number of nodes so that none is its own mirror.
    fn on_lattice(law: &Product, grid: Grid, saddle: Saddle) -> Result<Self, AccountError> {
        let step = grid.step.lower();
        let aliases = Aliases::of(law, saddle, 0.0);
        let half = (aliases.period / (2.0 * step)).ceil().max(2.0);
        if half > 1e12 {
            return Err(too_fine());
        }
        let spacing = TAU / ((2.0 * half + 1.0) * step);
        let line = Line { c: saddle.c, spacing, reach: (half + 0.25) * spacing, log_times: 0.0 };
        Self::walk(law, line, Ending::Lattice(grid), aliases)
    }

    fn walk(
        law: &Product,
        line: Line,
        ending: Ending,
        aliases: Aliases,
    ) -> Result<Self, AccountError> {
        let tilted = law.tilt(line)?;
        let mut contour = Self {
            c: line.c,
            ending,
            spacing: line.spacing,
            log_moment: tilted.log_moment() + smoothing(line.c, ending.eta())?,
            kernel: Nodes::default(),
            second: (ending != Ending::Decay).then(Nodes::default),
            chernoff: aliases.chernoff(law, ending.eta())?,
        };
        let last = (line.reach / line.spacing).floor();
        if last > 1e15 {
            return Err(too_fine());
        }
        contour.visit(tilted.as_ref(), whole(last))?;
        Ok(contour)
    }

    /// Computes or skips every node up to `last`, and accounts for what lies beyond.
    fn visit(&mut self, tilted: &dyn Tilted, last: u64) -> Result<(), AccountError> {
        let mut block = [Disc::ZERO; BLOCK];
        let mut node = 0;
        while node <= last {
            let u = real(node) * self.spacing;
            let leap = if node > 0 { tilted.leap(u, -DIGITS) } else { 0.0 };
            if leap > 4.0 * self.spacing {
                let landing = ((u + leap) / self.spacing * (1.0 - 1e-12)).floor();
                let end = if landing < real(last) { whole(landing) } else { last + 1 };
                self.skip(node, end);
                node = end.max(node + 1);
                continue;
            }
            unless_given_up()?;
            let count = usize::try_from(last + 1 - node).unwrap_or(BLOCK).min(BLOCK);
            let block = &mut block[..count];
            tilted.fill(node, block);
            for (j, disc) in (node..).zip(block.iter()) {
                self.take(j, *disc)?;
            }
            node += count as u64;
            if self.kernel.values.len() > MOST_NODES {
                return Err(too_fine());
            }
        }
        if !matches!(self.ending, Ending::Lattice(_)) {
            self.skip_rest(node);
        }
        Ok(())
    }

    /// Adds one node.
    fn take(&mut self, index: u64, minus_one: Disc) -> Result<(), AccountError> {
        let u = real(index) * self.spacing;
        let phi = minus_one.plus_one();
        let (kernel, second) = match self.ending {
            Ending::Decay => (phi.times(kernel(self.c, u)), Disc::ZERO),
            Ending::Smoothing(eta) => {
                let square = Enclosure::point(eta)?.square();
                let smooth = phi.times(normal_minus_one(square, self.c, u).plus_one());
                (smooth.times(kernel(self.c, u)), smooth)
            }
            Ending::Lattice(grid) => (
                phi.times(lattice_kernel(self.c, u, grid.step)?),
                phi.times(lattice_kernel(self.c + 1.0, u, grid.step)?),
            ),
        };
        self.kernel.push(index, kernel);
        if let Some(nodes) = &mut self.second {
            nodes.push(index, second);
        }
        Ok(())
    }

    /// Accounts for the nodes from `from` up to `to`, each with |phi| <= e^-DIGITS.
    fn skip(&mut self, from: u64, to: u64) {
        let u = real(from.max(1)) * self.spacing;
        let count = real(to - from);
        let bound = exp(-DIGITS) * (1.0 + 1e-9) * SLACK;
        // |1/(z(z+1))| <= 1/u^2, and its sum over u_j >= u at most 1/u^2 + 1/(spacing u).
        let smooth = (1.0 / (u * u) + 1.0 / (self.spacing * u)).min(count / (u * u));
        // |h/(1 - e^(-zh))| <= h/(1 - e^(-ch)) <= h + 1/c.
        let (kernel, second) = match self.ending {
            Ending::Decay => (smooth, 0.0),
            Ending::Smoothing(_) => (smooth, count),
            Ending::Lattice(grid) => {
                let height = count * (grid.step.upper() + 1.0 / self.c) * (1.0 + 1e-9);
                (height, height)
            }
        };
        self.kernel.error += bound * kernel;
        if let Some(nodes) = &mut self.second {
            nodes.error += bound * second;
        }
    }

    /// Accounts for all nodes from `from` on: there |phi| <= e^-DIGITS by the decay of the law
    /// or of the smoothing, which falls like e^(-eta^2 u^2/2).
    fn skip_rest(&mut self, from: u64) {
        let u = real(from.max(1)) * self.spacing;
        let bound = exp(-DIGITS) * (1.0 + 1e-9) * SLACK;
        self.kernel.error += bound * (1.0 / (u * u) + 1.0 / (self.spacing * u));
        let eta = self.ending.eta();
        if let Some(nodes) = &mut self.second {
            // sum_j e^(-eta^2 (u_j^2 - u^2)/2) <= sum_k e^(-eta^2 u k spacing)
            // <= 1 + 1/(eta^2 u spacing).
            nodes.error += bound * (1.0 + 1.0 / (eta * eta * u * self.spacing));
        }
    }

    /// The finite part of delta(epsilon), from below and above.
    pub(crate) fn delta(&self, epsilon: f64) -> Result<Enclosure, AccountError> {
        self.delta_and_gap(epsilon).map(|(delta, _)| delta)
    }

    /// The same, and how much of its width a weaker smoothing could spare.
    pub(crate) fn delta_and_gap(&self, epsilon: f64) -> Result<(Enclosure, f64), AccountError> {
        let at = Enclosure::point(epsilon)?;
        let (delta, gap) = match self.ending {
            Ending::Decay => {
                let rule = self.rule(&self.kernel, at)?;
                (Enclosure::new(rule.lower() - self.aliases(epsilon)?, rule.upper())?, 0.0)
            }
            Ending::Smoothing(eta) => {
                let rule = self.rule(&self.kernel, at)?;
                let square = Enclosure::point(eta)?.square();
                let factor = square * (square / Enclosure::point(8.0)?).exp();
                let bump =
                    self.second.as_ref().map_or(Ok(Enclosure::ZERO), |n| self.rule(n, at))?;
                let gap = factor * bump.max(Enclosure::ZERO);
                let lower = (rule - gap).lower() - self.aliases(epsilon)?;
                (Enclosure::new(lower, rule.upper())?, gap.upper())
            }
            Ending::Lattice(grid) => (self.on_grid(grid, epsilon)?, 0.0),
        };
        let upper = delta.upper().clamp(0.0, 1.0);
        Ok((Enclosure::new(delta.lower().next_down().clamp(0.0, upper), upper)?, gap))
    }

    /// On a lattice: with x the first point above epsilon, P(L >= x) - e^epsilon Q(L >= x).
    /// A rounding that puts x one point too far only loses the term of a point next to epsilon,
    /// whose contribution is p(1 - e^(epsilon - x)): the hull of both choices is taken.
    fn on_grid(&self, grid: Grid, epsilon: f64) -> Result<Enclosure, AccountError> {
        let index = (Enclosure::point(epsilon)? - grid.offset) / grid.step;
        let (low, high) = (index.lower().floor() + 1.0, index.upper().floor() + 1.0);
        let near = self.starting_at(grid, epsilon, low)?;
        let delta = if low == high {
            near
        } else if high - low > 2.0 {
            Enclosure::UNIT
        } else {
            near.hull(self.starting_at(grid, epsilon, high)?)
        };
        Ok(Enclosure::new(delta.lower() - self.aliases(epsilon)?, delta.upper())?)
    }

    fn starting_at(&self, grid: Grid, epsilon: f64, index: f64) -> Result<Enclosure, AccountError> {
        let x = grid.offset + grid.step * Enclosure::point(index)?;
        let first = self.rule(&self.kernel, x)?;
        let second = self.second.as_ref().map_or(Ok(Enclosure::ZERO), |n| self.rule(n, x))?;
        Ok(first - (Enclosure::point(epsilon)? - x).exp() * second)
    }

    /// What the rule gives at x: e^(K - cx) (spacing / 2 pi) times the sum over the nodes.
    fn rule(&self, nodes: &Nodes, x: Enclosure) -> Result<Enclosure, AccountError> {
        let scale = (self.log_moment - Enclosure::point(self.c)? * x).exp();
        let unit = Enclosure::point(self.spacing)? / tau()?;
        Ok(scale * unit * nodes.transform(self.spacing, x))
    }

    /// A bound of the sum of all aliases at epsilon.
    fn aliases(&self, epsilon: f64) -> Result<f64, AccountError> {
        let period = tau()? / Enclosure::point(self.spacing)?;
        let x = Enclosure::point(epsilon)?;
        let bound = |c: f64, log_moment: f64| -> Result<f64, AccountError> {
            let c = Enclosure::point(c)?;
            let ratio = (-(c - Enclosure::point(self.c)?).abs() * period).exp();
            let first = (Enclosure::point(log_moment)? - c * x).exp();
            Ok((first * ratio / (Enclosure::ONE - ratio)).upper())
        };
        let (mut left, mut right) = (bound(0.0, 0.0)?, f64::INFINITY);
        for (c, log_moment) in &self.chernoff {
            let value = bound(*c, *log_moment)?;
            if *c > self.c { right = right.min(value) } else { left = left.min(value) }
        }
        Ok((left + right).next_up())
    }
}

/// 2 pi.
fn tau() -> Result<Enclosure, AccountError> {
    Ok(Enclosure::new(TAU.next_down(), TAU.next_up())?)
}

/// h/(1 - e^(-zh)) at z = c + iu.
fn lattice_kernel(c: f64, u: f64, step: Enclosure) -> Result<Disc, AccountError> {
    let exponent = -(Enclosure::point(c)? * step);
    let (h, h_error) = centre(step);
    let angle = -u * h;
    let turn = Disc::turn_minus_one(angle, (u * h_error + 16.0 * U * angle.abs()) * SLACK);
    // 1 - e^(-ch) e^(-iuh) = (1 - e^(-ch)) - e^(-ch)(e^(-iuh) - 1), over h.
    let real = |x: Enclosure| {
        let (re, error) = centre(x);
        Disc { re, im: 0.0, error }
    };
    let inverse = Enclosure::ONE / step;
    let fall = real(-exponent.expm1() * inverse);
    let spin = real(exponent.exp() * inverse).times(turn).scaled(-1.0);
    Ok(fall.plus(spin).inverse())
}

fn too_fine() -> AccountError {
    AccountError::TooLarge {
        what: "the work for this width".into(),
        limit: format!("{MOST_NODES} nodes; ask for a wider bracket"),
    }
}

/// ln of the smoothing's moment at c: eta^2 c(c+1)/2.
fn smoothing(c: f64, eta: f64) -> Result<Enclosure, AccountError> {
    let point = Enclosure::point;
    Ok(point(eta)?.square() * point(c)? * (point(c)? + Enclosure::ONE) * point(0.5)?)
}

/// 1/(z(z+1)) at z = c + iu, u known up to a rounding.
fn kernel(c: f64, u: f64) -> Disc {
    let (a, b) = (c, c + 1.0);
    let (p, q) = (a * a + u * u, b * b + u * u);
    let scale = 1.0 / (p * q);
    // conj(z) conj(z + 1) = (ab - u^2) - iu(a + b).
    let (re, im) = ((a * b - u * u) * scale, -u * (a + b) * scale);
    Disc { re, im, error: 16.0 * U / (p * q).sqrt() }
}

/// How far the nodes must go if the law decays by itself: from there on, leaps must lead to
/// where the decay for all u is known.
fn natural_reach(tilted: &dyn Tilted, saddle: Saddle) -> f64 {
    const LONGEST: f64 = 1e7;
    let mut reach = (2.0 * DIGITS / saddle.curvature).sqrt();
    'longer: while reach < LONGEST {
        let mut u = reach;
        while tilted.log_decay(u) > -DIGITS {
            let leap = tilted.leap(u, -DIGITS);
            if leap < 0.02 * u || u > LONGEST {
                reach = u.max(reach) * 1.1;
                continue 'longer;
            }
            u += leap;
        }
        return reach;
    }
    f64::INFINITY
}

/// Candidates c' for bounding aliases, in units of the width of the saddle. A transform that
/// explodes beyond the saddle (rare, large losses) needs the small ones.
const STEPS: [f64; 9] = [0.08, 0.2, 0.45, 0.8, 1.4, 2.4, 4.0, 7.0, 11.0];

/// The period of the rule and the c' on either side that bound its aliases.
#[derive(Debug, Clone, Copy)]
struct Aliases {
    period: f64,
    left: f64,
    right: f64,
}

impl Aliases {
    /// A period long enough that the aliases are negligible, by estimates.
    fn of(law: &Product, saddle: Saddle, eta: f64) -> Self {
        let log_moment = |c: f64| law.cumulants(c)[0] + eta * eta * c * (c + 1.0) / 2.0;
        let goal = saddle.log_delta - 28.0;
        let needed = |c: f64, k: f64| {
            let period = (k - c * saddle.epsilon - goal).max(0.0) / (c - saddle.c).abs();
            if period.is_nan() { f64::INFINITY } else { period }
        };
        let unit = 1.0 / saddle.curvature.sqrt();
        let mut left = (needed(0.0, 0.0), 0.0);
        let mut right = (f64::INFINITY, saddle.c + unit);
        for step in STEPS {
            for c in [saddle.c - step * unit, saddle.c + step * unit] {
                if c <= 0.0 {
                    continue;
                }
                let candidate = (needed(c, log_moment(c)), c);
                let side = if c > saddle.c { &mut right } else { &mut left };
                if candidate.0 < side.0 {
                    *side = candidate;
                }
            }
        }
        let period = (left.0.max(right.0) * 1.02).max(1e-6);
        Self { period, left: left.1, right: right.1 }
    }

    /// (c', ln E e^(c'L)) certified, for both sides.
    fn chernoff(self, law: &Product, eta: f64) -> Result<Vec<(f64, f64)>, AccountError> {
        [self.left, self.right]
            .into_iter()
            .filter(|c| *c > 0.0)
            .map(|c| Ok((c, (law.log_moment(c)? + smoothing(c, eta)?).upper())))
            .collect()
    }
}
