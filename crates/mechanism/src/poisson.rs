//! The Poisson mechanism: a count is released as a Poisson variable whose rate grows with it.
//!
//! A [`RatePair`] μ1 < μ2 is the target: nobody may tell neighbours apart better than one draw of
//! Poi(μ1) from one of Poi(μ2). A [`RateMap`] turns the true count into a rate; [`PoissonCounts`]
//! draws. [`DegreeSequence`] does it for the degrees of a graph, [`Shares`] for data that never
//! comes together in one place.
//!
//! # Which maps are private
//! T(Poi λ, Poi λ') >= T(Poi μ1, Poi μ2), for λ < λ', **if and only if** λ' - λ <= μ2 - μ1 = Δ and
//! λ'/λ <= μ2/μ1 = ρ. (If: with c = (λ'-λ)/Δ <= 1 and a = λ - cμ1 >= 0, keep each of the counted
//! events with chance c and add an independent Poi(a): this turns Poi(μ1), Poi(μ2) into Poi(λ),
//! Poi(λ'). Only if: near α = 1 the curves are the lines e^-(difference)(1 - α); near α = 0 the
//! larger ratio wins in the end.) So a map is private for a statistic that moves by at most w iff
//! any two rates at most w apart obey both; maps are checked on the exact rates they draw with.
//!
//! # Reference
//! A. Pandey, A. Maleki, S. Kulkarni, arXiv 2512.00734 (2025), for the question.

mod check;
mod counts;
mod graph;
mod map;
mod release;
mod shares;
mod tails;

pub use check::RatePair;
pub use counts::{Effect, PoissonCounts};
pub use graph::DegreeSequence;
pub use map::RateMap;
pub use release::PoissonRelease;
pub use shares::Shares;
