//! `throng learn search`.

use std::path::PathBuf;

use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use throng_learn::any::{self, AnyJudge, AnyLearner, AnyModel, Kind, Table as Examples};
use throng_learn::tuning::{Best, Candidate, Runs, Search};
use throng_learn::{Card, Learner, Privacy, Schema};
use throng_mechanism::{Mechanism, Sensitive};

use super::fitted::{self, Fitted};
use super::pay::{Kept, Payment, Purchase};
use super::source::Source;
use super::wanted::Wanted;
use super::{declared, destination, fit, kinds, table};
use crate::failure::Failure;
use crate::output;
use crate::promise::Promise;

const EXAMPLES: &str = "\
Examples:
  throng learn example loans
  throng learn search logistic --data loans/train.csv --bounds loans/bounds.toml --epsilon 0.5 \\
    --delta 1e-6 --try 'steps=[10,20,40]' --public loans/test.csv -o best.json
  throng learn search linear --data loans/train.csv --bounds loans/rate.toml --gdp 0.1 \\
    --try 'ridge=[0.1,1]' --runs 4 -o rate.json";

/// The best of several settings of a model, with what the search costs.
///
/// A random number of times a setting is drawn, fitted and scored, and the best model is kept. The
/// options of privacy say what one fit and one score may cost; the search costs about two or three times
/// that, however many runs there are (--explain says what). How many runs there were stays
/// secret, and how long the search took tells: do not publish that.
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

    /// An option of the model that is the same in all settings, such as `steps=100`.
    #[arg(long, value_name = "NAME=VALUE", value_parser = fit::setting)]
    set: Vec<(String, Value)>,

    /// An option and the values to try; with several, all combinations.
    #[arg(long = "try", value_name = "NAME=[VALUES]", value_parser = choices, required = true)]
    tried: Vec<(String, Vec<Value>)>,

    /// How many runs there are on average.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(2..=4096))]
    runs: u32,

    /// A table with labels that everybody may know, to judge models on; else a fifth of the private
    /// records is held out for that.
    #[arg(long, value_name = "FILE")]
    public: Option<PathBuf>,

    /// Where the model goes: `.json` or `.safetensors`; JSON on stdout if nothing is said.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Only say what it would guarantee: no private row is read and nothing is spent.
    #[arg(long)]
    explain: bool,

    /// Print what was found and what it guarantees as JSON; the model goes to --output.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    payment: Payment,
}

/// The most settings of a search.
const MOST: usize = 1 << 12;

/// Reads `steps=[30,60]`.
fn choices(text: &str) -> Result<(String, Vec<Value>), String> {
    match fit::setting(text)? {
        (name, Value::Array(values)) if !values.is_empty() => Ok((name, values)),
        _ => Err("must be like `steps=[30,60]`".to_owned()),
    }
}

/// All combinations of the values to try, each with what is the same in all.
fn grid(options: &Options) -> Result<Vec<Map<String, Value>>, Failure> {
    let sizes = options.tried.iter().map(|(_, values)| values.len());
    if sizes.fold(1_usize, usize::saturating_mul) > MOST {
        return Err(Failure::usage(
            format!("there are more than {MOST} settings"),
            "try fewer values",
        ));
    }
    let mut all = vec![options.set.iter().cloned().collect::<Map<_, _>>()];
    for (name, values) in &options.tried {
        let with = |setting: &Map<String, Value>, value: &Value| {
            let mut setting = setting.clone();
            setting.insert(name.clone(), value.clone());
            setting
        };
        all = all.iter().flat_map(|one| values.iter().map(|value| with(one, value))).collect();
    }
    Ok(all)
}

/// What a search found, as it is kept.
#[derive(Serialize, Deserialize)]
struct Found {
    candidate: usize,
    score: f64,
    model: Value,
}

/// The best model with its card, its setting and its score.
struct Winner {
    fitted: Fitted,
    candidate: usize,
    score: f64,
}

impl Kept for Winner {
    fn bytes(&self) -> Result<Vec<u8>, Failure> {
        let Self { fitted, candidate, score } = self;
        let model = serde_json::from_slice(&fitted.bytes()?)?;
        Ok(serde_json::to_vec(&Found { candidate: *candidate, score: *score, model })?)
    }

    fn read(bytes: &[u8]) -> Result<Self, Failure> {
        let found: Found = serde_json::from_slice(bytes)?;
        let fitted = Fitted::read(found.model.to_string().as_bytes())?;
        Ok(Self { fitted, candidate: found.candidate, score: found.score })
    }
}

/// Nothing is found only by a law of runs that this command does not use.
struct Perhaps(Option<Winner>);

impl Kept for Perhaps {
    fn bytes(&self) -> Result<Vec<u8>, Failure> {
        self.0.as_ref().map_or(Ok(Vec::new()), Kept::bytes)
    }

    fn read(bytes: &[u8]) -> Result<Self, Failure> {
        Ok(Self(if bytes.is_empty() { None } else { Some(Winner::read(bytes)?) }))
    }
}

/// Describes, reads, pays, searches, writes.
pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let kind = any::kind(&options.kind)?;
    let privacy = options.wanted.privacy()?;
    let schema = declared::read(&options.bounds, options.label.as_deref())?.schema(&[])?;
    let grid = grid(options)?;
    let search = search(options, kind, &schema, &privacy, &grid)?;
    let delta = options.wanted.delta();
    let promise = Promise::stating(&search.spec(), search.neighbours(), delta)?;
    if options.explain {
        let told = json!({ "kind": kind.name, "guarantee": promise, "settings": grid });
        return if options.json { output::json(&told) } else { output::answer(&promise.words()) };
    }
    if options.json && options.output.is_none() {
        return Err(Failure::usage("--json needs --output, where the model goes", "add -o FILE"));
    }
    destination::tried(options.output.as_deref())?;
    let source = Source::of(&options.data)?;
    let table = table::read(&options.data, &schema, kind.encoding, kind.task)?;
    search.check(&table)?;
    let purchase = Purchase {
        label: format!("learn search {}", kind.name),
        parts: parts(options, kind, &schema, &grid)?,
        source: &source,
        delta,
    };
    let bought = options.payment.buy(&purchase, &search, &Sensitive::new(table), |release| {
        let (best, guarantee) = release.into_parts();
        Perhaps(best.map(|best| winner(best, Card::of(&guarantee))))
    })?;
    let Some(Winner { fitted, candidate, score }) = bought.thing.0 else {
        return Err(Failure::bug("a search without runs"));
    };
    let card = fitted.card.of_table(schema, kind.encoding);
    let fitted = Fitted { card, model: fitted.model };
    fitted.write(options.output.as_deref())?;
    let setting = grid.get(candidate).cloned().unwrap_or_default();
    if options.json {
        let mut told = fitted::told(kind, &setting, &promise);
        if let Value::Object(members) = &mut told {
            members.insert("setting".to_owned(), Value::Object(setting));
            members.insert("score".to_owned(), json!(score));
        }
        return output::json(&fitted::receipted(told, bought.receipt, options.output.as_deref()));
    }
    output::talk(&format!("setting: {}\nscore: {score}\n", Value::Object(setting)));
    output::talk(&promise.words());
    Ok(())
}

fn winner(best: Best<AnyModel>, card: Card) -> Winner {
    let Best { candidate, score, model } = best;
    Winner { fitted: Fitted { card, model }, candidate, score }
}

fn search(
    options: &Options,
    kind: &Kind,
    schema: &Schema,
    privacy: &Privacy,
    grid: &[Map<String, Value>],
) -> Result<Search<Examples, AnyModel>, Failure> {
    let candidate =
        |setting: &Map<String, Value>| -> Result<Candidate<Examples, AnyModel>, Failure> {
            Ok(Box::new(AnyLearner::new(kind.name, schema, privacy, setting)?))
        };
    let candidates = grid.iter().map(candidate).collect::<Result<Vec<_>, _>>()?;
    let judge = match &options.public {
        Some(path) => {
            let table = table::read(path, schema, kind.encoding, kind.task)?;
            AnyJudge::public(kind.name, schema, table)?
        }
        None => AnyJudge::held_out(kind.name, schema, privacy)?,
    };
    Ok(Search::new(candidates, Box::new(judge), Runs::geometric(options.runs)?)?)
}

/// What makes it the same search again.
fn parts(
    options: &Options,
    kind: &Kind,
    schema: &Schema,
    grid: &[Map<String, Value>],
) -> Result<Vec<Vec<u8>>, Failure> {
    let public = match &options.public {
        Some(path) => Source::of(path)?.bytes().to_vec(),
        None => Vec::new(),
    };
    Ok(vec![
        b"search".to_vec(),
        kind.name.as_bytes().to_vec(),
        serde_json::to_vec(grid)?,
        serde_json::to_vec(schema)?,
        options.runs.to_string().into_bytes(),
        public,
    ])
}
