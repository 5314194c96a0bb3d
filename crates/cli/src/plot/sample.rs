//! Asking the accountant along a curve.
#![expect(clippy::disallowed_methods, reason = "only decides where a curve is looked at")]

use throng_account::{AccountError, Bracket, PrivacyLoss};
use throng_numeric::rounding;

use super::{Curve, Kind, Point, Request};
use crate::failure::Failure;
use crate::progress::Progress;

/// The smallest false-alarm rate on a logarithmic axis.
pub(super) const SMALLEST_ALPHA: f64 = 1e-6;
/// The smallest delta that is drawn.
pub(super) const SMALLEST_DELTA: f64 = 1e-10;
/// The orders that are drawn.
pub(super) const ORDERS: (f64, f64) = (1.05, 64.0);
/// How far epsilon goes where no mechanism says.
const USUAL_EPSILON: f64 = 10.0;

impl Request {
    /// The curves of mechanisms, given as label, spec and loss.
    pub(crate) fn sample(
        &self,
        losses: &[(String, String, PrivacyLoss)],
    ) -> Result<Vec<Curve>, Failure> {
        let places = self.places(losses)?;
        let progress = Progress::new(places.len() * losses.len(), "points");
        let mut curves = Vec::new();
        for (label, spec, loss) in losses {
            let points = if self.kind == Kind::Loss {
                self.histogram(loss)?
            } else {
                let at = |&x: &f64| {
                    progress.step();
                    self.point(loss, x)
                };
                places.iter().map(at).collect::<Result<_, _>>()?
            };
            curves.push(Curve { label: label.clone(), spec: spec.clone(), points });
        }
        Ok(curves)
    }

    /// Where the curves are looked at; a histogram chooses for itself.
    fn places(&self, losses: &[(String, String, PrivacyLoss)]) -> Result<Vec<f64>, AccountError> {
        let last = f64::from(self.points - 1);
        let parts = (0..self.points).map(|step| f64::from(step) / last);
        Ok(match (self.kind, self.log) {
            (Kind::Loss, _) => Vec::new(),
            // Denser at both ends, where the curve bends.
            (Kind::Tradeoff | Kind::Roc, false) => parts.map(|t| t * t * (3.0 - 2.0 * t)).collect(),
            (Kind::Tradeoff | Kind::Roc, true) => {
                parts.map(|t| between(SMALLEST_ALPHA, 1.0, t)).collect()
            }
            (Kind::Renyi, _) => parts.map(|t| between(ORDERS.0, ORDERS.1, t)).collect(),
            (Kind::Profile, log) => {
                let most = largest_epsilon(losses)?;
                let least = most / 1000.0;
                parts.map(|t| if log { between(least, most, t) } else { most * t }).collect()
            }
        })
    }

    fn point(&self, loss: &PrivacyLoss, x: f64) -> Result<Point, AccountError> {
        let Bracket { lower, upper } = match self.kind {
            Kind::Tradeoff | Kind::Loss => loss.miss_rate(x)?,
            Kind::Roc => found(loss.miss_rate(x)?),
            Kind::Profile => loss.delta(x)?,
            Kind::Renyi => loss.renyi(x)?,
        };
        Ok(Point { x, to: None, lower, upper })
    }

    fn histogram(&self, loss: &PrivacyLoss) -> Result<Vec<Point>, AccountError> {
        let cells = usize::try_from(self.points - 1).unwrap_or(usize::MAX);
        let cells = loss.histogram_in(self.direction, cells)?;
        let point = |cell: throng_account::Cell| Point {
            x: cell.from,
            to: Some(cell.to),
            lower: cell.mass.lower,
            upper: cell.mass.upper,
        };
        Ok(cells.into_iter().map(point).collect())
    }
}

/// 1 - missed, rounded outward.
fn found(missed: Bracket) -> Bracket {
    Bracket {
        lower: rounding::sub_down(1.0, missed.upper).max(0.0),
        upper: rounding::sub_up(1.0, missed.lower).min(1.0),
    }
}

/// The point a part `t` of the way between two positive numbers, on a logarithmic axis.
fn between(from: f64, to: f64, t: f64) -> f64 {
    if t >= 1.0 { to } else { from * (to / from).powf(t) }
}

/// Where the last of the curves leaves the plot.
fn largest_epsilon(losses: &[(String, String, PrivacyLoss)]) -> Result<f64, AccountError> {
    let mut most: f64 = 0.0;
    for (_, _, loss) in losses {
        let epsilon = loss.epsilon(SMALLEST_DELTA)?.upper;
        if epsilon.is_finite() {
            most = most.max(epsilon);
        }
    }
    Ok(if most > 0.0 { most } else { USUAL_EPSILON })
}
