//! Intervals with rational ends, open to one or both sides.

use throng_numeric::Rational;

/// What is known of a value: that it is not below and not above something.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Bounds {
    pub(super) low: Option<Rational>,
    pub(super) high: Option<Rational>,
}

impl Bounds {
    /// Nothing is known.
    pub(super) const UNKNOWN: Self = Self { low: None, high: None };

    pub(super) fn new(low: Rational, high: Rational) -> Self {
        Self { low: Some(low), high: Some(high) }
    }

    pub(super) fn integers(low: i64, high: i64) -> Self {
        Self::new(Rational::from(low), Rational::from(high))
    }

    pub(super) fn at_least(low: Rational) -> Self {
        Self { low: Some(low), high: None }
    }

    pub(super) fn at_most(high: Rational) -> Self {
        Self { low: None, high: Some(high) }
    }

    /// Both ends, if both are known and in order.
    pub(super) fn ends(self) -> Option<(Rational, Rational)> {
        self.low.zip(self.high).filter(|(low, high)| low <= high)
    }

    /// The smallest interval that has both.
    pub(super) fn hull(self, other: Self) -> Self {
        Self {
            low: self.low.zip(other.low).map(|(one, other)| one.min(other)),
            high: self.high.zip(other.high).map(|(one, other)| one.max(other)),
        }
    }

    /// What is known if both are.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            low: either(self.low, other.low, Rational::max),
            high: either(self.high, other.high, Rational::min),
        }
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        Self {
            low: self.low.as_ref().zip(other.low.as_ref()).map(|(one, other)| one + other),
            high: self.high.as_ref().zip(other.high.as_ref()).map(|(one, other)| one + other),
        }
        .rounded()
    }

    pub(super) fn negated(self) -> Self {
        Self { low: self.high.map(|high| -high), high: self.low.map(|low| -low) }
    }

    pub(super) fn times(&self, other: &Self) -> Self {
        let (Some((a, b)), Some((c, d))) = (self.clone().ends(), other.clone().ends()) else {
            return Self::UNKNOWN;
        };
        let corners = [&a * &c, &a * &d, &b * &c, &b * &d];
        let low = corners.iter().min().cloned();
        let high = corners.iter().max().cloned();
        Self { low, high }.rounded()
    }

    /// Divided by a number other than zero; also if the quotient of integers loses its fraction.
    pub(super) fn over(&self, divisor: &Rational) -> Self {
        let Ok(factor) = Rational::ONE.checked_div(divisor) else { return Self::UNKNOWN };
        let scaled = |end: &Option<Rational>| end.as_ref().map(|end| end * &factor);
        let (low, high) = (scaled(&self.low), scaled(&self.high));
        let quotient =
            if factor.is_negative() { Self { low: high, high: low } } else { Self { low, high } };
        quotient.clone().hull(quotient.truncated()).rounded()
    }

    /// The remainder of a division by a number other than zero: smaller than it, with the sign of
    /// the dividend, and no larger than the dividend.
    pub(super) fn modulo(&self, divisor: &Rational) -> Self {
        let size = divisor.abs();
        let never_negative = self.low.as_ref().is_some_and(|low| !low.is_negative());
        let never_positive = self.high.as_ref().is_some_and(|high| !high.is_positive());
        let low = if never_negative { Rational::ZERO } else { -&size };
        let high = if never_positive { Rational::ZERO } else { size };
        Self::new(low, high)
    }

    pub(super) fn absolute(self) -> Self {
        let spread = match self.clone().ends() {
            Some((low, high)) => Self::new(Rational::ZERO, low.abs().max(high.abs())),
            None => Self::at_least(Rational::ZERO),
        };
        match &self.low {
            Some(low) if !low.is_negative() => spread.and(self),
            Some(_) | None => spread,
        }
    }

    pub(super) fn floor(&self) -> Self {
        self.map(|end| Rational::from(end.floor()), |end| Rational::from(end.floor()))
    }

    pub(super) fn ceil(&self) -> Self {
        self.map(|end| Rational::from(end.ceil()), |end| Rational::from(end.ceil()))
    }

    /// The integers around it.
    pub(super) fn to_integers(&self) -> Self {
        self.map(|end| Rational::from(end.floor()), |end| Rational::from(end.ceil()))
    }

    fn truncated(&self) -> Self {
        let towards_zero = |end: &Rational| {
            Rational::from(if end.is_negative() { end.ceil() } else { end.floor() })
        };
        self.map(towards_zero, towards_zero)
    }

    /// Wider by as much on both sides.
    pub(super) fn wider(&self, slack: &Rational) -> Self {
        self.map(|low| low - slack, |high| high + slack)
    }

    /// The doubles around it, in case the operation was one on doubles.
    pub(super) fn rounded(&self) -> Self {
        let double = |end: &Rational, value: f64| Rational::from_f64(value).unwrap_or(end.clone());
        self.map(|low| double(low, low.to_f64_down()), |high| double(high, high.to_f64_up()))
    }

    fn map(
        &self,
        low: impl Fn(&Rational) -> Rational,
        high: impl Fn(&Rational) -> Rational,
    ) -> Self {
        Self { low: self.low.as_ref().map(low), high: self.high.as_ref().map(high) }
    }
}

fn either<T>(one: Option<T>, other: Option<T>, both: fn(T, T) -> T) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(both(one, other)),
        (one, other) => one.or(other),
    }
}
