use serde_json::Value;

use crate::linear::LinearModel;
use crate::model::saved::{kind_of, read_json, read_safetensors};
use crate::{Card, LearnError, Model, Predict, Saved};

/// Models by the name that they are saved under.
macro_rules! models {
    ($($(#[$about:meta])* $variant:ident($model:ty),)*) => {
        /// A model of any kind.
        #[derive(Debug, Clone, PartialEq)]
        pub enum AnyModel {
            $($(#[$about])* $variant($model),)*
        }

        impl AnyModel {
            /// What it is called.
            #[must_use]
            pub const fn kind(&self) -> &'static str {
                match self { $(Self::$variant(_) => <$model>::KIND,)* }
            }

            /// Its parameters, as JSON.
            ///
            /// # Errors
            /// If one is not finite.
            pub fn parameters(&self) -> Result<Value, LearnError> {
                let value = match self { $(Self::$variant(model) => serde_json::to_value(model),)* };
                value.map_err(|error| LearnError::malformed(error.to_string()))
            }

            /// The model and its card as JSON.
            ///
            /// # Errors
            /// If a parameter is not finite.
            pub fn to_json(&self, card: &Card) -> Result<String, LearnError> {
                match self {
                    $(Self::$variant(model) => Saved::new(card.clone(), model.clone()).to_json(),)*
                }
            }

            /// The model and its card as safetensors.
            ///
            /// # Errors
            /// If a parameter is not finite.
            pub fn to_safetensors(&self, card: &Card) -> Result<Vec<u8>, LearnError> {
                match self {
                    $(Self::$variant(model) => {
                        Saved::new(card.clone(), model.clone()).to_safetensors()
                    })*
                }
            }

            /// A model and its card, saved in either form.
            ///
            /// # Errors
            /// If it is none.
            pub fn load(bytes: &[u8]) -> Result<(Card, Self), LearnError> {
                let value = match bytes.trim_ascii_start().first() {
                    Some(b'{') => read_json(bytes)?,
                    Some(_) | None => read_safetensors(bytes)?,
                };
                let kind = kind_of(&value)?;
                $(if kind == <$model>::KIND {
                    let (card, model) = Saved::<$model>::from_value(value)?.into_parts();
                    return Ok((card, Self::$variant(model)));
                })*
                Err(LearnError::malformed(format!("no model is called {kind}")))
            }
        }
    };
}

models! {
    /// Linear regression.
    Linear(LinearModel),
}

impl AnyModel {
    /// The model as one that can be asked about rows.
    ///
    /// # Errors
    /// If it says nothing about rows.
    pub fn predictor(&self) -> Result<&dyn Predict, LearnError> {
        Ok(match self {
            Self::Linear(model) => model,
        })
    }
}
