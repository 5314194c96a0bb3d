//! Counts released as Poisson variables.

use throng_account::{Leaf, MechanismSpec, Neighbours};
use throng_numeric::Rational;
use throng_sample::Poisson;

use super::{PoissonRelease, RateMap};
use crate::replay::{Distance, Drawn, Observed, Primitive};
use crate::{Mechanism, MechanismError, Run};

/// How one unit moves the cells of a vector of counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Effect {
    /// A unit adds to at most `cells` cells, to each at most the distance of the map, and takes
    /// from none. (Under replace one unit's additions give way to another's: as many cells may
    /// fall as rise, none by more than the distance.)
    Rises {
        /// The most cells that a unit adds to.
        cells: u64,
    },
    /// On neighbours at most `cells` cells differ, either way, each by at most the distance of
    /// the map.
    Either {
        /// The most cells that differ.
        cells: u64,
    },
}

/// Each cell of a vector of counts as a Poisson variable of the rate its map gives it.
///
/// Which cells there are is public; a single count is a vector of one.
///
/// # Guarantee
/// For counts that one unit moves as [`Effect`] says (only the caller can know), under add/remove,
/// zero-out and replace:
///
/// | effect | under | described as |
/// |---|---|---|
/// | rises | add/remove, zero-out | `cells` Poisson counts of the pair, with the unit on the side that the map puts it |
/// | rises | replace | `cells` streams (μ1, μ2) and as many (μ2, μ1) |
/// | either | any | the same |
///
/// # Why this is right
/// Cells are drawn independently, and each that moves is post-processing of one draw of the pair
/// (see [`crate::poisson`]), in the order in which it moves; so are cells that move less, or not at
/// all. k draws of the pair are the pair (kμ1, kμ2). If the order is not known beforehand the
/// description holds both: it must also be right when put together with other mechanisms, whose
/// cells move the other way. Alone, that is more than is needed: say [`Effect::Rises`] where it is
/// so.
///
/// # Not covered
/// How long a draw takes: about as many steps as the root of the rate, which tells about the count.
///
/// ```
/// use throng_account::filter::Currency;
/// use throng_mechanism::poisson::{Effect, PoissonCounts, RateMap, RatePair};
/// use throng_mechanism::{Budget, Mechanism, Neighbours, Sensitive};
/// # use throng_sample::OsEntropy;
/// let map = RateMap::linear(RatePair::new(100.into(), 110.into())?, 1)?;
/// let mechanism = PoissonCounts::new(map, Effect::Rises { cells: 1 }, Neighbours::AddRemove)?;
/// let renyi = Currency::Renyi { order: 8.into() };
/// let mut budget = Budget::converted(&renyi, &8.into(), &"1e-6".parse()?, Neighbours::AddRemove)?;
/// let permit = budget.permit(&mechanism)?;
/// let visitors = Sensitive::new([31, 7, 0]);
/// let release = mechanism.run(visitors.as_slice(), permit, &mut OsEntropy)?;
/// println!("{} in {}", release.value().estimate(0)?, release.value().interval(0, 0.95)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoissonCounts {
    map: RateMap,
    /// How far counts are apart on neighbours.
    distance: Distance,
    spec: MechanismSpec,
    under: Neighbours,
}

impl PoissonCounts {
    /// Cells of rates given by a map.
    ///
    /// # Errors
    /// If a unit moves no cell or more than 10^9.
    pub fn new(map: RateMap, effect: Effect, under: Neighbours) -> Result<Self, MechanismError> {
        let spec = describe(&map, effect, under)?;
        let cells = match (effect, under) {
            (Effect::Rises { cells }, Neighbours::Replace) => cells.saturating_mul(2),
            (Effect::Rises { cells } | Effect::Either { cells }, _) => cells,
        };
        let distance = Distance::PerCell { cells, each: Rational::from(map.distance()) };
        Ok(Self { map, distance, spec, under })
    }

    /// For [`super::DegreeSequence`], which proves its own descriptions.
    pub(super) const fn described(
        map: RateMap,
        distance: Distance,
        spec: MechanismSpec,
        under: Neighbours,
    ) -> Self {
        Self { map, distance, spec, under }
    }

    /// The map from counts to rates.
    #[must_use]
    pub const fn map(&self) -> &RateMap {
        &self.map
    }

    fn observed(&self, counts: &[i64]) -> Observed {
        Observed::Primitive(Primitive {
            what: "Poisson counts",
            law: Drawn::Other,
            declared: Some(self.distance.clone()),
            inputs: counts.iter().map(|count| i128::from((*count).max(0))).collect(),
        })
    }

    /// One cell.
    fn draw(&self, count: i64, run: &mut Run<'_>) -> Result<u64, MechanismError> {
        let rate = self.map.rate(u64::try_from(count).unwrap_or(0));
        Ok(Poisson::new(&rate)?.draw(run.entropy())?)
    }
}

impl Mechanism for PoissonCounts {
    type Input = [i64];
    type Output = PoissonRelease;

    fn spec(&self) -> MechanismSpec {
        self.spec.clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.under
    }

    fn answer(&self, input: &[i64], run: &mut Run<'_>) -> Result<PoissonRelease, MechanismError> {
        run.observe(|| self.observed(input));
        let counts = input.iter().map(|count| self.draw(*count, run)).collect::<Result<_, _>>()?;
        Ok(PoissonRelease::new(counts, self.map.clone()))
    }
}

/// The description of a map for an effect.
fn describe(
    map: &RateMap,
    effect: Effect,
    under: Neighbours,
) -> Result<MechanismSpec, MechanismError> {
    let (low, high) = (map.pair().low().clone(), map.pair().high().clone());
    let cells = match effect {
        Effect::Rises { cells } | Effect::Either { cells } => cells,
    };
    if cells == 0 || cells > throng_account::spec::MAX_TIMES {
        return Err(MechanismError::invalid("the number of cells", cells, "from 1 to 10^9"));
    }
    match (effect, under) {
        (Effect::Rises { .. }, Neighbours::AddRemove | Neighbours::ZeroOut) => {
            // The first world of a description is the one with the unit.
            let (mu1, mu2) = if map.rises() { (high, low) } else { (low, high) };
            let one = MechanismSpec::leaf(Leaf::Poisson { mu1, mu2 })?;
            Ok(if cells == 1 { one } else { MechanismSpec::repeated(cells, one)? })
        }
        (Effect::Rises { .. }, Neighbours::Replace) | (Effect::Either { .. }, _) => {
            let cells = Rational::from(cells);
            let (low, high) = (low * cells.clone(), high * cells);
            let jumps = vec![(low.clone(), high.clone()), (high, low)];
            let leaf = Leaf::InfinitelyDivisible { s2: Rational::ZERO, jumps };
            Ok(MechanismSpec::leaf(leaf)?)
        }
    }
}
