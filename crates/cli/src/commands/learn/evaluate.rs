//! `throng learn evaluate`.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use throng_learn::any::{self, Table as Examples, Task};
use throng_learn::evaluate::{
    self, Accuracy, AccuracyOptions, AccuracyReport, Between, Fit, FitReport,
};
use throng_learn::schema::Label;
use throng_learn::{Classified, Measured, Predict, Privacy, Schema};
use throng_ledger::Digest;
use throng_mechanism::{Mechanism, Sensitive};

use super::pay::{Kept, Payment, Purchase};
use super::predict::declared;
use super::source::Source;
use super::wanted::Wanted;
use super::{ModelFile, table};
use crate::failure::Failure;
use crate::number::{self, Number};
use crate::output;
use crate::promise::{Errors, Promise};
use crate::table::Table;

const EXAMPLES: &str = "\
Examples:
  throng learn example loans
  throng learn fit linear --data loans/train.csv --bounds loans/rate.toml --epsilon 1 \\
    --delta 1e-5 -o rate.json
  throng learn evaluate rate.json --data loans/test.csv --public
  throng learn evaluate rate.json --data loans/test.csv --epsilon 1 --json
  throng learn evaluate rate.json --data loans/test.csv --epsilon 1 --ledger test.ledger \\
    --budget 4,1e-5 --yes";

/// How well a model does on a test table.
///
/// If the table is public, say so with --public: the answer is exact. If it is private, say how private the
/// answer shall be: it has noise and error bars, and is a release like any other.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Options {
    #[command(flatten)]
    model: ModelFile,

    /// The test table, with labels: csv with a header, json, jsonl, arrow or parquet.
    #[arg(long, value_name = "FILE")]
    data: PathBuf,

    /// Everybody may know the test table.
    #[arg(long, conflicts_with_all = ["epsilon", "delta", "gdp", "zcdp", "fpr", "tpr", "advantage", "ledger"])]
    public: bool,

    #[command(flatten)]
    wanted: Wanted,

    /// The chance that error bars hold.
    #[arg(long, value_name = "C", default_value = "0.95", value_parser = number::open_probability, allow_hyphen_values = true)]
    confidence: Number,

    /// Print JSON.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    payment: Payment,
}

/// A report that a ledger can keep.
struct Report<R>(R);

impl<R: Serialize + DeserializeOwned> Kept for Report<R> {
    fn bytes(&self) -> Result<Vec<u8>, Failure> {
        Ok(serde_json::to_vec(&self.0)?)
    }

    fn read(bytes: &[u8]) -> Result<Self, Failure> {
        Ok(Self(serde_json::from_slice(bytes)?))
    }
}

/// Reads, evaluates, shows.
pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let bytes = options.model.bytes()?;
    let (card, model) = ModelFile::load(&bytes)?;
    let (schema, encoding) = declared(&card)?;
    let task = any::kind(model.kind())?.task;
    if !matches!(
        (task, schema.label()),
        (Task::Classes, Some(Label::Classes { .. })) | (Task::Number, Some(Label::Number { .. }))
    ) {
        return Err(Failure::usage(
            format!("a {} learns no label, so it is neither right nor wrong", model.kind()),
            "look at it with `throng learn inspect`",
        ));
    }
    let model = model.predictor()?;
    let (found, wanted) = (schema.names(*encoding).len(), model.columns());
    if found != wanted {
        let what = format!("the card of the model declares {found} features, but it has {wanted}");
        return Err(Failure::usage(what, "use a model that `throng learn fit` wrote"));
    }
    let privacy = if options.public { None } else { Some(options.wanted.privacy()?) };
    let source = Source::of(&options.data)?;
    let test = Test { options, schema, model, name: Digest::of(&bytes), privacy, source };
    match table::read(&options.data, schema, *encoding, task)? {
        Examples::Classified(examples) => test.classes(examples),
        Examples::Measured(examples) => test.numbers(examples),
        Examples::Plain(_) => Err(Failure::bug("a test table without labels")),
    }
}

/// A model and how it is put to the test.
struct Test<'a> {
    options: &'a Options,
    schema: &'a Schema,
    model: &'a dyn Predict,
    /// The digest of the file of the model, which is public.
    name: Digest,
    /// How private the answer shall be; nothing if the table is public.
    privacy: Option<Privacy>,
    /// Which rows, as they were before they were read.
    source: Source,
}

impl Test<'_> {
    fn classes(&self, examples: Classified) -> Result<(), Failure> {
        let (options, classes) = (self.options, self.schema.classes()?);
        let Some(privacy) = &self.privacy else {
            let found = evaluate::classification(self.model, &examples, classes)?;
            let accuracy = ("accuracy", json!(found.accuracy));
            return exact(options, &[("records", json!(found.records)), accuracy]);
        };
        let judge = Accuracy::new(self.model, classes, privacy, &AccuracyOptions::default())?;
        let report: AccuracyReport = self.bought(&judge, examples)?;
        noisy(options, "accuracy", report.accuracy(self.confidence())?, None, &judge)
    }

    fn numbers(&self, examples: Measured) -> Result<(), Failure> {
        let options = self.options;
        let Some(privacy) = &self.privacy else {
            let found = evaluate::regression(self.model, &examples)?;
            let error = ("mean squared error", json!(found.mean_squared_error));
            let fit = ("R squared", json!(found.r_squared));
            return exact(options, &[("records", json!(found.records)), error, fit]);
        };
        let judge = Fit::new(self.model, self.schema.range()?, privacy)?;
        let report: FitReport = self.bought(&judge, examples)?;
        let found = report.mean_squared_error(self.confidence())?;
        noisy(options, "mean squared error", found, Some(report.r_squared()), &judge)
    }

    fn confidence(&self) -> f64 {
        self.options.confidence.up().min(1f64.next_down())
    }

    /// Pays for a report; or the one that the ledger has of the same model and file.
    fn bought<J, R>(&self, judge: &J, examples: J::Input) -> Result<R, Failure>
    where
        J: Mechanism<Output = R>,
        J::Input: Sized,
        R: Serialize + DeserializeOwned,
    {
        let purchase = Purchase {
            label: "learn evaluate".to_owned(),
            parts: vec![b"evaluate".to_vec(), self.name.as_bytes().to_vec()],
            source: &self.source,
            delta: self.options.wanted.delta(),
        };
        let hand = |release: throng_mechanism::Release<R>| Report(release.into_parts().0);
        let data = Sensitive::new(examples);
        Ok(self.options.payment.buy(&purchase, judge, &data, hand)?.thing.0)
    }
}

fn exact(options: &Options, found: &[(&str, Value)]) -> Result<(), Failure> {
    if options.json {
        let members = found.iter().map(|(name, value)| (name.replace(' ', "_"), value.clone()));
        return output::json(&members.collect::<serde_json::Map<_, _>>());
    }
    let mut shown = Table::new(["", "on public records"]);
    for (name, value) in found {
        shown.row([name, &value.to_string()]);
    }
    output::answer(&shown.render(output::paint()))
}

fn noisy(
    options: &Options,
    name: &str,
    found: Between,
    r_squared: Option<f64>,
    judge: &impl Mechanism,
) -> Result<(), Failure> {
    let promise = Promise::stating(&judge.spec(), judge.neighbours(), options.wanted.delta())?;
    let confidence = options.confidence.nearest();
    if options.json {
        return output::json(&json!({
            "guarantee": promise,
            name.replace(' ', "_"): { "value": found.value, "low": found.lower, "high": found.upper },
            "R_squared": r_squared,
            "confidence": confidence,
        }));
    }
    promise.say(&Errors::new(
        format!("from low to high, {confidence} confidence, over the noise"),
        &[],
    ));
    let number = |x: f64| format!("{x:.4}");
    let mut shown = Table::new(["", "estimate", "low", "high"]);
    shown.row([name, &number(found.value), &number(found.lower), &number(found.upper)]);
    if let Some(r_squared) = r_squared {
        shown.row(["R squared", &number(r_squared), "", ""]);
    }
    output::answer(&shown.render(output::paint()))
}
