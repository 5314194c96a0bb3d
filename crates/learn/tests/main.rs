//! What is checked from outside, as one program: it is compiled and linked once.
#![allow(
    unreachable_pub,
    clippy::cast_precision_loss,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests may fail, issue permits that nobody paid for, and count little"
)]

mod convex {
    pub(crate) mod shared;
}
mod trees {
    pub(crate) mod shared;
}
mod audit;
mod audited;
mod boosting;
mod conjugate;
mod correlated;
mod defects;
mod forest;
mod histogram;
mod interrupted;
mod kmeans;
mod linear;
mod logistic;
mod naive_bayes;
mod network;
mod network_regression;
mod pca;
mod pipeline;
mod replay;
mod saved;
mod scattering;
mod svm;
mod synthetic;
mod tuning;
mod vectors;
