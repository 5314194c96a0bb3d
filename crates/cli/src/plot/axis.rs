//! Axes: where a number goes, and which numbers are written beside.
#![expect(clippy::disallowed_methods, reason = "places of ink, not promises")]

/// How numbers are spread along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scale {
    Linear,
    Logarithmic,
}

/// One axis of a plot.
#[derive(Debug, Clone)]
pub(crate) struct Axis {
    pub(crate) label: String,
    pub(crate) from: f64,
    pub(crate) to: f64,
    pub(crate) scale: Scale,
}

/// A number beside an axis: `text`, or `text` to the `power`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tick {
    pub(crate) at: f64,
    pub(crate) text: String,
    pub(crate) power: Option<String>,
}

impl Axis {
    /// An axis from 0 (or below) to a round number not below `most`.
    pub(crate) fn linear(label: &str, from: f64, most: f64) -> Self {
        let most = if most > from && most.is_finite() { most } else { from + 1.0 };
        let step = round_step((most - from) / 5.0);
        let (from, to) = ((from / step).floor() * step, (most / step - 1e-9).ceil() * step);
        Self { label: label.to_owned(), from, to, scale: Scale::Linear }
    }

    /// An axis exactly between two numbers.
    pub(crate) fn exactly(label: &str, from: f64, to: f64, scale: Scale) -> Self {
        Self { label: label.to_owned(), from, to, scale }
    }

    /// A logarithmic axis between powers of ten around two positive numbers.
    pub(crate) fn decades(label: &str, least: f64, most: f64) -> Self {
        let power = |exponent: f64| 10f64.powf(exponent);
        let (from, to) = if 0.0 < least && least <= most && most.is_finite() {
            (power((least.log10() + 1e-9).floor()), power((most.log10() - 1e-9).ceil()))
        } else {
            (0.1, 1.0)
        };
        let to = if to > from { to } else { 10.0 * from };
        Self::exactly(label, from, to, Scale::Logarithmic)
    }

    /// How far along from `high` to `low` a logarithmic axis ends, as a part of 1. Where a curve
    /// falls to 0 is not known between its points: at the latest possible place.
    pub(crate) fn crossing(&self, high: f64, low: f64) -> f64 {
        if low <= 0.0 {
            return 1.0;
        }
        ((high / self.from).ln() / (high / low).ln()).clamp(0.0, 1.0)
    }

    /// Where a number goes, as a part of the axis; beyond the ends, at the end.
    pub(crate) fn place(&self, value: f64) -> f64 {
        let part = match self.scale {
            Scale::Linear => (value - self.from) / (self.to - self.from),
            Scale::Logarithmic => (value.max(f64::MIN_POSITIVE) / self.from).log10() / self.reach(),
        };
        part.clamp(0.0, 1.0)
    }

    /// The numbers to write, about `count` of them.
    pub(crate) fn ticks(&self, count: u32) -> Vec<Tick> {
        match self.scale {
            Scale::Linear => self.linear_ticks(count),
            Scale::Logarithmic => self.decade_ticks(count),
        }
    }

    /// Places for small ticks without numbers.
    pub(crate) fn minor(&self) -> Vec<f64> {
        if self.scale == Scale::Linear || self.reach() > 7.0 {
            return Vec::new();
        }
        let (first, last) = self.exponents();
        (first - 1..=last)
            .flat_map(|exponent| (2..10).map(move |n| f64::from(n) * 10f64.powi(exponent)))
            .filter(|value| (self.from..=self.to).contains(value))
            .collect()
    }

    /// How many powers of ten a logarithmic axis spans.
    fn reach(&self) -> f64 {
        (self.to / self.from).log10()
    }

    /// The exponents of the first and the last power of ten on the axis.
    #[expect(clippy::cast_possible_truncation, reason = "a decimal exponent has three digits")]
    fn exponents(&self) -> (i32, i32) {
        let (first, last) = (self.from.log10() - 1e-9, self.to.log10() + 1e-9);
        (first.ceil() as i32, last.floor() as i32)
    }

    fn linear_ticks(&self, count: u32) -> Vec<Tick> {
        let step = round_step((self.to - self.from) / f64::from(count.max(1)));
        let first = (self.from / step - 1e-9).ceil();
        let at = |index: u32| (first + f64::from(index)) * step;
        (0..=4 * count)
            .map(at)
            .take_while(|value| *value <= self.to + step * 1e-9)
            .map(|at| Tick { at, text: short(at, step), power: None })
            .collect()
    }

    fn decade_ticks(&self, count: u32) -> Vec<Tick> {
        let (first, last) = self.exponents();
        let span = u32::try_from(last - first).unwrap_or(0);
        let stride = span.div_ceil(count.max(1)).max(1);
        let mut ticks: Vec<Tick> = (0..=span / stride)
            .filter_map(|index| i32::try_from(index * stride).ok())
            .map(|below| power_of_ten(last - below))
            .collect();
        if span < 2 {
            ticks = self.few_ticks(first - 1, last);
        }
        ticks
    }

    /// On an axis of few decades: 1, 2 and 5 in each.
    fn few_ticks(&self, first: i32, last: i32) -> Vec<Tick> {
        (first..=last)
            .flat_map(|exponent| [1.0, 2.0, 5.0].map(|digit| digit * 10f64.powi(exponent)))
            .filter(|at| (self.from..=self.to).contains(at))
            .map(|at| Tick { at, text: short(at, 10f64.powf(at.log10().floor())), power: None })
            .collect()
    }
}

fn power_of_ten(exponent: i32) -> Tick {
    let at = 10f64.powi(exponent);
    match exponent {
        0 => Tick { at, text: "1".to_owned(), power: None },
        1 => Tick { at, text: "10".to_owned(), power: None },
        _ => Tick { at, text: "10".to_owned(), power: Some(exponent.to_string()) },
    }
}

/// 1, 2 or 5 times a power of ten, not far from `step`.
fn round_step(step: f64) -> f64 {
    let power = 10f64.powf(step.max(f64::MIN_POSITIVE).log10().floor());
    let first = [1.0, 2.0, 5.0].into_iter().find(|digit| step <= digit * power * (1.0 + 1e-9));
    first.unwrap_or(10.0) * power
}

/// A multiple of `step` with as few digits as tell it from its neighbours.
#[expect(clippy::cast_possible_truncation, reason = "a decimal exponent has three digits")]
#[expect(clippy::cast_sign_loss, reason = "clamped to 0 and above")]
fn short(value: f64, step: f64) -> String {
    let value = if value.abs() < step * 1e-9 { 0.0 } else { value };
    let decimals = (-step.log10() - 1e-9).ceil();
    if decimals > 6.0 || value.abs() >= 1e7 {
        return format!("{value:e}");
    }
    format!("{value:.*}", decimals.clamp(0.0, 6.0) as usize)
}

/// Which of `count` equal boxes holds a part of 1.
#[expect(clippy::cast_possible_truncation, reason = "clamped to the boxes")]
#[expect(clippy::cast_sign_loss, reason = "clamped to 0 and above")]
#[expect(clippy::cast_precision_loss, reason = "no plot has 2^52 boxes")]
pub(crate) fn box_of(part: f64, count: usize) -> usize {
    let last = count.saturating_sub(1);
    ((part.clamp(0.0, 1.0) * last as f64).round() as usize).min(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: &Axis, count: u32) -> Vec<String> {
        axis.ticks(count).into_iter().map(|tick| tick.text).collect()
    }

    #[test]
    fn linear_ticks_are_round() {
        assert_eq!(
            texts(&Axis::linear("x", 0.0, 1.0), 5),
            ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
        assert_eq!(texts(&Axis::linear("x", 0.0, 7.3), 4), ["0", "2", "4", "6", "8"]);
        assert_eq!(texts(&Axis::linear("x", -3.0, 3.0), 4), ["-4", "-2", "0", "2", "4"]);
        let empty = Axis::linear("x", 0.0, f64::INFINITY);
        assert!(empty.to.is_finite() && empty.to > 0.0);
    }

    #[test]
    fn decades_are_thinned() {
        let axis = Axis::exactly("x", 1e-10, 1.0, Scale::Logarithmic);
        assert_eq!(axis.ticks(5).len(), 6);
        assert_eq!(axis.place(1e-5), 0.5);
        assert_eq!(axis.place(0.0), 0.0);
    }

    #[test]
    fn boxes_cover_the_unit() {
        assert_eq!((box_of(0.0, 10), box_of(1.0, 10), box_of(7.0, 10)), (0, 9, 9));
    }
}
