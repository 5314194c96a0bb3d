//! The loss of a composition in one direction, answered by inversion.

use std::sync::{Arc, Mutex, PoisonError};

use throng_numeric::Enclosure;

use crate::AccountError;
use crate::estimate::ln;
use crate::inversion::{Contour, Finish, Grid, Saddle, saddle_for_delta, saddle_for_epsilon};
use crate::law::Law;
use crate::law::product::Product;
use crate::loss::Width;

/// A product of laws, with the contours that were needed so far.
#[derive(Debug)]
pub(crate) struct Composed {
    law: Product,
    grid: Option<Grid>,
    /// The chance under P that the loss is infinite.
    infinite: Enclosure,
    ceiling: f64,
    /// (epsilon of the saddle, contour), in no order.
    contours: Mutex<Vec<(f64, Arc<Contour>)>>,
}

/// How often a bracket that came out too wide is refined.
const REFINEMENTS: usize = 4;

impl Composed {
    pub(crate) fn new(law: Product, grid: Option<Grid>, infinite: Enclosure) -> Self {
        let ceiling = law.ceiling();
        Self { law, grid, infinite, ceiling, contours: Mutex::new(Vec::new()) }
    }

    pub(crate) fn law(&self) -> &Product {
        &self.law
    }

    pub(crate) fn infinite(&self) -> Enclosure {
        self.infinite
    }

    /// Where delta is about `delta`: (epsilon, the decay rate of ln delta there).
    pub(crate) fn guess(&self, delta: f64) -> (f64, f64) {
        let finite = delta - self.infinite.upper();
        let finite = if finite > 0.0 { finite } else { delta * 1e-3 };
        let saddle = saddle_for_delta(&self.law, ln(finite));
        (saddle.epsilon.min(self.ceiling), saddle.c)
    }

    /// delta(epsilon) with about the asked width.
    pub(crate) fn delta(&self, epsilon: f64, width: Width) -> Result<Enclosure, AccountError> {
        if epsilon >= self.ceiling {
            return Ok(self.infinite);
        }
        let finite = self.finite(epsilon, width)?;
        let sum = finite + self.infinite;
        Ok(sum.min(Enclosure::ONE))
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
        let mut tolerance = width.relative;
        for attempt in 0..REFINEMENTS {
            let made = match self.contour(saddle, tolerance) {
                // A bracket that is true but wide is better than none.
                Err(AccountError::TooLarge { .. }) if attempt > 0 => return Ok(best),
                made => made?,
            };
            let again = made.delta(epsilon)?;
            best = best.intersect(again).unwrap_or(again);
            if enough(best) || made.is_exact() {
                break;
            }
            tolerance /= 16.0;
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
