//! What a fit may cost, and how its releases share it.

use throng_account::filter::cost;
use throng_account::{
    Accuracy, MechanismSpec, Neighbours, PrivacyLoss, Target, Template, calibrate,
};
use throng_mechanism::{Grid, L2, Noise, Sensitivity};
use throng_numeric::{Enclosure, Rational};

use crate::LearnError;

/// The guarantee that a fitted model must have.
///
/// ```
/// use throng_learn::Privacy;
/// let privacy = Privacy::approximate(1.0, 1e-5)?;
/// let all = privacy.gaussian()?;
/// // Half of the budget costs √2 times the noise.
/// assert!((all.multiplier(1, 2)?.to_f64_nearest() / all.multiplier(1, 1)?.to_f64_nearest() - 2_f64.sqrt()).abs() < 1e-6);
/// # Ok::<(), throng_learn::LearnError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Privacy {
    target: Target,
    under: Neighbours,
}

impl Privacy {
    /// A target under a relation: adding or removing a record, or replacing one.
    ///
    /// # Errors
    /// If the relation is zero-out. What it leaves of a record is a row like any other here (NaN counts
    /// as the middle of its bounds, 0 as the first class), so it would say nothing that replace
    /// does not.
    pub fn new(target: Target, under: Neighbours) -> Result<Self, LearnError> {
        match under {
            Neighbours::AddRemove | Neighbours::Replace => Ok(Self { target, under }),
            Neighbours::ZeroOut => Err(LearnError::refused(
                "rows of a table are not zeroed out",
                "use add-remove or replace neighbours",
            )),
        }
    }

    /// (epsilon, delta) for adding or removing a record.
    ///
    /// # Errors
    /// If epsilon is not above 0 and finite, or delta not above 0 and below 1.
    pub fn approximate(epsilon: f64, delta: f64) -> Result<Self, LearnError> {
        crate::error::positive("epsilon", epsilon)?;
        if !(delta > 0.0 && delta < 1.0) {
            return Err(LearnError::invalid("delta", delta, "above 0 and below 1"));
        }
        Self::new(Target::Epsilon { epsilon, delta }, Neighbours::AddRemove)
    }

    /// Epsilon alone, for adding or removing a record: no delta, Laplace noise.
    ///
    /// # Errors
    /// If epsilon is not above 0 and finite.
    pub fn pure(epsilon: f64) -> Result<Self, LearnError> {
        crate::error::positive("epsilon", epsilon)?;
        Self::new(Target::Epsilon { epsilon, delta: 0.0 }, Neighbours::AddRemove)
    }

    /// The target.
    #[must_use]
    pub const fn target(&self) -> &Target {
        &self.target
    }

    /// What "differ in one unit" means.
    #[must_use]
    pub const fn neighbours(&self) -> Neighbours {
        self.under
    }

    /// Epsilon, if the target is epsilon with a delta of 0.
    ///
    /// # Errors
    /// If epsilon is not a number.
    pub fn epsilon_if_pure(&self) -> Result<Option<Rational>, LearnError> {
        match self.target {
            Target::Epsilon { epsilon, delta: 0.0 } => Ok(Some(Rational::from_f64(epsilon)?)),
            Target::Epsilon { .. }
            | Target::Gdp { .. }
            | Target::Zcdp { .. }
            | Target::Detection { .. }
            | Target::Advantage { .. } => Ok(None),
        }
    }

    /// The target in two, of which the first is a share; together they reach it.
    ///
    /// # Guarantee
    /// Epsilons and deltas of releases add, each chosen after the last (basic composition); so do the
    /// rhos, and the squares of the mus. Each part is rounded down.
    ///
    /// # Errors
    /// If the share is not above 0 and below 1, or the target is about what an attacker gains, which has
    /// no shares.
    pub fn divided(&self, share: f64) -> Result<(Self, Self), LearnError> {
        if !(share > 0.0 && share < 1.0) {
            return Err(LearnError::invalid("a share", share, "above 0 and below 1"));
        }
        let part = |x: f64| (share * x).next_down().max(0.0);
        let rest = |x: f64| (x - part(x)).next_down().max(0.0);
        let (first, second) = match self.target {
            Target::Epsilon { epsilon, delta } => (
                Target::Epsilon { epsilon: part(epsilon), delta: part(delta) },
                Target::Epsilon { epsilon: rest(epsilon), delta: rest(delta) },
            ),
            Target::Zcdp { rho } => {
                (Target::Zcdp { rho: part(rho) }, Target::Zcdp { rho: rest(rho) })
            }
            Target::Gdp { mu } => {
                // A root is rounded by less than this, so are the squares.
                const HAIR: f64 = 1.0 - 1e-12;
                let part = mu * share.sqrt() * HAIR;
                let rest = mu * (1.0 - share).sqrt() * HAIR;
                (Target::Gdp { mu: part }, Target::Gdp { mu: rest })
            }
            Target::Detection { .. } | Target::Advantage { .. } => {
                return Err(LearnError::refused(
                    "what an attacker gains has no shares",
                    "say it as epsilon, gdp or zcdp, or declare all bounds",
                ));
            }
        };
        Ok((Self::new(first, self.under)?, Self::new(second, self.under)?))
    }

    /// The Gaussian noise that reaches the target, to be shared among releases.
    ///
    /// # Errors
    /// If the target is pure epsilon, which no Gaussian noise reaches, or out of range.
    pub fn gaussian(&self) -> Result<Gaussian, LearnError> {
        if self.epsilon_if_pure()?.is_some() {
            return Err(LearnError::refused(
                "Gaussian noise has no epsilon without a delta",
                "give a delta, such as 1e-5",
            ));
        }
        // Under replace a value that moves by 1 is a contribution of 1/2, counted from the middle.
        let contribution = match self.under {
            Neighbours::AddRemove | Neighbours::ZeroOut => "1",
            Neighbours::Replace => "1/2",
        };
        let template = format!("gaussian(sigma=?, sensitivity={contribution})");
        let template = Template::parse(&template)?;
        let found = calibrate(&template, &self.target, self.under, Accuracy::default())?;
        Ok(Gaussian { sigma: found.value, under: self.under })
    }

    /// Makes sure that a mechanism reaches the target.
    ///
    /// # Errors
    /// If it does not.
    pub fn certify(&self, spec: &MechanismSpec) -> Result<(), LearnError> {
        if let Some(epsilon) = self.epsilon_if_pure()?
            && cost::pure(spec, self.under).is_ok_and(|found| found <= epsilon)
        {
            // Exact, where a curve is a little above the truth.
            return Ok(());
        }
        let loss = PrivacyLoss::of_spec(spec, self.under, Accuracy::default())?;
        let (found, most) = match self.target {
            Target::Epsilon { epsilon, delta } => (loss.epsilon(delta)?.upper, epsilon),
            Target::Gdp { mu } => (loss.gdp()?.upper, mu),
            Target::Zcdp { rho } => (loss.zcdp()?.upper, rho),
            Target::Detection { false_alarm, found } => {
                (1.0 - loss.miss_rate(false_alarm)?.lower, found)
            }
            Target::Advantage { advantage } => (loss.total_variation()?.upper, advantage),
        };
        if found <= most {
            return Ok(());
        }
        Err(LearnError::refused(
            format!("{spec} costs {found}, more than the target of {most}"),
            "this is a defect of Throng: please report it",
        ))
    }
}

/// The largest Gaussian privacy within a target: one release whose distance is 1 takes noise of `sigma`.
///
/// # Guarantee
/// Gaussian releases compose by the squares of distance over sigma. Releases with shares that sum to at
/// most 1 together reach the target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gaussian {
    sigma: Rational,
    under: Neighbours,
}

impl Gaussian {
    /// One release whose distance is 1 takes noise of `sigma`.
    pub(crate) const fn of(sigma: Rational, under: Neighbours) -> Self {
        Self { sigma, under }
    }

    /// What "differ in one unit" means.
    #[must_use]
    pub const fn neighbours(&self) -> Neighbours {
        self.under
    }

    /// sigma over the distance, for a release with a share of part/whole.
    ///
    /// # Errors
    /// If the share is not above 0 and at most 1.
    pub fn multiplier(&self, part: u32, whole: u32) -> Result<Rational, LearnError> {
        if part == 0 || part > whole {
            let given = format!("{part}/{whole}");
            return Err(LearnError::invalid("a share", given, "above 0 and at most 1"));
        }
        let square = self.sigma.square() * Rational::new(whole, part)?;
        let root = Rational::from_f64(Enclosure::of_rational(&square).sqrt()?.upper())?;
        shortened(&root)
    }

    /// Noise for a release with a share of part/whole, on a grid.
    ///
    /// # Errors
    /// As for [`Gaussian::multiplier`], or if the grid is too coarse.
    pub fn noise(
        &self,
        (part, whole): (u32, u32),
        distance: &Rational,
        grid: Grid,
    ) -> Result<Noise, LearnError> {
        let sensitivity = Sensitivity::<L2>::of(distance.clone(), self.under)?;
        let sigma = &self.multiplier(part, whole)? * distance;
        Ok(Noise::gaussian_as(&sigma, &sensitivity, grid)?)
    }
}

/// The next number of eight digits or so that is not smaller.
fn shortened(x: &Rational) -> Result<Rational, LearnError> {
    let (ten, digits) = (Rational::from(10), Rational::from(10_000_000));
    let mut unit = Rational::ONE;
    while &unit * &digits <= *x {
        unit = &unit * &ten;
    }
    while &unit * &digits > *x && x.is_positive() {
        unit = unit.checked_div(&ten)?;
    }
    Ok(Rational::from(x.checked_div(&unit)?.ceil()) * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_together_reach_the_target_and_waste_next_to_nothing() {
        for (epsilon, delta) in [(0.1, 1e-5), (1.0, 1e-6), (8.0, 1e-9)] {
            let privacy = Privacy::approximate(epsilon, delta).unwrap();
            let all = privacy.gaussian().unwrap();
            let grid = Grid::new(-40).unwrap();
            let specs = [(1, 2), (1, 3), (1, 6)].map(|share| {
                all.noise(share, &"0.37".parse().unwrap(), grid).unwrap().spec().clone()
            });
            let spec = MechanismSpec::composed(specs.to_vec()).unwrap();
            privacy.certify(&spec).unwrap();
            let found = PrivacyLoss::of_spec(&spec, Neighbours::AddRemove, Accuracy::default());
            assert!(found.unwrap().epsilon(delta).unwrap().lower > 0.999_99 * epsilon);
        }
    }

    #[test]
    fn what_is_not_reached_is_not_certified() {
        let privacy = Privacy::approximate(1.0, 1e-5).unwrap();
        assert!(privacy.certify(&"gaussian(sigma=3)".parse().unwrap()).is_err());
        let open = MechanismSpec::leaf(throng_account::Leaf::NonPrivate).unwrap();
        assert!(privacy.certify(&open).is_err());
    }

    #[test]
    fn bad_targets_are_refused() {
        for (epsilon, delta) in
            [(-1.0, 1e-5), (f64::NAN, 1e-5), (1.0, 0.0), (1.0, 1.0), (f64::INFINITY, 0.1)]
        {
            assert!(Privacy::approximate(epsilon, delta).is_err());
        }
        assert!(Privacy::pure(0.0).is_err());
        assert!(Privacy::pure(1.0).unwrap().gaussian().is_err());
        let all = Privacy::approximate(1.0, 1e-5).unwrap().gaussian().unwrap();
        assert!(all.multiplier(0, 1).is_err() && all.multiplier(2, 1).is_err());
    }

    #[test]
    fn parts_together_are_not_more_than_the_whole() {
        for share in [0.1, 0.3, 0.5, 0.999] {
            for x in [1e-5, 0.1, 1.0, 3.7] {
                let of = |target| Privacy::new(target, Neighbours::AddRemove).unwrap();
                let (a, b) = of(Target::Zcdp { rho: x }).divided(share).unwrap();
                let (Target::Zcdp { rho: a }, Target::Zcdp { rho: b }) = (*a.target(), *b.target())
                else {
                    panic!("rhos")
                };
                assert!(a + b <= x && a + b > 0.999_999 * x);
                let (a, b) = of(Target::Gdp { mu: x }).divided(share).unwrap();
                let (Target::Gdp { mu: a }, Target::Gdp { mu: b }) = (*a.target(), *b.target())
                else {
                    panic!("mus")
                };
                assert!(a * a + b * b <= x * x && a * a + b * b > 0.999_999 * x * x);
            }
        }
        let pure = Privacy::pure(1.0).unwrap();
        let (a, b) = pure.divided(0.1).unwrap();
        assert!(a.epsilon_if_pure().unwrap().is_some() && b.epsilon_if_pure().unwrap().is_some());
        for share in [0.0, 1.0, -1.0, f64::NAN] {
            assert!(pure.divided(share).is_err());
        }
        let attacker = Target::Advantage { advantage: 0.1 };
        let attacker = Privacy::new(attacker, Neighbours::AddRemove).unwrap();
        assert!(attacker.divided(0.5).is_err());
    }

    #[test]
    fn short_numbers_are_not_smaller() {
        for text in ["3.730631634816464", "0.000012345678999", "987654321.123", "7"] {
            let x: Rational = text.parse().unwrap();
            let short = shortened(&x).unwrap();
            assert!(short >= x && short <= &x * &"1.0000002".parse().unwrap());
        }
    }
}
