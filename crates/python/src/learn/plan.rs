//! What will be bought, known before anything is: as `throng learn fit` does it.

use pyo3::prelude::*;
use serde_json::{Map, Value};
use throng_account::filter::Budget as Amount;
use throng_account::{MechanismSpec, Target};
use throng_learn::any::{self, AnyLearner, Kind, Table, Task};
use throng_learn::bounds::{BuyBounds, BuyBoundsOptions};
use throng_learn::schema::Column;
use throng_learn::{Card, Interval, Learner, Privacy, Schema};
use throng_mechanism::{Mechanism, Neighbours, Sensitive};
use throng_numeric::Rational;
use throng_sample::Entropy;

use super::Rows;
use super::model::Model;
use super::progress;
use crate::budget::{Budget, Paid, for_rows, pay};
use crate::error::{Answer, Raised, invalid};
use crate::number::Exact;

/// What is asked for.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Wanted {
    /// The kind of model.
    kind: String,
    /// What is declared of the table, as JSON.
    schema: String,
    /// Options by name, as JSON.
    options: String,
    /// The share of the privacy that buys the bounds of the columns in these places.
    buy: Option<(f64, Vec<usize>)>,
}

/// Epsilon, perhaps delta, and the relation.
pub(crate) type Typed = (Exact, Option<Exact>, String);

/// A target as it is typed; epsilon alone is pure privacy.
fn privacy((epsilon, delta, under): &Typed) -> Answer<Privacy> {
    let under: Neighbours = under.parse()?;
    let (epsilon, delta) = (epsilon.down(), delta.as_ref().map_or(0.0, Exact::down));
    if !(epsilon > 0.0 && (0.0..1.0).contains(&delta)) {
        let hint = "give epsilon, or epsilon with delta, such as epsilon=1, delta=1e-5";
        return Err(invalid("epsilon must be above 0, and delta at least 0 and below 1", hint));
    }
    Ok(Privacy::new(Target::Epsilon { epsilon, delta }, under)?)
}

/// The delta at which a budget of pairs prices what reaches a target.
fn delta(privacy: &Privacy) -> Answer<Option<Rational>> {
    match *privacy.target() {
        Target::Epsilon { delta, .. } if delta > 0.0 => Ok(Some(Rational::from_f64(delta)?)),
        Target::Epsilon { .. }
        | Target::Gdp { .. }
        | Target::Zcdp { .. }
        | Target::Detection { .. }
        | Target::Advantage { .. } => Ok(None),
    }
}

/// The bounds that are bought on the way.
struct Before {
    learner: BuyBounds,
    privacy: Privacy,
    places: Vec<usize>,
}

/// What will be bought.
pub(super) struct Plan {
    kind: &'static Kind,
    schema: Schema,
    options: Map<String, Value>,
    before: Option<Before>,
    /// What the fit has: all, or what the bounds leave.
    privacy: Privacy,
    /// The learner; with other bounds, if these are still to be bought.
    learner: AnyLearner,
    progress: Option<Py<PyAny>>,
}

/// The model, the receipt and what was charged.
type Fitted = (Model, Option<String>, Vec<Amount>);

impl Plan {
    pub(super) fn new(wanted: &Wanted, typed: &Typed) -> Answer<Self> {
        let kind = any::kind(&wanted.kind)?;
        let schema: Schema = serde_json::from_str(&wanted.schema)
            .map_err(|error| invalid(format!("what is declared: {error}"), "see `bounds`"))?;
        let options: Map<String, Value> = serde_json::from_str(&wanted.options)?;
        let whole = privacy(typed)?;
        let (before, privacy) = match &wanted.buy {
            None => (None, whole),
            Some((share, places)) => {
                let (first, second) = whole.divided(*share)?;
                let learner = BuyBounds::new(places.len(), &first, BuyBoundsOptions::default())?;
                (Some(Before { learner, privacy: first, places: places.clone() }), second)
            }
        };
        let learner = AnyLearner::new(kind.name, &schema, &privacy, &options)?;
        Ok(Self { kind, schema, options, before, privacy, learner, progress: None })
    }

    /// The same, telling how far it is.
    pub(super) fn watched(self, progress: Option<Py<PyAny>>) -> Self {
        Self { progress, ..self }
    }

    pub(super) fn task(&self) -> Task {
        self.kind.task
    }

    /// What all of it costs.
    pub(super) fn spec(&self) -> Answer<MechanismSpec> {
        Ok(match &self.before {
            None => self.learner.spec(),
            Some(before) => {
                MechanismSpec::composed(vec![before.learner.spec(), self.learner.spec()])?
            }
        })
    }

    /// Checks the shape, pays for everything, and then looks at the rows.
    ///
    /// # Guarantee
    /// What bounds and fit cost was said before either ran, and the fit costs the same whatever the bounds are:
    /// so the card may state their composition.
    pub(super) fn fit(
        mut self,
        rows: &Rows<'_>,
        table: Table,
        budget: Option<&Budget>,
        entropy: &mut dyn Entropy,
        insecure: bool,
    ) -> Answer<Fitted> {
        self.learner.check(&table)?;
        for_rows(budget)?;
        let name = format!("learn fit {}", self.kind.name);
        let before = self.before.take();
        let bounds = match &before {
            None => None,
            Some(Before { learner, privacy, .. }) => {
                let label = format!("learn bounds of {} columns", rows.columns);
                Some(pay(budget, learner, &label, delta(privacy)?.as_ref())?)
            }
        };
        let paid = pay(budget, &self.learner, &name, delta(&self.privacy)?.as_ref())?;
        let mut costs = Vec::new();
        if let (Some(before), Some(bounds)) = (&before, bounds) {
            costs.extend(self.declare(before, bounds, rows, entropy)?);
        }
        let data = Sensitive::new(table);
        let at = delta(&self.privacy)?.map_or(0.0, |delta| delta.to_f64_nearest());
        let learner = progress::watched(self.learner, self.progress, at)?;
        let release = learner.run(&data, paid.permit, entropy)?;
        let (model, guarantee) = release.into_parts();
        let mut card = Card::of(&guarantee);
        if let Some(before) = &before {
            card = card.after(&before.learner.spec())?;
        }
        costs.extend(guarantee.cost().cloned());
        let card = card.of_table(self.schema, self.kind.encoding);
        let model = Model::new(card, model, insecure);
        if let (Some(budget), Some(ticket)) = (budget, &paid.ticket)
            && !insecure
        {
            budget.store(Some(ticket), model.json()?.as_bytes())?;
        }
        Ok((model, paid.ticket.map(|ticket| ticket.to_string()), costs))
    }

    /// Buys the bounds that are wanting and declares them; what that cost.
    fn declare(
        &mut self,
        Before { learner, places, .. }: &Before,
        paid: Paid,
        rows: &Rows<'_>,
        entropy: &mut dyn Entropy,
    ) -> Answer<Option<Amount>> {
        let data = Sensitive::new(rows.select(places)?);
        let (found, guarantee) = learner.run(&data, paid.permit, entropy)?.into_parts();
        let mut columns = self.schema.columns().to_vec();
        for (place, found) in places.iter().zip(found) {
            if let Some(Column::Number { name, bounds }) = columns.get_mut(*place) {
                *bounds = found.ok_or_else(|| too_few(name))?;
            }
        }
        self.schema = Schema::new(columns, self.schema.label().cloned())?;
        let learner = AnyLearner::new(self.kind.name, &self.schema, &self.privacy, &self.options)?;
        if learner.spec() != self.learner.spec() {
            return Err(Raised::Ours(throng_cli::Failure::refused(
                format!("what a {} costs depends on the bounds that were bought", self.kind.name),
                "buy them with throng.learn.buy_bounds, and declare what it finds",
            )));
        }
        self.learner = learner;
        Ok(guarantee.cost().cloned())
    }
}

fn too_few(name: &str) -> Raised {
    Raised::Ours(throng_cli::Failure::refused(
        format!("too few records show in {name} to tell its bounds"),
        "declare its bounds, or leave it out",
    ))
}

/// Bounds, what they cost as a mechanism, the receipt and what was charged.
type Bought = (Vec<Option<Interval>>, MechanismSpec, Option<String>, Vec<Amount>);

/// Buys the bounds of all columns.
pub(super) fn buy(
    rows: &Rows<'_>,
    typed: &Typed,
    resolution: f64,
    budget: Option<&Budget>,
    entropy: &mut dyn Entropy,
) -> Answer<Bought> {
    let privacy = privacy(typed)?;
    let options = BuyBoundsOptions { resolution, ..BuyBoundsOptions::default() };
    let learner = BuyBounds::new(rows.columns, &privacy, options)?;
    let data = rows.matrix()?;
    learner.check(&data)?;
    for_rows(budget)?;
    let label = format!("learn bounds of {} columns", rows.columns);
    let paid = pay(budget, &learner, &label, delta(&privacy)?.as_ref())?;
    let release = learner.run(&Sensitive::new(data), paid.permit, entropy)?;
    let (found, guarantee) = release.into_parts();
    if let (Some(budget), Some(ticket)) = (budget, &paid.ticket) {
        budget.store(Some(ticket), &serde_json::to_vec(&found)?)?;
    }
    let costs = guarantee.cost().cloned().into_iter().collect();
    Ok((found, learner.spec(), paid.ticket.map(|ticket| ticket.to_string()), costs))
}
