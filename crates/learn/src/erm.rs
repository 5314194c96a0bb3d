//! What models with a convex loss share: rows on the grid, clipping, ways to a private minimum.
//!
//! | module | what it holds |
//! |---|---|
//! | `rows` | numbers on the grid, clipped so that a norm holds for the integers themselves |

pub(crate) mod rows;
