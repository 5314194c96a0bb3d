//! Sums: overflow, rounding, order, NaN.

use throng_audit::Outcome;
use throng_audit::replay::fuzz::{Fuzz, Table};
use throng_audit::replay::{Declared, Draws, Finding, Recorder};
use throng_mechanism::Neighbours::{AddRemove, Replace};
use throng_numeric::Rational;

use super::{Specimen, clamped, exact, exact_sum, released, sum_of};

pub(crate) fn specimens() -> Vec<Specimen> {
    let large = 4_611_686_018_427_387_904.0;
    let m = 1_125_899_906_842_624.0;
    vec![
        Specimen::new(
            "a sum of integers wraps",
            "Casacuberta et al. 2022; google/differential-privacy#126",
            Fuzz::rows(-large, large, AddRemove),
            [whole_sum, wrapping_sum],
        ),
        Specimen::new(
            "a sum that would overflow is an error",
            "google/differential-privacy#40",
            Fuzz::rows(-large, large, AddRemove),
            [whole_sum, checked_sum],
        )
        .showing(|finding| matches!(finding, Finding::ErrorDiffers { .. })),
        Specimen::new(
            "a sum of floats rounds after each row",
            "google/differential-privacy#127; opendp/opendp#348",
            Fuzz::rows(0.0, 0.1, AddRemove),
            [tenths, rounding_tenths],
        ),
        Specimen::new(
            "deviations from a mean that was rounded",
            "opendp/opendp#2923",
            Fuzz::rows(m, m + 1.0, Replace),
            [deviations, rounded_deviations],
        ),
        Specimen::new(
            "32-bit floats taken for 64-bit ones",
            "opendp/opendp#2941",
            Fuzz::rows(-1e38, 1e38, AddRemove),
            [wide_sum, narrow_sum],
        ),
        Specimen::new(
            "a clamp made of comparisons lets NaN pass",
            "google/differential-privacy#405",
            Fuzz::rows(0.0, 8.0, AddRemove),
            [eights, eights_or_nan],
        ),
    ]
}

const MOST: i64 = 1 << 62;

fn of_whole(recorder: &mut Recorder<'_>, sum: Rational) -> Result<Outcome, String> {
    released(recorder, "sum", Draws::laplace(MOST), Declared::l1(MOST), &[sum])
}

fn whole_sum(table: &Table, recorder: &mut Recorder<'_>) -> Result<Outcome, String> {
    let sum: i128 = table.iter().map(|row| i128::from(row.whole.clamp(-MOST, MOST))).sum();
    of_whole(recorder, sum.into())
}

fn wrapping_sum(table: &Table, recorder: &mut Recorder<'_>) -> Result<Outcome, String> {
    let sum = table.iter().fold(0_i64, |sum, row| sum.wrapping_add(row.whole.clamp(-MOST, MOST)));
    of_whole(recorder, sum.into())
}

fn checked_sum(table: &Table, recorder: &mut Recorder<'_>) -> Result<Outcome, String> {
    let add = |sum: i64, row: i64| sum.checked_add(row).ok_or("the sum overflows");
    let sum = table.iter().try_fold(0, |sum, row| add(sum, row.whole.clamp(-MOST, MOST)))?;
    of_whole(recorder, sum.into())
}

fn of_tenths(recorder: &mut Recorder<'_>, sum: Rational) -> Result<Outcome, String> {
    released(recorder, "sum", Draws::laplace(0.1), Declared::l1(0.1), &[sum])
}

fn tenths(table: &Table, recorder: &mut Recorder<'_>) -> Result<Outcome, String> {
    of_tenths(recorder, exact_sum(table.iter().map(|row| clamped(row.real, 0.0, 0.1))))
}

fn rounding_tenths(table: &Table, recorder: &mut Recorder<'_>) -> Result<Outcome, String> {
    let sum: f64 = table.iter().map(|row| clamped(row.real, 0.0, 0.1)).sum();
    of_tenths(recorder, exact(sum))
}

const BASE: f64 = 1_125_899_906_842_624.0;

fn of_deviations(
    recorder: &mut Recorder<'_>,
    rows: usize,
    sum: Rational,
) -> Result<Outcome, String> {
    // The number of rows is public: one of them moves the sum of squared deviations by (n-1)/n.
    let most = Rational::new(rows.saturating_sub(1) as u64, rows.max(1) as u64).unwrap();
    released(recorder, "deviations", Draws::laplace(1.0), Declared::l1(most), &[sum])
}

fn deviations(table: &Table, recorder: &mut Recorder<'_>) -> Result<Outcome, String> {
    let from_base = |x: f64| exact(clamped(x, BASE, BASE + 1.0)) - exact(BASE);
    let parts: Vec<Rational> = table.iter().map(|row| from_base(row.real)).collect();
    let total = sum_of(parts.iter().cloned()).square();
    let mean = total.checked_div(&Rational::from(table.len().max(1) as u64)).unwrap();
    of_deviations(recorder, table.len(), sum_of(parts.iter().map(Rational::square)) - mean)
}

fn rounded_deviations(table: &Table, recorder: &mut Recorder<'_>) -> Result<Outcome, String> {
    let parts: Vec<f64> = table.iter().map(|row| clamped(row.real, BASE, BASE + 1.0)).collect();
    let mean = exact_sum(parts.iter().copied())
        .checked_div(&Rational::from(table.len().max(1) as u64))
        .unwrap()
        .to_f64_nearest();
    let squares = parts.iter().map(|x| exact(x - mean).square());
    of_deviations(recorder, table.len(), sum_of(squares))
}

fn of_wide(
    recorder: &mut Recorder<'_>,
    sum: f64,
    exactly: Option<Rational>,
) -> Result<Outcome, String> {
    let most = exact(f64::from(1e38_f32));
    let (draws, declared) = (Draws::laplace(most.clone()), Declared::l1(most));
    match exactly {
        Some(sum) => released(recorder, "sum", draws, declared, &[sum]),
        None => Ok(Outcome::Number(recorder.noisy("sum", draws, declared, &[sum])?[0])),
    }
}

fn narrow(x: f64) -> f32 {
    let most = f64::from(1e38_f32);
    clamped(x, -most, most) as f32
}

fn wide_sum(table: &Table, recorder: &mut Recorder<'_>) -> Result<Outcome, String> {
    let sum = exact_sum(table.iter().map(|row| f64::from(narrow(row.real))));
    of_wide(recorder, 0.0, Some(sum))
}

fn narrow_sum(table: &Table, recorder: &mut Recorder<'_>) -> Result<Outcome, String> {
    let sum: f32 = table.iter().map(|row| narrow(row.real)).sum();
    of_wide(recorder, f64::from(sum), None)
}

fn eights(table: &Table, recorder: &mut Recorder<'_>) -> Result<Outcome, String> {
    let sum = exact_sum(table.iter().map(|row| clamped(row.real, 0.0, 8.0)));
    released(recorder, "sum", Draws::laplace(8.0), Declared::l1(8.0), &[sum])
}

fn eights_or_nan(table: &Table, recorder: &mut Recorder<'_>) -> Result<Outcome, String> {
    let clamp = |x: f64| match x {
        x if x < 0.0 => 0.0,
        x if x > 8.0 => 8.0,
        x => x,
    };
    let sum: f64 = table.iter().map(|row| clamp(row.real)).sum();
    // On a grid, so that rounding is not what is found.
    let sum = (sum * 1024.0).round() / 1024.0;
    let noisy = recorder.noisy("sum", Draws::laplace(8.0), Declared::l1(9.0), &[sum])?;
    Ok(Outcome::Number(noisy[0]))
}
