//! Mechanisms made of others.
