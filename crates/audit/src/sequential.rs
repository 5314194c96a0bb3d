//! Audits that end as soon as the claim is refuted.
//!
//! The target is run in rounds. Before each round, all outcomes so far choose a gauge and bets on what comes
//! next ([`crate::test::curve`]); the wealth, started at 1, is multiplied with what the bets give. If the claim
//! holds, the wealth is a supermartingale, so it ever reaches 1/x with a chance of at most x (Ville): the audit
//! may stop whenever it likes. It learns from everything it has seen, and no outcome is spent on exploring
//! alone but those of the first round.
//!
//! # Reference
//! Ville (1939); Shafer (2021), "Testing by betting"; Ramdas, Grünwald, Vovk and Shafer (2023),
//! "Game-theoretic statistics and safe anytime-valid inference".

use throng_numeric::Enclosure;

use crate::audit::{Options, Progress, claimed, count, event_of, explored, run_checked};
use crate::bounds;
use crate::claim::Claim;
use crate::explore::{Explored, Parts};
use crate::gauge::Tally;
use crate::judge;
use crate::plan::Plan;
use crate::report::{Report, Verdict};
use crate::test::binomial::real;
use crate::test::curve::Bet;
use crate::witness::Witness;
use crate::{AuditError, Outcomes, Target, World};

/// Runs of the first round, which only explores, in each world.
const FIRST: u64 = 400;
/// Outcomes of each world that are kept to learn from.
const KEPT: usize = 60_000;
/// Each round is at most so much longer than all before it, in percent, and at most so long.
const GROWTH: u64 = 40;
const LONGEST: u64 = 1 << 17;
/// After so many pairs of a round the wealth is looked at.
const STEP: u64 = 512;

/// One round: what was chosen before it, and what was counted in it.
struct Round {
    explored: Explored,
    plan: Plan,
    tally: Tally,
}

/// The bets of a round against a claim, made from what was seen before it: shares of the wealth.
struct Bets(Vec<(f64, Bet, f64)>);

impl Bets {
    fn against(claim: &Claim, plan: &Plan, seen: &Tally) -> Self {
        let mut bets = Vec::new();
        let mut put = |share: f64, bet: &Bet| {
            let stakes = bet.stakes(seen);
            let each = share / real(count(stakes.len().max(1)));
            bets.extend(stakes.into_iter().map(|stake| (each, bet.clone(), stake)));
        };
        put(plan.event_share, &single(claim, plan, seen));
        if let Some((bet, _)) = &plan.bet {
            put(plan.bet_share, bet);
        }
        Self(bets)
    }

    /// ln of what the wealth is multiplied with, from below.
    fn log_growth(&self, tally: &Tally) -> Result<f64, AuditError> {
        let mut logs = Vec::new();
        for (share, bet, stake) in &self.0 {
            logs.push((*share, bet.log_wealth(tally, *stake)?));
        }
        let most = logs.iter().map(|(_, log)| *log).fold(f64::NEG_INFINITY, f64::max);
        let mut sum = Enclosure::ZERO;
        for (share, log) in logs {
            sum = sum
                + Enclosure::point(share * 0.999_999_999)? * Enclosure::point(log - most)?.exp();
        }
        Ok((sum.ln()? + Enclosure::point(most)?).lower())
    }
}

/// The bet on one event alone. A line of the claim seen from world 1 is a line seen from world 0, so one form
/// serves both directions.
fn single(claim: &Claim, plan: &Plan, seen: &Tally) -> Bet {
    let region = claim.region(World::Zero);
    let runs = seen.runs(World::Zero);
    let mut weights = vec![0.0; seen.cells().saturating_sub(1)];
    let mut lines = Vec::new();
    for k in 1..seen.cells() {
        let rate = crate::test::exact::Rate { hits: seen.from(World::Zero, k), runs };
        lines.push(region.tangent(rate.smoothed()));
    }
    if let Some(weight) = plan.cell.checked_sub(1).and_then(|i| weights.get_mut(i)) {
        *weight = 1.0;
    }
    Bet::new(&weights, &lines)
}

/// Runs a target until the claim is refuted or it has been run often enough.
pub(crate) fn until_refuted(
    claim: &Claim,
    target: &mut dyn Target,
    options: &Options,
    most: u64,
    watch: &mut dyn FnMut(Progress),
) -> Result<Report, AuditError> {
    let level = options.level()?;
    if most < 2 * FIRST {
        return Err(AuditError::invalid(
            "the number of runs",
            most,
            format!("at least {}", 2 * FIRST),
        ));
    }
    let needed = Enclosure::point(1.0 / level)?.ln()?.upper();
    let mut kept = [Outcomes::new(), Outcomes::new()];
    for (world, outcomes) in World::BOTH.into_iter().zip(&mut kept) {
        run_checked(target, world, FIRST, outcomes, options)?;
    }
    let (mut runs, mut wealth) = (FIRST, 0.0f64);
    let mut rounds: Vec<Round> = Vec::new();
    while runs < most && wealth < needed {
        let length = (runs * GROWTH / 100).clamp(STEP, LONGEST).min(most - runs);
        let mut round = open(claim, &kept, length, level)?;
        let bets = Bets::against(claim, &round.plan, &round.explored.seen);
        let mut growth = 0.0;
        let mut done = 0;
        while done < length && wealth + growth < needed {
            let n = (length - done).min(STEP.max(length / 16));
            let mut worlds = [Outcomes::new(), Outcomes::new()];
            for (world, outcomes) in World::BOTH.into_iter().zip(&mut worlds) {
                run_checked(target, world, n, outcomes, options)?;
            }
            let cells = [0, 1].map(|i| round.explored.gauge.read_all(&worlds[i]));
            round.tally.count([&cells[0], &cells[1]]);
            growth = bets.log_growth(&round.tally)?;
            worlds.iter().zip(&mut kept).for_each(|(new, kept)| kept.append(new));
            done += n;
            let evidence = ((wealth + growth) / needed).clamp(0.0, 1.0);
            watch(Progress { runs: runs + done, most, evidence });
        }
        runs += done;
        wealth += growth;
        rounds.push(round);
        kept.iter_mut().for_each(forget);
    }
    report(claim, &rounds, wealth, runs, options)
}

/// Chooses gauge and plan for the next round.
fn open(claim: &Claim, kept: &[Outcomes; 2], length: u64, level: f64) -> Result<Round, AuditError> {
    // Older outcomes fit, newer ones choose.
    let part = |newer: bool| {
        [0, 1].map(|i| {
            let middle = kept[i].len() * 2 / 5;
            let places: Vec<usize> =
                if newer { (middle..kept[i].len()).collect() } else { (0..middle).collect() };
            kept[i].select(&places)
        })
    };
    let (fit, choose) = (part(false), part(true));
    let parts = Parts { fit: [&fit[0], &fit[1]], choose: [&choose[0], &choose[1]] };
    let explored = explored(claim, &parts, length, level)?;
    let plan = Plan::of(claim, &explored.seen, length, level);
    let tally = Tally::new(explored.gauge.cells());
    Ok(Round { explored, plan, tally })
}

/// Forgets the oldest outcomes beyond those that are kept.
fn forget(outcomes: &mut Outcomes) {
    if outcomes.len() > KEPT {
        let places: Vec<usize> = (outcomes.len() - KEPT..outcomes.len()).collect();
        *outcomes = outcomes.select(&places);
    }
}

/// ln of the wealth of somebody who bet against a claim in all rounds, from below.
fn log_wealth(claim: &Claim, rounds: &[Round], level: f64) -> Result<f64, AuditError> {
    let mut sum = 0.0f64;
    for round in rounds {
        let seen = &round.explored.seen;
        // Shares and stakes do not depend on how long a round turned out to be.
        let plan = Plan::of(claim, seen, FIRST, level);
        sum += Bets::against(claim, &plan, seen).log_growth(&round.tally)?;
    }
    Ok(sum - 1e-9)
}

fn report(
    claim: &Claim,
    rounds: &[Round],
    wealth: f64,
    runs: u64,
    options: &Options,
) -> Result<Report, AuditError> {
    let level = options.level()?;
    let needed = Enclosure::point(1.0 / level)?.ln()?.upper();
    let violated = wealth >= needed;
    let mut report = Report {
        verdict: if violated { Verdict::Violated } else { Verdict::NotViolated },
        claim: claim.text().to_owned(),
        false_alarm: level,
        p_value: (-Enclosure::point(wealth.clamp(0.0, 700.0))?).exp().upper().min(1.0),
        epsilon_lower: 0.0,
        delta: options.delta,
        mu_lower: 0.0,
        witness: rounds.last().map(|round| witness(claim, round)),
        samples: 2 * runs,
        explored: 2 * FIRST,
        curve: Vec::new(),
        claimed: claimed(claim),
        method: format!("betting in {} rounds, valid whenever it stops", rounds.len()),
    };
    if options.bounds {
        let refuted = |claim: &Claim| Ok(log_wealth(claim, rounds, level)? >= needed);
        let point = claim.point().filter(|(_, delta)| *delta == options.delta);
        let epsilons = grid(point.map(|(epsilon, _)| epsilon));
        report.epsilon_lower = bounds::climb(&epsilons, |epsilon| {
            refuted(&bounds::approx_claim(epsilon, options.delta)?)
        })?;
        report.mu_lower =
            bounds::climb(&grid(claim.mu()), |mu| refuted(&bounds::gaussian_claim(mu)?))?;
        report.curve = curve(rounds, level)?;
    }
    Ok(report)
}

/// Parameters of claims that are tried one after the other, each 4 % above the one before, with that of the
/// claim among them.
fn grid(among: Option<f64>) -> Vec<f64> {
    let mut list = vec![0.01];
    while let Some(last) = list.last()
        && *last < 12.0
    {
        list.push(last * 1.04 + 1e-3);
    }
    list.extend(among.filter(|x| *x > 0.0 && x.is_finite()));
    list.sort_by(f64::total_cmp);
    list
}

/// What the longest round certifies by itself; rounds share the level as 1/2, 1/6, 1/12, ...
///
/// A round that was cut short because the claim was refuted does not count: its length depends on what
/// was seen in it.
fn curve(rounds: &[Round], level: f64) -> Result<Vec<(f64, f64)>, AuditError> {
    let whole = rounds.len().saturating_sub(1);
    let Some(round) = whole.checked_sub(1).and_then(|i| rounds.get(i)) else {
        return Ok(Vec::new());
    };
    let number = real(count(whole));
    bounds::curve(&round.tally, level / (number * (number + 1.0)))
}

fn witness(claim: &Claim, round: &Round) -> Witness {
    let event = event_of(&round.explored.gauge, &round.plan);
    let (from, to) = judge::rates(&round.plan, &round.tally);
    let world = round.plan.speaks_for;
    let rate = real(from.hits) / real(from.runs).max(1.0);
    let by_world = |in_from: u64, in_to: u64| match world {
        World::One => [in_from, in_to],
        World::Zero => [in_to, in_from],
    };
    Witness {
        text: event.to_string(),
        event,
        likelier_in: world,
        hits: by_world(from.hits, to.hits),
        runs: by_world(from.runs, to.runs),
        allowed: claim.region(world.other()).power(rate),
    }
}
