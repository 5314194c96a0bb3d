//! What is checked from outside, as one program: it is compiled and linked once.

mod additive;
mod audit;
mod bayes;
mod combine;
mod combine_groups;
mod combine_records;
mod conformance;
mod continual;
mod count;
mod keys;
mod mean;
mod noise;
mod noise_exact;
mod parts;
mod poisson;
mod propose_test_release;
mod quantile;
mod response;
mod sample_and_aggregate;
mod selection;
mod smooth;
mod sparse_vector;
mod staircase;
mod sum;
mod support;
mod vectors;
