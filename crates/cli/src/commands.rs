//! The commands, one file each: options, what to compute, how to show it.

pub(crate) mod account;
pub(crate) mod audit;
pub(crate) mod calibrate;
pub(crate) mod completions;
pub(crate) mod curve;
pub(crate) mod explain;
pub(crate) mod help;
pub(crate) mod histogram;
pub(crate) mod init;
pub(crate) mod learn;
pub(crate) mod ledger;
pub(crate) mod man;
pub(crate) mod noise;
pub(crate) mod quantile;
pub(crate) mod query;
