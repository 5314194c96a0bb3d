//! What is checked from outside, as one program: it is compiled and linked once.

mod bad_input;
mod bulk;
mod coins;
mod counts;
mod harness;
mod noise;
mod rounded;
mod selection;
#[path = "support/support.rs"]
mod support;
mod threads;
mod timing;
mod weighted;
