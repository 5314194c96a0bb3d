//! The loss of a composition in one direction, answered by inversion.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use throng_numeric::Enclosure;
use throng_numeric::rounding::{div_up, sub_up};

use crate::AccountError;
use crate::component::End;
use crate::estimate::{exp, integer, length, ln, real};
use crate::inversion::{Contour, Finish, Grid, Saddle, saddle_for_delta, saddle_for_epsilon};
use crate::law::Law;
use crate::law::product::{Product, count};
use crate::loss::Width;
use crate::loss::written::Written;

/// A product of laws, with the contours that were needed so far.
#[derive(Debug)]
pub(crate) struct Composed {
    law: Product,
    grid: Option<Grid>,
    /// The chance under P that the loss is infinite.
    infinite: Enclosure,
    ceiling: f64,
    end: End,
    /// Whether a coarse answer is better than none: if nothing else can be asked instead.
    insists: bool,
    /// Whether rare large losses were left out already.
    short: bool,
    /// All outcomes, if they are few: then nothing is inverted.
    written: Option<Written>,
    /// (epsilon of the saddle, contour), in no order.
    contours: Mutex<Vec<(f64, Arc<Contour>)>>,
    /// The same without the largest losses of total chance 2^-index.
    shorter: Mutex<HashMap<i32, Option<Arc<Composed>>>>,
}

/// How often a bracket that came out too wide is refined.
const REFINEMENTS: usize = 3;

/// Smoothing that widens delta by more than this part of it is no answer.
const COARSEST: f64 = 0.3;

/// Nearer to the largest loss, relative to it, its own rounding decides: nothing is inverted.
const AT_THE_TOP: f64 = 1e-12;

impl Composed {
    pub(crate) fn new(law: Product, grid: Option<Grid>, infinite: Enclosure, end: End) -> Self {
        Self {
            ceiling: law.ceiling(),
            law,
            grid,
            infinite,
            end,
            insists: true,
            short: false,
            written: None,
            contours: Mutex::default(),
            shorter: Mutex::default(),
        }
    }

    /// The same, answered by outcomes that were written out.
    pub(crate) fn written_out(self, written: Option<Written>) -> Self {
        Self { written, ..self }
    }

    /// The same, but rather without an answer than with a coarse one.
    pub(crate) fn or_nothing(self) -> Self {
        Self { insists: false, ..self }
    }

    pub(crate) fn infinite(&self) -> Enclosure {
        self.infinite
    }

    /// The epsilon of a delta, from below and above, as far as the largest losses tell: at the
    /// largest of all only infinite ones are left, and if a loss of l or more has a chance of p
    /// or more, then delta(epsilon) >= p (1 - e^(epsilon - l)), so that epsilon is at least
    /// l + ln(1 - delta/p).
    pub(crate) fn top(&self, delta: f64) -> Option<Enclosure> {
        if self.infinite.lower() > delta {
            return Enclosure::new(f64::INFINITY, f64::INFINITY).ok();
        }
        if self.infinite.upper() > delta || !self.ceiling.is_finite() {
            return None;
        }
        let (loss, chance) = self.law.attained()?;
        let share = if delta > 0.0 { div_up(delta, chance) } else { 0.0 };
        if share.is_nan() || share >= 1.0 {
            return None;
        }
        let fall = Enclosure::point(-share).ok()?.ln_1p().ok()?;
        let lower = (Enclosure::point(loss).ok()? + fall).lower();
        Enclosure::new(lower.min(self.ceiling), self.ceiling).ok()
    }

    /// The composition as it is best asked for values of delta about this large: what is left
    /// out changes them by a small part of the asked width.
    pub(crate) fn focused(self: &Arc<Self>, delta: f64, relative: f64) -> Arc<Self> {
        let budget = (delta * relative / 8.0).max(self.infinite.width());
        self.shortened(budget).unwrap_or_else(|| Arc::clone(self))
    }

    /// The composition without rare large losses, of total chance at most about `budget`: for
    /// the upper end they count as infinite, for the lower end as nothing. A law without them
    /// can be tilted further, which makes its inversion short.
    pub(crate) fn shortened(&self, budget: f64) -> Option<Arc<Self>> {
        if self.short || self.written.is_some() {
            return None;
        }
        let index = ln(budget).div_euclid(std::f64::consts::LN_2);
        let index = if index > -1060.0 && index < 0.0 { integer(index) } else { return None };
        let mut shorter = self.shorter.lock().unwrap_or_else(PoisonError::into_inner);
        shorter.entry(index).or_insert_with(|| self.without(budget / 2.0)).clone()
    }

    fn without(&self, budget: f64) -> Option<Arc<Self>> {
        let share = budget / length(self.law.factors.len());
        let mut log_finite = (-self.infinite).ln_1p().ok()?;
        let mut factors = Vec::with_capacity(self.law.factors.len());
        let mut shorter = false;
        for (law, times) in &self.law.factors {
            match law.truncated(share / real(*times)) {
                Some((law, moved)) => {
                    let moved = Enclosure::new(0.0, moved).ok()?;
                    log_finite = log_finite + (-moved).ln_1p().ok()? * count(*times);
                    factors.push((law, *times));
                    shorter = true;
                }
                None => factors.push((Arc::clone(law), *times)),
            }
        }
        let infinite = match self.end {
            End::Upper => (-log_finite.expm1()).max(self.infinite).min(Enclosure::ONE),
            End::Lower => self.infinite,
        };
        shorter.then(|| {
            let law = Product { factors };
            let insists = self.insists;
            Arc::new(Self { short: true, insists, ..Self::new(law, self.grid, infinite, self.end) })
        })
    }

    /// Where delta is about `delta`: (epsilon, the decay rate of ln delta there).
    pub(crate) fn guess(&self, delta: f64) -> (f64, f64) {
        let finite = delta - self.infinite.upper();
        let finite = if finite > 0.0 { finite } else { delta * 1e-3 };
        let saddle = saddle_for_delta(&self.law, ln(finite));
        (saddle.epsilon.min(self.ceiling), saddle.c)
    }

    /// The tilt at which epsilon is typical, roughly.
    pub(crate) fn tilt_at(&self, epsilon: f64) -> f64 {
        saddle_for_epsilon(&self.law, epsilon).c
    }

    /// Chernoff's bound: delta <= the chance of an infinite loss + E e^(c(L - epsilon)).
    pub(crate) fn bound(&self, epsilon: f64) -> Result<Enclosure, AccountError> {
        let c = self.tilt_at(epsilon);
        let exponent = self.law.log_moment(c)? - Enclosure::point(c)? * Enclosure::point(epsilon)?;
        let upper = (exponent.exp() + self.infinite).upper().clamp(0.0, 1.0);
        Ok(Enclosure::new(0.0, upper)?)
    }

    /// delta(epsilon) with about the asked width.
    pub(crate) fn delta(&self, epsilon: f64, width: Width) -> Result<Enclosure, AccountError> {
        // How much may be left out depends on the answer: less and less, until it is little.
        let mut budget = 1e-6;
        for _ in 0..6 {
            let Some(shorter) = self.shortened(budget) else { break };
            let delta = shorter.plain_delta(epsilon, width)?;
            let allowed = (width.relative * delta.lower()).max(width.absolute) / 4.0;
            if budget <= allowed {
                return Ok(delta);
            }
            budget = (allowed / 2.0).clamp(budget * 1e-9, budget * 1e-2).max(1e-310);
        }
        self.plain_delta(epsilon, width)
    }

    /// [`Composed::delta`] without leaving anything out.
    fn plain_delta(&self, epsilon: f64, width: Width) -> Result<Enclosure, AccountError> {
        if epsilon >= self.ceiling {
            return Ok(self.infinite);
        }
        // Finite losses are at most the ceiling, so delta is at most 1 - e^(epsilon - ceiling).
        let room = sub_up(self.ceiling, epsilon);
        let most = Enclosure::point(-room).map_or(1.0, |x| (-x.expm1()).upper().min(1.0));
        let allowed = (width.relative * self.infinite.lower()).max(width.absolute);
        let finite = match &self.written {
            Some(written) => written.delta(epsilon),
            None if most <= allowed || room <= (AT_THE_TOP * self.ceiling).min(1.0) => {
                Enclosure::UNIT
            }
            None => self.finite(epsilon, width)?,
        };
        let capped = Enclosure::new(finite.lower().min(most), finite.upper().min(most))?;
        Ok((capped + self.infinite).min(Enclosure::ONE))
    }

    fn finite(&self, epsilon: f64, width: Width) -> Result<Enclosure, AccountError> {
        let enough = |delta: Enclosure| {
            let whole = (delta.upper() + self.infinite.lower()).max(1e-320);
            delta.width() <= (width.relative * whole).max(width.absolute)
        };
        let mut best = Enclosure::UNIT;
        if let Some(contour) = self.nearest(epsilon) {
            best = contour.delta(epsilon)?;
            if enough(best) {
                return Ok(best);
            }
        }
        let saddle = saddle_for_epsilon(&self.law, epsilon);
        // Where delta is far below what matters, a coarse answer is enough.
        let coarse = (width.absolute / exp(saddle.log_delta)).min(0.3);
        let mut tolerance = width.relative.max(coarse);
        // Too much work: coarser until it is not. Then finer while smoothing widens the bracket.
        let mut made = self.contour(saddle, tolerance);
        while matches!(made, Err(AccountError::TooLarge { .. }))
            && self.insists
            && tolerance < COARSEST
        {
            tolerance = (tolerance * 64.0).min(COARSEST);
            made = self.contour(saddle, tolerance);
        }
        for _ in 0..REFINEMENTS {
            let (again, gap) = match made {
                Err(AccountError::TooLarge { .. }) if best != Enclosure::UNIT => break,
                made => made?.delta_and_gap(epsilon)?,
            };
            best = best.intersect(again).unwrap_or(again);
            if enough(best) || gap <= 0.5 * again.width() {
                break;
            }
            tolerance /= 16.0;
            made = self.contour(saddle, tolerance);
        }
        Ok(best)
    }

    /// Two enclosures of the same number must meet; the nearest contour is tried first.
    fn nearest(&self, epsilon: f64) -> Option<Arc<Contour>> {
        let contours = self.contours.lock().unwrap_or_else(PoisonError::into_inner);
        contours
            .iter()
            .min_by(|a, b| (a.0 - epsilon).abs().total_cmp(&(b.0 - epsilon).abs()))
            .map(|(_, contour)| Arc::clone(contour))
    }

    fn contour(&self, saddle: Saddle, tolerance: f64) -> Result<Arc<Contour>, AccountError> {
        let made = Arc::new(Contour::new(&self.law, self.grid, saddle, Finish { tolerance })?);
        let mut contours = self.contours.lock().unwrap_or_else(PoisonError::into_inner);
        contours.retain(|(epsilon, _)| (epsilon - saddle.epsilon).abs() > 1e-12);
        contours.push((saddle.epsilon, Arc::clone(&made)));
        Ok(made)
    }
}
