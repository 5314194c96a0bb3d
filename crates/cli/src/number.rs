//! Numbers as people write them, in options.

use throng_numeric::Rational;

/// A number as it was typed, and what it means exactly.
///
/// # Guarantee
/// Answers are computed at [`Number::down`] or [`Number::up`], whichever side keeps the promise
/// true for the exact number: `1e-5` is not a floating-point number.
#[derive(Debug, Clone)]
pub(crate) struct Number {
    text: String,
    exact: Rational,
}

impl Number {
    /// As typed.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// What it means.
    pub(crate) fn exact(&self) -> &Rational {
        &self.exact
    }

    /// The nearest floating-point number, to repeat the question.
    pub(crate) fn nearest(&self) -> f64 {
        self.exact.to_f64_nearest()
    }

    /// Not above the number.
    pub(crate) fn down(&self) -> f64 {
        self.exact.to_f64_down()
    }

    /// Not below the number.
    pub(crate) fn up(&self) -> f64 {
        self.exact.to_f64_up()
    }
}

/// Reads a number; `inf` and `nan` are none.
fn parse(text: &str) -> Result<Number, String> {
    let text = text.trim();
    match text.parse() {
        Ok(exact) => Ok(Number { text: text.to_owned(), exact }),
        Err(error) => Err(format!("not a number such as 0.5, 1e-5 or 1/3 ({error})")),
    }
}

/// Reads a number for which `allowed` holds; `range` says so in words.
fn within(text: &str, range: &str, allowed: impl Fn(&Rational) -> bool) -> Result<Number, String> {
    let number = parse(text).map_err(|reason| format!("{reason}; must be {range}"))?;
    if !allowed(&number.exact) {
        return Err(format!("must be {range}"));
    }
    if number.nearest().is_infinite() {
        return Err("too large; must be below 1e308".to_owned());
    }
    Ok(number)
}

fn one() -> Rational {
    Rational::from(1u8)
}

/// Any number.
pub(crate) fn any(text: &str) -> Result<Number, String> {
    within(text, "a number", |_| true)
}

/// A probability: 0 and 1 included.
pub(crate) fn probability(text: &str) -> Result<Number, String> {
    within(text, "between 0 and 1", |x| !x.is_negative() && *x <= one())
}

/// A probability that leaves something open: 0 and 1 excluded.
pub(crate) fn open_probability(text: &str) -> Result<Number, String> {
    within(text, "above 0 and below 1", |x| x.is_positive() && *x < one())
}

/// Such as epsilon.
pub(crate) fn non_negative(text: &str) -> Result<Number, String> {
    within(text, "at least 0", |x| !x.is_negative())
}

/// Such as the mu of Gaussian privacy.
pub(crate) fn positive(text: &str) -> Result<Number, String> {
    within(text, "above 0", Rational::is_positive)
}

/// The order of a Renyi divergence.
pub(crate) fn order(text: &str) -> Result<Number, String> {
    within(text, "above 1", |x| *x > one())
}
