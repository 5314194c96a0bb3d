//! The owner's policy: `throng.toml`.
