//! Budgets for analysts who choose the next question after seeing the answers.
//!
//! A *filter* has a capacity, fixed in advance, in one currency. Before each mechanism it adds the
//! cost of that mechanism, as chosen after all answers so far, and refuses if the capacity would
//! be exceeded. Whatever the analyst does, and whenever they stop, the whole interaction then has
//! the guarantee of the capacity. This is proved for the currencies offered here and for those
//! only:
//!
//! | currency | what adds | reference |
//! |---|---|---|
//! | [`Budget::Pure`] | ε | Rogers, Roth, Ullman, Vadhan (2016) |
//! | [`Budget::Approximate`] | ε and δ, of mechanisms that come with such a pair | the same |
//! | [`Budget::Zcdp`] | ρ, and δ for approximate zCDP | Whitehouse, Ramdas, Rogers, Wu (2023) |
//! | [`Budget::Gdp`] | μ² | Smith, Thakurta (2022); Koskela, Tobaben, Honkela (2023) |
//! | [`Budget::Renyi`] | the divergence at each order fixed in advance | Feldman, Zrnic (2021) |
//!
//! That pairs (ε, δ) add adaptively takes three lines. By induction, whatever answer y the first
//! mechanism (ε_1, δ_1) gives, the rest is (ε - ε_1, δ - δ_1)-private, so for every set S
//! P_y(S) <= g(y) + δ - δ_1 with g(y) = min(1, e^(ε - ε_1) Q_y(S)) (if δ >= δ_1, as the filter sees
//! to). Then P(S) = Σ p(y) P_y(S) <= Σ p(y) g(y) + δ - δ_1, and since g is between 0 and 1, Σ p(y) g(y) <=
//! e^(ε_1) Σ q(y) g(y) + δ_1. Together P(S) <= e^ε Q(S) + δ. An analyst who stops asks what costs (0, 0).
//!
//! # Why there is no filter for curves
//! It is tempting to compose the exact curves (privacy loss distributions, trade-off functions) of
//! what was run and to stop when the composed curve would exceed (ε, δ). That is *not* a filter. Two
//! continuations may each keep the composed curve under (ε, δ) while choosing between them by an
//! earlier answer does not: after a revealing answer the analyst takes the continuation that is
//! worst far out in the tail, otherwise the one that leaks near the centre, and the two tails add
//! up. `tests/filter_game.rs` has such a case with exact numbers. The currencies above are safe
//! because one number per mechanism bounds a supermartingale whatever the answers were.
//!
//! # Renyi orders
//! The capacity holds at *every* listed order at once, and each order's guarantee holds by itself.
//! "Stop when no order has anything left" would be a different filter: the order that survives
//! depends on the answers, and no single divergence is then bounded. It is not offered.
//!
//! # Exactness
//! Costs are rationals, rounded up where the true cost is irrational, and their sums are exact:
//! a thousand charges of 1/1000 fill a budget of 1, no more and no less.

mod budget;
mod charge;
pub mod cost;
mod odometer;

pub use budget::{Budget, Currency};
pub use charge::{Filter, Receipt};
pub use odometer::{Odometer, Reading};
