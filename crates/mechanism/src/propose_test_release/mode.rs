//! The most frequent item.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use throng_account::{MechanismSpec, Neighbours};
use throng_numeric::Rational;

use super::{Outcome, StabilityTest};
use crate::{Mechanism, MechanismError, Run};

/// The most frequent item, without noise, if it is ahead by enough; one item per unit, from any
/// set, which need not be known in advance. Of items as frequent, the first in order.
///
/// # Guarantee
/// [`Mechanism::spec`]: the test and δ. Under add-or-remove and zero-out one unit changes one
/// count by 1, under replace two. A unit that is zeroed out has no item: its row is left out. (An item
/// that stands for nothing, such as an empty text, is an item like any other; whoever leaves one
/// replaces.)
///
/// # Why this is right
/// Let g be the lead of the first over the second (or over 0). A unit changes g by at most c, c = 1 or
/// 2, so ⌈g/c⌉ changes by at most 1; and so does d = max(0, ⌈g/c⌉ - 1). If two neighbours have different
/// first items, both have g <= c, for after a loss of c a lead above c is still a lead; so both have
/// d = 0, the same law of the test, and pass with a chance of at most δ: (0, δ). If they
/// have the same first item, the outcome is a function of that of the test: ε. The composition
/// of both hides less than either.
///
/// ```
/// use throng_account::filter::Budget as Amount;
/// use throng_mechanism::propose_test_release::{Outcome, StableMode};
/// use throng_mechanism::{Budget, Mechanism, Neighbours, Sensitive};
/// # use throng_sample::OsEntropy;
/// let under = Neighbours::AddRemove;
/// let mode = StableMode::new(&1.into(), &"1e-6".parse()?, under)?;
/// let mut budget = Budget::of(Amount::Zcdp { rho: 1.into(), delta: "1e-6".parse()? }, under)?;
/// let permit = budget.permit(&mode)?;
/// let votes = Sensitive::new(["yes"; 100]);
/// let release = mode.run(votes.as_slice(), permit, &mut OsEntropy)?;
/// assert_eq!(*release.value(), Outcome::Released("yes"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StableMode<T> {
    test: StabilityTest,
    spec: MechanismSpec,
    items: PhantomData<fn(T)>,
}

impl<T: Ord + Clone> StableMode<T> {
    /// The mode, tested with ε and δ.
    ///
    /// # Errors
    /// As for [`StabilityTest::new`].
    pub fn new(
        epsilon: &Rational,
        delta: &Rational,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        let test = StabilityTest::new(epsilon, delta, under)?;
        let spec = test.followed_by(None)?;
        Ok(Self { test, spec, items: PhantomData })
    }

    /// The test.
    #[must_use]
    pub const fn test(&self) -> &StabilityTest {
        &self.test
    }

    /// The first item and d.
    fn leader<'a>(&self, items: &'a [T]) -> (Option<&'a T>, u64) {
        let mut counts: BTreeMap<&T, u64> = BTreeMap::new();
        for item in items {
            *counts.entry(item).or_default() += 1;
        }
        let (mut first, mut most, mut second) = (None, 0, 0);
        for (item, count) in counts {
            if count > most {
                second = most;
                (first, most) = (Some(item), count);
            } else {
                second = second.max(count);
            }
        }
        let unit = match self.test.neighbours() {
            Neighbours::AddRemove | Neighbours::ZeroOut => 1,
            Neighbours::Replace => 2,
        };
        (first, (most - second).div_ceil(unit).saturating_sub(1))
    }
}

impl<T: Ord + Clone> Mechanism for StableMode<T> {
    type Input = [T];
    type Output = Outcome<T>;

    fn spec(&self) -> MechanismSpec {
        self.spec.clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.test.neighbours()
    }

    fn units_are_records(&self) -> bool {
        true
    }

    fn answer(&self, input: &[T], run: &mut Run<'_>) -> Result<Outcome<T>, MechanismError> {
        let (first, distance) = self.leader(input);
        let passed = self.test.passes(Some(distance), run)?;
        // Without an item there is nothing to release: d = 0, where passing is part of δ.
        Ok(match first.filter(|_| passed) {
            Some(item) => Outcome::Released(item.clone()),
            None => Outcome::Refused,
        })
    }
}
