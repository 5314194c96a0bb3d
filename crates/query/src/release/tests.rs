//! Tests of designs and of what they draw.

mod design;
mod fixture;
