//! Laws of the form "chance proportional to e^-energy", and whether samples follow a law.

use std::collections::BTreeMap;

use throng_account::MechanismSpec;
use throng_mechanism::Neighbours;
use throng_numeric::{Enclosure, Rational};

use super::audit::{FALSE_ALARM, lower_bound, upper_bound};
use super::exact::{EPSILONS, Law, hockey_stick};
use super::loss;

/// Chances proportional to e^-energy.
pub fn by_energy<T: Ord>(energies: impl IntoIterator<Item = (T, Rational)>) -> Law<T> {
    let energies: Vec<_> = energies.into_iter().collect();
    let least = energies.iter().map(|(_, x)| x).min().unwrap().clone();
    let weight = |x: Rational| (-Enclosure::of_rational(&(x - least.clone()))).exp();
    let weights: Vec<_> = energies.into_iter().map(|(t, x)| (t, weight(x))).collect();
    let total = weights.iter().fold(Enclosure::ZERO, |sum, (_, w)| sum + *w);
    weights.into_iter().map(|(t, w)| (t, w / total)).collect()
}

/// Whether samples are certainly not of this law; wrong with a chance of at most 1e-9.
pub fn refuted<T: Ord>(law: &Law<T>, samples: impl IntoIterator<Item = T>) -> bool {
    let mut tally: BTreeMap<T, u64> = BTreeMap::new();
    let mut runs = 0;
    for sample in samples {
        *tally.entry(sample).or_default() += 1;
        runs += 1;
    }
    let level = FALSE_ALARM / (2.0 * law.len() as f64);
    let strange = tally.keys().any(|t| !law.contains_key(t));
    strange
        || law.iter().any(|(t, p)| {
            let hits = tally.get(t).copied().unwrap_or(0);
            lower_bound(hits, runs, level) > p.upper() || upper_bound(hits, runs, level) < p.lower()
        })
}

/// A claim at the losses where it is checked, looked up once: a curve of composed mechanisms takes
/// its time.
pub struct Claim {
    deltas: Vec<(f64, f64)>,
}

impl Claim {
    pub fn of(spec: &MechanismSpec, under: Neighbours) -> Self {
        let loss = loss(spec, under);
        Self { deltas: EPSILONS.map(|e| (e, loss.delta(e).unwrap().upper)).to_vec() }
    }

    /// Whether two laws are certainly further apart, in either direction; `slack` is mass that the
    /// enumeration left out.
    pub fn is_broken<T: Ord>(&self, p: &Law<T>, q: &Law<T>, slack: f64) -> bool {
        let beyond = |e: f64, claimed: f64, p: &Law<T>, q: &Law<T>| {
            hockey_stick(p, q, e).lower() > claimed + slack
        };
        self.deltas.iter().any(|(e, d)| beyond(*e, *d, p, q) || beyond(*e, *d, q, p))
    }
}
