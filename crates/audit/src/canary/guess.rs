//! Guessing by score.

use super::{Canary, real};
use crate::AuditError;

/// Canaries by falling score.
pub(super) struct Ranking(Vec<Canary>);

/// Canaries of the same score: how many, and how many of them included.
struct Tie {
    included: usize,
    others: usize,
}

impl Ranking {
    pub(super) fn of(canaries: &[Canary]) -> Result<Self, AuditError> {
        if let Some(place) = canaries.iter().position(|canary| canary.score.is_nan()) {
            return Err(AuditError::outcomes(
                format!("the score of canary {} is NaN", place + 1),
                "give every canary a number as its score",
            ));
        }
        let mut ranked = canaries.to_vec();
        ranked.sort_by(|a, b| b.score.total_cmp(&a.score));
        Ok(Self(ranked))
    }

    /// How many of so many guesses are right: "in" for the upper half, "out" for the lower.
    ///
    /// # Guarantee
    /// Not more than under any rule that looks at scores alone: canaries that tie at an edge are
    /// taken in the order that makes fewest guesses right. Their order in the file, which may tell
    /// who was included, does not count.
    pub(super) fn right(&self, made: usize) -> Result<usize, AuditError> {
        if made == 0 || made > self.0.len() {
            let allowed = format!("between 1 and {}, the number of canaries", self.0.len());
            return Err(AuditError::invalid("the number of guesses", made, allowed));
        }
        let (ins, outs) = (made - made / 2, made / 2);
        let highest = fewest_right(self.0.iter(), ins, |canary| canary.included);
        let lowest = fewest_right(self.0.iter().rev(), outs, |canary| !canary.included);
        Ok(highest + lowest)
    }

    /// The part of the others and of the included at or above each score, thinned to a thousand.
    pub(super) fn roc(&self) -> Vec<(f64, f64)> {
        const POINTS: usize = 1000;
        let [others, included] = self.totals();
        let mut points = vec![(0.0, 0.0)];
        let (mut above, mut found) = (0, 0);
        for tie in self.ties() {
            above += tie.others;
            found += tie.included;
            points.push((part(above, others), part(found, included)));
        }
        let stride = points.len().div_ceil(POINTS);
        let last = points.len() - 1;
        let kept = points.into_iter().enumerate();
        kept.filter(|(i, _)| i % stride == 0 || *i == last).map(|(_, point)| point).collect()
    }

    /// The chance that an included canary scores above another one, ties by halves.
    pub(super) fn area(&self) -> f64 {
        let [others, included] = self.totals();
        let mut found = 0.0;
        let mut area = 0.0;
        for tie in self.ties() {
            area += real(tie.others) * (found + 0.5 * real(tie.included));
            found += real(tie.included);
        }
        let pairs = real(others) * real(included);
        if pairs > 0.0 { area / pairs } else { 0.5 }
    }

    /// How many were not included, and how many were.
    fn totals(&self) -> [usize; 2] {
        let included = self.0.iter().filter(|canary| canary.included).count();
        [self.0.len() - included, included]
    }

    fn ties(&self) -> impl Iterator<Item = Tie> {
        self.0.chunk_by(|a, b| a.score == b.score).map(|tie| {
            let included = tie.iter().filter(|canary| canary.included).count();
            Tie { included, others: tie.len() - included }
        })
    }
}

/// Right guesses about the first so many, the last tie taken as badly as it can be.
fn fewest_right<'a>(
    ranked: impl Iterator<Item = &'a Canary> + Clone,
    guesses: usize,
    is_right: impl Fn(&Canary) -> bool,
) -> usize {
    let Some(edge) = guesses.checked_sub(1).and_then(|last| ranked.clone().nth(last)) else {
        return 0;
    };
    let before = ranked.clone().take_while(|canary| canary.score != edge.score);
    let (mut sure, mut right) = (0, 0);
    for canary in before {
        sure += 1;
        right += usize::from(is_right(canary));
    }
    let tied = ranked.skip(sure).take_while(|canary| canary.score == edge.score);
    let wrong = tied.filter(|canary| !is_right(canary)).count();
    right + (guesses - sure).saturating_sub(wrong)
}

fn part(some: usize, all: usize) -> f64 {
    if all == 0 { 0.0 } else { real(some) / real(all) }
}
