//! Row expressions that cannot fail on data.
