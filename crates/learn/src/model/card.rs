use serde::{Deserialize, Serialize};
use throng_account::{Accuracy, Bracket, MechanismSpec, Neighbours, PrivacyLoss};
use throng_mechanism::Guarantee;

use crate::LearnError;
use crate::schema::{Encoding, Schema};

/// What a model was fitted under: everything that a reader must know to judge it.
///
/// A card is a statement of whoever wrote the file, not a proof.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// The mechanism, in the language of specs.
    mechanism: String,
    /// What "differ in one unit" means.
    neighbours: String,
    /// Whose privacy is protected.
    unit: String,
    /// What was declared about the table, and how its categories were encoded, if it had names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    table: Option<(Schema, Encoding)>,
    /// The version that fitted it.
    version: String,
}

impl Card {
    /// The card of a model that was released under a guarantee.
    #[must_use]
    pub fn of(guarantee: &Guarantee) -> Self {
        Self::stating(guarantee.spec(), guarantee.neighbours())
    }

    /// The card of a model of which this is stated.
    pub(crate) fn stating(spec: &MechanismSpec, under: Neighbours) -> Self {
        Self {
            mechanism: spec.to_string(),
            neighbours: under.to_string(),
            unit: "a record".to_owned(),
            table: None,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    /// The card of a model that needed another release before it: it states both together.
    ///
    /// # Guarantee
    /// That of the composition, if both specs were fixed before the first was answered.
    ///
    /// # Errors
    /// If the text of the card is no mechanism.
    pub fn after(self, before: &MechanismSpec) -> Result<Self, LearnError> {
        let both = MechanismSpec::composed(vec![before.clone(), self.spec()?])?;
        Ok(Self { mechanism: both.to_string(), ..self })
    }

    /// With what was declared about the table.
    #[must_use]
    pub fn of_table(self, schema: Schema, encoding: Encoding) -> Self {
        Self { table: Some((schema, encoding)), ..self }
    }

    /// What was declared about the table, and how categories were encoded.
    #[must_use]
    pub const fn table(&self) -> Option<&(Schema, Encoding)> {
        self.table.as_ref()
    }

    /// The mechanism.
    ///
    /// # Errors
    /// If the text is none.
    pub fn spec(&self) -> Result<MechanismSpec, LearnError> {
        self.mechanism
            .parse()
            .map_err(|error| LearnError::malformed(format!("its mechanism: {error}")))
    }

    /// What "differ in one unit" means.
    ///
    /// # Errors
    /// If the text is no relation.
    pub fn neighbours(&self) -> Result<Neighbours, LearnError> {
        self.neighbours
            .parse()
            .map_err(|error| LearnError::malformed(format!("its relation: {error}")))
    }

    /// Whose privacy is protected.
    #[must_use]
    pub fn unit(&self) -> &str {
        &self.unit
    }

    /// The version that fitted it.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Its epsilon at a delta; the upper end is the promise.
    ///
    /// # Errors
    /// If the texts are no mechanism and relation, or as for [`PrivacyLoss::epsilon`].
    pub fn epsilon(&self, delta: f64) -> Result<Bracket, LearnError> {
        let loss = PrivacyLoss::of_spec(&self.spec()?, self.neighbours()?, Accuracy::default())?;
        Ok(loss.epsilon(delta)?)
    }
}
