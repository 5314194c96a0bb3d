//! `AboveThreshold`, with Laplace noise.

use std::sync::Arc;

use throng_account::{Leaf, MechanismSpec};
use throng_numeric::{Enclosure, Natural, Rational};
use throng_sample::Entropy;

use super::session::{Noises, Threshold};
use super::{Queries, Session, check_threshold};
use crate::{Grid, L1, MechanismError, Neighbours, Noise, NoiseLaw, Permit, Sensitivity};

/// Answers whether queries are above a threshold, until `c` were.
///
/// # Guarantee
/// epsilon-private for all answers together, however many there are and however each query was
/// chosen after the answers before; with values ([`AboveThreshold::with_values`]) also what those
/// cost.
///
/// # Why this is right
/// Let the threshold be T with integer noise Z of scale κ/ε1, and the queries q_i with integer
/// noise N_i of scale s = 2cκ/ε2 (cκ/ε2 if monotone), ε = ε1 + ε2. Given Z = z, answers are
/// independent, and each query is a function of the answers before it. So the chance of
/// a sequence of answers is
///
/// ```text
/// Σ_z P(Z = z) Π_Below P(q_i + N_i < T + z) Π_Above P(q_i + N_i >= T + z).
/// ```
///
/// Go to a neighbour, q_i' with |q_i' - q_i| <= κ, and from z to z + κ, a bijection of the
/// integers. P(Z = z) <= e^(ε1) P(Z = z + κ). Below: q_i + N_i < T + z implies
/// q_i' + N_i < T + z + κ, so the factor only grows. Above: P(N >= t) <= e^(d/s) P(N >= t + d) for
/// integers d >= 0, as P(N = k) <= e^(d/s) P(N = k + d) for every k; since
/// T + z + κ - q_i' <= (T + z - q_i) + 2κ, the factor grows by at least e^(-2κ/s), and there are at
/// most c of these: e^(ε1 + c 2κ/s) = e^ε. Ties count as Above, and strictness was used nowhere.
/// Monotone: if all q_i' >= q_i, the last distance is κ instead of 2κ; if all q_i' <= q_i, z need
/// not move, Below holds as it is and Above needs κ.
///
/// The split ε1 : ε2 = 1 : (2c)^(2/3), or c^(2/3), makes the variance of N - Z least (Lyu et
/// al., section 4.2); it is rounded, as every split is right.
///
/// # Reference
/// Lyu, Su, Li (2017), algorithm 7; Dwork, Roth (2014), algorithm 1.
///
/// ```
/// use throng_mechanism::sparse_vector::{AboveThreshold, Queries, Side};
/// use throng_mechanism::{Budget, Neighbours, Sensitive};
/// # use throng_sample::OsEntropy;
/// let counts = Queries::moving(1, Neighbours::AddRemove)?.monotone()?;
/// let mechanism = AboveThreshold::new(&"1".parse()?, counts, 1000, 1)?;
/// let mut budget = Budget::pure("1".parse()?, Neighbours::AddRemove)?;
/// let mut session = mechanism.start(budget.authorise(mechanism.spec())?, &mut OsEntropy)?;
/// for visits in [12, 40, 100_000] {
///     let reply = session.ask(&Sensitive::new(visits), &mut OsEntropy)?;
///     assert_eq!(reply.value().side == Side::Above, visits == 100_000);
/// }
/// assert!(session.is_over());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct AboveThreshold {
    queries: Queries,
    threshold: i64,
    above: u64,
    scales: Scales,
    noises: Noises,
    value: Option<Arc<Noise>>,
    deciding: Rational,
    spec: MechanismSpec,
}

/// Of the noise on the threshold and on a query.
type Scales = (Rational, Rational);

impl AboveThreshold {
    /// epsilon-private answers until `above` of them were Above.
    ///
    /// # Errors
    /// If epsilon is not above 0, the threshold is beyond ±2^60, or `above` is 0 or above 2^20.
    pub fn new(
        epsilon: &Rational,
        queries: Queries,
        threshold: i64,
        above: u64,
    ) -> Result<Self, MechanismError> {
        let ratio = balance(above, queries.is_monotone());
        let one = epsilon.checked_div(&(&Rational::ONE + &ratio))?;
        Self::split(&one, &(epsilon - &one), queries, threshold, above)
    }

    /// The same with a split of one's own: ε1 for the threshold, ε2 for the queries.
    ///
    /// # Errors
    /// As for [`AboveThreshold::new`].
    pub fn split(
        threshold_epsilon: &Rational,
        query_epsilon: &Rational,
        queries: Queries,
        threshold: i64,
        above: u64,
    ) -> Result<Self, MechanismError> {
        check_threshold(threshold)?;
        for epsilon in [threshold_epsilon, query_epsilon] {
            if !epsilon.is_positive() {
                return Err(MechanismError::invalid("epsilon", epsilon, "above 0"));
            }
        }
        if above == 0 || above > 1 << 20 {
            return Err(MechanismError::invalid("the number of Above", above, "in 1..=2^20"));
        }
        let one = Rational::from(queries.distance()).checked_div(threshold_epsilon)?;
        let moved = Rational::from(queries.relative()) * Rational::from(above);
        let scales = (one, moved.checked_div(query_epsilon)?);
        let laws = [&scales.0, &scales.1].map(|scale| NoiseLaw::laplace(scale.clone()));
        let [one, two] = laws;
        let noises = Noises::new(one?, two?);
        let deciding = threshold_epsilon + query_epsilon;
        let spec = MechanismSpec::leaf(Leaf::Pure { epsilon: deciding.clone() })?;
        Ok(Self { queries, threshold, above, scales, noises, value: None, deciding, spec })
    }

    /// Hands out the value of each query that is Above, with new Laplace noise that costs `epsilon`
    /// for all of them together.
    ///
    /// # Guarantee
    /// The composition of both. (The noise that decided must not be handed out: it says where
    /// the noisy threshold is.)
    ///
    /// # Errors
    /// If epsilon is not above 0.
    pub fn with_values(self, epsilon: &Rational) -> Result<Self, MechanismError> {
        let each = epsilon.checked_div(&Rational::from(self.above))?;
        let distance = Rational::from(self.queries.distance());
        let sensitivity = Sensitivity::<L1>::of(distance, self.queries.neighbours())?;
        let noise = Noise::pure(&each, &sensitivity, Grid::WHOLE)?;
        let values = match self.above {
            1 => noise.spec().clone(),
            above => MechanismSpec::repeated(above, noise.spec().clone())?,
        };
        let answers = MechanismSpec::leaf(Leaf::Pure { epsilon: self.deciding.clone() })?;
        let spec = MechanismSpec::composed(vec![answers, values])?;
        Ok(Self { value: Some(Arc::new(noise)), spec, ..self })
    }

    /// What a session costs.
    #[must_use]
    pub const fn spec(&self) -> &MechanismSpec {
        &self.spec
    }

    /// The relation.
    #[must_use]
    pub const fn neighbours(&self) -> Neighbours {
        self.queries.neighbours()
    }

    /// The threshold.
    #[must_use]
    pub const fn threshold(&self) -> i64 {
        self.threshold
    }

    /// How many Above end a session.
    #[must_use]
    pub const fn above(&self) -> u64 {
        self.above
    }

    /// Whether values are handed out with each Above.
    #[must_use]
    pub const fn gives_values(&self) -> bool {
        self.value.is_some()
    }

    /// The scale of the noise on the threshold.
    #[must_use]
    pub const fn threshold_scale(&self) -> &Rational {
        &self.scales.0
    }

    /// The scale of the noise on each query.
    #[must_use]
    pub const fn query_scale(&self) -> &Rational {
        &self.scales.1
    }

    /// Starts a session.
    ///
    /// # Guarantee
    /// [`AboveThreshold::spec`] for all its answers together.
    ///
    /// # Errors
    /// If the permit is for something else (it is spent all the same) or no noise can be drawn.
    pub fn start(
        &self,
        permit: Permit,
        entropy: &mut dyn Entropy,
    ) -> Result<Session, MechanismError> {
        let guarantee = permit.redeem(&self.spec, self.neighbours())?;
        let threshold = Threshold {
            at: self.threshold,
            noises: self.noises.samplers()?,
            laws: self.noises.laws(),
            distance: self.queries.distance(),
            value: self.value.clone(),
            above: self.above,
            questions: None,
        };
        Session::start(guarantee, threshold, entropy)
    }

    /// A distance α such that with at least the confidence all of the first `questions` answers are
    /// right up to α: Above only for values of at least T - α, Below only for values under
    /// T + α.
    ///
    /// # Why this is right
    /// An answer compares q with T up to |N| + |Z|; all |N_i| are within their half width but for
    /// half of 1 - confidence, and |Z| for the other half.
    ///
    /// # Errors
    /// If the confidence is not above 0 and below 1, or there are no questions.
    pub fn accuracy(&self, questions: u64, confidence: f64) -> Result<Natural, MechanismError> {
        self.noises.reach(questions, confidence)
    }
}

/// ε2/ε1: (2c)^(2/3), or c^(2/3) if monotone, rounded to a multiple of 2^-10.
fn balance(above: u64, monotone: bool) -> Rational {
    let moved = Rational::from(if monotone { 1 } else { 2 }) * Rational::from(above.max(1));
    let log = Enclosure::of_rational(&moved).ln().unwrap_or(Enclosure::ZERO);
    let two_thirds = Enclosure::ONE - Enclosure::ONE / Enclosure::of_rational(&Rational::from(3));
    let ratio = Rational::from_f64((log * two_thirds).exp().lower()).unwrap_or(Rational::ONE);
    let rounded = (ratio * Rational::from(1024)).floor();
    Rational::new(rounded, 1024_u32).unwrap_or(Rational::ONE).max(Rational::ONE)
}
