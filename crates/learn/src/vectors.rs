//! Rows of `vectors/learn.csv` for the tests of what no user sees.

/// A row: its arguments and its value.
pub(crate) type Row = (Vec<&'static str>, f64);

/// A decimal or a fraction.
pub(crate) fn number(text: &str) -> f64 {
    let rational: throng_numeric::Rational = text.parse().unwrap();
    rational.to_f64_nearest()
}

/// All rows of a quantity; there are some.
pub(crate) fn rows(quantity: &str) -> Vec<Row> {
    let text = include_str!("../../../vectors/learn.csv");
    let row = |line: &'static str| {
        let (name, rest) = line.split_once(',')?;
        let (arguments, value) = rest.rsplit_once(',')?;
        let arguments = arguments.trim_matches('"').split(' ').collect();
        (name == quantity).then(|| (arguments, value.parse().unwrap()))
    };
    let found: Vec<Row> = text.lines().skip(2).filter_map(row).collect();
    assert!(!found.is_empty(), "no vectors of {quantity}");
    found
}
