//! What is in a model, in a table for people.

use serde_json::{Map, Value, json};
use throng_learn::any::AnyModel;
use throng_learn::linear::LinearModel;
use throng_learn::{Card, Matrix};
use throng_mechanism::bayes::Posterior;

use crate::failure::Failure;
use crate::table::Table;

/// Rows with a name and a number in some of the columns.
pub(super) struct Summary {
    columns: Vec<String>,
    rows: Vec<(String, Vec<Option<f64>>)>,
}

impl Summary {
    fn new(columns: &[&str]) -> Self {
        Self { columns: columns.iter().map(|name| (*name).to_owned()).collect(), rows: Vec::new() }
    }

    fn row(&mut self, name: impl Into<String>, cells: impl IntoIterator<Item = Option<f64>>) {
        self.rows.push((name.into(), cells.into_iter().collect()));
    }

    /// For people.
    pub(super) fn table(&self) -> Table {
        let header = std::iter::once(String::new()).chain(self.columns.iter().cloned()).collect();
        let shown = |cell: &Option<f64>| cell.map_or_else(String::new, |x| format!("{x:.5}"));
        let row = |(name, cells): &(String, Vec<Option<f64>>)| {
            std::iter::once(name.clone()).chain(cells.iter().map(shown)).collect()
        };
        Table::of(header, self.rows.iter().map(row).collect())
    }

    /// One object for each row.
    pub(super) fn json(&self) -> Value {
        let object = |(name, cells): &(String, Vec<Option<f64>>)| {
            let cells = self.columns.iter().cloned().zip(cells.iter().map(|cell| json!(cell)));
            let all = std::iter::once(("name".to_owned(), json!(name))).chain(cells);
            Value::Object(all.collect::<Map<_, _>>())
        };
        self.rows.iter().map(object).collect()
    }
}

/// What can be told of a model in numbers; intervals hold with this chance, by their own account.
pub(super) fn of(
    card: &Card,
    model: &AnyModel,
    confidence: f64,
) -> Result<Option<Summary>, Failure> {
    let names = match card.table() {
        Some((schema, encoding)) => schema.names(*encoding),
        None => Vec::new(),
    };
    Ok(match model {
        AnyModel::Linear(model) => Some(linear(model, &names, confidence)?),
        AnyModel::Logistic(model) => {
            Some(scores(card, &names, &model.coefficients(), &model.intercepts()))
        }
        AnyModel::KMeans(model) => Some(centres(&names, &model.centres())),
        AnyModel::BetaBernoulli(model) => {
            Some(posteriors([("chance of a yes".to_owned(), model.posterior())], confidence)?)
        }
        AnyModel::NormalMean(model) => {
            Some(posteriors([("mean".to_owned(), model.posterior())], confidence)?)
        }
        AnyModel::GammaPoisson(model) => {
            Some(posteriors([("rate".to_owned(), model.posterior())], confidence)?)
        }
        AnyModel::DirichletCategorical(model) => {
            let levels = levels(card);
            let one = |level: usize| {
                let name = levels.get(level).cloned().unwrap_or_else(|| level.to_string());
                Some((name, model.posterior(level)?))
            };
            Some(posteriors((0..model.counts().len()).filter_map(one), confidence)?)
        }
        AnyModel::Svm(_)
        | AnyModel::Boosting(_)
        | AnyModel::BoostingRegression(_)
        | AnyModel::Forest(_)
        | AnyModel::ForestRegression(_)
        | AnyModel::NaiveBayes(_)
        | AnyModel::Network(_)
        | AnyModel::NetworkRegression(_)
        | AnyModel::Images(_)
        | AnyModel::Pca(_)
        | AnyModel::Scaler(_)
        | AnyModel::Histogram(_)
        | AnyModel::Marginals(_)
        | AnyModel::Synthetic(_) => None,
    })
}

/// The levels of the first column.
fn levels(card: &Card) -> Vec<String> {
    use throng_learn::schema::Column;
    match card.table().and_then(|(schema, _)| schema.columns().first()) {
        Some(Column::Category { levels, .. }) => levels.clone(),
        Some(Column::Number { .. }) | None => Vec::new(),
    }
}

fn name(names: &[String], place: usize) -> String {
    names.get(place).cloned().unwrap_or_else(|| format!("feature {}", place + 1))
}

fn linear(model: &LinearModel, names: &[String], confidence: f64) -> Result<Summary, Failure> {
    let mut summary = Summary::new(&["coefficient", "standard error", "low", "high"]);
    summary.row("intercept", [Some(model.intercept()), None, None, None]);
    let errors = model.standard_errors().unwrap_or_default();
    let intervals = model.intervals(confidence)?.unwrap_or_default();
    for (place, coefficient) in model.coefficients().into_iter().enumerate() {
        let (low, high) = intervals.get(place).copied().unzip();
        let error = errors.get(place).copied();
        summary.row(name(names, place), [Some(coefficient), error, low, high]);
    }
    Ok(summary)
}

/// Weights in the units of the data: of the second class if there are two, else of each.
fn scores(card: &Card, names: &[String], weights: &Matrix<f64>, intercepts: &[f64]) -> Summary {
    use throng_learn::schema::Label;
    let classes = match card.table().and_then(|(schema, _)| schema.label()) {
        Some(Label::Classes { classes, .. }) => classes.clone(),
        Some(Label::Number { .. }) | None => Vec::new(),
    };
    let first = usize::from(weights.rows() == 1);
    let heads: Vec<String> = (0..weights.rows())
        .map(|k| classes.get(k + first).cloned().unwrap_or_else(|| (k + first).to_string()))
        .collect();
    let mut summary = Summary::new(&heads.iter().map(String::as_str).collect::<Vec<_>>());
    summary.row("intercept", intercepts.iter().copied().map(Some));
    for place in 0..weights.columns() {
        summary.row(name(names, place), weights.iter().map(|row| row.get(place).copied()));
    }
    summary
}

fn centres(names: &[String], centres: &Matrix<f64>) -> Summary {
    let heads: Vec<String> = (0..centres.columns()).map(|place| name(names, place)).collect();
    let mut summary = Summary::new(&heads.iter().map(String::as_str).collect::<Vec<_>>());
    for (place, centre) in centres.iter().enumerate() {
        summary.row(format!("centre {place}"), centre.iter().copied().map(Some));
    }
    summary
}

fn posteriors(
    of: impl IntoIterator<Item = (String, Posterior)>,
    probability: f64,
) -> Result<Summary, Failure> {
    let mut summary = Summary::new(&["mean", "standard deviation", "low", "high"]);
    for (name, posterior) in of {
        let between = posterior.credible(probability)?;
        let numbers =
            [posterior.mean(), posterior.standard_deviation(), between.lower, between.upper];
        summary.row(name, numbers.map(Some));
    }
    Ok(summary)
}
