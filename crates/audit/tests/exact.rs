//! The exact layer: no mechanism of the project is refuted on any small pair of neighbours, a claim
//! that is 1e-6 too small is, and so are broken laws.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests may fail, and issue permits that nobody paid for"
)]

#[path = "exact/broken.rs"]
mod broken;
#[path = "exact/divergence.rs"]
mod divergence;
#[path = "exact/drawn.rs"]
mod drawn;
#[path = "exact/mechanisms.rs"]
mod mechanisms;

use throng_account::{Accuracy, MechanismSpec, PrivacyLoss};
use throng_mechanism::Neighbours;
use throng_numeric::Rational;

fn rational(text: &str) -> Rational {
    text.parse().unwrap()
}

fn loss_of(spec: &MechanismSpec, under: Neighbours) -> PrivacyLoss {
    PrivacyLoss::of_spec(spec, under, Accuracy::default()).unwrap()
}

fn claimed(text: &str, under: Neighbours) -> PrivacyLoss {
    loss_of(&text.parse().unwrap(), under)
}
