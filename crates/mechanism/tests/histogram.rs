//! Histograms: over public keys, unknown keys, too many keys; selection of keys.
#![allow(clippy::disallowed_methods, reason = "tests compare with plain numbers")]

mod keys;
mod support;
