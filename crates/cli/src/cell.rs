//! Cells as numbers, by rules that leave no cell without one.
//!
//! No error and no message may depend on the data, so every cell is a number:
//!
//! | cell | is |
//! |---|---|
//! | `12`, `-3.5`, `1e6`, with spaces around | that number, exactly |
//! | `inf`, `-inf`, or too large for the grid | the largest, the smallest number of the grid |
//! | anything else: empty, `nan`, `n/a`, `1,234` | no number: 0 |
//!
//! Numbers between grid points go to a grid point: down in [`whole`], to the nearest in [`steps`].

use throng_mechanism::Grid;
use throng_mechanism::grid::MOST_STEPS;
use throng_numeric::{Integer, Rational};

/// The whole number at or below the cell.
///
/// # Guarantee
/// Two cells that differ by at most a whole number d become numbers that differ by at most d:
/// from x <= y + d follows floor(x) <= floor(y) + d; and saturation moves nothing apart.
pub(crate) fn whole(cell: &[u8]) -> i64 {
    exact(cell, Grid::WHOLE, Rational::floor)
}

/// The point of the grid nearest to the cell, in steps.
///
/// # Guarantee
/// Moves a number by at most half a step, whatever is written: decimals are read exactly.
pub(crate) fn steps(cell: &[u8], grid: Grid) -> i64 {
    let half = Rational::new(1, 2_u32).unwrap_or(Rational::ZERO);
    exact(cell, grid, |x| (x + &half).floor())
}

/// A cell as a floating-point number; NaN if it is no number.
pub(crate) fn real(cell: &[u8]) -> f64 {
    text(cell).and_then(|text| text.parse().ok()).unwrap_or(f64::NAN)
}

fn text(cell: &[u8]) -> Option<&str> {
    std::str::from_utf8(cell).ok().map(str::trim)
}

/// In steps, rounded, saturated.
fn exact(cell: &[u8], grid: Grid, round: impl Fn(&Rational) -> Integer) -> i64 {
    let near = real(cell);
    // Decides which way it is written; numbers far off need no digits, and would have too many.
    if near.is_nan() {
        return 0;
    }
    if near.abs() > 1e300 {
        return if near > 0.0 { MOST_STEPS } else { -MOST_STEPS };
    }
    let number = if near.abs() < 1e-300 { tiny(cell) } else { written(cell) };
    let steps = round(&grid.in_steps(&number));
    let beyond = if steps < Integer::ZERO { -MOST_STEPS } else { MOST_STEPS };
    i64::try_from(steps).unwrap_or(beyond).clamp(-MOST_STEPS, MOST_STEPS)
}

fn written(cell: &[u8]) -> Rational {
    text(cell).and_then(|text| text.parse().ok()).unwrap_or(Rational::ZERO)
}

/// 0, or what no grid can tell from a number that small but is on the same side of 0.
fn tiny(cell: &[u8]) -> Rational {
    let mantissa = cell.split(|byte| matches!(byte, b'e' | b'E')).next().unwrap_or_default();
    if !mantissa.iter().any(|byte| matches!(byte, b'1'..=b'9')) {
        return Rational::ZERO;
    }
    let small = Rational::from_f64(1e-300).unwrap_or(Rational::ZERO);
    if mantissa.contains(&b'-') { -small } else { small }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_go_down() {
        let cases: [(&str, i64); 17] = [
            ("12", 12),
            (" -3 ", -3),
            ("+4", 4),
            ("3.999", 3),
            ("-3.001", -4),
            ("1e3", 1000),
            ("-0", 0),
            ("-1e-400", -1),
            ("1e-400", 0),
            ("9007199254740993.5", 9_007_199_254_740_993),
            ("1e400", MOST_STEPS),
            ("-inf", -MOST_STEPS),
            ("99999999999999999999", MOST_STEPS),
            ("-99999999999999999999", -MOST_STEPS),
            ("nan", 0),
            ("1/2", 0),
            ("1_000", 0),
        ];
        for (cell, number) in cases {
            assert_eq!(whole(cell.as_bytes()), number, "{cell}");
        }
        assert_eq!(whole(b"\xff\xfe"), 0);
        assert_eq!(whole(b""), 0);
        assert_eq!(whole("7".repeat(200_000).as_bytes()), MOST_STEPS);
    }

    #[test]
    fn reals_go_to_the_nearest_point() {
        let quarter = Grid::new(-2).unwrap();
        for (cell, number) in [("0.1", 0), ("0.2", 1), ("-1.1", -4), ("1e-320", 0), ("x", 0)] {
            assert_eq!(steps(cell.as_bytes(), quarter), number, "{cell}");
        }
        assert_eq!(steps(b"1e400", quarter), MOST_STEPS);
        assert_eq!(steps(b"1e18", quarter), 4_000_000_000_000_000_000);
    }

    #[test]
    fn a_shift_by_a_whole_number_stays_one() {
        for tenth in -100..100_i32 {
            let written = |x: i32| {
                let sign = if x < 0 { "-" } else { "" };
                format!("{sign}{}.{}", x.abs() / 10, x.abs() % 10)
            };
            let (one, other) = (written(tenth), written(tenth + 30));
            assert_eq!(whole(other.as_bytes()) - whole(one.as_bytes()), 3, "{one} {other}");
        }
    }
}
