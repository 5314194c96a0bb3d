//! `throng learn fit`.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Map, Value};
use throng_learn::any::{self, AnyLearner, Kind};
use throng_learn::{Card, Interval, Learner, Privacy, Schema};
use throng_mechanism::{Mechanism, MechanismSpec, Release, Sensitive};

use super::declared::{self, Declared};
use super::fitted::{self, Fitted};
use super::pay::{Bought, Payment, Purchase};
use super::segments::{self, Segments};
use super::source::Source;
use super::wanted::Wanted;
use super::{bounds, destination, kinds, table, watch};
use crate::failure::Failure;
use crate::number::{self, Number};
use crate::output;
use crate::promise::Promise;

const EXAMPLES: &str = "\
Examples:
  throng learn example loans
  throng learn fit logistic --data loans/train.csv --bounds loans/bounds.toml --epsilon 1 \\
    --delta 1e-5 -o loans.json
  throng learn fit linear --data loans/train.csv --bounds loans/rate.toml --epsilon 1 \\
    --delta 1e-5 -o rate.safetensors
  throng learn fit k-means --data loans/train.csv --bounds loans/bounds.toml --gdp 1/2 \\
    --set clusters=4 -o groups.json
  throng learn fit naive-bayes --data loans/train.csv --bounds loans/bounds.toml --fpr 0.01 \\
    --tpr 0.02 -o careful.json
  throng learn fit network --data loans/train.csv --bounds loans/bounds.toml --epsilon 2 \\
    --delta 1e-5 --set records=10000 --set steps=6 --segments 2 \\
    --checkpoint half.json -o network.json
  throng learn fit logistic --data loans/train.csv --bounds loans/bounds.toml --epsilon 1 \\
    --delta 1e-6 --ledger loans.ledger --budget 4,1e-5 --yes -o paid.json

A file of bounds:
  [columns]
  age = [17, 90]                        # numbers: what is beyond counts as the end
  sex = [\"Female\", \"Male\"]              # categories
  \"pixel[0..784]\" = [0, 255]            # pixel0, pixel1, ... pixel783
  income = \"buy\"                        # bounds to buy: see --buy-bounds
  [label]
  classes = [\"<=50K\", \">50K\"]           # or, for a number, bounds = [0, 500000]";

/// Fit a model on a private table.
///
/// `throng learn models` lists the models and their options. Numbers are clamped to their bounds; a cell
/// that is missing or no number counts as the middle of its bounds; a record whose class is not
/// declared is left out.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Options {
    /// The model; `throng learn models` lists them.
    #[arg(value_name = "MODEL", value_parser = kinds::names())]
    kind: String,

    /// The private table: csv with a header, json, jsonl, arrow or parquet; `-` is csv on stdin.
    #[arg(long, value_name = "FILE")]
    data: PathBuf,

    /// The file of bounds.
    #[arg(long, value_name = "FILE")]
    bounds: PathBuf,

    /// The column of the label.
    #[arg(long, value_name = "COLUMN")]
    label: Option<String>,

    #[command(flatten)]
    wanted: Wanted,

    /// An option of the model, such as `steps=100`.
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    set: Vec<(String, Value)>,

    /// Buy the bounds of the columns that the file of bounds says to buy, with this share of the
    /// privacy.
    #[arg(long, value_name = "SHARE", value_parser = number::open_probability)]
    buy_bounds: Option<Number>,

    #[command(flatten)]
    segments: Segments,

    /// Where the model goes: `.json` or `.safetensors`; JSON on stdout if nothing is said.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Only say what it would guarantee: no row is read and nothing is spent.
    #[arg(long)]
    explain: bool,

    /// Print what was fitted and what it guarantees as JSON; the model goes to --output.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    payment: Payment,
}

/// Reads `steps=100`: a number, true, false, a list, or else text.
pub(super) fn setting(text: &str) -> Result<(String, Value), String> {
    let (name, value) = text.split_once('=').ok_or("must be like `steps=100`")?;
    let value = value.trim();
    let parsed = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
    Ok((name.trim().to_owned(), parsed))
}

/// Describes, reads, pays, fits, writes.
pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let kind = any::kind(&options.kind)?;
    let privacy = options.wanted.privacy()?;
    let declared = declared::read(&options.bounds, options.label.as_deref())?;
    let settings: Map<String, Value> = options.set.iter().cloned().collect();
    let plan = Plan::new(options, kind, &declared, &privacy, &settings)?;
    if options.explain {
        return explain(options, &plan);
    }
    if options.json && options.output.is_none() {
        return Err(Failure::usage("--json needs --output, where the model goes", "add -o FILE"));
    }
    destination::tried(options.output.as_deref())?;
    let source = Source::of(&options.data)?;
    let bought = plan.bounds(&source)?;
    let schema = declared.schema(&bought)?;
    let learner =
        watch::steps(plan.learner(&schema)?, options.wanted.delta().map_or(1e-5, Number::down));
    let Bought { thing, receipt } = plan.fit(&learner, &schema, &source)?;
    let card = match &plan.before {
        Some(before) => thing.card.after(before)?,
        None => thing.card,
    };
    let fitted = Fitted { card: card.of_table(schema, kind.encoding), model: thing.model };
    fitted.write(options.output.as_deref())?;
    let promise = fitted.promise(options.wanted.delta())?;
    if options.json {
        let told = fitted::told(kind, &settings, &promise);
        return output::json(&fitted::receipted(told, receipt, options.output.as_deref()));
    }
    output::talk(&promise.words());
    Ok(())
}

fn explain(options: &Options, plan: &Plan<'_>) -> Result<(), Failure> {
    let spec = match &plan.before {
        Some(before) => MechanismSpec::composed(vec![before.clone(), plan.spec.clone()])?,
        None => plan.spec.clone(),
    };
    let under = plan.privacy.neighbours();
    let promise = Promise::stating(&spec, under, options.wanted.delta())?;
    if options.json {
        return output::json(&fitted::told(plan.kind, plan.settings, &promise));
    }
    output::answer(&promise.words())
}

/// What will be bought, known before anything is.
struct Plan<'a> {
    options: &'a Options,
    kind: &'static Kind,
    declared: &'a Declared,
    settings: &'a Map<String, Value>,
    /// What the bounds cost, if some are bought.
    before: Option<MechanismSpec>,
    /// The part of the privacy that the bounds have.
    share: Option<Privacy>,
    /// The part that the fit has.
    privacy: Privacy,
    /// What the fit costs, whatever the bounds are.
    spec: MechanismSpec,
}

impl<'a> Plan<'a> {
    fn new(
        options: &'a Options,
        kind: &'static Kind,
        declared: &'a Declared,
        whole: &Privacy,
        settings: &'a Map<String, Value>,
    ) -> Result<Self, Failure> {
        let wanting = declared.wanting();
        let (share, privacy) = match &options.buy_bounds {
            None => (None, *whole),
            Some(_) if wanting.is_empty() => {
                return Err(Failure::usage(
                    "there are no bounds to buy",
                    "write income = \"buy\" in the file of bounds, or leave out --buy-bounds",
                ));
            }
            Some(share) => {
                let (first, second) = whole.divided(share.nearest())?;
                (Some(first), second)
            }
        };
        let before = match &share {
            Some(share) => Some(bounds::learner(wanting.len(), share, None)?.spec()),
            None => None,
        };
        // Any bounds will do: what a fit costs must not depend on them.
        let any = share.map_or(0, |_| wanting.len());
        let standing = declared.schema(&vec![Interval::new(-1.0, 1.0)?; any])?;
        let spec = AnyLearner::new(kind.name, &standing, &privacy, settings)?.spec();
        Ok(Self { options, kind, declared, settings, before, share, privacy, spec })
    }

    /// Buys the bounds that are wanting.
    fn bounds(&self, source: &Source) -> Result<Vec<Interval>, Failure> {
        let Some(share) = &self.share else { return Ok(Vec::new()) };
        let (names, delta) = (self.declared.wanting(), self.options.wanted.delta());
        let (data, payment) = (&self.options.data, &self.options.payment);
        let bought = bounds::buy(data, &names, share, None, (payment, source, delta))?;
        let found = names.iter().zip(bought.thing.0).map(|(name, found)| {
            found.ok_or_else(|| {
                Failure::refused(
                    format!("too few records show in {name} to tell its bounds"),
                    "declare its bounds, or leave it out",
                )
            })
        });
        found.collect()
    }

    /// The learner of the whole table.
    ///
    /// # Guarantee
    /// What a fit costs was said before bounds were bought, and is the same whatever they are: else the
    /// specs of both would have been chosen after an answer, and their composition on the card would not
    /// be one of specs fixed beforehand.
    fn learner(&self, schema: &Schema) -> Result<AnyLearner, Failure> {
        let learner = AnyLearner::new(self.kind.name, schema, &self.privacy, self.settings)?;
        if learner.spec() == self.spec {
            return Ok(learner);
        }
        Err(Failure::refused(
            format!("what a {} costs depends on the bounds that were bought", self.kind.name),
            "buy them with `throng learn bounds`, and declare what it finds",
        ))
    }

    fn fit(
        &self,
        learner: &AnyLearner,
        schema: &Schema,
        source: &Source,
    ) -> Result<Bought<Fitted>, Failure> {
        let table = table::read(&self.options.data, schema, self.kind.encoding, self.kind.task)?;
        learner.check(&table)?;
        let purchase = Purchase {
            label: format!("learn fit {}", self.kind.name),
            parts: vec![
                b"fit".to_vec(),
                self.kind.name.as_bytes().to_vec(),
                serde_json::to_vec(self.settings)?,
                serde_json::to_vec(schema)?,
            ],
            source,
            delta: self.options.wanted.delta(),
        };
        if self.options.segments.asked() {
            return segments::run(
                &self.options.segments,
                learner,
                table,
                &purchase,
                &self.options.payment,
            );
        }
        let hand = |release: Release<_>| {
            let (model, guarantee) = release.into_parts();
            Fitted { card: Card::of(&guarantee), model }
        };
        self.options.payment.buy(&purchase, learner, &Sensitive::new(table), hand)
    }
}
