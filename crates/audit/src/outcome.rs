//! What a target gives out: numbers, texts, lists, sets.

use serde::{Deserialize, Serialize};

/// One outcome of one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// No answer: a refusal, an error, a null.
    Nothing,
    /// A whole number.
    Integer(i64),
    /// A real number; all its bits count.
    Number(f64),
    /// A text.
    Text(String),
    /// Several outcomes in an order that counts; any length.
    List(Vec<Outcome>),
    /// Several outcomes whose order does not count; made by [`Outcome::set`].
    Set(Vec<Outcome>),
}

impl Outcome {
    /// A set in a form that does not know the order in which its members came: probes that look at places see
    /// the same whatever it was.
    ///
    /// ```
    /// use throng_audit::Outcome;
    /// let (a, b) = (Outcome::Integer(1), Outcome::Text("b".to_owned()));
    /// assert_eq!(Outcome::set(vec![a.clone(), b.clone()]), Outcome::set(vec![b, a]));
    /// ```
    #[must_use]
    pub fn set(mut members: Vec<Self>) -> Self {
        members.sort_by_cached_key(crate::probe::key);
        Self::Set(members)
    }

    fn rounded(&self, step: f64) -> Self {
        let all = |many: &[Self]| many.iter().map(|one| one.rounded(step)).collect();
        match self {
            Self::Number(x) => Self::Number(to_step(*x, step)),
            Self::List(many) => Self::List(all(many)),
            Self::Set(many) => Self::set(all(many)),
            Self::Nothing | Self::Integer(_) | Self::Text(_) => self.clone(),
        }
    }
}

/// The nearest multiple of a step; numbers beyond all steps, infinities and NaN stay. There is one zero.
fn to_step(x: f64, step: f64) -> f64 {
    let rounded = (x / step).round() * step;
    if rounded.is_finite() { rounded + 0.0 } else { x }
}

/// The outcomes of many runs in one world, in columns where that is possible.
///
/// ```
/// use throng_audit::{Outcome, Outcomes};
/// let mut outcomes = Outcomes::new();
/// outcomes.push(Outcome::Number(3.0));
/// outcomes.push(Outcome::Number(0.5));
/// assert_eq!(outcomes, Outcomes::Numbers(vec![3.0, 0.5]));
/// ```
///
/// # Guarantee
/// What goes in comes out: a whole number stays one beside real numbers. If it became a real number
/// there, the same outcome would look different in two batches, and two equal worlds could be told
/// apart by what else happens to be in the batch.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcomes {
    /// All are whole numbers.
    Integers(Vec<i64>),
    /// All are real numbers.
    Numbers(Vec<f64>),
    /// Anything else.
    Mixed(Vec<Outcome>),
}

impl Default for Outcomes {
    fn default() -> Self {
        Self::new()
    }
}

impl Outcomes {
    /// None yet.
    #[must_use]
    pub const fn new() -> Self {
        Self::Integers(Vec::new())
    }

    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Integers(column) => column.len(),
            Self::Numbers(column) => column.len(),
            Self::Mixed(column) => column.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets all of them, and keeps the room they took.
    pub fn clear(&mut self) {
        match self {
            Self::Integers(column) => column.clear(),
            Self::Numbers(column) => column.clear(),
            Self::Mixed(column) => column.clear(),
        }
    }

    /// One of them.
    #[must_use]
    pub fn get(&self, i: usize) -> Option<Outcome> {
        match self {
            Self::Integers(column) => column.get(i).copied().map(Outcome::Integer),
            Self::Numbers(column) => column.get(i).copied().map(Outcome::Number),
            Self::Mixed(column) => column.get(i).cloned(),
        }
    }

    /// One more.
    pub fn push(&mut self, outcome: Outcome) {
        if self.is_empty() {
            *self = match outcome {
                Outcome::Integer(i) => Self::Integers(vec![i]),
                Outcome::Number(x) => Self::Numbers(vec![x]),
                other @ (Outcome::Nothing
                | Outcome::Text(_)
                | Outcome::List(_)
                | Outcome::Set(_)) => Self::Mixed(vec![other]),
            };
            return;
        }
        match (&mut *self, outcome) {
            (Self::Integers(column), Outcome::Integer(i)) => column.push(i),
            (Self::Numbers(column), Outcome::Number(x)) => column.push(x),
            (Self::Mixed(column), outcome) => column.push(outcome),
            (Self::Integers(_) | Self::Numbers(_), outcome) => {
                let mut mixed = self.to_mixed();
                mixed.push(outcome);
                *self = Self::Mixed(mixed);
            }
        }
    }

    /// All of another collection, at the end.
    pub fn append(&mut self, other: &Self) {
        match (&mut *self, other) {
            (Self::Integers(column), Self::Integers(more)) => column.extend_from_slice(more),
            (Self::Numbers(column), Self::Numbers(more)) => column.extend_from_slice(more),
            _ => (0..other.len()).filter_map(|i| other.get(i)).for_each(|one| self.push(one)),
        }
    }

    /// The same with every number that is not whole rounded to a multiple of a step; whole numbers stay.
    ///
    /// ```
    /// use throng_audit::Outcomes;
    /// assert_eq!(Outcomes::Numbers(vec![0.26, -1.0]).rounded(0.5), Outcomes::Numbers(vec![0.5, -1.0]));
    /// ```
    #[must_use]
    pub fn rounded(&self, step: f64) -> Self {
        match self {
            Self::Integers(column) => Self::Integers(column.clone()),
            Self::Numbers(column) => {
                Self::Numbers(column.iter().map(|x| to_step(*x, step)).collect())
            }
            Self::Mixed(column) => {
                Self::Mixed(column.iter().map(|one| one.rounded(step)).collect())
            }
        }
    }

    /// Each by itself.
    #[must_use]
    pub fn to_mixed(&self) -> Vec<Outcome> {
        (0..self.len()).filter_map(|i| self.get(i)).collect()
    }

    /// Those at some places.
    #[must_use]
    pub fn select(&self, places: &[usize]) -> Self {
        match self {
            Self::Integers(column) => {
                Self::Integers(places.iter().filter_map(|i| column.get(*i).copied()).collect())
            }
            Self::Numbers(column) => {
                Self::Numbers(places.iter().filter_map(|i| column.get(*i).copied()).collect())
            }
            Self::Mixed(column) => {
                Self::Mixed(places.iter().filter_map(|i| column.get(*i).cloned()).collect())
            }
        }
    }
}

impl FromIterator<Outcome> for Outcomes {
    fn from_iter<I: IntoIterator<Item = Outcome>>(outcomes: I) -> Self {
        let mut all = Self::new();
        outcomes.into_iter().for_each(|outcome| all.push(outcome));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_comes_out() {
        let all =
            [Outcome::Integer(3), Outcome::Number(3.0), Outcome::Number(-0.0), Outcome::Nothing];
        for first in &all {
            for second in &all {
                let both: Outcomes = [first.clone(), second.clone()].into_iter().collect();
                assert_eq!(both.to_mixed(), [first.clone(), second.clone()]);
                let mut appended: Outcomes = std::iter::once(first.clone()).collect();
                appended.append(&std::iter::once(second.clone()).collect());
                assert_eq!(appended, both);
            }
        }
    }
}
