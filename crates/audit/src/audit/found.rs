//! From counts to a report.

use crate::bounds;
use crate::claim::Claim;
use crate::gauge::Tally;
use crate::judge;
use crate::plan::Plan;
use crate::report::{Report, Verdict};
use crate::test::binomial::real;
use crate::test::exact::EventTest;
use crate::witness::Witness;
use crate::{AuditError, Event, Options, World};

/// What was planned and what was counted.
pub(super) struct Found<'a> {
    pub(super) claim: &'a Claim,
    pub(super) event: Event,
    pub(super) plan: &'a Plan,
    pub(super) tally: &'a Tally,
    pub(super) seen: Option<&'a Tally>,
}

impl Found<'_> {
    pub(super) fn report(&self, spent: u64, options: &Options) -> Result<Report, AuditError> {
        let level = options.level()?;
        let p_value = judge::p_value(self.claim, self.plan, self.tally, level)?;
        let verdict = if p_value <= level { Verdict::Violated } else { Verdict::NotViolated };
        let certified = self.tally.runs(World::Zero) + self.tally.runs(World::One);
        let mut report = Report {
            verdict,
            claim: self.claim.text().to_owned(),
            false_alarm: level,
            p_value,
            epsilon_lower: 0.0,
            delta: options.delta,
            mu_lower: 0.0,
            witness: Some(self.witness()),
            samples: spent + certified,
            explored: spent,
            curve: Vec::new(),
            claimed: claimed(self.claim),
            method: self.method(),
        };
        if options.bounds {
            report.epsilon_lower = self.epsilon(level, options.delta)?;
            let seen = self.seen.unwrap_or(self.tally);
            let list = bounds::ladder(bounds::mu_guess(seen), self.claim.mu());
            report.mu_lower = match self.seen {
                Some(seen) => bounds::mu_lower(seen, &list, self.tally, level)?,
                None => self.mu_of_event(level)?,
            };
            report.curve = bounds::curve(self.tally, level)?;
        }
        Ok(report)
    }

    /// The bound on epsilon: claims of (epsilon, delta), each with its own plan, as for the verdict itself.
    fn epsilon(&self, level: f64, delta: f64) -> Result<f64, AuditError> {
        let claimed = point_claim(self.claim, delta);
        let Some(seen) = self.seen else {
            let list = bounds::ladder(8.0, claimed);
            return bounds::epsilon_of_event(
                judge::rates(self.plan, self.tally),
                &list,
                delta,
                level,
            );
        };
        let guess = bounds::epsilon_guess(seen, self.tally.paired(), delta, level);
        bounds::epsilon_lower(seen, &bounds::ladder(guess, claimed), self.tally, delta, level)
    }

    fn mu_of_event(&self, level: f64) -> Result<f64, AuditError> {
        let (from, to) = judge::rates(self.plan, self.tally);
        bounds::climb(&bounds::ladder(4.0, None), |mu| {
            let claim = bounds::gaussian_claim(mu)?;
            EventTest::new(claim.region(World::Zero), from, to)?.refutes(level)
        })
    }

    fn witness(&self) -> Witness {
        let (from, _) = judge::rates(self.plan, self.tally);
        let world = self.plan.speaks_for;
        let hits = |of: World| {
            let beyond = self.tally.from(of, self.plan.cell);
            match world {
                World::One => beyond,
                World::Zero => self.tally.runs(of) - beyond,
            }
        };
        let rate = real(from.hits) / real(from.runs).max(1.0);
        Witness {
            text: self.event.to_string(),
            event: self.event.clone(),
            likelier_in: world,
            hits: World::BOTH.map(hits),
            runs: World::BOTH.map(|of| self.tally.runs(of)),
            allowed: self.claim.region(world.other()).power(rate),
        }
    }

    fn method(&self) -> String {
        match &self.plan.bet {
            None => "an exact test of the witness".to_owned(),
            Some(_) => format!(
                "an exact test of the witness and a test of the whole curve, with {:.0} % and {:.0} % of the \
                 false-alarm chance",
                100.0 * self.plan.event_share,
                100.0 * self.plan.bet_share
            ),
        }
    }
}

/// The epsilon of a claim that is a statement about one pair (epsilon, delta).
fn point_claim(claim: &Claim, delta: f64) -> Option<f64> {
    claim.point().filter(|(_, claimed)| *claimed == delta).map(|(epsilon, _)| epsilon)
}

/// The claimed trade-off curve.
pub(crate) fn claimed(claim: &Claim) -> Vec<(f64, f64)> {
    claim.region(World::Zero).corners().map(|(p, q)| (p, (1.0 - q).max(0.0))).collect()
}
