//! What is to be done with each row, and where its measures are kept.

use datafusion::arrow::array::{Array, ArrayRef};
use datafusion::arrow::buffer::NullBuffer;
use throng_mechanism::Clamp;

use super::dictionary::Dictionary;
use super::hash::HashKey;
use super::steps::steps;
use super::{Layout, Measure};
use crate::QueryError;

/// The largest |contribution| of a row to a sum.
pub(super) const MOST_STEPS: u64 = 1 << 30;

/// The largest clip of a sum.
const MOST_CLIP: i64 = 1 << 61;

/// The measures of a layout, sorted by how they are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) scalars: Vec<Scalar>,
    /// Inputs whose NULLs are counted.
    pub(super) present: Vec<usize>,
    pub(super) values: Vec<(usize, Clamp)>,
    /// Inputs whose values are told apart.
    pub(super) distinct: Vec<usize>,
    /// For each measure of the layout, where it is.
    pub(super) places: Vec<Place>,
}

/// A sum over rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Scalar {
    input: usize,
    clamp: Clamp,
    centre: i64,
    /// For squares: what is subtracted afterwards.
    offset: Option<i64>,
}

/// Where a measure is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Rows,
    Present(usize),
    Scalar(usize),
    Clipped { scalar: usize, most: i64 },
    Values(usize),
    Distinct(usize),
}

impl Plan {
    /// # Errors
    /// If an input does not exist or a clamp reaches too far from its centre.
    pub(super) fn new(layout: &Layout) -> Result<Self, QueryError> {
        let mut plan = Self::default();
        for measure in &layout.measures {
            if measure.input().is_some_and(|input| input >= layout.inputs) {
                return Err(QueryError::invalid("a measure of an input that is not there", ""));
            }
            if measure.is_sum() && measure.reach() > MOST_STEPS {
                return Err(QueryError::invalid(
                    "the range of an input has more than 2^30 grid steps",
                    "use a coarser grid",
                ));
            }
            let place = plan.place(measure);
            plan.places.push(place);
        }
        Ok(plan)
    }

    fn place(&mut self, measure: &Measure) -> Place {
        match measure {
            Measure::Rows => Place::Rows,
            Measure::Present { input } => Place::Present(entered(&mut self.present, *input)),
            Measure::Sum { input, clamp, centre } => {
                let scalar = Scalar { input: *input, clamp: *clamp, centre: *centre, offset: None };
                Place::Scalar(entered(&mut self.scalars, scalar))
            }
            Measure::Clipped { input, clamp, most } => {
                let scalar = Scalar { input: *input, clamp: *clamp, centre: 0, offset: None };
                let scalar = entered(&mut self.scalars, scalar);
                let most = i64::try_from(*most).unwrap_or(MOST_CLIP).min(MOST_CLIP);
                Place::Clipped { scalar, most }
            }
            Measure::Squares { input, clamp, centre, offset } => {
                let offset = Some(*offset);
                let scalar = Scalar { input: *input, clamp: *clamp, centre: *centre, offset };
                Place::Scalar(entered(&mut self.scalars, scalar))
            }
            Measure::Distinct { input } => Place::Distinct(entered(&mut self.distinct, *input)),
            Measure::Values { input, clamp } => {
                Place::Values(entered(&mut self.values, (*input, *clamp)))
            }
        }
    }

    /// What the rows of a batch contribute.
    ///
    /// # Errors
    /// If an input is not a number where one is needed.
    pub(super) fn contributions(
        &self,
        inputs: &[ArrayRef],
        dictionaries: &mut Vec<Dictionary>,
        hash: HashKey,
    ) -> Result<Contributions, QueryError> {
        let input = |i: usize| inputs.get(i).ok_or_else(|| QueryError::engine("reading inputs"));
        let scalars = self.scalars.iter().map(|scalar| scalar.column(input(scalar.input)?));
        let scalars = scalars.collect::<Result<_, _>>()?;
        let present = self.present.iter().map(|i| Ok(nulls(input(*i)?)));
        let present = present.collect::<Result<_, QueryError>>()?;
        let values = self.values.iter().map(|(i, clamp)| {
            let array = input(*i)?;
            Ok((steps(array, *clamp)?, nulls(array)))
        });
        let values = values.collect::<Result<_, QueryError>>()?;
        let mut distinct = Vec::with_capacity(self.distinct.len());
        for (which, i) in self.distinct.iter().enumerate() {
            let array = input(*i)?;
            if dictionaries.len() <= which {
                dictionaries.push(Dictionary::new(array.data_type(), hash, false)?);
            }
            let mut codes = Vec::new();
            if let Some(dictionary) = dictionaries.get_mut(which) {
                dictionary.encode(array, &mut codes)?;
            }
            distinct.push((codes, nulls(array)));
        }
        Ok(Contributions { scalars, present, values, distinct })
    }
}

/// The place of an item in a list, which has it afterwards.
fn entered<T: PartialEq>(list: &mut Vec<T>, item: T) -> usize {
    if let Some(found) = list.iter().position(|other| *other == item) {
        return found;
    }
    list.push(item);
    list.len() - 1
}

fn nulls(array: &ArrayRef) -> Option<NullBuffer> {
    array.logical_nulls().filter(|nulls| nulls.null_count() > 0)
}

impl Scalar {
    /// The contribution of each row, 0 where the input is NULL.
    fn column(&self, array: &ArrayRef) -> Result<Vec<i32>, QueryError> {
        let steps = steps(array, self.clamp)?;
        let mut column: Vec<i32> = match self.offset {
            None => steps.into_iter().map(|x| narrow(x - self.centre)).collect(),
            Some(offset) => {
                let square = |x: i64| (x - self.centre) * (x - self.centre) - offset;
                steps.into_iter().map(|x| narrow(square(x))).collect()
            }
        };
        if let Some(nulls) = nulls(array) {
            for (row, x) in column.iter_mut().enumerate() {
                *x *= i32::from(nulls.is_valid(row));
            }
        }
        Ok(column)
    }
}

/// A contribution in 32 bits: at most 2^30 by the check of the plan.
#[inline]
fn narrow(x: i64) -> i32 {
    #[expect(clippy::cast_possible_truncation, reason = "at most 2^30 by the check of the plan")]
    let narrow = x as i32;
    narrow
}

/// What each row of a batch contributes.
pub(super) struct Contributions {
    pub(super) scalars: Vec<Vec<i32>>,
    pub(super) present: Vec<Option<NullBuffer>>,
    pub(super) values: Vec<(Vec<i64>, Option<NullBuffer>)>,
    pub(super) distinct: Vec<(Vec<u32>, Option<NullBuffer>)>,
}

impl Contributions {
    /// Calls back with all that is not a plain sum: (row, event).
    pub(super) fn events(&self, mut each: impl FnMut(usize, Event)) {
        for (which, nulls) in (0_u32..).zip(&self.present) {
            let Some(nulls) = nulls else { continue };
            for row in (0..nulls.len()).filter(|row| nulls.is_null(*row)) {
                each(row, Event::Missing { which });
            }
        }
        for (which, (values, nulls)) in (0_u32..).zip(&self.values) {
            for (row, value) in valid(values, nulls.as_ref()) {
                each(row, Event::Value { which, value });
            }
        }
        for (which, (codes, nulls)) in (0_u32..).zip(&self.distinct) {
            for (row, code) in valid(codes, nulls.as_ref()) {
                each(row, Event::Code { which, code });
            }
        }
    }
}

fn valid<'a, T: Copy>(
    column: &'a [T],
    nulls: Option<&'a NullBuffer>,
) -> impl Iterator<Item = (usize, T)> + 'a {
    let present = move |row: &usize| nulls.is_none_or(|nulls| nulls.is_valid(*row));
    column.iter().copied().enumerate().filter(move |(row, _)| present(row))
}

/// Something a row has besides its sums.
#[derive(Debug, Clone, Copy)]
pub(super) enum Event {
    /// The input is NULL.
    Missing { which: u32 },
    /// The input has this value, in steps.
    Value { which: u32, value: i64 },
    /// The input has the value of this code.
    Code { which: u32, code: u32 },
}
