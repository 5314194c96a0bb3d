//! Candidates sorted by score, so that equal scores are weighed once.

use throng_numeric::Rational;
use throng_sample::{SampleError, Uniform, WeightedChoice};

use super::energy;
use crate::{MechanismError, Run};

/// Candidates on rungs of equal score.
pub(super) struct Ladder {
    /// All candidates; those of one rung side by side.
    order: Vec<usize>,
    rungs: Vec<Rung>,
}

/// The candidates `order[start..start + count]`.
struct Rung {
    score: i64,
    start: usize,
    count: usize,
}

impl Ladder {
    pub(super) fn of(scores: &[i64]) -> Self {
        let mut sorted: Vec<(i64, usize)> = scores.iter().copied().zip(0..).collect();
        sorted.sort_unstable();
        let mut rungs: Vec<Rung> = Vec::new();
        for (place, (score, _)) in sorted.iter().enumerate() {
            match rungs.last_mut() {
                Some(rung) if rung.score == *score => rung.count += 1,
                _ => rungs.push(Rung { score: *score, start: place, count: 1 }),
            }
        }
        Self { order: sorted.into_iter().map(|(_, candidate)| candidate).collect(), rungs }
    }

    /// Draws a candidate with a chance proportional to e^(λ score) and takes it off.
    ///
    /// A rung of n candidates is drawn with a chance proportional to n e^(λ score), and each of its
    /// candidates has 1/n of that.
    pub(super) fn take(
        &mut self,
        rate: &Rational,
        run: &mut Run<'_>,
    ) -> Result<usize, MechanismError> {
        let weigh = |rung: &Rung| (rung.count, energy(rate, rung.score));
        let rung = WeightedChoice::new(self.rungs.iter().map(weigh))?.draw(run.entropy())?;
        let missing = || SampleError::Internal { what: "an index beyond the candidates".into() };
        let rung = self.rungs.get_mut(rung).ok_or_else(missing)?;
        let place = Uniform::below(rung.count)?.draw(run.entropy())?;
        let place = usize::try_from(place).map_err(|_| missing())?;
        rung.count -= 1;
        // The last of the rung fills the place of the one taken, which is kept behind it.
        let (chosen, last) = (rung.start + place, rung.start + rung.count);
        self.order.swap(chosen, last);
        Ok(self.order.get(last).copied().ok_or_else(missing)?)
    }
}
