use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::{Grid, MechanismError, Noise, PerCell, Run};
use throng_numeric::Rational;
use throng_sample::{Bernoulli, Entropy, SampleError};

use crate::any::Table;
use crate::evaluate::{self, FINE, fits, is_right};
use crate::histogram::noise_for;
use crate::math::number;
use crate::{
    Classes, Classified, Examples, Interval, LearnError, Matrix, Measured, Predict, Privacy,
};

/// How good a fitted model is; the larger the better.
///
/// # Contract
/// The score depends on the model, on the records held out, and on noise. On neighbours that differ
/// in a record held out it is at least as private as the spec says, whatever the model; a judge
/// without a spec does not look at them.
pub trait Judge<I, M> {
    /// What scoring one model costs; `None` if it is done on public data.
    fn spec(&self) -> Option<(MechanismSpec, Neighbours)>;

    /// The score of a model.
    ///
    /// # Errors
    /// Never for a reason that lies in the data.
    fn score(&self, model: &M, held_out: &I, run: &mut Run<'_>) -> Result<f64, MechanismError>;
}

/// Data whose records can be divided.
pub trait Divide: Sized {
    /// Each record goes to the second part with a chance of `share`, independently of all others.
    ///
    /// # Errors
    /// If no randomness can be drawn.
    fn divide(
        &self,
        share: &Rational,
        entropy: &mut dyn Entropy,
    ) -> Result<(Self, Self), SampleError>;

    /// Data of the same shape without records: all that a judge who needs none gets to see.
    #[must_use]
    fn emptied(&self) -> Self;
}

/// The numbers of the rows of both parts.
fn divided(
    rows: usize,
    share: &Rational,
    entropy: &mut dyn Entropy,
) -> Result<(Vec<usize>, Vec<usize>), SampleError> {
    let coin = Bernoulli::new(share)?;
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for row in 0..rows {
        let part = if coin.draw(entropy)? { &mut second } else { &mut first };
        part.push(row);
    }
    Ok((first, second))
}

impl<T: Clone> Divide for Matrix<T> {
    fn divide(
        &self,
        share: &Rational,
        entropy: &mut dyn Entropy,
    ) -> Result<(Self, Self), SampleError> {
        let (first, second) = divided(self.rows(), share, entropy)?;
        Ok((self.select(&first), self.select(&second)))
    }

    fn emptied(&self) -> Self {
        self.select(&[])
    }
}

impl<Y: Clone, X: Clone> Divide for Examples<Y, X> {
    fn divide(
        &self,
        share: &Rational,
        entropy: &mut dyn Entropy,
    ) -> Result<(Self, Self), SampleError> {
        let (first, second) = divided(self.len(), share, entropy)?;
        Ok((self.select(&first), self.select(&second)))
    }

    fn emptied(&self) -> Self {
        self.select(&[])
    }
}

impl Divide for Table {
    fn divide(
        &self,
        share: &Rational,
        entropy: &mut dyn Entropy,
    ) -> Result<(Self, Self), SampleError> {
        Ok(match self {
            Self::Classified(examples) => {
                let (first, second) = examples.divide(share, entropy)?;
                (Self::Classified(first), Self::Classified(second))
            }
            Self::Measured(examples) => {
                let (first, second) = examples.divide(share, entropy)?;
                (Self::Measured(first), Self::Measured(second))
            }
            Self::Plain(rows) => {
                let (first, second) = rows.divide(share, entropy)?;
                (Self::Plain(first), Self::Plain(second))
            }
        })
    }

    fn emptied(&self) -> Self {
        match self {
            Self::Classified(examples) => Self::Classified(examples.emptied()),
            Self::Measured(examples) => Self::Measured(examples.emptied()),
            Self::Plain(rows) => Self::Plain(rows.emptied()),
        }
    }
}

/// The number of records held out that are classified rightly, with noise.
///
/// # Guarantee
/// That of the noise: a record moves the number by at most 1.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldOutAccuracy {
    classes: Classes,
    noise: Noise,
}

impl HeldOutAccuracy {
    /// A judge for a target.
    ///
    /// # Errors
    /// If the target is out of range.
    pub fn new(classes: Classes, privacy: &Privacy) -> Result<Self, LearnError> {
        let one = PerCell::of(1, Rational::ONE, privacy.neighbours())?;
        Ok(Self { classes, noise: noise_for(privacy, (1, 1), &one, Grid::WHOLE)? })
    }
}

impl<M: Predict> Judge<Classified, M> for HeldOutAccuracy {
    fn spec(&self) -> Option<(MechanismSpec, Neighbours)> {
        Some((self.noise.spec().clone(), self.noise.neighbours()))
    }

    fn score(
        &self,
        model: &M,
        held_out: &Classified,
        run: &mut Run<'_>,
    ) -> Result<f64, MechanismError> {
        let right = is_right(model, held_out, self.classes).into_iter().filter(|x| *x).count();
        Ok(number(self.noise.added_to(i128::try_from(right).unwrap_or(i128::MAX), run)?))
    }
}

/// How well numbers of records held out are foretold: the sum of 1 - (error/width)², each clamped to
/// [0, 1], with noise.
///
/// # Guarantee
/// That of the noise: each record adds from 0 to 1, in steps of 2^-20, so it moves the sum by at most
/// 1 whether it is added, removed or replaced.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldOutFit {
    range: Interval,
    noise: Noise,
}

impl HeldOutFit {
    /// A judge for labels in a range and a target.
    ///
    /// # Errors
    /// If the target is out of range.
    pub fn new(range: Interval, privacy: &Privacy) -> Result<Self, LearnError> {
        let one = PerCell::of(1, Rational::ONE, privacy.neighbours())?;
        let noise = noise_for(privacy, (1, 1), &one, Grid::new(-FINE)?)?;
        Ok(Self { range, noise })
    }
}

impl<M: Predict> Judge<Measured, M> for HeldOutFit {
    fn spec(&self) -> Option<(MechanismSpec, Neighbours)> {
        Some((self.noise.spec().clone(), self.noise.neighbours()))
    }

    fn score(
        &self,
        model: &M,
        held_out: &Measured,
        run: &mut Run<'_>,
    ) -> Result<f64, MechanismError> {
        let whole = 1_i64 << FINE;
        let steps = fits(model, held_out, self.range).into_iter().map(|fit| whole - fit.error);
        let sum: i128 = steps.map(i128::from).sum();
        Ok(number(self.noise.added_to(sum, run)?))
    }
}

/// The share of public examples that are classified rightly.
#[derive(Debug, Clone, PartialEq)]
pub struct PublicAccuracy {
    examples: Classified,
    classes: Classes,
}

impl PublicAccuracy {
    /// A judge with examples that are declared to be public.
    #[must_use]
    pub const fn new(examples: Classified, classes: Classes) -> Self {
        Self { examples, classes }
    }
}

impl<I, M: Predict> Judge<I, M> for PublicAccuracy {
    fn spec(&self) -> Option<(MechanismSpec, Neighbours)> {
        None
    }

    fn score(&self, model: &M, _: &I, _: &mut Run<'_>) -> Result<f64, MechanismError> {
        Ok(evaluate::classification(model, &self.examples, self.classes)?.accuracy)
    }
}

/// Minus the mean squared error on public examples.
#[derive(Debug, Clone, PartialEq)]
pub struct PublicFit {
    examples: Measured,
}

impl PublicFit {
    /// A judge with examples that are declared to be public.
    #[must_use]
    pub const fn new(examples: Measured) -> Self {
        Self { examples }
    }
}

impl<I, M: Predict> Judge<I, M> for PublicFit {
    fn spec(&self) -> Option<(MechanismSpec, Neighbours)> {
        None
    }

    fn score(&self, model: &M, _: &I, _: &mut Run<'_>) -> Result<f64, MechanismError> {
        Ok(-evaluate::regression(model, &self.examples)?.mean_squared_error)
    }
}
