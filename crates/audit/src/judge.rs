//! The verdict of a plan on the outcomes that certify.

use crate::claim::Claim;
use crate::gauge::Tally;
use crate::plan::Plan;
use crate::test::exact::{EventTest, Rate};
use crate::{AuditError, World};

/// Rates of the event of a plan: in the world where it is a false alarm, and in the other.
pub(crate) fn rates(plan: &Plan, tally: &Tally) -> (Rate, Rate) {
    let rate = |world: World| {
        let (beyond, runs) = (tally.from(world, plan.cell), tally.runs(world));
        let hits = match plan.speaks_for {
            World::One => beyond,
            World::Zero => runs - beyond,
        };
        Rate { hits, runs }
    };
    (rate(plan.speaks_for.other()), rate(plan.speaks_for))
}

/// The test of the event of a plan.
pub(crate) fn event_test<'a>(
    claim: &'a Claim,
    plan: &Plan,
    tally: &Tally,
) -> Result<EventTest<'a>, AuditError> {
    let (from, to) = rates(plan, tally);
    EventTest::new(claim.region(plan.speaks_for.other()), from, to)
}

/// A p-value of the whole plan: each part's, divided by its share.
///
/// # Guarantee
/// Under the claim it is at most `level` with a chance of at most `level`: each part refutes at most at its
/// share of it.
pub(crate) fn p_value(
    claim: &Claim,
    plan: &Plan,
    tally: &Tally,
    level: f64,
) -> Result<f64, AuditError> {
    let share = level * plan.event_share;
    let mut least = event_test(claim, plan, tally)?.p_value(share)? / plan.event_share;
    if let Some((bet, tilt)) = &plan.bet {
        let share = level * plan.bet_share;
        least = least.min(bet.p_value(tally, *tilt, share)? / plan.bet_share);
    }
    Ok(least.min(1.0))
}

/// Whether a claim is refuted at a false-alarm chance.
pub(crate) fn refutes(
    claim: &Claim,
    plan: &Plan,
    tally: &Tally,
    level: f64,
) -> Result<bool, AuditError> {
    if let Some((bet, tilt)) = &plan.bet {
        let share = level * plan.bet_share;
        if bet.p_value(tally, *tilt, share)? <= share {
            return Ok(true);
        }
    }
    event_test(claim, plan, tally)?.refutes(level * plan.event_share)
}
