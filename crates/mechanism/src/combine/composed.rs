//! Several mechanisms on the same data.

use throng_account::{MechanismSpec, Neighbours};

use super::different;
use crate::{Mechanism, MechanismError, Run};

/// Two mechanisms on the same data, both fixed in advance.
///
/// # Guarantee
/// Their composition.
#[derive(Debug, Clone, PartialEq)]
pub struct Both<A, B> {
    first: A,
    second: B,
    spec: MechanismSpec,
}

impl<A, B> Both<A, B>
where
    A: Mechanism,
    B: Mechanism<Input = A::Input>,
{
    /// One, then the other.
    ///
    /// # Errors
    /// If they are for different relations.
    pub fn new(first: A, second: B) -> Result<Self, MechanismError> {
        if first.neighbours() != second.neighbours() {
            return Err(different(first.neighbours(), second.neighbours()));
        }
        let spec = MechanismSpec::composed(vec![first.spec(), second.spec()])?;
        Ok(Self { first, second, spec })
    }
}

impl<A, B> Mechanism for Both<A, B>
where
    A: Mechanism,
    B: Mechanism<Input = A::Input>,
{
    type Input = A::Input;
    type Output = (A::Output, B::Output);

    fn spec(&self) -> MechanismSpec {
        self.spec.clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.first.neighbours()
    }

    fn units_are_records(&self) -> bool {
        self.first.units_are_records() && self.second.units_are_records()
    }

    fn answer(&self, input: &A::Input, run: &mut Run<'_>) -> Result<Self::Output, MechanismError> {
        Ok((self.first.answer(input, run)?, self.second.answer(input, run)?))
    }
}

/// Any number of mechanisms of one kind on the same data, all fixed in advance.
///
/// # Guarantee
/// Their composition.
#[derive(Debug, Clone, PartialEq)]
pub struct Sequence<M> {
    all: Vec<M>,
    under: Neighbours,
    spec: MechanismSpec,
}

impl<M: Mechanism> Sequence<M> {
    /// All of them, in this order.
    ///
    /// # Errors
    /// If there are none, or they are for different relations.
    pub fn new(all: Vec<M>) -> Result<Self, MechanismError> {
        let under = common(&all)?;
        let spec = MechanismSpec::composed(all.iter().map(Mechanism::spec).collect())?;
        Ok(Self { all, under, spec })
    }
}

/// The one relation of several mechanisms.
pub(super) fn common<M: Mechanism>(all: &[M]) -> Result<Neighbours, MechanismError> {
    let Some(under) = all.first().map(Mechanism::neighbours) else {
        return Err(MechanismError::invalid("the number of mechanisms", 0, "at least 1"));
    };
    match all.iter().map(Mechanism::neighbours).find(|other| *other != under) {
        Some(other) => Err(different(under, other)),
        None => Ok(under),
    }
}

impl<M: Mechanism> Mechanism for Sequence<M> {
    type Input = M::Input;
    type Output = Vec<M::Output>;

    fn spec(&self) -> MechanismSpec {
        self.spec.clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.under
    }

    fn units_are_records(&self) -> bool {
        self.all.iter().all(Mechanism::units_are_records)
    }

    fn answer(
        &self,
        input: &M::Input,
        run: &mut Run<'_>,
    ) -> Result<Vec<M::Output>, MechanismError> {
        self.all.iter().map(|mechanism| mechanism.answer(input, run)).collect()
    }
}
