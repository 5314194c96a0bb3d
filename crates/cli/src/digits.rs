//! Decimal digits that keep a promise: rounded outward, never to nearest.

use std::fmt::Write as _;

use throng_account::Bracket;
use throng_numeric::{Integer, Rational};

/// The fewest and the most significant digits shown.
const FEWEST: i32 = 4;
const MOST: i32 = 16;

/// A side to round to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Down,
    Up,
}

/// `lower .. upper`, rounded outward, with as many digits as show the width; a number that is
/// known exactly is shown alone.
pub(crate) fn bracket(bracket: Bracket) -> String {
    let Bracket { lower, upper } = bracket;
    if lower == upper
        && let Some(text) = exact(lower)
    {
        return text;
    }
    let places = places(lower, upper);
    format!("{} .. {}", one(lower, places, Side::Down), one(upper, places, Side::Up))
}

/// One number with a few significant digits, rounded to a side.
pub(crate) fn single(value: f64, side: Side) -> String {
    exact(value).unwrap_or_else(|| one(value, places(value, value * (1.0 + 1e-6)), side))
}

/// The shortest decimal form of a number: with an exponent if it is small.
pub(crate) fn plain_or_exponent(value: f64) -> String {
    if value == 0.0 || value.abs() >= 1e-3 { value.to_string() } else { format!("{value:e}") }
}

/// A part of 1 in per cent, rounded up, with one decimal or two significant digits.
pub(crate) fn percent_up(part: &Rational) -> String {
    let percent = part * &Rational::from(100u8);
    let places = (1 - magnitude(percent.to_f64_nearest())).max(1);
    let text = decimal(&percent, places, Side::Up);
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

/// Infinities, and numbers with a short decimal form that is exact.
fn exact(value: f64) -> Option<String> {
    let text = if value == 0.0 { "0".to_owned() } else { value.to_string() };
    let is_short = text.len() <= 10 && Rational::from_f64(value).ok() == text.parse().ok();
    (value.is_infinite() || is_short).then_some(text)
}

fn one(value: f64, places: i32, side: Side) -> String {
    match Rational::from_f64(value) {
        Ok(value) => decimal(&value, places, side),
        Err(_) => value.to_string(),
    }
}

/// How many decimal places show the distance of two numbers.
fn places(lower: f64, upper: f64) -> i32 {
    let largest = [lower, upper].map(f64::abs).into_iter().filter(|x| x.is_finite());
    let top = magnitude(largest.fold(0.0, f64::max));
    let width = upper - lower;
    let wanted = if width.is_finite() { -magnitude(width) } else { FEWEST + 1 - top };
    wanted.clamp(FEWEST - 1 - top, MOST - 1 - top)
}

/// The decimal exponent: 0 for 1 to 9.99; of 0 an arbitrary small one.
#[expect(clippy::cast_possible_truncation, reason = "a decimal exponent has three digits")]
#[expect(clippy::disallowed_methods, reason = "only decides how many digits are shown")]
fn magnitude(value: f64) -> i32 {
    value.abs().max(f64::MIN_POSITIVE).log10().floor() as i32
}

/// A multiple of 10^-places next to `value` on one side, written out.
fn decimal(value: &Rational, places: i32, side: Side) -> String {
    let units = value * &power_of_ten(places);
    let whole = match side {
        Side::Down => units.floor(),
        Side::Up => units.ceil(),
    };
    written(&whole, places)
}

fn power_of_ten(exponent: i32) -> Rational {
    format!("1e{exponent}").parse().unwrap_or_else(|_| Rational::from(1u8))
}

/// `whole` x 10^-places: plain where that is short, else with an exponent.
fn written(whole: &Integer, places: i32) -> String {
    let text = whole.to_string();
    let (sign, digits) = text.strip_prefix('-').map_or(("", text.as_str()), |rest| ("-", rest));
    if digits == "0" {
        return "0".to_owned();
    }
    let length = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let exponent = length - 1 - places;
    if (-4..12).contains(&exponent) {
        return format!("{sign}{}", plain(digits, places));
    }
    let (first, rest) = digits.split_at(1);
    let mut text = format!("{sign}{first}");
    if !rest.is_empty() {
        let _ = write!(text, ".{rest}");
    }
    format!("{text}e{exponent}")
}

fn plain(digits: &str, places: i32) -> String {
    let Ok(places @ 1..) = usize::try_from(places) else {
        return format!("{digits}{}", "0".repeat(places.unsigned_abs().try_into().unwrap_or(0)));
    };
    let digits = format!("{digits:0>width$}", width = places + 1);
    let (before, after) = digits.split_at(digits.len() - places);
    format!("{before}.{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(lower: f64, upper: f64) -> String {
        bracket(Bracket { lower, upper })
    }

    #[test]
    fn digits_show_the_width() {
        assert_eq!(shown(4.549_838_3, 4.549_839_6), "4.549838 .. 4.549840");
        assert_eq!(shown(1.5, 1.5), "1.5");
        assert_eq!(shown(0.0, 0.0), "0");
        assert_eq!(shown(0.0, 1e-12), "0 .. 1.000e-12");
        assert_eq!(shown(f64::INFINITY, f64::INFINITY), "inf");
        assert_eq!(shown(2.25, f64::INFINITY), "2.25000 .. inf");
        assert_eq!(shown(123_456.7, 123_999.0), "123400 .. 124000");
        assert_eq!(shown(1.234e-7, 1.236e-7), "1.234e-7 .. 1.236e-7");
        assert_eq!(shown(-0.25, 0.3), "-0.2500 .. 0.3000");
    }

    #[test]
    fn every_digit_is_rounded_outward() {
        for step in 1..2000u32 {
            let lower = f64::from(step) * 0.001_234_567;
            let upper = lower + lower * 1e-5 * f64::from(step % 7);
            let text = shown(lower, upper);
            let (low, high) = text.split_once(" .. ").unwrap_or((&text, &text));
            let exact = |x: f64| Rational::from_f64(x).unwrap();
            assert!(low.parse::<Rational>().unwrap() <= exact(lower), "{text} for {lower}");
            assert!(high.parse::<Rational>().unwrap() >= exact(upper), "{text} for {upper}");
        }
    }

    #[test]
    fn percentages_go_up() {
        let percent = |text: &str| percent_up(&text.parse().unwrap());
        assert_eq!(percent("0.0411"), "4.2");
        assert_eq!(percent("1"), "100");
        assert_eq!(percent("0"), "0");
        assert_eq!(percent("0.00012345"), "0.013");
        assert_eq!(percent("0.5"), "50");
    }
}
