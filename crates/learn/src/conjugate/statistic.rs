use serde::{Deserialize, Deserializer, Serialize};
use throng_account::Neighbours;
use throng_mechanism::{Interval as Confidence, MechanismError, Noise, NoiseLaw, Run};

use crate::data::check_columns;
use crate::histogram::Blur;
use crate::{LearnError, Matrix};

/// A released sum.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct Statistic {
    steps: i64,
    noise: Blur,
    law: NoiseLaw,
    step: f64,
}

/// How a statistic looks in JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    steps: i64,
    noise: Blur,
}

impl TryFrom<Stored> for Statistic {
    type Error = LearnError;

    fn try_from(Stored { steps, noise }: Stored) -> Result<Self, LearnError> {
        let (law, step) = (noise.law()?, noise.grid()?.to_f64(1));
        Ok(Self { steps, noise, law, step })
    }
}

impl From<Statistic> for Stored {
    fn from(statistic: Statistic) -> Self {
        Self { steps: statistic.steps, noise: statistic.noise }
    }
}

impl Statistic {
    /// A sum, in steps, with noise.
    pub(super) fn release(
        sum: i128,
        noise: &Noise,
        run: &mut Run<'_>,
    ) -> Result<Self, MechanismError> {
        let steps = noise.added_to(sum, run)?;
        Ok(Stored { steps, noise: Blur::of(noise)? }.try_into()?)
    }

    /// What was released.
    #[must_use]
    pub fn value(&self) -> f64 {
        crate::math::number(self.steps) * self.step
    }

    /// In steps of the grid.
    #[must_use]
    pub const fn steps(&self) -> i64 {
        self.steps
    }

    /// The law of its noise.
    #[must_use]
    pub const fn noise(&self) -> &Blur {
        &self.noise
    }

    /// The sum, in steps, with the law of its noise.
    pub(super) const fn released(&self) -> (&NoiseLaw, i64) {
        (&self.law, self.steps)
    }

    /// An interval that covers the sum before noise with this confidence.
    ///
    /// # Errors
    /// If the confidence is not above 0 and below 1.
    pub fn interval(&self, confidence: f64) -> Result<Confidence, LearnError> {
        let half = self.noise.half_width(1, confidence)?;
        let (lower, upper) = (self.value() - half, self.value() + half);
        Ok(Confidence { lower: lower.next_down(), upper: upper.next_up(), confidence })
    }
}

/// Under replace the number of records is public and must be declared, under add/remove it is private
/// and must not be.
pub(super) fn declared(records: Option<u64>, under: Neighbours) -> Result<Option<i64>, LearnError> {
    match (under, records) {
        (Neighbours::AddRemove, None) => Ok(None),
        (Neighbours::Replace, Some(n)) => few(n).map(Some),
        (Neighbours::AddRemove, Some(_)) => Err(LearnError::refused(
            "whoever may add or remove a record does not know how many there are",
            "leave `records` out, or use replace neighbours",
        )),
        (Neighbours::Replace, None) => Err(LearnError::refused(
            "with replace neighbours the number of records is public, but it is not declared",
            "declare `records`, or use add/remove neighbours",
        )),
        (Neighbours::ZeroOut, _) => Err(LearnError::refused(
            "rows of a table are not zeroed out",
            "use add/remove or replace neighbours",
        )),
    }
}

/// A number of records below 2^48.
fn few(records: u64) -> Result<i64, LearnError> {
    let few = i64::try_from(records).ok().filter(|n| *n < 1 << 48);
    few.ok_or_else(|| LearnError::invalid("records", records, "below 2^48"))
}

/// The number of records in a saved model, if it was public.
pub(super) fn read_records<'de, D: Deserializer<'de>>(saved: D) -> Result<Option<i64>, D::Error> {
    let records: Option<u64> = Option::deserialize(saved)?;
    records.map(few).transpose().map_err(serde::de::Error::custom)
}

/// That a table has one column and, if that is public, the declared number of records.
pub(super) fn check(rows: &Matrix<f64>, records: Option<i64>) -> Result<(), LearnError> {
    check_columns(rows.columns(), 1)?;
    match records {
        Some(records) if i64::try_from(rows.rows()) != Ok(records) => {
            let allowed = format!("{records}, as declared: it is public under replace");
            Err(LearnError::invalid("the number of records", rows.rows(), allowed))
        }
        Some(_) | None => Ok(()),
    }
}

/// The share of the budget that counting the records gets, in percent.
pub(super) fn percent(share: u32) -> Result<(u32, u32), LearnError> {
    if (1..=99).contains(&share) {
        return Ok((share, 100 - share));
    }
    Err(LearnError::invalid("count_share", share, "from 1 to 99 percent"))
}
