//! What is computed from released cells, and how it is shown.
