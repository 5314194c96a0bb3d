#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test")]
