//! A training in several parts, each paid for by itself, with a checkpoint after each.

use std::path::PathBuf;

use clap::Args;
use throng_learn::any::{AnyLearner, AnyModel, Table};
use throng_learn::network::{Checkpoint, Goal, Network, Training};
use throng_learn::{Card, Examples, Saved};
use throng_mechanism::Sensitive;
use throng_sample::OsEntropy;

use super::destination;
use super::fitted::Fitted;
use super::pay::{Bought, Kept, Payment, Purchase};
use crate::failure::Failure;

/// How a training is cut into parts.
#[derive(Debug, Args)]
pub(super) struct Segments {
    /// Train a network in this many parts, each paid for before it runs.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 20), requires = "checkpoint")]
    segments: Option<u64>,

    /// Where the training stands after each part, to go on from; as public as the model.
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,

    /// Go on from a checkpoint, with the same options.
    #[arg(long, value_name = "FILE", requires = "checkpoint")]
    resume: Option<PathBuf>,
}

impl Segments {
    /// Whether there are to be parts.
    pub(super) fn asked(&self) -> bool {
        self.checkpoint.is_some()
    }

    /// Before the first step, or where the checkpoint stands.
    fn start<G: Goal>(&self, training: &Training<G>) -> Result<Checkpoint, Failure> {
        let Some(path) = &self.resume else { return Ok(training.begin(&mut OsEntropy)?) };
        let text = std::fs::read_to_string(path).map_err(|error| {
            let hint = "give a file that --checkpoint wrote";
            Failure::usage(format!("{} cannot be read: {error}", path.display()), hint)
        })?;
        Ok(Saved::from_json(&text)?.into_parts().1)
    }
}

/// A checkpoint with the card of the part that led to it.
struct Part(Card, Checkpoint);

impl Kept for Part {
    fn bytes(&self) -> Result<Vec<u8>, Failure> {
        Ok(Saved::new(self.0.clone(), self.1.clone()).to_json()?.into_bytes())
    }

    fn read(bytes: &[u8]) -> Result<Self, Failure> {
        let text = String::from_utf8_lossy(bytes);
        let (card, checkpoint) = Saved::from_json(&text)?.into_parts();
        Ok(Self(card, checkpoint))
    }
}

/// Trains part by part; the network of the last.
///
/// Each part is a purchase of its own, named by the checkpoint it goes on from: what was interrupted is
/// found in the ledger if it was stored, and is paid again, with fresh noise, if it was not.
pub(super) fn run(
    how: &Segments,
    learner: &AnyLearner,
    table: Table,
    purchase: &Purchase<'_>,
    payment: &Payment,
) -> Result<Bought<Fitted>, Failure> {
    match (learner, table) {
        (AnyLearner::Network(training), Table::Classified(examples)) => {
            let bought = in_parts(how, training, examples, purchase, payment)?;
            Ok(fitted(bought, AnyModel::Network))
        }
        (AnyLearner::NetworkRegression(training), Table::Measured(examples)) => {
            let bought = in_parts(how, training, examples, purchase, payment)?;
            Ok(fitted(bought, AnyModel::NetworkRegression))
        }
        _ => Err(Failure::usage(
            "only a network is trained in parts",
            "leave out --segments, --checkpoint and --resume",
        )),
    }
}

fn fitted<G: Goal>(
    bought: Bought<(Card, Network<G>)>,
    model: fn(Network<G>) -> AnyModel,
) -> Bought<Fitted> {
    let Bought { thing: (card, network), receipt } = bought;
    Bought { thing: Fitted { card, model: model(network) }, receipt }
}

fn in_parts<G: Goal>(
    how: &Segments,
    training: &Training<G>,
    examples: Examples<G::Label>,
    purchase: &Purchase<'_>,
    payment: &Payment,
) -> Result<Bought<(Card, Network<G>)>, Failure> {
    destination::tried(how.checkpoint.as_deref())?;
    let examples = Sensitive::new(examples);
    let mut checkpoint = how.start(training)?;
    let all = training.options().steps;
    let each = all.saturating_sub(checkpoint.step()).div_ceil(how.segments.unwrap_or(1)).max(1);
    let mut receipt = None;
    while checkpoint.step() < all {
        let steps = each.min(all - checkpoint.step());
        let label = format!(
            "{}, steps {} to {}",
            purchase.label,
            checkpoint.step() + 1,
            checkpoint.step() + steps
        );
        let mut parts = purchase.parts.clone();
        parts.push(serde_json::to_vec(&checkpoint)?);
        let part = Purchase { label, parts, source: purchase.source, delta: purchase.delta };
        let segment = training.segment(checkpoint, steps)?;
        let bought = payment.buy(&part, &segment, &examples, |release| {
            let (checkpoint, guarantee) = release.into_parts();
            Part(Card::of(&guarantee), checkpoint)
        })?;
        if let Some(path) = &how.checkpoint {
            destination::write(path, &bought.thing.bytes()?)?;
        }
        (checkpoint, receipt) = (bought.thing.1, bought.receipt);
    }
    Ok(Bought { thing: training.finish(&checkpoint)?.into_parts(), receipt })
}
