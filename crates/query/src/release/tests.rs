//! Tests of designs and of what they draw.

mod audit;
mod coverage;
mod design;
mod fixture;
mod workload;
