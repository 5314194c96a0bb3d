//! Laws of continuous noise whose scale may depend on the data.

use throng_numeric::search::{Tolerance, Verdict, boundary};
use throng_numeric::{Enclosure, Integer, Rational, beta, normal};
use throng_sample::{RoundedLaplaceLogNormal, RoundedNormal, RoundedStudent};

use crate::{MechanismError, Run};

/// A law whose logarithmic density changes little when it is stretched as well as when it is moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SmoothLaw {
    /// Student's law, density proportional to (1 + t²/d)^(-(d+1)/2).
    Student {
        /// d, even.
        degrees: u32,
    },
    /// X e^(σ Y), X standard Laplace and Y standard normal.
    LaplaceLogNormal {
        /// σ.
        sigma: Rational,
    },
    /// The standard normal law.
    Normal,
}

impl SmoothLaw {
    /// Whether there is an exact sampler for the parameters.
    pub(super) fn check(&self) -> Result<(), MechanismError> {
        let (zero, one) = (Rational::ZERO, Rational::ONE);
        match self {
            Self::Student { degrees } => drop(RoundedStudent::new(*degrees, &zero, &one)?),
            Self::LaplaceLogNormal { sigma } => {
                drop(RoundedLaplaceLogNormal::new(&zero, &one, sigma)?);
            }
            Self::Normal => {}
        }
        Ok(())
    }

    /// The nearest integer to centre + scale T, of the exact real number.
    pub(super) fn draw(
        &self,
        centre: &Rational,
        scale: &Rational,
        run: &mut Run<'_>,
    ) -> Result<Integer, MechanismError> {
        let entropy = run.entropy();
        Ok(match self {
            Self::Student { degrees } => {
                RoundedStudent::new(*degrees, centre, scale)?.draw(entropy)?
            }
            Self::LaplaceLogNormal { sigma } => {
                RoundedLaplaceLogNormal::new(centre, scale, sigma)?.draw(entropy)?
            }
            Self::Normal => RoundedNormal::new(centre, scale)?.draw(entropy)?,
        })
    }

    /// A t such that |T| <= t with a chance of at least 1 - miss.
    ///
    /// # Guarantee
    /// Student: P(|T| > t) = I_x(d/2, 1/2) at x = d/(d + t²). Laplace log-normal: |X| <= a and
    /// Y <= b each fail with a chance of at most miss/2, and then |T| <= a e^(σ b); not the
    /// smallest. Normal: the quantile.
    ///
    /// # Errors
    /// If the chance is not above 1e-100 and below 1.
    pub fn half_width(&self, miss: f64) -> Result<f64, MechanismError> {
        if !(miss > 1e-100 && miss < 1.0) {
            return Err(MechanismError::invalid("the chance", miss, "above 1e-100 and below 1"));
        }
        let half = Enclosure::point(miss)? * Enclosure::point(0.5)?;
        let t = match self {
            Self::Student { degrees } => return student_half_width(*degrees, miss),
            Self::LaplaceLogNormal { sigma } => {
                let growth = Enclosure::of_rational(sigma) * -normal::quantile(half)?;
                -half.ln()? * growth.exp()
            }
            Self::Normal => -normal::quantile(half)?,
        };
        Ok(t.upper())
    }
}

fn student_half_width(degrees: u32, miss: f64) -> Result<f64, MechanismError> {
    let d = Enclosure::point(f64::from(degrees))?;
    let half = Enclosure::point(0.5)?;
    let found = boundary(0.0, 1e120, Tolerance::relative(1e-9), |t| {
        let x = d / (d + Enclosure::point(t)?.square());
        let tail = beta::regularised(d * half, half, x.min(Enclosure::ONE))?;
        Ok::<_, MechanismError>(Verdict::at_most(tail, miss))
    })?;
    Ok(found.holds)
}
