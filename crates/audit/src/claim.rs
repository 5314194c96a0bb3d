//! What is claimed: a guarantee, as the region of chances it allows.

use throng_account::{Accuracy, Direction, Leaf, MechanismSpec, Neighbours, PrivacyLoss};
use throng_numeric::Enclosure;

use crate::region::Region;
use crate::{AuditError, World};

/// Which world has the unit in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Orientation {
    /// Not known: what holds is the worse of both directions, both ways round.
    #[default]
    Either,
    /// The unit is in this world and not in the other: each direction is held to its own curve.
    UnitIn(World),
}

/// A guarantee that two worlds are held against.
///
/// ```
/// use throng_audit::{Claim, Neighbours, Orientation, World};
/// let claim = Claim::parse("pure(epsilon=1)", Neighbours::AddRemove, Orientation::Either)?;
/// let allowed = claim.region(World::Zero).power(0.1);
/// assert!((allowed - 0.1 * 1f64.exp()).abs() < 1e-9);
/// # Ok::<(), throng_audit::AuditError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Claim {
    text: String,
    under: Neighbours,
    /// By the world in which an event is a false alarm.
    regions: [Region; 2],
    /// If it is a statement about one pair: epsilon and delta.
    point: Option<(f64, f64)>,
    /// If it is a statement of Gaussian privacy: mu.
    mu: Option<f64>,
}

impl Claim {
    /// Reads a claim in the language of specs: a mechanism, or a statement such as
    /// `approx_dp(epsilon=1, delta=1e-6)`, `gdp(mu=1)`, `zcdp(rho=0.5)`, `tradeoff(...)`.
    ///
    /// # Errors
    /// If the text cannot be read, or the accountant has no curve for it.
    pub fn parse(
        text: &str,
        under: Neighbours,
        orientation: Orientation,
    ) -> Result<Self, AuditError> {
        let spec: MechanismSpec = text.parse()?;
        Self::of_spec(&spec, under, orientation)
    }

    /// The claim that a mechanism is at least as private as a spec says.
    ///
    /// # Errors
    /// If the accountant has no curve for it.
    pub fn of_spec(
        spec: &MechanismSpec,
        under: Neighbours,
        orientation: Orientation,
    ) -> Result<Self, AuditError> {
        let loss = PrivacyLoss::of_spec(spec, under, Accuracy::default())?;
        let region = |direction| -> Result<Region, AuditError> {
            Ok(Region::of_lines(loss.power_lines(direction)?))
        };
        let regions = match orientation {
            Orientation::Either => {
                let both = region(None)?;
                [both.clone(), both]
            }
            // With the unit in world One, a false alarm there is to say so in world Zero: Remove.
            Orientation::UnitIn(World::One) => {
                [region(Some(Direction::Remove))?, region(Some(Direction::Add))?]
            }
            Orientation::UnitIn(World::Zero) => {
                [region(Some(Direction::Add))?, region(Some(Direction::Remove))?]
            }
        };
        Ok(Self { text: spec.to_string(), under, regions, point: point(spec), mu: mu(spec) })
    }

    /// The claim of being (epsilon, delta)-private for each of some pairs: quicker to make than the whole
    /// curve of a spec, and weaker.
    ///
    /// # Errors
    /// If a number is not finite, or a delta not in [0, 1].
    pub fn of_pairs(text: &str, pairs: &[(f64, f64)]) -> Result<Self, AuditError> {
        let mut lines = Vec::new();
        for (epsilon, delta) in pairs {
            if !(0.0..=1.0).contains(delta) {
                return Err(AuditError::invalid("delta", delta, "between 0 and 1"));
            }
            let slope = Enclosure::point(*epsilon)?.exp();
            lines.push((slope.upper(), *delta));
            // The same line seen from the other world, with its numbers rounded up.
            let flat = Enclosure::ONE / slope;
            let level = Enclosure::ONE - (Enclosure::ONE - Enclosure::point(*delta)?) * flat;
            lines.push((flat.upper(), level.upper()));
        }
        Ok(Self::of_lines(text.to_owned(), lines))
    }

    /// The claim that each of some lines bounds events both ways round; for families of claims.
    pub(crate) fn of_lines(text: String, lines: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let region = Region::of_lines(lines);
        Self {
            text,
            under: Neighbours::AddRemove,
            regions: [region.clone(), region],
            point: None,
            mu: None,
        }
    }

    /// The text of the claim.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What "neighbouring" means in it.
    #[must_use]
    pub const fn neighbours(&self) -> Neighbours {
        self.under
    }

    /// What it allows to events, given their chance in a world.
    #[must_use]
    pub const fn region(&self, from: World) -> &Region {
        &self.regions[from.index()]
    }

    /// The mu of a claim of Gaussian privacy.
    #[must_use]
    pub const fn mu(&self) -> Option<f64> {
        self.mu
    }

    /// Epsilon and delta, if the claim is a statement about one pair of them.
    #[must_use]
    pub const fn point(&self) -> Option<(f64, f64)> {
        self.point
    }
}

fn mu(spec: &MechanismSpec) -> Option<f64> {
    if let MechanismSpec::Leaf(Leaf::Gdp { mu }) = spec {
        return Some(mu.to_f64_up());
    }
    None
}

fn point(spec: &MechanismSpec) -> Option<(f64, f64)> {
    if let MechanismSpec::Leaf(Leaf::Pure { epsilon }) = spec {
        return Some((epsilon.to_f64_up(), 0.0));
    }
    if let MechanismSpec::Leaf(Leaf::ApproxDp { epsilon, delta }) = spec {
        return Some((epsilon.to_f64_up(), delta.to_f64_up()));
    }
    None
}
