//! Choices and comparisons.

use throng_audit::Outcome;
use throng_audit::replay::fuzz::{Fuzz, Table};
use throng_audit::replay::{Claimed, Declared, Draws, Finding, Number, Recorder, Watch};
use throng_mechanism::Neighbours::AddRemove;
use throng_numeric::Rational;

use super::{Specimen, counts, groups};

pub(crate) fn specimens() -> Vec<Specimen> {
    let rows = Fuzz::rows(0.0, 4.0, AddRemove);
    let claiming = |claimed: Claimed| Watch::default().claiming(claimed);
    let costs = |finding: &Finding| matches!(finding, Finding::CostsMore { .. });
    let (half, eighth) = (Rational::new(1, 2_u32).unwrap(), Rational::new(1, 8_u32).unwrap());
    vec![
        Specimen::new(
            "scores that are a difference of two errors, with the bound of one",
            "ryan112358/mbi#65",
            rows,
            [|t, r| improvements(t, r, 2), |t, r| improvements(t, r, 1)],
        ),
        Specimen::new(
            "a noisy maximum priced as the exponential mechanism",
            "opendp/opendp#2911",
            rows,
            [noisy_max, noisy_max],
        )
        .watched(claiming(Claimed::zcdp(half)), claiming(Claimed::zcdp(eighth)))
        .showing(costs),
        Specimen::new(
            "sparse vector that never ends",
            "Lyu, Su, Li 2017, algorithms 5 and 6",
            rows,
            [|t, r| sparse_vector(t, r, 1), |t, r| sparse_vector(t, r, usize::MAX)],
        )
        .watched(claiming(Claimed::pure(1)), claiming(Claimed::pure(1)))
        .showing(costs),
        Specimen::new(
            "sparse vector that passes on what it did not choose",
            "NVIDIA/NVFlare#343",
            rows,
            [|t, r| shared_update(t, r, false), |t, r| shared_update(t, r, true)],
        )
        .showing(|finding| matches!(finding, Finding::BypassesNoise)),
    ]
}

fn numbers(counts: impl IntoIterator<Item = i64>) -> Vec<Number> {
    counts.into_iter().map(Number::from).collect()
}

fn signed(table: &Table) -> Vec<i64> {
    counts(table).into_iter().map(|n| i64::try_from(n).unwrap()).collect()
}

/// How much worse a model is than public data, for each marginal.
fn improvements(table: &Table, recorder: &mut Recorder<'_>, each: i64) -> Result<Outcome, String> {
    let (model, public) = (5, 0);
    let score = |n: i64| (n - model).abs() - (n - public).abs();
    let scores = numbers(signed(table).into_iter().map(score));
    recorder.noise("marginal", Draws::exponential(1), Declared::each(each), &scores);
    recorder.uniform().map(Outcome::Number)
}

fn noisy_max(table: &Table, recorder: &mut Recorder<'_>) -> Result<Outcome, String> {
    let scores = numbers(signed(table));
    recorder.noise("largest", Draws::noisy_max(1), Declared::span(1), &scores);
    recorder.uniform().map(Outcome::Number)
}

/// Half of ε = 1 for the threshold, half for `above` = 1 answer.
fn sparse_vector(
    table: &Table,
    recorder: &mut Recorder<'_>,
    above: usize,
) -> Result<Outcome, String> {
    recorder.noise("threshold", Draws::laplace(2), Declared::l1(0), &[Number::from(1)]);
    let threshold = 1.0 + 2.0 * recorder.uniform()?;
    let mut answers = Vec::new();
    for count in signed(table) {
        let input = [Number::from(count)];
        recorder.noise("query", Draws::comparison(4), Declared::l1(1), &input);
        let is_above = count as f64 + 4.0 * recorder.uniform()? >= threshold;
        recorder.released(if is_above { "above" } else { "below" });
        answers.push(Outcome::Text(if is_above { "above" } else { "below" }.into()));
        if answers.iter().filter(|x| **x == Outcome::Text("above".into())).count() == above {
            break;
        }
    }
    Ok(Outcome::List(answers))
}

/// An update of which the large entries are shared, half of them at random, with noise.
fn shared_update(
    table: &Table,
    recorder: &mut Recorder<'_>,
    passes: bool,
) -> Result<Outcome, String> {
    let mut update = Vec::new();
    for (key, count) in groups().into_iter().zip(signed(table)) {
        let value = count.min(4);
        let input = [Number::from(value)];
        recorder.noise(&format!("query {key}"), Draws::comparison(4), Declared::l1(1), &input);
        let accepted = value as f64 + 4.0 * recorder.uniform()? >= 1.0;
        recorder.released(if accepted { "above" } else { "below" });
        let chosen = recorder.uniform()? >= 0.0;
        update.push(match (accepted, chosen) {
            (true, true) => {
                let noise = Draws::laplace(4);
                recorder.noisy(&format!("value {key}"), noise, Declared::l1(1), &[value as f64])?[0]
            }
            (true, false) if passes => value as f64,
            (true, false) | (false, _) => 0.0,
        });
    }
    Ok(Outcome::List(update.into_iter().map(Outcome::Number).collect()))
}
