//! Collects the parts of a composition and merges what merges exactly.

use std::collections::HashMap;
use std::sync::Arc;

use throng_numeric::Rational;

use super::{amplified, leaf};
use crate::component::{Component, Part};
use crate::pair::counts::poisson;
use crate::pair::stated::RenyiProfile;
use crate::{AccountError, Leaf, MechanismSpec, Neighbours};

/// Of every world at most this chance is cut off from an infinite support.
pub(crate) const TAIL: f64 = 1e-120;

/// Poisson laws of larger rates are not written out count by count.
const MOST_COUNTS: u64 = 100_000;

/// The parts of a mechanism under a relation.
pub(crate) fn fold(spec: &MechanismSpec, under: Neighbours) -> Result<Vec<Part>, AccountError> {
    let mut gathered = Gathered::new();
    gathered.take(spec, under, 1)?;
    gathered.parts()
}

/// What has been collected so far.
#[derive(Debug)]
struct Gathered {
    /// The sum of mu^2 of all Gaussian parts.
    gaussian: Rational,
    /// Poisson streams, by the ratio of their rates.
    streams: Vec<(Rational, Rational)>,
    /// The sums of rho and xi of all zCDP statements.
    zcdp: (Rational, Rational),
    /// Renyi statements: orders, and the sum of the divergences at each.
    renyi: Vec<(Vec<Rational>, Vec<Rational>)>,
    /// Everything else, equal mechanisms counted together.
    others: Vec<Part>,
    places: HashMap<MechanismSpec, std::ops::Range<usize>>,
}

impl Gathered {
    fn new() -> Self {
        Self {
            gaussian: Rational::ZERO,
            streams: Vec::new(),
            zcdp: (Rational::ZERO, Rational::ZERO),
            renyi: Vec::new(),
            others: Vec::new(),
            places: HashMap::new(),
        }
    }

    fn take(
        &mut self,
        spec: &MechanismSpec,
        under: Neighbours,
        times: u64,
    ) -> Result<(), AccountError> {
        match spec {
            MechanismSpec::Composed(parts) => {
                parts.iter().try_for_each(|part| self.take(part, under, times))
            }
            MechanismSpec::Repeated { times: more, inner } => {
                self.take(inner, under, multiply(times, *more)?)
            }
            MechanismSpec::PostProcessed(inner) => self.take(inner, under, times),
            MechanismSpec::Leaf(leaf) => self.take_leaf(leaf, spec, under, times),
            MechanismSpec::Sampled { .. }
            | MechanismSpec::WithoutReplacement { .. }
            | MechanismSpec::Shuffled { .. }
            | MechanismSpec::Allocated { .. }
            | MechanismSpec::Group { .. }
            | MechanismSpec::Mixed(_)
            | MechanismSpec::Parallel(_) => self.take_amplified(spec, under, times),
        }
    }

    fn take_amplified(
        &mut self,
        spec: &MechanismSpec,
        under: Neighbours,
        times: u64,
    ) -> Result<(), AccountError> {
        if self.again(spec, times)? {
            return Ok(());
        }
        let parts = amplified::parts(spec, under)?;
        let single = matches!(parts.as_slice(), [Part { times: 1, .. }]);
        // Gaussian parts merge with the others even from inside a combinator.
        let start = self.others.len();
        let mut merged = false;
        for part in parts {
            let count = multiply(part.times, times)?;
            if let Component::Gaussian(square) = &part.component {
                self.gaussian = &self.gaussian + &(square * &Rational::from(count));
                merged = true;
            } else {
                self.others.push(Part { component: part.component, times: count });
            }
        }
        // Only a part that runs once in one run of the combinator can be counted up in place.
        if !merged && single {
            self.places.insert(spec.clone(), start..self.others.len());
        }
        Ok(())
    }

    /// Counts a mechanism that was seen before; false if it was not.
    fn again(&mut self, spec: &MechanismSpec, times: u64) -> Result<bool, AccountError> {
        let Some(range) = self.places.get(spec).cloned() else { return Ok(false) };
        // The parts there were pushed with the first count; equal parts are repeated alike, so
        // only single parts can be counted up in place.
        if range.len() != 1 {
            return Ok(false);
        }
        for part in self.others.get_mut(range).into_iter().flatten() {
            part.times = part
                .times
                .checked_add(times)
                .filter(|sum| *sum <= MOST_TIMES)
                .ok_or_else(too_often)?;
        }
        Ok(true)
    }

    fn take_leaf(
        &mut self,
        leaf: &Leaf,
        spec: &MechanismSpec,
        under: Neighbours,
        times: u64,
    ) -> Result<(), AccountError> {
        let count = Rational::from(times);
        if let Leaf::Zcdp { rho, xi } = leaf {
            self.zcdp = (&self.zcdp.0 + &(rho * &count), &self.zcdp.1 + &(xi * &count));
            return Ok(());
        }
        if let Leaf::Renyi { table } = leaf {
            self.take_renyi(table, &count);
            return Ok(());
        }
        // Streams merge if they keep their direction, which under replace they need not.
        let directed = under != Neighbours::Replace;
        if let Leaf::Poisson { mu1, mu2 } = leaf
            && directed
        {
            self.take_stream(&(mu1 * &count), &(mu2 * &count));
            return Ok(());
        }
        if let Leaf::InfinitelyDivisible { s2, jumps } = leaf
            && (directed || leaf::is_balanced(jumps))
        {
            self.gaussian = &self.gaussian + &(s2 * &count);
            for (a, b) in jumps {
                self.take_stream(&(a * &count), &(b * &count));
            }
            return Ok(());
        }
        if self.again(spec, times)? {
            return Ok(());
        }
        match leaf::component(leaf, under)? {
            None => {}
            Some(Component::Gaussian(square)) => {
                self.gaussian = &self.gaussian + &(&square * &count);
            }
            Some(component) => {
                let place = self.others.len();
                self.places.insert(spec.clone(), place..place + 1);
                self.others.push(Part { component, times });
            }
        }
        Ok(())
    }

    fn take_renyi(&mut self, table: &[(Rational, Rational)], count: &Rational) {
        let orders: Vec<Rational> = table.iter().map(|(order, _)| order.clone()).collect();
        let at = self.renyi.iter().position(|(known, _)| *known == orders).unwrap_or_else(|| {
            self.renyi.push((orders.clone(), vec![Rational::ZERO; orders.len()]));
            self.renyi.len() - 1
        });
        if let Some((_, sums)) = self.renyi.get_mut(at) {
            for (sum, (_, divergence)) in sums.iter_mut().zip(table) {
                *sum = &*sum + &(divergence * count);
            }
        }
    }

    /// Streams with the same ratio of rates add up.
    fn take_stream(&mut self, a: &Rational, b: &Rational) {
        if a == b {
            return; // equally likely in both worlds: says nothing
        }
        for (c, d) in &mut self.streams {
            if &*c * b == &*d * a {
                (*c, *d) = (&*c + a, &*d + b);
                return;
            }
        }
        self.streams.push((a.clone(), b.clone()));
    }

    fn parts(mut self) -> Result<Vec<Part>, AccountError> {
        let once = |component| Part { component, times: 1 };
        let (rho, xi) = &self.zcdp;
        if let Some(profile) = leaf::zcdp(rho, xi)? {
            self.others.push(once(Component::Rough(profile)));
        }
        for (orders, sums) in &self.renyi {
            let table: Vec<_> = orders.iter().cloned().zip(sums.iter().cloned()).collect();
            let profile = RenyiProfile::new(&table)?;
            self.others.push(once(Component::Rough(Arc::new(profile))));
        }
        match self.streams.as_slice() {
            [] => {
                if self.gaussian.is_positive() {
                    self.others.push(once(Component::Gaussian(self.gaussian)));
                }
            }
            [(a, b)] if self.gaussian.is_zero() && a + b < Rational::from(MOST_COUNTS) => {
                let pair = poisson(a, b, TAIL)?;
                self.others.push(once(Component::Discrete(Arc::new(pair))));
            }
            _ => {
                let streams = self.streams;
                self.others.push(once(Component::Divisible { s2: self.gaussian, streams }));
            }
        }
        Ok(self.others)
    }
}

/// No mechanism is repeated more often.
const MOST_TIMES: u64 = 1_000_000_000_000_000_000;

fn multiply(a: u64, b: u64) -> Result<u64, AccountError> {
    a.checked_mul(b).filter(|product| *product <= MOST_TIMES).ok_or_else(too_often)
}

fn too_often() -> AccountError {
    AccountError::TooLarge { what: "the number of repetitions".into(), limit: "10^18".into() }
}
