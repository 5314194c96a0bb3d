//! Noisy numbers in as many digits as mean something.

use datafusion::arrow::array::{Array, Float64Array};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;

use super::table::TableColumn;
use super::write::Cells;

/// The most decimal places shown.
const MOST: i32 = 9;

/// A column of an answer, ready to be written for people.
pub(super) struct Shown {
    /// The values; empty text for NULL.
    pub(super) values: Vec<String>,
    pub(super) ends: Bars,
    pub(super) number: bool,
}

/// How sure the values are, in words.
pub(super) enum Bars {
    /// Nothing is known.
    None,
    /// Half the width of intervals around the value.
    Around(Vec<String>),
    /// Both ends.
    Between(Vec<String>, Vec<String>),
}

impl Shown {
    /// The cells of a column; whole numbers in full, others to two digits of the typical interval.
    pub(super) fn of(column: &TableColumn, array: &dyn Array, intervals: bool) -> Self {
        let number = array.data_type().is_numeric();
        let floats = floats(array);
        let places = places(column, &floats);
        let cells = Cells::of(array);
        let fractional = number && !array.data_type().is_integer();
        let texts = (0..array.len()).map(|row| {
            let float = floats.get(row).copied().flatten();
            match float.filter(|_| fractional) {
                Some(x) => places.map_or_else(|| plain(x), |places| fixed(x, places)),
                None => cells.at(row).unwrap_or_default(),
            }
        });
        let values = texts.collect();
        let ends = if intervals { bars(column, &floats, places) } else { Bars::None };
        Self { values, ends, number }
    }
}

/// The numbers of a column; none where there is none.
pub(super) fn floats(array: &dyn Array) -> Vec<Option<f64>> {
    let numbers = array.data_type().is_numeric().then(|| cast(array, &DataType::Float64).ok());
    let numbers = numbers.flatten();
    let numbers = numbers.as_ref().and_then(|array| array.as_any().downcast_ref::<Float64Array>());
    numbers.map_or_else(|| vec![None; array.len()], |numbers| numbers.iter().collect())
}

/// Decimal places that show two digits of the median half width.
fn places(column: &TableColumn, floats: &[Option<f64>]) -> Option<i32> {
    let ends = column.ends.as_ref()?;
    let mut halves: Vec<f64> = (0..floats.len())
        .filter_map(|row| ends.at(row).0.zip(ends.at(row).1))
        .map(|(low, high)| (high - low) / 2.0)
        .filter(|half| half.is_finite() && *half > 0.0)
        .collect();
    halves.sort_by(f64::total_cmp);
    let median = halves.get(halves.len() / 2)?;
    Some((1 - magnitude(*median)).clamp(0, MOST))
}

/// Half widths where all intervals are around their values, else ends.
fn bars(column: &TableColumn, floats: &[Option<f64>], places: Option<i32>) -> Bars {
    let Some(ends) = &column.ends else { return Bars::None };
    let rows: Vec<_> = floats.iter().enumerate().map(|(row, x)| (*x, ends.at(row))).collect();
    let text = |x: Option<f64>| {
        x.map_or_else(String::new, |x| places.map_or_else(|| plain(x), |places| fixed(x, places)))
    };
    let halves: Option<Vec<Option<f64>>> = rows.iter().map(|&(x, ends)| half(x, ends)).collect();
    match halves {
        Some(halves) => Bars::Around(halves.into_iter().map(text).collect()),
        None => {
            let whole = |x: Option<f64>| x.is_none_or(|x| x.fract() == 0.0);
            let all = rows.iter().all(|&(x, (low, high))| whole(x) && whole(low) && whole(high));
            let text = |x: Option<f64>| {
                if all { x.map_or_else(String::new, |x| fixed(x, 0)) } else { text(x) }
            };
            Bars::Between(
                rows.iter().map(|&(_, (low, _))| text(low)).collect(),
                rows.iter().map(|&(_, (_, high))| text(high)).collect(),
            )
        }
    }
}

/// Half the width of an interval whose middle is the value to within a hundredth of it; `None` of
/// an interval that is not like that.
fn half(x: Option<f64>, ends: (Option<f64>, Option<f64>)) -> Option<Option<f64>> {
    match (x, ends) {
        (None, _) | (_, (None, None)) => Some(None),
        (Some(x), (Some(low), Some(high))) => {
            let half = (high - low) / 2.0;
            ((low + half - x).abs() <= half * 0.01).then_some(Some(half))
        }
        (Some(_), _) => None,
    }
}

/// A number with so many decimal places; very large ones with an exponent.
pub(super) fn fixed(x: f64, places: i32) -> String {
    if !x.is_finite() || x.abs() >= 1e15 {
        return plain(x);
    }
    let places = usize::try_from(places).unwrap_or(0);
    let text = format!("{x:.places$}");
    // Minus zero says nothing more than zero.
    let zero = text.starts_with('-') && !text.contains(|c: char| c.is_ascii_digit() && c != '0');
    if zero { text.trim_start_matches('-').to_owned() } else { text }
}

/// A number about which nothing else is known: six significant digits, more where it is whole.
pub(super) fn plain(x: f64) -> String {
    if x == 0.0 {
        return "0".to_owned();
    }
    if !x.is_finite() {
        return x.to_string();
    }
    let size = magnitude(x);
    if !(-5..15).contains(&size) {
        return format!("{x:.5e}");
    }
    let text = fixed(x, (5 - size).clamp(0, 10));
    if !text.contains('.') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The decimal exponent: 0 for 1 to 9.99.
#[expect(clippy::cast_possible_truncation, reason = "a decimal exponent has three digits")]
#[expect(clippy::disallowed_methods, reason = "only decides how many digits are shown")]
pub(super) fn magnitude(x: f64) -> i32 {
    x.abs().max(f64::MIN_POSITIVE).log10().floor() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(plain(1.0 / 3.0), "0.333333");
        assert_eq!(plain(123_456_789.25), "123456789");
        assert_eq!(plain(-0.0), "0");
        assert_eq!(plain(2.5), "2.5");
        assert_eq!(plain(1e300), "1.00000e300");
        assert_eq!(plain(-1e-9), "-1.00000e-9");
        assert_eq!(plain(f64::NAN), "NaN");
        assert_eq!(fixed(-0.001, 1), "0.0");
        assert_eq!(fixed(-12.25, 1), "-12.2");
        assert_eq!(fixed(f64::INFINITY, 3), "inf");
    }
}
