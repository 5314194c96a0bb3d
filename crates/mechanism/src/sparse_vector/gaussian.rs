//! The first query above a threshold, with Gaussian noise.

use throng_account::conversion::gaussian;
use throng_account::{Leaf, MechanismSpec};
use throng_numeric::{Enclosure, Natural, Rational};
use throng_sample::Entropy;

use super::session::{Noises, Threshold};
use super::{Queries, Session, check_threshold};
use crate::noise::hidden_in;
use crate::{Grid, MechanismError, Neighbours, NoiseLaw, Permit};

/// In which terms the guarantee is described to the accountant; all three are proved, and none is
/// the best for every budget.
///
/// With μ as in [`GaussianThreshold`] and L = ln(K + 1):
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Claim {
    /// δ(ε) = (K + 1) δ_μ(ε): the tightest curve, for statements (epsilon, delta) and budgets of
    /// pairs.
    #[default]
    Profile,
    /// D_a <= μ²/2 a + μ √(2L): for budgets of zCDP, which refuse the next.
    Zcdp,
    /// D_a <= μ²/2 a + L/(a - 1) at the orders 2, 3, 4, 6, ..., 128: the best for a Renyi budget of
    /// one of those orders.
    Renyi,
}

/// Finds the first of at most `K` queries above a threshold.
///
/// # Guarantee
/// With μ² = (κ/s1)² + (2κ/s2)² (κ for 2κ if monotone) and s = σ - 1/(4σ): for every ε the answers
/// together are (ε, (K + 1) δ_μ(ε))-private, where δ_μ is the profile of μ-Gaussian privacy; and
/// D_a <= a μ²/2 + ln(K + 1)/(a - 1) at every order a > 1.
///
/// # Why this is right
/// There are K + 1 outcomes: "first above at j", or never. Queries are functions of the answers
/// before, which are all Below, so they are one sequence. Write p for the law of the noise
/// (Z, N_j), and p' for that law shifted by κ in Z and 2κ in N_j. Given Z = z and N_j = n, the
/// chance w_j(z, n) on one data set that the outcome is j is 0 or
/// Π_(i<j) P(q_i + N_i < T + z); moving to a neighbour with z + κ, n + 2κ, no factor falls
/// and the indicator of q_j + n >= T + z does not either. So P(j) <= ∫ p' w_j and Q(j) = ∫ p w_j
/// with w_j in [0, 1] that of the neighbour, and for every set S of outcomes
///
/// ```text
/// P(S) - e^ε Q(S) <= Σ_(j in S) ∫ (p' - e^ε p)_+ w_j <= (K + 1) H(e^ε; p' || p).
/// ```
///
/// For "never", the shift of Z is enough. The last term is at most δ_μ(ε): discrete Gaussian
/// noise of σ >= 2 hides a shift at least as well as normal noise of σ - 1/(4σ)
/// (`throng_account::conversion::grid`), and pairs of independent noises compose. For
/// divergences, Hölder gives P(j)^a Q(j)^(1-a) <= ∫ p'^a p^(1-a) w_j, and the sum over j is at
/// most (K + 1) e^((a-1) a μ²/2).
///
/// [`Claim::Zcdp`] follows: D_a grows with a, so for a <= a* = 1 + √(2L)/μ it is at most the
/// bound at a*, which is μ²/2 + μ √(2L), and beyond a* the term L/(a - 1) is at most μ √(L/2).
///
/// # Reference
/// Zhu, Wang, *Improving Sparse Vector Technique with Renyi Differential Privacy* (2020) has the
/// same ln(K + 1)/(a - 1); the statement and proof for δ(ε) are ours.
///
/// ```
/// use throng_mechanism::sparse_vector::{Claim, GaussianThreshold, Queries};
/// use throng_mechanism::Neighbours;
/// let counts = Queries::moving(1, Neighbours::AddRemove)?.monotone()?;
/// let mechanism =
///     GaussianThreshold::new(&30.into(), &40.into(), counts, 500, 100, Claim::Profile)?;
/// assert!(mechanism.accuracy(0.95)? < 300_u32.into());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianThreshold {
    queries: Queries,
    threshold: i64,
    questions: u64,
    noises: Noises,
    spec: MechanismSpec,
}

impl GaussianThreshold {
    /// Noise of σ1 on the threshold and σ2 on each of at most `questions` queries.
    ///
    /// # Errors
    /// If a σ is not in [2, 2^30], there are no questions or more than 2^40, or the threshold is beyond
    /// ±2^60.
    pub fn new(
        threshold_sigma: &Rational,
        query_sigma: &Rational,
        queries: Queries,
        threshold: i64,
        questions: u64,
        claim: Claim,
    ) -> Result<Self, MechanismError> {
        check_threshold(threshold)?;
        for sigma in [threshold_sigma, query_sigma] {
            if *sigma < Rational::from(2) || *sigma > Rational::from(1_u64 << 30) {
                return Err(MechanismError::invalid("sigma", sigma, "in [2, 2^30]"));
            }
        }
        if questions == 0 || questions > 1 << 40 {
            return Err(MechanismError::invalid("the questions", questions, "in 1..=2^40"));
        }
        let mu = mu(threshold_sigma, query_sigma, queries)?;
        let outcomes = Rational::from(questions) + Rational::ONE;
        let leaf = match claim {
            Claim::Profile => profile(mu, &outcomes)?,
            Claim::Zcdp => zcdp(mu, &outcomes)?,
            Claim::Renyi => renyi(mu, &outcomes)?,
        };
        let law = |sigma: &Rational| NoiseLaw::gaussian(sigma.clone());
        let noises = Noises::new(law(threshold_sigma)?, law(query_sigma)?);
        let spec = MechanismSpec::leaf(leaf)?;
        Ok(Self { queries, threshold, questions, noises, spec })
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

    /// Starts a session; it ends after the first Above.
    ///
    /// # Guarantee
    /// [`GaussianThreshold::spec`] for all its answers together.
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
            value: None,
            above: 1,
            questions: Some(self.questions),
        };
        Session::start(guarantee, threshold, entropy)
    }

    /// A distance α such that with at least the confidence all answers are right up to α; see
    /// [`super::AboveThreshold::accuracy`].
    ///
    /// # Errors
    /// If the confidence is not above 0 and below 1.
    pub fn accuracy(&self, confidence: f64) -> Result<Natural, MechanismError> {
        self.noises.reach(self.questions, confidence)
    }
}

/// √((κ/s1)² + (2κ/s2)²) with s = σ - 1/(4σ).
fn mu(one: &Rational, two: &Rational, queries: Queries) -> Result<Enclosure, MechanismError> {
    let square = |distance: u64, sigma: &Rational| {
        let hidden = hidden_in(sigma, Grid::WHOLE)?
            .ok_or_else(|| MechanismError::invalid("sigma", sigma, "at least 2"))?;
        Ok::<_, MechanismError>(Rational::from(distance).checked_div(&hidden)?.square())
    };
    let total = square(queries.distance(), one)? + square(queries.relative(), two)?;
    Ok(Enclosure::of_rational(&total).sqrt()?)
}

/// How far down the knots of a profile go: δ = 10^0, 10^-1, ..., 10^-30.
const DECADES: u32 = 30;

fn profile(mu: Enclosure, outcomes: &Rational) -> Result<Leaf, MechanismError> {
    let outcomes = Enclosure::of_rational(outcomes);
    let mut knots: Vec<(Rational, Rational)> = Vec::new();
    let mut target = 1.0 / outcomes.upper();
    for _ in 0..=3 * DECADES {
        let epsilon = gaussian::epsilon(target, mu)?.upper.max(0.0);
        let delta = outcomes * gaussian::delta(Enclosure::point(epsilon)?, mu)?;
        let (epsilon, delta) = (Rational::from_f64(epsilon)?, Rational::from_f64(delta.upper())?);
        // Strictly increasing in ε, and no δ above 1.
        if delta <= Rational::ONE && knots.last().is_none_or(|(last, _)| *last < epsilon) {
            knots.push((epsilon, delta));
        }
        target *= 0.464_158_883_361_277_9;
    }
    Ok(Leaf::Profile { knots })
}

fn zcdp(mu: Enclosure, outcomes: &Rational) -> Result<Leaf, MechanismError> {
    let log = Enclosure::of_rational(outcomes).ln()?;
    let xi = mu * (log + log).sqrt()?;
    Ok(Leaf::Zcdp { rho: half_square(mu)?, xi: up(xi)? })
}

const ORDERS: [u32; 13] = [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128];

fn renyi(mu: Enclosure, outcomes: &Rational) -> Result<Leaf, MechanismError> {
    let log = Enclosure::of_rational(outcomes).ln()?;
    let rho = half_square(mu)?;
    let at = |order: u32| {
        let excess = Enclosure::of_rational(&Rational::from(order - 1));
        let divergence = &rho * &Rational::from(order) + up(log / excess)?;
        Ok::<_, MechanismError>((Rational::from(order), divergence))
    };
    Ok(Leaf::Renyi { table: ORDERS.into_iter().map(at).collect::<Result<_, _>>()? })
}

fn half_square(mu: Enclosure) -> Result<Rational, MechanismError> {
    Ok(up(mu.square())? * Rational::new(1, 2_u32)?)
}

fn up(x: Enclosure) -> Result<Rational, MechanismError> {
    Ok(Rational::from_f64(x.upper())?)
}
