//! What is checked from outside, as one program: it is compiled and linked once.

mod accountant;
mod exact;
mod exhibits;
mod interrupted;
mod mechanisms;
mod replay;
mod support;
mod verdicts;
