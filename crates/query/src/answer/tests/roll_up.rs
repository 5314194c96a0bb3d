//! Consistency.

use datafusion::common::ScalarValue;
use throng_account::Neighbours;

use super::*;
use crate::answer::{Consistency, consistent};
use crate::question::{Aggregate as Asked, Domain, Key, Limit, Limits, Question, Unit};

fn question(keys: &[(&str, bool)], aggregates: Vec<Asked>) -> Question {
    let domain = |public| {
        if public { Domain::Public(vec![ScalarValue::Null]) } else { Domain::Private }
    };
    Question {
        rows: LogicalPlan::default(),
        unit: Unit::Row,
        keys: keys
            .iter()
            .map(|&(name, public)| Key {
                name: name.to_owned(),
                kind: DataType::Utf8,
                domain: domain(public),
            })
            .collect(),
        inputs: Vec::new(),
        aggregates,
        limits: Limits { groups: Limit::Fixed(1), rows: Limit::Fixed(1) },
        neighbours: Neighbours::AddRemove,
    }
}

const ALL: Consistency = Consistency { non_negative: true, whole: true, totals: true };

fn roll_up(public: bool) -> (Vec<Question>, Vec<Node>, Vec<Answered>) {
    let (_, nodes) = now(analysed("SELECT city, count(*) FROM t GROUP BY ROLLUP(city)"));
    let mut sets: Vec<&GroupingSet> = nodes[0].sets.iter().collect();
    sets.sort_by_key(|set| set.question);
    let (questions, answers) = sets
        .iter()
        .map(|set| match set.keys.as_slice() {
            [] => (
                question(&[], vec![Asked::Rows]),
                answered(vec![], vec![noisy(&[(103.0, 93.0, 113.0)], true)]),
            ),
            _ => (
                question(&[("city", public)], vec![Asked::Rows]),
                answered(
                    vec![("city", cities(&["A", "B", "C"]))],
                    vec![noisy(
                        &[(70.0, 60.0, 80.0), (31.0, 21.0, 41.0), (-6.0, -16.0, 4.0)],
                        true,
                    )],
                ),
            ),
        })
        .unzip();
    (questions, nodes, answers)
}

fn values(answers: &[Answered], rows: usize) -> Vec<f64> {
    let answer = answers.iter().find(|answer| answer.keys.num_rows() == rows).unwrap();
    answer.columns[0].values.iter().copied().flatten().collect()
}

#[test]
fn roll_ups_are_the_sums_of_their_parts() {
    let (questions, nodes, mut answers) = roll_up(true);
    let notes = consistent(ALL, &questions, &nodes, &mut answers);
    assert!(notes.is_empty(), "{notes:?}");
    let (total, parts) = (values(&answers, 1)[0], values(&answers, 3));
    assert!((total - parts.iter().sum::<f64>()).abs() < 1e-9);
    assert!(parts.iter().all(|part| *part >= 0.0 && part.fract() == 0.0), "{parts:?}");
    let whole = answers.iter().find(|answer| answer.keys.num_rows() == 1).unwrap();
    let width = whole.columns[0].high[0].unwrap() - whole.columns[0].low[0].unwrap();
    assert!(width < 20.0, "the total is known better: {width}");
}

#[test]
fn private_keys_and_other_shapes_are_left_alone() {
    let (questions, nodes, mut answers) = roll_up(false);
    let before = values(&answers, 1);
    let notes =
        consistent(Consistency { non_negative: false, ..ALL }, &questions, &nodes, &mut answers);
    assert!(notes[0].contains("private keys"), "{notes:?}");
    assert_eq!(values(&answers, 1), before);
    assert_eq!(values(&answers, 3), [70.0, 31.0, -6.0]);

    let (_, cube) = now(analysed("SELECT city, age, count(*) FROM t GROUP BY CUBE(city, age)"));
    let notes = consistent(ALL, &[], &cube, &mut []);
    assert!(notes[0].contains("not each within the next"), "{notes:?}");
}

#[test]
fn counts_are_clipped_with_their_intervals() {
    let (questions, nodes, mut answers) = roll_up(true);
    let wanted = Consistency { non_negative: true, ..Consistency::default() };
    consistent(wanted, &questions, &nodes, &mut answers);
    let fine = answers.iter().find(|answer| answer.keys.num_rows() == 3).unwrap();
    assert_eq!(fine.columns[0].values[2], Some(0.0));
    assert_eq!((fine.columns[0].low[2], fine.columns[0].high[2]), (Some(0.0), Some(4.0)));
    let untouched = consistent(Consistency::default(), &questions, &nodes, &mut answers);
    assert!(untouched.is_empty());
}
