//! Arithmetic of intervals.
//!
//! Every operation gives an interval that holds f(x, …) for all x, … in the intervals given. Ends
//! are rounded to the nearest float: as that rounding is monotone, the interval holds every value
//! that the same operation has in floating point. An end that is not known is infinite.

/// All numbers from `low` to `high`; no end is NaN.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Interval {
    pub(super) low: f64,
    pub(super) high: f64,
}

/// What can be done with intervals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Op {
    Add,
    Subtract,
    Multiply,
    /// Nothing is known if the divisor may be 0.
    Divide,
    Negate,
    Abs,
    /// x^n for a whole n > 0.
    Power(u32),
    /// A function that does not decrease.
    Increasing(Increasing),
    /// The smallest interval around all.
    Hull,
    Least,
    Greatest,
}

/// Functions of one number that do not decrease.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Increasing {
    Floor,
    Ceil,
    Truncate,
    /// To so many decimal places.
    Round(i32),
    Sign,
    SquareRoot,
    CubeRoot,
    Exp,
    Ln,
    Log2,
    Log10,
}

impl Interval {
    /// Everything.
    pub(super) const ALL: Self = Self { low: f64::NEG_INFINITY, high: f64::INFINITY };

    /// One number.
    pub(super) fn point(x: f64) -> Self {
        Self::of(x, x)
    }

    /// From end to end; an end that is NaN is not known.
    pub(super) fn of(low: f64, high: f64) -> Self {
        let low = if low.is_nan() { f64::NEG_INFINITY } else { low };
        let high = if high.is_nan() { f64::INFINITY } else { high };
        Self { low, high }
    }

    fn has(self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }

    /// The smallest interval around all four corners of a function of two numbers that is
    /// monotone in each.
    fn corners(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        let all = [
            f(self.low, other.low),
            f(self.low, other.high),
            f(self.high, other.low),
            f(self.high, other.high),
        ];
        if all.iter().any(|x| x.is_nan()) {
            return Self::ALL;
        }
        let low = all.into_iter().fold(f64::INFINITY, f64::min);
        Self { low, high: all.into_iter().fold(f64::NEG_INFINITY, f64::max) }
    }

    fn negated(self) -> Self {
        Self { low: -self.high, high: -self.low }
    }

    fn magnitude(self) -> Self {
        let high = self.low.abs().max(self.high.abs());
        let low = if self.has(0.0) { 0.0 } else { self.low.abs().min(self.high.abs()) };
        Self { low, high }
    }

    /// An even power depends on the magnitude alone; an odd one is increasing.
    fn power(self, n: u32) -> Self {
        let base = if n.is_multiple_of(2) { self.magnitude() } else { self };
        Self::of(raised(base.low, n), raised(base.high, n))
    }

    fn hull(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }
}

#[expect(clippy::disallowed_methods, reason = "intervals of noisy values, not of guarantees")]
fn raised(x: f64, n: u32) -> f64 {
    x.powf(f64::from(n))
}

impl Op {
    /// The interval of the outcome.
    pub(super) fn apply(self, parts: &[Interval]) -> Interval {
        match (self, parts) {
            (Self::Add, &[a, b]) => Interval::of(a.low + b.low, a.high + b.high),
            (Self::Subtract, &[a, b]) => Interval::of(a.low - b.high, a.high - b.low),
            (Self::Multiply, &[a, b]) => a.corners(b, |x, y| x * y),
            (Self::Divide, &[_, b]) if b.has(0.0) => Interval::ALL,
            (Self::Divide, &[a, b]) => a.corners(b, |x, y| x / y),
            (Self::Negate, &[a]) => a.negated(),
            (Self::Abs, &[a]) => a.magnitude(),
            (Self::Power(n), &[a]) => a.power(n),
            (Self::Increasing(f), &[a]) => Interval::of(f.at(a.low), f.at(a.high)),
            (Self::Hull, &[first, ref rest @ ..]) => rest.iter().fold(first, |a, b| a.hull(*b)),
            (Self::Least, &[first, ref rest @ ..]) => rest
                .iter()
                .fold(first, |a, b| Interval { low: a.low.min(b.low), high: a.high.min(b.high) }),
            (Self::Greatest, &[first, ref rest @ ..]) => rest
                .iter()
                .fold(first, |a, b| Interval { low: a.low.max(b.low), high: a.high.max(b.high) }),
            (
                Self::Add
                | Self::Subtract
                | Self::Multiply
                | Self::Divide
                | Self::Negate
                | Self::Abs
                | Self::Power(_)
                | Self::Increasing(_)
                | Self::Hull
                | Self::Least
                | Self::Greatest,
                _,
            ) => Interval::ALL,
        }
    }
}

impl Increasing {
    /// The value, also at infinities; below its domain a function is at its limit there.
    #[expect(clippy::disallowed_methods, reason = "intervals of noisy values, not of guarantees")]
    fn at(self, x: f64) -> f64 {
        match self {
            Self::Floor => x.floor(),
            Self::Ceil => x.ceil(),
            Self::Truncate => x.trunc(),
            Self::Round(places) => round_to(x, places),
            Self::Sign if x == 0.0 => 0.0,
            Self::Sign => x.signum(),
            Self::SquareRoot => x.max(0.0).sqrt(),
            Self::CubeRoot => x.cbrt(),
            Self::Exp => x.exp(),
            Self::Ln => x.max(0.0).ln(),
            Self::Log2 => x.max(0.0).log2(),
            Self::Log10 => x.max(0.0).log10(),
        }
    }
}

fn round_to(x: f64, places: i32) -> f64 {
    let factor: f64 = format!("1e{places}").parse().unwrap_or(1.0);
    let scaled = x * factor;
    // Where x has no digits to lose, or the factor leaves the floats, rounding changes nothing.
    if scaled.is_finite() && factor > 0.0 { scaled.round() / factor } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn op() -> impl Strategy<Value = Op> {
        use Increasing as F;
        prop_oneof![
            Just(Op::Add),
            Just(Op::Subtract),
            Just(Op::Multiply),
            Just(Op::Divide),
            Just(Op::Negate),
            Just(Op::Abs),
            (1u32..6).prop_map(Op::Power),
            Just(Op::Hull),
            Just(Op::Least),
            Just(Op::Greatest),
            prop::sample::select(vec![
                F::Floor,
                F::Ceil,
                F::Truncate,
                F::Round(2),
                F::Round(-1),
                F::Sign,
                F::SquareRoot,
                F::CubeRoot,
                F::Exp,
                F::Ln,
                F::Log2,
                F::Log10,
            ])
            .prop_map(Op::Increasing),
        ]
    }

    fn interval() -> impl Strategy<Value = (f64, f64, f64)> {
        (-50.0..50.0f64, 0.0..20.0f64, 0.0..=1.0f64).prop_map(|(low, width, part)| {
            (low, low + width, (low + width * part).min(low + width))
        })
    }

    /// What the operation is on numbers.
    #[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is treated alike")]
    #[expect(clippy::disallowed_methods, reason = "post-processing of released numbers")]
    fn value(op: Op, x: f64, y: f64) -> f64 {
        match op {
            Op::Add => x + y,
            Op::Subtract => x - y,
            Op::Multiply => x * y,
            Op::Divide => x / y,
            Op::Negate => -x,
            Op::Abs => x.abs(),
            Op::Power(n) => x.powi(i32::try_from(n).unwrap()),
            Op::Increasing(f) => match f {
                Increasing::Round(places) => round_to(x, places),
                Increasing::SquareRoot => x.sqrt(),
                Increasing::Ln => x.ln(),
                Increasing::Log2 => x.log2(),
                Increasing::Log10 => x.log10(),
                other => other.at(x),
            },
            Op::Hull => x,
            Op::Least => x.min(y),
            Op::Greatest => x.max(y),
        }
    }

    proptest! {
        #[test]
        fn the_image_is_inside(op in op(), a in interval(), b in interval()) {
            let parts = [Interval::of(a.0, a.1), Interval::of(b.0, b.1)];
            let one = matches!(op, Op::Negate | Op::Abs | Op::Power(_) | Op::Increasing(_));
            let image = op.apply(if one { &parts[..1] } else { &parts });
            let at = value(op, a.2, b.2);
            let slack = at.abs() * 1e-12;
            prop_assert!(
                !at.is_finite() || (image.low <= at + slack && at - slack <= image.high),
                "{op:?} of {a:?}, {b:?}: {at} not in {image:?}"
            );
        }
    }

    #[test]
    fn unknown_ends_stay_unknown() {
        let half = Interval::of(1.0, f64::NAN);
        assert_eq!(Op::Add.apply(&[half, half]), Interval { low: 2.0, high: f64::INFINITY });
        assert_eq!(Op::Multiply.apply(&[half, Interval::point(0.0)]), Interval::ALL);
        assert_eq!(Op::Divide.apply(&[half, Interval::of(-1.0, 1.0)]), Interval::ALL);
        assert_eq!(
            Op::Divide.apply(&[Interval::point(1.0), Interval::of(0.0, 1.0)]),
            Interval::ALL
        );
        assert_eq!(Op::Add.apply(&[half]), Interval::ALL);
        assert_eq!(Op::Hull.apply(&[]), Interval::ALL);
        let ln = Op::Increasing(Increasing::Ln).apply(&[Interval::of(-1.0, 1.0)]);
        assert_eq!(ln, Interval { low: f64::NEG_INFINITY, high: 0.0 });
    }
}
