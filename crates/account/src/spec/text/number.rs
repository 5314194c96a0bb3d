//! Numbers of a spec, read and printed.

use throng_numeric::Rational;

/// The longest text of a number: both halves of a fraction of
/// [`MAX_NUMBER_BITS`](crate::spec::MAX_NUMBER_BITS) bits fit.
const MAX_LENGTH: usize = 2500;

/// The largest decimal exponent. Together with the length it stops a few characters from
/// becoming a number of many kilobytes.
const MAX_EXPONENT: u32 = 1300;

/// The most decimal places that are printed without an exponent.
const PLAIN_PLACES: usize = 6;

/// The most decimal places that are looked for at all; beyond them a fraction is printed.
const MOST_PLACES: usize = 40;

/// Why a text is not a number of a spec, and where, counted from 1 in characters.
#[derive(Debug)]
pub(crate) struct NumberError {
    pub(crate) column: usize,
    pub(crate) reason: String,
}

/// Reads `3`, `-0.8`, `1e-6`, `256/60000`, exactly.
pub(crate) fn read(text: &str) -> Result<Rational, NumberError> {
    if text.len() > MAX_LENGTH || text.split('/').any(has_large_exponent) {
        let reason = format!(
            "the number is too long: at most {MAX_LENGTH} characters and a decimal exponent of \
             {MAX_EXPONENT}"
        );
        return Err(NumberError { column: 1, reason });
    }
    text.parse().map_err(|error: throng_numeric::rational::ParseRationalError| NumberError {
        column: error.column,
        reason: error.reason.to_string(),
    })
}

/// Whether there is an exponent and it is beyond the limit, or not a number at all.
fn has_large_exponent(decimal: &str) -> bool {
    let Some((_, exponent)) = decimal.split_once(['e', 'E']) else { return false };
    let digits = exponent.chars().filter(char::is_ascii_digit);
    let size = digits
        .filter_map(|c| c.to_digit(10))
        .fold(0_u32, |size, digit| size.saturating_mul(10).saturating_add(digit));
    size > MAX_EXPONENT
}

/// A short decimal where the number has one (`0.8`, `1e-10`), else a fraction (`8/1875`).
pub(crate) fn print(number: &Rational) -> String {
    let fraction = number.to_string();
    if number.is_integer() {
        return fraction;
    }
    match decimal_digits(number) {
        Some((digits, places)) if places <= PLAIN_PLACES => plain(number, &digits, places),
        Some((digits, places)) => {
            let plain = plain(number, &digits, places);
            let scientific = scientific(number, &digits, places);
            let decimal = if plain.len() <= scientific.len() { plain } else { scientific };
            if decimal.len() < fraction.len() { decimal } else { fraction }
        }
        None => fraction,
    }
}

/// The digits of |number| 10^places, for the fewest places that make it whole.
fn decimal_digits(number: &Rational) -> Option<(String, usize)> {
    let ten = Rational::from(10_u8);
    let mut scaled = number.abs();
    for places in 0..=MOST_PLACES {
        if scaled.is_integer() {
            return Some((scaled.to_string(), places));
        }
        scaled = &scaled * &ten;
    }
    None
}

fn sign(number: &Rational) -> &'static str {
    if number.is_negative() { "-" } else { "" }
}

/// `0.8`: the last `places` digits stand behind the point.
fn plain(number: &Rational, digits: &str, places: usize) -> String {
    let padded = format!("{digits:0>width$}", width = places + 1);
    let (whole, part) = padded.split_at(padded.len() - places);
    format!("{}{whole}.{part}", sign(number))
}

/// `1.5e-9`: one digit before the point.
fn scientific(number: &Rational, digits: &str, places: usize) -> String {
    let Some((first, rest)) = digits.split_at_checked(1) else { return number.to_string() };
    let point = if rest.is_empty() { "" } else { "." };
    let exponent = i128::try_from(rest.len()).unwrap_or(0) - i128::try_from(places).unwrap_or(0);
    format!("{}{first}{point}{rest}e{exponent}", sign(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_print_short_and_read_back() {
        for (given, printed) in [
            ("4/5", "0.8"),
            ("-1/4", "-0.25"),
            ("256/60000", "8/1875"),
            ("1e-6", "0.000001"),
            ("1e-10", "1e-10"),
            ("-15e-10", "-1.5e-9"),
            ("1/1024", "1/1024"),
            ("12.5", "12.5"),
            ("1.4317336", "1.4317336"),
            ("0.6114121", "0.6114121"),
            ("1e3", "1000"),
            ("0", "0"),
        ] {
            let number = read(given).unwrap();
            assert_eq!(print(&number), printed);
            assert_eq!(read(printed).unwrap(), number);
        }
    }

    #[test]
    fn huge_numbers_are_refused_before_they_are_made() {
        for text in ["1e1301", "1e-99999", "1/1e999999999999", "1E1_301"] {
            assert!(read(text).unwrap_err().reason.contains("too long"), "{text}");
        }
        assert!(read(&"1".repeat(2501)).is_err());
        assert!(read("1e1300").is_ok());
    }
}
