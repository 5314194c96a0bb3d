//! What a learner is fitted on.

use crate::{LearnError, Matrix};

/// Examples: one row of features and one label for each record.
///
/// Each record is a unit. Whoever protects people with several records bounds what each
/// contributes before, and says so in the policy.
///
/// ```
/// use throng_learn::{Classified, Matrix};
/// let features = Matrix::from_rows(&[[39.0, 13.0], [52.0, 9.0]]);
/// let examples = Classified::new(features, vec![0, 1])?;
/// assert_eq!(examples.len(), 2);
/// # Ok::<(), throng_learn::LearnError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Examples<Y, X = f64> {
    features: Matrix<X>,
    labels: Vec<Y>,
}

/// Examples labelled with the number of their class, from 0; a record with any other number is left
/// out of the fit.
pub type Classified<X = f64> = Examples<u32, X>;

/// Examples labelled with a number.
pub type Measured<X = f64> = Examples<f64, X>;

impl<Y, X> Examples<Y, X> {
    /// Examples.
    ///
    /// # Errors
    /// If there are not as many labels as rows.
    pub fn new(features: Matrix<X>, labels: Vec<Y>) -> Result<Self, LearnError> {
        if features.rows() == labels.len() {
            return Ok(Self { features, labels });
        }
        let allowed = format!("{}, one for each row", features.rows());
        Err(LearnError::invalid("the number of labels", labels.len(), allowed))
    }

    /// The features.
    #[must_use]
    pub const fn features(&self) -> &Matrix<X> {
        &self.features
    }

    /// The labels.
    #[must_use]
    pub fn labels(&self) -> &[Y] {
        &self.labels
    }

    /// How many records.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Record after record.
    pub fn iter(&self) -> impl Iterator<Item = (&[X], &Y)> {
        self.features.iter().zip(&self.labels)
    }
}

impl<Y: Clone, X: Clone> Examples<Y, X> {
    /// The records with these numbers, in this order; those that do not exist are left out.
    #[must_use]
    pub fn select(&self, records: &[usize]) -> Self {
        let label = |record: &usize| self.labels.get(*record).cloned();
        let labels = records.iter().filter_map(label).collect();
        Self { features: self.features.select(records), labels }
    }
}

/// What a learner made for so many columns does with a table of another width: it is not fitted.
///
/// The width of a table is public: it is the same on neighbours.
///
/// # Errors
/// If the number of columns is another.
pub fn check_columns(found: usize, declared: usize) -> Result<(), LearnError> {
    if found == declared {
        return Ok(());
    }
    Err(LearnError::invalid(
        "the number of columns",
        found,
        format!("{declared}, as many as have bounds"),
    ))
}
