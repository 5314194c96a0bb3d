//! Dominating pairs (P, Q).
//!
//! The loss is ln(dP/dQ); its law is taken under P. `P` is the world *with* the unit, `Q` the
//! one without; the other direction is the same pair with the roles exchanged.

pub mod discrete;

use std::fmt::Debug;

use throng_numeric::Enclosure;

/// A pair known through its hockey-stick divergence only.
///
/// # Guarantee
/// `delta(e)` encloses H_{e^epsilon}(P||Q) = sup_S P(S) - e^epsilon Q(S) for every real
/// epsilon; its upper end bounds the mechanism. The exact function is convex and non-increasing
/// in e^epsilon, at least max(0, 1 - e^epsilon), and at most 1.
pub trait Profile: Debug + Send + Sync {
    /// H_{e^epsilon}(P||Q).
    fn delta(&self, epsilon: f64) -> Enclosure;
}
