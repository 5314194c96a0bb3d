//! The best of several settings, with what the search costs.
//!
//! Trying settings and keeping the best is not free: which one wins tells about the data. Paying for
//! each try is a waste, as only one is kept. If the *number* of tries is random and stays secret, the
//! best of them costs about two or three times a single one, however many there are
//! ([`spec_of_best`]).
//!
//! Settings that are judged on public data cost the same: it is the choice among fitted models that
//! is paid for, not the score. Only whoever publishes all fitted models pays for each.

mod cost;
mod judge;
mod runs;

use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::{Mechanism, MechanismError, Run};
use throng_numeric::Rational;
use throng_sample::Uniform;

use crate::error::unless_given_up;
use crate::{LearnError, Learner};
pub use cost::spec_of_best;
pub use judge::{Divide, HeldOutAccuracy, HeldOutFit, Judge, PublicAccuracy, PublicFit};
pub use runs::Runs;

/// One setting.
pub type Candidate<I, M> = Box<dyn Learner<Input = I, Output = M>>;

/// A search among settings, for the model with the best score.
///
/// A random number of times, a setting is drawn uniformly, fitted and scored; the model with the
/// best score (of equal ones the first) is released, with its score and setting, and nothing else.
///
/// # Guarantee
/// That of [`spec_of_best`]. If the judge is private, each record is held out with a chance of
/// `held_out`, once for all runs: given who is held out, neighbours differ either in a record that is
/// fitted or in one that scores, so a run costs the worse of fit and score, not both. The setting is
/// drawn without looking at data, so a run is as private as the worst of them. How many runs there
/// were must stay secret, and how long the search took tells: do not publish that.
///
/// ```
/// use throng_learn::conjugate::{BetaBernoulli, BetaBernoulliModel, BetaBernoulliOptions};
/// use throng_learn::tuning::{Candidate, Judge, Runs, Search};
/// use throng_learn::{Learner, Matrix, Privacy};
/// use throng_mechanism::{Budget, Mechanism, MechanismError, Neighbours, Run, Sensitive};
/// # use throng_sample::OsEntropy;
/// /// Public belief: about one half.
/// struct Half;
/// impl Judge<Matrix<f64>, BetaBernoulliModel> for Half {
///     fn spec(&self) -> Option<(throng_account::MechanismSpec, Neighbours)> { None }
///     fn score(&self, model: &BetaBernoulliModel, _: &Matrix<f64>, _: &mut Run<'_>)
///         -> Result<f64, MechanismError> { Ok(-(model.posterior().mean() - 0.5).abs()) }
/// }
/// let setting = |a: f64| -> Result<Candidate<_, _>, throng_learn::LearnError> {
///     let options = BetaBernoulliOptions { a, ..Default::default() };
///     Ok(Box::new(BetaBernoulli::new(&Privacy::pure(1.0)?, &options)?))
/// };
/// let search = Search::new(vec![setting(1.0)?, setting(5.0)?], Box::new(Half), Runs::geometric(4)?)?;
/// assert_eq!(search.spec().to_string(), "pure(eps=3)");
/// let mut budget = Budget::pure(3.into(), Neighbours::AddRemove)?;
/// let data = Sensitive::new(Matrix::from_rows(&[[1.0], [0.0], [1.0]]));
/// let release = search.fit(&data, &mut budget, &mut OsEntropy)?;
/// println!("setting {:?}", release.value().as_ref().map(|best| best.candidate));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Reference
/// As for [`spec_of_best`].
pub struct Search<I, M> {
    candidates: Vec<Candidate<I, M>>,
    judge: Box<dyn Judge<I, M>>,
    held_out: Option<Rational>,
    runs: Runs,
    spec: MechanismSpec,
    under: Neighbours,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Best<M> {
    /// The place of the setting among the candidates.
    pub candidate: usize,
    /// Its score, as the judge gave it; the best of several, so it flatters.
    pub score: f64,
    /// The fitted model.
    pub model: M,
}

impl<I: Divide, M> Search<I, M> {
    /// A search; a fifth of the records is held out if the judge looks at them.
    ///
    /// # Errors
    /// If there are no candidates, they or the judge are for different relations, or the search has no
    /// finite cost.
    pub fn new(
        candidates: Vec<Candidate<I, M>>,
        judge: Box<dyn Judge<I, M>>,
        runs: Runs,
    ) -> Result<Self, LearnError> {
        let Some(first) = candidates.first() else {
            return Err(LearnError::invalid("the number of candidates", 0, "at least 1"));
        };
        let under = first.neighbours();
        let mut bases: Vec<_> = candidates.iter().map(|candidate| candidate.spec()).collect();
        let mut relations: Vec<_> = candidates.iter().map(|one| one.neighbours()).collect();
        let mut held_out = None;
        if let Some((spec, relation)) = judge.spec() {
            bases.push(spec);
            relations.push(relation);
            held_out = Some(Rational::new(1, 5_u32)?);
        }
        if relations.iter().any(|other| *other != under) {
            return Err(LearnError::refused(
                "candidates and judge are for different relations",
                "use one relation throughout",
            ));
        }
        let spec = spec_of_best(&bases, &runs, under)?;
        Ok(Self { candidates, judge, held_out, runs, spec, under })
    }

    /// With another share of records held out.
    ///
    /// # Errors
    /// If the share is not above 0 and below 1, or the judge looks at public data only.
    pub fn holding_out(self, share: Rational) -> Result<Self, LearnError> {
        if self.held_out.is_none() {
            return Err(LearnError::refused(
                "the judge looks at no private records, but some are to be held out",
                "leave the share out, or use a private judge",
            ));
        }
        if !share.is_positive() || share >= Rational::ONE {
            return Err(LearnError::invalid("the share held out", share, "above 0 and below 1"));
        }
        Ok(Self { held_out: Some(share), ..self })
    }

    /// Fits and scores settings; the first of the best.
    fn best(
        &self,
        fitted: &I,
        scored: &I,
        run: &mut Run<'_>,
    ) -> Result<Option<Best<M>>, MechanismError> {
        let die = Uniform::below(self.candidates.len())?;
        let mut best: Option<Best<M>> = None;
        for _ in 0..self.runs.draw(run.entropy())? {
            unless_given_up()?;
            let place = usize::try_from(die.draw(run.entropy())?).unwrap_or(0);
            let Some(candidate) = self.candidates.get(place) else { continue };
            let model = candidate.answer(fitted, run)?;
            let score = self.judge.score(&model, scored, run)?;
            // NaN, which no judge here gives, is the worst.
            let score = if score.is_nan() { f64::NEG_INFINITY } else { score };
            if best.as_ref().is_none_or(|found| score > found.score) {
                best = Some(Best { candidate: place, score, model });
            }
        }
        Ok(best)
    }
}

impl<I: Divide, M> Mechanism for Search<I, M> {
    type Input = I;
    /// `None` if nothing ran, which happens for a Poisson number of runs only.
    type Output = Option<Best<M>>;

    fn spec(&self) -> MechanismSpec {
        self.spec.clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.under
    }

    fn answer(&self, input: &I, run: &mut Run<'_>) -> Result<Option<Best<M>>, MechanismError> {
        match &self.held_out {
            None => self.best(input, &input.emptied(), run),
            Some(share) => {
                let (fitted, scored) = input.divide(share, run.entropy())?;
                self.best(&fitted, &scored, run)
            }
        }
    }
}

impl<I: Divide, M> Learner for Search<I, M> {
    fn check(&self, input: &I) -> Result<(), LearnError> {
        self.candidates.iter().try_for_each(|candidate| candidate.check(input))
    }
}
