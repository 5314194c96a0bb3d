//! Tables made to stand out.

use throng_learn::any::{Table, Task};
use throng_learn::schema::{Column, Label};
use throng_learn::{Classified, Interval, Matrix, Measured, Schema};

/// The numbers of a row, and its label.
pub type Record = (Vec<f64>, f64);

fn number(name: &str, lower: f64, upper: f64) -> Column {
    Column::Number { name: name.into(), bounds: Interval::new(lower, upper).unwrap() }
}

fn category(name: &str) -> Column {
    Column::Category { name: name.into(), levels: vec!["no".into(), "yes".into()] }
}

/// Two columns from 0 to 1, or wide: other bounds, and a category; what describes one column gets
/// one, images 16 pixels.
pub fn schema(kind: &str, task: Task, wide: bool) -> Schema {
    let pixels = || (0..16).map(|pixel| number(&format!("p{pixel}"), 0.0, 1.0)).collect();
    let columns = match kind {
        "normal-mean" if wide => vec![number("a", -3.0, 5.0)],
        "gamma-poisson" if wide => vec![number("a", 0.0, 4.0)],
        "normal-mean" | "gamma-poisson" | "beta-bernoulli" => vec![number("a", 0.0, 1.0)],
        "dirichlet-categorical" => vec![category("a")],
        "image" => pixels(),
        _ if wide => vec![number("a", 0.0, 1.0), number("b", -2.0, 6.0), category("c")],
        _ => vec![number("a", 0.0, 1.0), number("b", 0.0, 1.0)],
    };
    let label = match task {
        Task::Number => {
            let bounds = Interval::new(if wide { -1.0 } else { 0.0 }, 1.0).unwrap();
            Some(Label::Number { name: "y".into(), bounds })
        }
        Task::Classes => {
            let classes = vec!["no".into(), "yes".into()];
            Some(Label::Classes { name: "y".into(), classes })
        }
        Task::Clusters | Task::Features | Task::Distribution => None,
    };
    Schema::new(columns, label).unwrap()
}

/// The table of some records. Labels that are no whole numbers count as a class that nobody declared.
pub fn table(task: Task, columns: usize, records: &[Record]) -> Table {
    let values = records.iter().flat_map(|(row, _)| row.iter().copied()).collect();
    let features = Matrix::new(records.len(), columns, values).unwrap();
    let labels = records.iter().map(|(_, label)| *label);
    match task {
        Task::Classes => {
            let class = |x: f64| {
                if x == 0.0 {
                    0
                } else if x == 1.0 {
                    1
                } else {
                    9
                }
            };
            Table::Classified(Classified::new(features, labels.map(class).collect()).unwrap())
        }
        Task::Number => Table::Measured(Measured::new(features, labels.collect()).unwrap()),
        Task::Clusters | Task::Features | Task::Distribution => Table::Plain(features),
    }
}

/// Records in corners, in the middle and beyond all bounds, and what is no number.
pub fn hostile(columns: usize) -> Vec<Record> {
    let all = |x: f64| vec![x; columns];
    let turns = |x: f64, y: f64| (0..columns).map(|i| if i % 2 == 0 { x } else { y }).collect();
    let rows: Vec<Vec<f64>> = vec![
        all(1e9),
        all(-1e9),
        turns(1e9, -1e9),
        turns(-1e9, 1e9),
        all(0.0),
        all(0.5),
        all(1.0),
        all(f64::NAN),
        turns(f64::NAN, f64::INFINITY),
        all(f64::NEG_INFINITY),
        turns(5e-324, -0.0),
        all(f64::MAX),
    ];
    let labels = [0.0, 1.0, f64::NAN, -1e300, f64::INFINITY];
    let with = |(i, row): (usize, Vec<f64>)| {
        // Each with the first two labels, and with one of the others.
        let other = labels[2 + i % 3];
        [labels[0], labels[1], other].map(|label| (row.clone(), label))
    };
    rows.into_iter().enumerate().flat_map(with).collect()
}

/// What a record is added to: nothing, one record, and some that differ.
pub fn company(columns: usize) -> [Vec<Record>; 3] {
    let one = (vec![0.25; columns], 0.0);
    let some = (0..5_u8).map(|i| {
        let row = (0..columns).map(|j| f64::from((i * 7 + u8::try_from(j).unwrap() * 3) % 5) / 4.0);
        (row.collect(), f64::from(i % 2))
    });
    [Vec::new(), vec![one], some.collect()]
}
