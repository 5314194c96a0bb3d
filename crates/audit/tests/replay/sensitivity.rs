//! Sensitivities: halved, rounded, of the wrong bound, of the data.

use throng_audit::Outcome;
use throng_audit::replay::fuzz::{Fuzz, Table};
use throng_audit::replay::{Declared, Draws, Finding, Recorder};
use throng_mechanism::Neighbours::{AddRemove, Replace};
use throng_numeric::Rational;

use super::{Specimen, by_unit, clamped, exact, exact_sum, released, sum_of};

pub(crate) fn specimens() -> Vec<Specimen> {
    let scale = |finding: &Finding| matches!(finding, Finding::ScaleDependsOnData { .. });
    vec![
        Specimen::new(
            "half of an odd range, in integers",
            "opendp/opendp#314",
            Fuzz::rows(0.0, 5.0, Replace),
            [|t, r| whole_sum(t, r, 5), |t, r| whole_sum(t, r, 2 * (5 / 2))],
        ),
        Specimen::new(
            "a bound that is rounded to the nearest",
            "opendp/opendp#2802, #2820",
            Fuzz::rows(0.0, 0.7, AddRemove),
            [|t, r| real_sum(t, r, 0.7), |t, r| real_sum(t, r, f64::from(0.7_f32))],
        ),
        Specimen::new(
            "the length of a group taken for what changes in it",
            "opendp/opendp#2945",
            Fuzz::units(-10.0, 10.0, Replace),
            [|t, r| group_sum(t, r, 60), |t, r| group_sum(t, r, 30)],
        ),
        Specimen::new(
            "the lower bound twice",
            "IBM/differential-privacy-library#105",
            Fuzz::rows(0.0, 100.0, AddRemove),
            [|t, r| squares(t, r, [0.0, 100.0]), |t, r| squares(t, r, [0.0, 0.0])],
        ),
        Specimen::new(
            "two columns added, and the larger of their bounds",
            "opendp/smartnoise-sdk#319",
            Fuzz::rows(0.0, 9.0, AddRemove),
            [|t, r| two_columns(t, r, 18), |t, r| two_columns(t, r, 9)],
        ),
        Specimen::new(
            "a covariance of which one column is not clipped",
            "opendp/smartnoise-sdk#622",
            Fuzz::rows(0.0, 3.0, AddRemove),
            [|t, r| products(t, r, true), |t, r| products(t, r, false)],
        ),
        Specimen::new(
            "bounds that are read off the data",
            "IBM/differential-privacy-library, bounds that were not given",
            Fuzz::rows(0.0, 6.0, AddRemove),
            [|t, r| real_sum(t, r, 6.0), own_bounds],
        )
        .showing(scale),
        Specimen::new(
            "a mean whose noise is divided by a private number of rows",
            "opendp/smartnoise-core#356",
            Fuzz::rows(0.0, 4.0, AddRemove),
            [sum_and_count, mean],
        )
        .showing(scale),
    ]
}

fn whole_sum(table: &Table, recorder: &mut Recorder<'_>, bound: i64) -> Result<Outcome, String> {
    let sum: i64 = table.iter().map(|row| row.whole.clamp(0, 5)).sum();
    released(recorder, "sum", Draws::laplace(bound), Declared::l1(bound), &[sum.into()])
}

fn real_sum(table: &Table, recorder: &mut Recorder<'_>, bound: f64) -> Result<Outcome, String> {
    let upper = if bound < 1.0 { 0.7 } else { bound };
    let sum = exact_sum(table.iter().map(|row| clamped(row.real, 0.0, upper)));
    released(recorder, "sum", Draws::laplace(bound), Declared::l1(bound), &[sum])
}

/// At most three rows of each unit in the one group, within ±10.
fn group_sum(table: &Table, recorder: &mut Recorder<'_>, bound: i64) -> Result<Outcome, String> {
    let units = by_unit(table);
    let kept = units.values().flat_map(|rows| {
        rows.iter().filter(|row| row.key == "g0").take(3).map(|row| row.whole.clamp(-10, 10))
    });
    let sum: i64 = kept.sum();
    released(recorder, "sum of a group", Draws::laplace(bound), Declared::l1(bound), &[sum.into()])
}

fn squares(
    table: &Table,
    recorder: &mut Recorder<'_>,
    bounds: [f64; 2],
) -> Result<Outcome, String> {
    let sum = sum_of(table.iter().map(|row| exact(clamped(row.real, 0.0, 100.0)).square()));
    let most = bounds.map(f64::abs).into_iter().fold(0.0, f64::max);
    let declared = exact(most).square();
    released(recorder, "squares", Draws::laplace(declared.clone()), Declared::l1(declared), &[sum])
}

fn two_columns(table: &Table, recorder: &mut Recorder<'_>, bound: i64) -> Result<Outcome, String> {
    let both = table
        .iter()
        .map(|row| exact(clamped(row.real, 0.0, 9.0)) + Rational::from(row.whole.clamp(0, 9)));
    let sum = sum_of(both);
    released(recorder, "sum of both", Draws::laplace(bound), Declared::l1(bound), &[sum])
}

fn products(table: &Table, recorder: &mut Recorder<'_>, clip: bool) -> Result<Outcome, String> {
    let second = |whole: i64| Rational::from(if clip { whole.clamp(0, 3) } else { whole });
    let products = table.iter().map(|row| exact(clamped(row.real, 0.0, 3.0)) * second(row.whole));
    let sum = sum_of(products);
    released(recorder, "products", Draws::laplace(9), Declared::l1(9), &[sum])
}

fn own_bounds(table: &Table, recorder: &mut Recorder<'_>) -> Result<Outcome, String> {
    let numbers: Vec<f64> = table.iter().map(|row| row.real).filter(|x| x.is_finite()).collect();
    let upper = numbers.iter().copied().fold(0.0, f64::max);
    let sum = exact_sum(numbers.iter().map(|x| clamped(*x, 0.0, upper)));
    released(recorder, "sum", Draws::laplace(upper), Declared::l1(upper), &[sum])
}

fn total(table: &Table) -> Rational {
    exact_sum(table.iter().map(|row| clamped(row.real, 0.0, 4.0)))
}

fn sum_and_count(table: &Table, recorder: &mut Recorder<'_>) -> Result<Outcome, String> {
    let sum = released(recorder, "sum", Draws::laplace(4), Declared::l1(4), &[total(table)])?;
    let rows = Rational::from(table.len() as u64);
    let count = released(recorder, "count", Draws::laplace(1), Declared::l1(1), &[rows])?;
    Ok(Outcome::List(vec![sum, count]))
}

fn mean(table: &Table, recorder: &mut Recorder<'_>) -> Result<Outcome, String> {
    let rows = Rational::from(table.len().max(1) as u64);
    let bound = Rational::from(4).checked_div(&rows).unwrap();
    let mean = total(table).checked_div(&rows).unwrap();
    released(recorder, "mean", Draws::laplace(bound.clone()), Declared::l1(bound), &[mean])
}
