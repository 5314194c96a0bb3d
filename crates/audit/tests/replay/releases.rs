//! What is released: without noise, not at all, of the wrong keys, in the wrong order, too often.

use throng_audit::Outcome;
use throng_audit::replay::fuzz::{Fuzz, Table};
use throng_audit::replay::{Claimed, Declared, Draws, Finding, Recorder, Watch};
use throng_mechanism::Neighbours::AddRemove;
use throng_numeric::Rational;

use super::{Specimen, clamped, counts, exact_sum, groups, released};

pub(crate) fn specimens() -> Vec<Specimen> {
    let rows = Fuzz::rows(0.0, 4.0, AddRemove);
    let once = || Watch::default().claiming(Claimed::pure(1));
    vec![
        Specimen::new(
            "a column without bounds gets no noise",
            "opendp/smartnoise-sdk#317",
            rows,
            [|t, r| column(t, r, Some(4.0)), |t, r| column(t, r, None)],
        )
        .showing(|finding| matches!(finding, Finding::BypassesNoise)),
        Specimen::new(
            "an error after the noise was drawn",
            "opendp/opendp#1908",
            rows,
            [|t, r| mean(t, r, true), |t, r| mean(t, r, false)],
        )
        .showing(|finding| matches!(finding, Finding::ErrorDiffers { .. })),
        Specimen::new(
            "a row for each key that is there",
            "threat table, row 9",
            rows,
            [public_keys, keys_of_the_data],
        )
        .showing(|finding| matches!(finding, Finding::LengthDiffers { .. })),
        Specimen::new(
            "rows of a release in the order of arrival",
            "threat table, row 9",
            rows,
            [public_keys, order_of_arrival],
        )
        .showing(|finding| matches!(finding, Finding::OrderDiffers)),
        Specimen::new(
            "no noise where there is nothing to count",
            "threat table, row 8",
            rows,
            [each_group, groups_with_rows],
        )
        .showing(|finding| matches!(finding, Finding::DifferentFlow { .. })),
        Specimen::new(
            "two centres out of one slice of the budget",
            "IBM/differential-privacy-library#104",
            rows,
            [|t, r| centres(t, r, 2), |t, r| centres(t, r, 1)],
        )
        .watched(once(), once())
        .showing(|finding| matches!(finding, Finding::CostsMore { .. })),
        Specimen::new(
            "noise divided by the number of dimensions",
            "opendp/smartnoise-sdk#472",
            rows,
            [|t, r| marginal(t, r, 1), |t, r| marginal(t, r, 2)],
        )
        .watched(once(), once())
        .showing(|finding| matches!(finding, Finding::CostsMore { .. })),
    ]
}

fn column(
    table: &Table,
    recorder: &mut Recorder<'_>,
    upper: Option<f64>,
) -> Result<Outcome, String> {
    let Some(upper) = upper else {
        let sum: f64 = table.iter().map(|row| row.real).sum();
        return Ok(Outcome::List(vec![Outcome::Number(sum)]));
    };
    let sum = exact_sum(table.iter().map(|row| clamped(row.real, 0.0, upper)));
    released(recorder, "sum", Draws::laplace(upper), Declared::l1(upper), &[sum])
}

fn mean(table: &Table, recorder: &mut Recorder<'_>, safe: bool) -> Result<Outcome, String> {
    let outcome = column(table, recorder, Some(4.0))?;
    if table.is_empty() && !safe {
        return Err("the mean of no rows".into());
    }
    Ok(outcome)
}

fn named(keys: &[String], noisy: Outcome) -> Outcome {
    let Outcome::List(noisy) = noisy else { return noisy };
    let row =
        |(key, count): (&String, Outcome)| Outcome::List(vec![Outcome::Text(key.clone()), count]);
    Outcome::List(keys.iter().zip(noisy).map(row).collect())
}

fn whole(counts: Vec<u64>) -> Vec<Rational> {
    counts.into_iter().map(Rational::from).collect()
}

fn public_keys(table: &Table, recorder: &mut Recorder<'_>) -> Result<Outcome, String> {
    let cells = Declared::cells(1, 1);
    let noisy = released(recorder, "counts", Draws::laplace(1), cells, &whole(counts(table)))?;
    Ok(named(&groups(), noisy))
}

fn keys_of_the_data(table: &Table, recorder: &mut Recorder<'_>) -> Result<Outcome, String> {
    let mut keys: Vec<String> = table.iter().map(|row| row.key.clone()).collect();
    keys.sort_unstable();
    keys.dedup();
    let count = |key: &String| table.iter().filter(|row| row.key == *key).count() as u64;
    let counts = whole(keys.iter().map(count).collect());
    recorder.keys(keys.clone());
    let noisy = released(recorder, "counts", Draws::laplace(1), Declared::cells(1, 1), &counts)?;
    Ok(named(&keys, noisy))
}

fn order_of_arrival(table: &Table, recorder: &mut Recorder<'_>) -> Result<Outcome, String> {
    let Outcome::List(mut rows) = public_keys(table, recorder)? else {
        return Ok(Outcome::Nothing);
    };
    let place = |row: &Outcome| {
        let Outcome::List(parts) = row else { return usize::MAX };
        let Some(Outcome::Text(key)) = parts.first() else { return usize::MAX };
        table.iter().position(|row| row.key == *key).unwrap_or(usize::MAX)
    };
    rows.sort_by_key(place);
    Ok(Outcome::List(rows))
}

fn one_group(recorder: &mut Recorder<'_>, key: &str, count: u64) -> Result<Outcome, String> {
    released(recorder, key, Draws::laplace(1), Declared::l1(1), &[count.into()])
}

fn each_group(table: &Table, recorder: &mut Recorder<'_>) -> Result<Outcome, String> {
    let rows = groups().into_iter().zip(counts(table));
    Ok(Outcome::List(rows.map(|(key, n)| one_group(recorder, &key, n)).collect::<Result<_, _>>()?))
}

fn groups_with_rows(table: &Table, recorder: &mut Recorder<'_>) -> Result<Outcome, String> {
    let mut rows = Vec::new();
    for (key, n) in groups().into_iter().zip(counts(table)) {
        rows.push(match n {
            0 => Outcome::List(vec![Outcome::Number(0.0)]),
            n => one_group(recorder, &key, n)?,
        });
    }
    Ok(Outcome::List(rows))
}

/// Sums of two columns for ε = 1 together.
fn centres(table: &Table, recorder: &mut Recorder<'_>, parts: i64) -> Result<Outcome, String> {
    let noise = || Draws::laplace(4 * parts);
    let x = exact_sum(table.iter().map(|row| clamped(row.real, 0.0, 4.0)));
    let x = released(recorder, "centre of x", noise(), Declared::l1(4), &[x])?;
    let y: i64 = table.iter().map(|row| row.whole.clamp(0, 4)).sum();
    let y = released(recorder, "centre of y", noise(), Declared::l1(4), &[y.into()])?;
    Ok(Outcome::List(vec![x, y]))
}

fn marginal(
    table: &Table,
    recorder: &mut Recorder<'_>,
    dimensions: u32,
) -> Result<Outcome, String> {
    let scale = Rational::new(1, dimensions).unwrap();
    let counts = whole(counts(table));
    released(recorder, "marginal", Draws::laplace(scale), Declared::l1(1), &counts)
}
