//! Synthetic tables: rows that look like the data and are nobody's.
//!
//! The counts of every column are bought, then the pairs of columns that depend most on each other,
//! as a tree, and the counts of those pairs. A model of the whole table is fitted to these numbers,
//! and as many rows as one likes are drawn from it: post-processing, free of charge.
//!
//! What is kept is each column's law and that of the chosen pairs; what depends on three columns at once
//! is not.

mod model;
mod shares;
mod tree;

use serde::{Deserialize, Serialize};
use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::selection::{Exponential, ScoreChange};
use throng_mechanism::{Mechanism, MechanismError, Noise, Run};
use throng_numeric::Rational;

use crate::data::check_columns;
use crate::error::unless_given_up;
use crate::histogram::{Coded, Counts, Domain, moved};
use crate::marginals::{Marginal, total};
use crate::math::{nearest, number};
use crate::schema::Schema;
use crate::{LearnError, Learner, Matrix, Privacy};
pub use model::{Differences, SyntheticModel, differences};
use shares::{Parts, Shares};

/// The columns of a table: all their pairs are looked at.
const MOST_COLUMNS: usize = 512;

/// Scores are whole numbers of 2^-10 records.
const SCALE: i64 = 1 << 10;

/// A model of a table to draw rows from, by a tree of pairs of columns.
///
/// # Guarantee
/// The composition of three steps, whose specs are fixed in advance:
/// 1. the counts of each column: a record moves one count of each by 1 (two if it is replaced);
/// 2. for all but one column, the exponential mechanism on the pairs that join two parts of the forest so
///    far. The score of a pair is the L1 distance, in steps of 2^-10, of its counts from what the noisy
///    counts of its columns foretell if they are independent, which is public by then: a record moves a
///    score by at most 1 (2 if it is replaced), up or down;
/// 3. the counts of the chosen pairs, as in step 1.
///
/// ```
/// use throng_learn::histogram::{Bins, Domain};
/// use throng_learn::synthetic::{Synthesis, SynthesisOptions};
/// use throng_learn::{Learner, Matrix, Privacy};
/// use throng_mechanism::{Budget, Neighbours, Sensitive};
/// # use throng_sample::OsEntropy;
/// let domain = Domain::new(vec![Bins::levels(2)?, Bins::levels(2)?, Bins::levels(3)?])?;
/// let privacy = Privacy::approximate(1.0, 1e-6)?;
/// let synthesis = Synthesis::new(domain, &privacy, &SynthesisOptions::default())?;
/// let rows = Sensitive::new(Matrix::from_rows(&[[0.0, 0.0, 2.0], [1.0, 1.0, 0.0]]));
/// let mut budget = Budget::zcdp(1.into(), Neighbours::AddRemove)?;
/// let release = synthesis.fit(&rows, &mut budget, &mut OsEntropy)?;
/// let synthetic = release.value().sample(100, &mut OsEntropy)?;
/// assert_eq!(synthetic.rows(), 100);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Reference
/// R. McKenna, G. Miklau, D. Sheldon, "Winning the NIST contest: a scalable and general approach to
/// differentially private synthetic data", 2021 (MST).
#[derive(Debug, Clone, PartialEq)]
pub struct Synthesis {
    domain: Domain,
    parts: Parts,
    under: Neighbours,
}

/// How a table is modelled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SynthesisOptions {
    /// Bins of each column of numbers, if the domain is made of a schema.
    pub bins: u32,
    /// The shares of the budget for the counts of columns, the choice of pairs, and the counts of pairs.
    pub shares: [u32; 3],
}

impl Default for SynthesisOptions {
    fn default() -> Self {
        Self { bins: 16, shares: [1, 1, 1] }
    }
}

impl Synthesis {
    /// A model on a domain.
    ///
    /// # Errors
    /// If there are more than 512 columns, two have more than 2^24 cells together, a share is not from 1 to
    /// 1000, or nothing is known to reach the target.
    pub fn new(
        domain: Domain,
        privacy: &Privacy,
        options: &SynthesisOptions,
    ) -> Result<Self, LearnError> {
        let columns = domain.columns().len();
        if columns > MOST_COLUMNS {
            return Err(LearnError::invalid("the number of columns", columns, "at most 512"));
        }
        for a in 0..columns {
            domain.shape_of(&[a])?;
            for b in a + 1..columns {
                domain.shape_of(&[a, b])?;
            }
        }
        let [one, choice, two] = options.shares;
        if !options.shares.iter().all(|share| (1..=1000).contains(share)) {
            let given = format!("{:?}", options.shares);
            return Err(LearnError::invalid("the shares", given, "from 1 to 1000"));
        }
        let parts = Shares { columns, one, choice, two }.parts(privacy)?;
        Ok(Self { domain, parts, under: privacy.neighbours() })
    }

    /// A model for the columns of a schema, encoded by place.
    ///
    /// # Errors
    /// As for [`Synthesis::new`] and [`Domain::of_schema`].
    pub fn of_schema(
        schema: &Schema,
        privacy: &Privacy,
        options: &SynthesisOptions,
    ) -> Result<Self, LearnError> {
        Self::new(Domain::of_schema(schema, options.bins)?, privacy, options)
    }

    /// The counts of some columns, with noise.
    fn table(
        &self,
        coded: &Coded,
        columns: Vec<usize>,
        noise: &Noise,
        run: &mut Run<'_>,
    ) -> Result<Marginal, MechanismError> {
        let shape = self.domain.shape_of(&columns)?;
        let counts = Counts::release(coded.counts(&columns, &shape), shape, noise, run)?;
        Ok(Marginal { columns, counts })
    }

    /// The pairs of a tree, each chosen among those that join two of its parts.
    fn choose(
        &self,
        coded: &Coded,
        singles: &[Marginal],
        epsilon: &Rational,
        run: &mut Run<'_>,
    ) -> Result<Vec<(usize, usize)>, MechanismError> {
        let columns = singles.len();
        let pairs: Vec<(usize, usize)> =
            (0..columns).flat_map(|a| (a + 1..columns).map(move |b| (a, b))).collect();
        let all = total(singles.iter()).max(1.0);
        let mut scores = Vec::with_capacity(pairs.len());
        for pair in &pairs {
            unless_given_up()?;
            scores.push(self.score(coded, singles, *pair, all)?);
        }
        let change = score_change(self.under)?;
        let mut part: Vec<usize> = (0..columns).collect();
        let mut chosen = Vec::new();
        for _ in 1..columns {
            let joins = |(a, b): &(usize, usize)| part.get(*a) != part.get(*b);
            let open: Vec<_> = pairs.iter().zip(&scores).filter(|(pair, _)| joins(pair)).collect();
            let among: Vec<i64> = open.iter().map(|(_, score)| **score).collect();
            let place = Exponential::new(among.len(), epsilon, &change)?.answer(&among, run)?;
            let Some(((a, b), _)) = open.get(place) else { continue };
            chosen.push((*a, *b));
            let (from, to) = (part.get(*b).copied(), part.get(*a).copied().unwrap_or(0));
            for of in part.iter_mut().filter(|of| Some(**of) == from) {
                *of = to;
            }
        }
        Ok(chosen)
    }

    /// How far the counts of a pair are from independence, in steps: private.
    fn score(
        &self,
        coded: &Coded,
        singles: &[Marginal],
        (a, b): (usize, usize),
        all: f64,
    ) -> Result<i64, LearnError> {
        let counts = coded.counts(&[a, b], &self.domain.shape_of(&[a, b])?);
        let margin = |column: usize| singles.get(column).map_or(&[][..], |one| one.counts.values());
        let foretold = margin(a).iter().flat_map(|x| {
            margin(b).iter().map(move |y| nearest(number(SCALE) * x.max(0.0) * y.max(0.0) / all))
        });
        // Saturating sums move no further than the counts do.
        let off = counts
            .iter()
            .zip(foretold)
            .map(|(n, expected)| n.saturating_mul(SCALE).saturating_sub(expected).saturating_abs());
        Ok(off.fold(0_i64, i64::saturating_add))
    }
}

/// A record moves one count of a pair by 1, or two; so it moves each score by that many records at
/// most.
fn score_change(under: Neighbours) -> Result<ScoreChange, LearnError> {
    let cells = moved(under)?.cells();
    let scale = Rational::from(SCALE);
    Ok(ScoreChange::within(&(Rational::from(cells) * scale), under)?)
}

impl Mechanism for Synthesis {
    type Input = Matrix<f64>;
    type Output = SyntheticModel;

    fn spec(&self) -> MechanismSpec {
        self.parts.spec.clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.under
    }

    fn answer(
        &self,
        input: &Matrix<f64>,
        run: &mut Run<'_>,
    ) -> Result<SyntheticModel, MechanismError> {
        let coded = self.domain.code(input);
        let mut singles = Vec::new();
        for column in 0..self.domain.columns().len() {
            unless_given_up()?;
            singles.push(self.table(&coded, vec![column], &self.parts.single, run)?);
        }
        let mut pairs = Vec::new();
        if let (Some(epsilon), Some(noise)) = (&self.parts.choice, &self.parts.pair) {
            for (a, b) in self.choose(&coded, &singles, epsilon, run)? {
                unless_given_up()?;
                pairs.push(self.table(&coded, vec![a, b], noise, run)?);
            }
        }
        Ok(SyntheticModel::new(self.domain.clone(), singles, pairs)?)
    }
}

impl Learner for Synthesis {
    fn check(&self, input: &Matrix<f64>) -> Result<(), LearnError> {
        check_columns(input.columns(), self.domain.columns().len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::Bins;

    #[test]
    fn a_record_moves_a_score_by_one_at_most() {
        let bins = || Bins::levels(3).unwrap();
        let domain = Domain::new(vec![bins(), bins()]).unwrap();
        let privacy = Privacy::pure(1.0).unwrap();
        let options = SynthesisOptions::default();
        let synthesis = Synthesis::new(domain.clone(), &privacy, &options).unwrap();
        let rows: Vec<[f64; 2]> =
            (0..40).map(|i| [f64::from(i % 3), f64::from(i * i % 5)]).collect();
        let noise = crate::histogram::noise_of_counts(&privacy, (1, 1)).unwrap();
        let blurred = |values: &str| -> Counts {
            let noise =
                serde_json::to_string(&crate::histogram::Blur::of(&noise).unwrap()).unwrap();
            let text = format!(r#"{{"shape":[3],"values":{values},"noise":{noise}}}"#);
            serde_json::from_str(&text).unwrap()
        };
        for (a, b) in [("[13,14,13]", "[9,2,22.5]"), ("[-4,1e9,3]", "[0,0,0]")] {
            let singles =
                [(0, a), (1, b)].map(|(c, v)| Marginal { columns: vec![c], counts: blurred(v) });
            let score = |rows: &[[f64; 2]]| {
                let coded = domain.code(&Matrix::from_rows(rows));
                synthesis.score(&coded, &singles, (0, 1), 40.0).unwrap()
            };
            let all = score(&rows);
            for left_out in 0..rows.len() {
                let mut rest = rows.clone();
                rest.remove(left_out);
                assert!((all - score(&rest)).abs() <= SCALE);
                rest.insert(left_out, [2.0, 1.0]);
                assert!((all - score(&rest)).abs() <= 2 * SCALE);
            }
        }
    }
}
