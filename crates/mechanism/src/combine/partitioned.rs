//! One mechanism on each part of the data.

use std::marker::PhantomData;

use throng_account::{MechanismSpec, Neighbours};

use super::composed::common;
use super::{check_records, shape};
use crate::{Mechanism, MechanismError, Run};

/// One mechanism on each of disjoint parts, told apart by a public function of a record.
///
/// Records whose part does not exist are left out. The answers come in the order of the parts, for
/// all parts, with or without records.
///
/// # Guarantee
/// Under [`Neighbours::AddRemove`], that of the worst part: a record is in one part, and the
/// others do not see it. Under [`Neighbours::Replace`] a record may leave one part and enter
/// another, so *two* parts change, by one removal and one addition; or it stays, and one
/// changes by both. So the parts must be additive noise for add-remove neighbours, of which both
/// are known, and the accountant takes the worst of all cases. (That the worst part is enough
/// here too is a known error: two parts that each leak with chance 0.1 leak with chance 0.19.)
///
/// Refused: parts that do not take one record per unit; parts made for replace neighbours, which
/// take the number of their records as public; under replace, parts that only state a guarantee, or
/// discrete Gaussian noise on cells; and zero-out neighbours, since "nothing" has no part.
///
/// ```
/// use throng_mechanism::combine::Partitioned;
/// use throng_mechanism::count::{Count, Records};
/// use throng_mechanism::{Mechanism, Neighbours};
/// let part = Count::pure(Records::default(), &"1".parse()?, Neighbours::AddRemove)?;
/// let regions = Partitioned::new(
///     vec![part.clone(), part],
///     |region: &i64| usize::try_from(*region).unwrap_or(usize::MAX),
///     Neighbours::AddRemove,
/// )?;
/// assert_eq!(
///     regions.spec().to_string(),
///     "parallel(discrete_laplace(scale=1), discrete_laplace(scale=1))"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Partitioned<T, F, M> {
    parts: Vec<M>,
    part: F,
    under: Neighbours,
    spec: MechanismSpec,
    record: PhantomData<fn(&T)>,
}

impl<T, F, M> Partitioned<T, F, M>
where
    T: Clone,
    F: Fn(&T) -> usize,
    M: Mechanism<Input = [T]>,
{
    /// The mechanisms, all for add-remove neighbours; which of them sees a record; and the relation
    /// of the whole.
    ///
    /// # Errors
    /// If there are no parts, or what they are for is refused above.
    pub fn new(parts: Vec<M>, part: F, under: Neighbours) -> Result<Self, MechanismError> {
        if common(&parts)? != Neighbours::AddRemove {
            return Err(MechanismError::refused(
                "the number of records in a part is private",
                "make the parts for add-remove neighbours",
            ));
        }
        parts.iter().try_for_each(check_records)?;
        let all: Vec<_> = parts.iter().map(Mechanism::spec).collect();
        match under {
            Neighbours::AddRemove => {}
            Neighbours::Replace if all.iter().all(shape::is_known_for_exchange) => {}
            Neighbours::Replace => {
                return Err(MechanismError::refused(
                    "a replaced record may move between parts, and a part has no guarantee for that",
                    "use add-remove neighbours, or Laplace or Gaussian noise for a distance in L1 or L2",
                ));
            }
            Neighbours::ZeroOut => {
                return Err(MechanismError::refused(
                    "a unit without data has no part",
                    "use add-remove neighbours",
                ));
            }
        }
        let spec = MechanismSpec::Parallel(all).validated()?;
        Ok(Self { parts, part, under, spec, record: PhantomData })
    }
}

impl<T, F, M> Mechanism for Partitioned<T, F, M>
where
    T: Clone,
    F: Fn(&T) -> usize,
    M: Mechanism<Input = [T]>,
{
    type Input = [T];
    type Output = Vec<M::Output>;

    fn spec(&self) -> MechanismSpec {
        self.spec.clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.under
    }

    fn units_are_records(&self) -> bool {
        true
    }

    fn answer(&self, input: &[T], run: &mut Run<'_>) -> Result<Vec<M::Output>, MechanismError> {
        let mut records: Vec<Vec<T>> = self.parts.iter().map(|_| Vec::new()).collect();
        for record in input {
            if let Some(part) = records.get_mut((self.part)(record)) {
                part.push(record.clone());
            }
        }
        self.parts.iter().zip(&records).map(|(part, records)| part.answer(records, run)).collect()
    }
}
