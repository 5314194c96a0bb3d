//! The tables as the engine sees them.
