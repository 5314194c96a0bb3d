//! Integration tests: one binary, because linking the engine takes long.
