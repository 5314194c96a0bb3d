//! What looks at private tables beside the models: bounds that are bought, evaluations, searches, parts of a
//! training, descent with correlated noise.

use serde_json::{Value, json};
use throng_account::{MechanismSpec, Neighbours};
use throng_learn::any::{Table, Task};
use throng_learn::bounds::{BuyBounds, BuyBoundsOptions};
use throng_learn::columns::{Column, Columns};
use throng_learn::correlated::{Bands, CorrelatedNoise, Ftrl, Gradients, Pace, Participation};
use throng_learn::evaluate::{Accuracy, AccuracyOptions, Fit};
use throng_learn::forest::{ForestClassifier, ForestClassifierModel, ForestOptions};
use throng_learn::network::{NetworkOptions, Training};
use throng_learn::tuning::{Candidate, HeldOutAccuracy, Runs, Search};
use throng_learn::{
    Bounds, Classes, Classified, Interval, LearnError, Matrix, Measured, Predict, Predictions,
    Privacy,
};
use throng_mechanism::{Mechanism, MechanismError, Run};
use throng_sample::{Entropy, SeededEntropy};

use super::{Case, Subject, ran};

/// Columns of the tables here.
const COLUMNS: usize = 2;

pub fn cases() -> Vec<Case> {
    let new = |title, make: fn(&Privacy) -> Result<Subject, LearnError>| Case {
        title,
        make: Box::new(move |privacy, _| Ok(Subject { title: title.to_owned(), ..make(privacy)? })),
    };
    vec![
        new("bounds", bounds),
        new("accuracy", |privacy| accuracy(privacy, false)),
        new("accuracy, confusion", |privacy| accuracy(privacy, true)),
        new("fit", fit),
        new("search", search),
        new("segment", segment),
        new("descent with correlated noise", descent),
    ]
}

fn classified(table: &Table) -> Classified {
    let Table::Classified(examples) = table else { panic!("a table without classes") };
    examples.clone()
}

fn measured(table: &Table) -> Measured {
    let Table::Measured(examples) = table else { panic!("a table without numbers") };
    examples.clone()
}

fn subject<M: Mechanism + 'static>(
    mechanism: M,
    task: Task,
    input: fn(&Table) -> M::Input,
    shown: fn(M::Output) -> Value,
) -> Subject
where
    M::Input: Sized,
{
    let (spec, under) = (mechanism.spec(), mechanism.neighbours());
    let run = move |table: &Table, entropy: &mut dyn Entropy| {
        ran(&mechanism, input(table), entropy).map(shown)
    };
    Subject { title: String::new(), task, columns: COLUMNS, spec, under, run: Box::new(run) }
}

fn json_of<T: serde::Serialize>(value: T) -> Value {
    serde_json::to_value(value).unwrap()
}

fn bounds(privacy: &Privacy) -> Result<Subject, LearnError> {
    // So many false bins that the noise shows.
    let options = BuyBoundsOptions { resolution: 1.0, beta: 0.999 };
    let learner = BuyBounds::new(COLUMNS, privacy, options)?;
    Ok(subject(learner, Task::Features, |table| table.features().clone(), json_of))
}

/// The second class above a half of the first column, where NaN is not.
struct First;

impl Predict for First {
    fn columns(&self) -> usize {
        COLUMNS
    }

    fn predict(&self, features: &Matrix<f64>) -> Result<Predictions, LearnError> {
        let chosen = features.iter().map(|row| u32::from(row[0] > 0.5)).collect();
        Ok(Predictions::Classes { chosen, probabilities: None })
    }
}

/// The first column as it is, whatever that is.
struct AsIs;

impl Predict for AsIs {
    fn columns(&self) -> usize {
        COLUMNS
    }

    fn predict(&self, features: &Matrix<f64>) -> Result<Predictions, LearnError> {
        Ok(Predictions::Numbers(features.iter().map(|row| row[0]).collect()))
    }
}

fn accuracy(privacy: &Privacy, confusion: bool) -> Result<Subject, LearnError> {
    let options = AccuracyOptions { confusion };
    let judge = Accuracy::new(First, Classes::new(2)?, privacy, &options)?;
    Ok(subject(judge, Task::Classes, classified, json_of))
}

fn fit(privacy: &Privacy) -> Result<Subject, LearnError> {
    let judge = Fit::new(AsIs, Interval::new(0.0, 1.0)?, privacy)?;
    Ok(subject(judge, Task::Number, measured, json_of))
}

fn search(privacy: &Privacy) -> Result<Subject, LearnError> {
    let candidate = |depth| -> Result<Candidate<Classified, ForestClassifierModel>, LearnError> {
        let columns = vec![Column::Number(Interval::new(0.0, 1.0)?); COLUMNS];
        let options = ForestOptions { trees: 1, depth, ..ForestOptions::default() };
        let classes = Classes::new(2)?;
        Ok(Box::new(ForestClassifier::new(Columns::new(columns)?, classes, privacy, options)?))
    };
    let judge = Box::new(HeldOutAccuracy::new(Classes::new(2)?, privacy)?);
    let search = Search::new(vec![candidate(1)?, candidate(2)?], judge, Runs::geometric(2)?)?;
    Ok(subject(search, Task::Classes, classified, |best| match best {
        Some(best) => json!([best.candidate, best.score, json_of(best.model)]),
        None => Value::Null,
    }))
}

fn segment(privacy: &Privacy) -> Result<Subject, LearnError> {
    let options = NetworkOptions {
        layers: Vec::new(),
        records: Some(4),
        steps: 3,
        ..NetworkOptions::default()
    };
    let bounds = Bounds::same(COLUMNS, 0.0, 1.0)?;
    let training = Training::new(bounds, Classes::new(2)?, privacy, options)?;
    let start = training.begin(&mut SeededEntropy::new(1))?;
    let (spec, under) = {
        let segment = training.segment(start.clone(), 2)?;
        (segment.spec(), segment.neighbours())
    };
    let run = move |table: &Table, entropy: &mut dyn Entropy| {
        let segment = training.segment(start.clone(), 2).map_err(|error| error.to_string())?;
        ran(&segment, classified(table), entropy).map(json_of)
    };
    let (title, task, run) = (String::new(), Task::Classes, Box::new(run));
    Ok(Subject { title, task, columns: COLUMNS, spec, under, run })
}

/// The largest norm of a contribution.
const REACH: i64 = 100;

/// Each record pulls the weights towards itself, with all its might.
struct Pulls(Matrix<f64>);

impl Gradients for Pulls {
    fn weights(&self) -> usize {
        COLUMNS
    }

    fn records(&self) -> usize {
        self.0.rows()
    }

    fn clipped_sum(&self, weights: &[f64], records: &[usize]) -> Vec<i64> {
        let mut sum = vec![0; COLUMNS];
        for record in records {
            // The first column decides along which axis, and the weights which way.
            let place = usize::from(self.0.row(*record)[0] > 0.5);
            sum[place] += if weights[place] > 1e-3 { REACH } else { -REACH };
        }
        sum
    }
}

struct Descent(Ftrl);

impl Mechanism for Descent {
    type Input = Matrix<f64>;
    type Output = Vec<f64>;

    fn spec(&self) -> MechanismSpec {
        self.0.noise().spec().clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.0.noise().neighbours()
    }

    fn answer(&self, input: &Matrix<f64>, run: &mut Run<'_>) -> Result<Vec<f64>, MechanismError> {
        let pace = Pace { rate: 1e-5, momentum: 0.5, decay: 0.5 };
        self.0.train(&Pulls(input.clone()), pace, run)
    }
}

fn descent(privacy: &Privacy) -> Result<Subject, LearnError> {
    let of = Participation::epochs(3, 2)?;
    let reach = u64::try_from(REACH).unwrap();
    let noise = CorrelatedNoise::new(Bands::square_root(4)?, of, reach, privacy)?;
    let mechanism = Descent(Ftrl::new(noise)?);
    Ok(subject(mechanism, Task::Features, |table| table.features().clone(), json_of))
}
