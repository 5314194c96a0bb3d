//! Holds every enclosure of `throng-numeric` against MPFR.
//!
//! This crate is a test bench: its library is the harness (inputs, the comparison), its tests
//! are the comparisons. Each takes 10^5 random inputs and the edges, computes the truth to
//! [`BITS`] bits, and asserts that it lies inside the enclosure, and that the enclosure is no
//! wider than `throng_numeric::widths` promises.
#![allow(clippy::disallowed_methods, reason = "inputs and working precisions need no proof")]

pub mod inputs;
pub mod truth;

use std::cell::Cell;
use std::fmt::Debug;

use rug::Float;
use throng_numeric::Enclosure;
use throng_numeric::widths::Function;

/// Working precision of the truth.
pub const BITS: u32 = 256;

/// Random inputs per function.
pub const CASES: usize = 100_000;

/// An `f64` as an MPFR number.
#[must_use]
pub fn exact(x: f64) -> Float {
    Float::with_val(BITS, x)
}

/// One comparison of a function with the truth: counts, checks, remembers the widest.
#[derive(Debug)]
pub struct Comparison {
    function: Function,
    cases: Cell<usize>,
}

impl Comparison {
    /// Begins the comparison of a function.
    #[must_use]
    pub fn of(function: Function) -> Self {
        Self { function, cases: Cell::new(0) }
    }

    /// Asserts that the truth is inside, and that the width is as promised.
    ///
    /// # Panics
    /// If not.
    pub fn check(&self, input: impl Debug, enclosure: Enclosure, truth: &Float) {
        self.check_inside(&input, enclosure, truth);
        assert!(
            self.function.allowance().admits(enclosure),
            "{:?}({input:?}) = {enclosure} is {:e} wide",
            self.function,
            enclosure.width() / enclosure.lower().abs().max(enclosure.upper().abs())
        );
    }

    /// Asserts that the truth is inside, where no width is promised.
    ///
    /// # Panics
    /// If not.
    pub fn check_inside(&self, input: impl Debug, enclosure: Enclosure, truth: &Float) {
        self.cases.set(self.cases.get() + 1);
        assert!(
            *truth >= enclosure.lower() && *truth <= enclosure.upper(),
            "{:?}({input:?}) = {truth:.40} is not in [{:e}, {:e}]",
            self.function,
            enclosure.lower(),
            enclosure.upper()
        );
    }
}

impl Drop for Comparison {
    fn drop(&mut self) {
        println!("{:?}: {} cases", self.function, self.cases.get());
    }
}
