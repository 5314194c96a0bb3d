use std::borrow::Cow;
use std::collections::HashMap;

use safetensors::tensor::{Dtype, SafeTensors, View, serialize};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use throng_mechanism::Release;

use super::{Card, Model};
use crate::LearnError;

/// The format of saved models; a meaning never changes.
const FORMAT: u32 = 1;

/// Where the header of a safetensors file keeps the rest of the model.
const HEADER: &str = "throng";

/// Tables with at least so many numbers go into tensors.
const LARGE: usize = 16;

/// A model with its card.
///
/// ```
/// use throng_learn::{Card, Saved};
/// # use serde::{Deserialize, Serialize};
/// # #[derive(Serialize, Deserialize, PartialEq, Debug)] struct Mean { value: f64 }
/// # impl throng_learn::Model for Mean { const KIND: &'static str = "mean"; }
/// # fn round_trip(saved: &Saved<Mean>) -> Result<(), throng_learn::LearnError> {
/// let text = saved.to_json()?;
/// let again: Saved<Mean> = Saved::from_json(&text)?;
/// assert_eq!(again.model(), saved.model());
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Saved<M> {
    card: Card,
    model: M,
}

#[derive(Serialize, Deserialize)]
struct File<M> {
    throng: u32,
    kind: String,
    card: Card,
    model: M,
}

impl<M: Model> Saved<M> {
    /// A released model with the card of its guarantee, or of all that it says was paid for it
    /// ([`Model::paid`]).
    pub fn of(release: Release<M>) -> Self {
        let (model, guarantee) = release.into_parts();
        let card = match model.paid() {
            Some(spec) => Card::stating(&spec, guarantee.neighbours()),
            None => Card::of(&guarantee),
        };
        Self { card, model }
    }

    /// A model with a card.
    #[must_use]
    pub const fn new(card: Card, model: M) -> Self {
        Self { card, model }
    }

    /// The card.
    #[must_use]
    pub const fn card(&self) -> &Card {
        &self.card
    }

    /// The model.
    #[must_use]
    pub const fn model(&self) -> &M {
        &self.model
    }

    /// Both, apart.
    #[must_use]
    pub fn into_parts(self) -> (Card, M) {
        (self.card, self.model)
    }

    /// As JSON.
    ///
    /// # Errors
    /// If a parameter is not finite.
    pub fn to_json(&self) -> Result<String, LearnError> {
        serde_json::to_string_pretty(&self.to_value()?).map_err(|error| broken(&error))
    }

    /// From JSON.
    ///
    /// # Errors
    /// If it is no saved model of this kind.
    pub fn from_json(text: &str) -> Result<Self, LearnError> {
        Self::from_value(read_json(text.as_bytes())?)
    }

    /// As safetensors: the large tables as tensors, named by where they are in the JSON form; the
    /// rest of that form in the header.
    ///
    /// # Errors
    /// If a parameter is not finite.
    pub fn to_safetensors(&self) -> Result<Vec<u8>, LearnError> {
        let mut rest = self.to_value()?;
        let mut tensors = Vec::new();
        take_tensors(&mut rest, "", &mut tensors);
        let header = HashMap::from([(HEADER.to_owned(), rest.to_string())]);
        serialize(tensors, Some(header)).map_err(|error| broken(&error))
    }

    /// From safetensors.
    ///
    /// # Errors
    /// If it is no saved model of this kind.
    pub fn from_safetensors(bytes: &[u8]) -> Result<Self, LearnError> {
        Self::from_value(read_safetensors(bytes)?)
    }

    fn to_value(&self) -> Result<Value, LearnError> {
        let model = serde_json::to_value(&self.model).map_err(|error| broken(&error))?;
        let card = serde_json::to_value(&self.card).map_err(|error| broken(&error))?;
        // JSON has no word for numbers that are not finite: they are written as null. A model that cannot
        // be read back is told of now, not when it is needed.
        let again: M = M::deserialize(&model).map_err(|error| {
            LearnError::malformed(format!("a parameter is not finite: {error}"))
        })?;
        if serde_json::to_value(&again).map_err(|error| broken(&error))? != model {
            return Err(LearnError::malformed("it is not the same once it is read back"));
        }
        Ok(json!({ "throng": FORMAT, "kind": M::KIND, "card": card, "model": model }))
    }

    pub(crate) fn from_value(value: Value) -> Result<Self, LearnError> {
        let kind = kind_of(&value)?;
        if kind != M::KIND {
            return Err(LearnError::malformed(format!("it is a {kind}, not a {}", M::KIND)));
        }
        let file: File<M> = serde_json::from_value(value).map_err(|error| broken(&error))?;
        Ok(Self { card: file.card, model: file.model })
    }
}

/// What kind of model a JSON document holds.
pub(crate) fn kind_of(value: &Value) -> Result<String, LearnError> {
    match value.get("throng").and_then(Value::as_u64) {
        Some(format) if format == u64::from(FORMAT) => {}
        Some(format) => {
            let reason = format!("format {format} is newer than {FORMAT}, the newest known here");
            return Err(LearnError::malformed(reason));
        }
        None => return Err(LearnError::malformed("it does not say that it is one")),
    }
    let kind = value.get("kind").and_then(Value::as_str);
    kind.map(str::to_owned).ok_or_else(|| LearnError::malformed("it does not say of which kind"))
}

/// The whole document of a saved model, in either form.
///
/// Safetensors begin with the length of their header, in eight bytes, and the header is an object. No
/// text is taken for that: eight bytes of text are a length that no file has.
pub(crate) fn read(bytes: &[u8]) -> Result<Value, LearnError> {
    let length = bytes.first_chunk::<8>().map(|length| u64::from_le_bytes(*length));
    let rest = u64::try_from(bytes.len().saturating_sub(8)).unwrap_or(u64::MAX);
    if length.is_some_and(|length| length <= rest) && bytes.get(8) == Some(&b'{') {
        return read_safetensors(bytes);
    }
    read_json(bytes)
}

/// The JSON form of a model.
fn read_json(bytes: &[u8]) -> Result<Value, LearnError> {
    serde_json::from_slice(bytes).map_err(|error| broken(&error))
}

/// The whole JSON form of a model in safetensors.
fn read_safetensors(bytes: &[u8]) -> Result<Value, LearnError> {
    let tensors = SafeTensors::deserialize(bytes).map_err(|error| broken(&error))?;
    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(|error| broken(&error))?;
    let header = metadata.metadata().as_ref().and_then(|data| data.get(HEADER));
    let header = header.ok_or_else(|| LearnError::malformed("it is no model of Throng's"))?;
    let mut value = serde_json::from_str(header).map_err(|error| broken(&error))?;
    put_tensors(&mut value, &tensors)?;
    Ok(value)
}

fn broken(error: &dyn std::fmt::Display) -> LearnError {
    LearnError::malformed(error.to_string())
}

/// Double precision numbers on their way to a file.
struct Doubles {
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl View for Doubles {
    fn dtype(&self) -> Dtype {
        Dtype::F64
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        Cow::Borrowed(&self.bytes)
    }

    fn data_len(&self) -> usize {
        self.bytes.len()
    }
}

/// Takes the values of large tables out of a document; the name of the tensor stays in their place.
fn take_tensors(value: &mut Value, path: &str, taken: &mut Vec<(String, Doubles)>) {
    match value {
        Value::Object(members) => {
            if let Some(table) = table(members) {
                members.insert("values".to_owned(), json!({ "tensor": path }));
                taken.push((path.to_owned(), table));
                return;
            }
            for (name, member) in members {
                take_tensors(member, &format!("{path}/{name}"), taken);
            }
        }
        Value::Array(members) => {
            for (place, member) in members.iter_mut().enumerate() {
                take_tensors(member, &format!("{path}/{place}"), taken);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The numbers of an object that is a large table.
fn table(members: &serde_json::Map<String, Value>) -> Option<Doubles> {
    let shape: Vec<usize> = serde_json::from_value(members.get("shape")?.clone()).ok()?;
    let values = members.get("values")?.as_array().filter(|values| values.len() >= LARGE)?;
    if shape.iter().product::<usize>() != values.len() {
        return None;
    }
    let numbers: Option<Vec<f64>> = values.iter().map(Value::as_f64).collect();
    let bytes = numbers?.iter().flat_map(|x| x.to_le_bytes()).collect();
    Some(Doubles { shape, bytes })
}

/// Puts the values back.
fn put_tensors(value: &mut Value, tensors: &SafeTensors<'_>) -> Result<(), LearnError> {
    match value {
        Value::Object(members) => {
            let name = members.get("tensor").and_then(Value::as_str).filter(|_| members.len() == 1);
            if let Some(name) = name {
                *value = numbers(name, tensors)?;
                return Ok(());
            }
            members.values_mut().try_for_each(|member| put_tensors(member, tensors))
        }
        Value::Array(members) => {
            members.iter_mut().try_for_each(|member| put_tensors(member, tensors))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}

fn numbers(name: &str, tensors: &SafeTensors<'_>) -> Result<Value, LearnError> {
    let tensor = tensors.tensor(name).map_err(|error| broken(&error))?;
    if tensor.dtype() != Dtype::F64 {
        return Err(LearnError::malformed(format!("tensor {name} is not of double precision")));
    }
    let word = |bytes: &[u8]| <[u8; 8]>::try_from(bytes).map_or(f64::NAN, f64::from_le_bytes);
    let values: Vec<f64> = tensor.data().chunks_exact(8).map(word).collect();
    if values.iter().any(|x| !x.is_finite()) {
        return Err(LearnError::malformed(format!(
            "tensor {name} has entries that are not finite"
        )));
    }
    serde_json::to_value(values).map_err(|error| broken(&error))
}

#[cfg(test)]
mod tests {
    use throng_account::Neighbours;

    use super::*;

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Numbers {
        scale: f64,
        table: crate::Matrix<f64>,
    }

    impl Model for Numbers {
        const KIND: &'static str = "numbers";
    }

    fn saved(scale: f64, corner: f64) -> Saved<Numbers> {
        let card = Card::stating(&"laplace(scale=1)".parse().unwrap(), Neighbours::AddRemove);
        let mut table = crate::Matrix::filled(5, 4, 0.1);
        table.values_mut()[0] = corner;
        Saved::new(card, Numbers { scale, table })
    }

    #[test]
    fn either_form_is_told_by_its_first_bytes() {
        let saved = saved(0.5, 3.0);
        let json = saved.to_json().unwrap();
        let tensors = saved.to_safetensors().unwrap();
        for bytes in [json.as_bytes(), format!("\n \t{json}").as_bytes(), &tensors] {
            assert_eq!(Saved::from_value(read(bytes).unwrap()).unwrap(), saved);
        }
        // A header whose length happens to begin like JSON, and what is neither.
        let mut padded = b"{\0\0\0\0\0\0\0{\"__metadata__\":{}}".to_vec();
        padded.resize(8 + 0x7b, b' ');
        assert!(read(&padded).unwrap_err().to_string().contains("no model of Throng's"));
        for odd in [b"".as_slice(), b"{", b"\0\0\0\0\0\0\0\0{", b"        {", &tensors[..20]] {
            assert!(read(odd).and_then(|value| kind_of(&value)).is_err());
        }
    }

    #[test]
    fn numbers_that_are_not_finite_are_refused_when_they_are_saved() {
        for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for saved in [saved(odd, 0.0), saved(1.0, odd)] {
                assert!(saved.to_json().is_err() && saved.to_safetensors().is_err());
            }
        }
    }

    #[test]
    fn a_card_states_what_came_before() {
        let (card, _) = saved(1.0, 1.0).into_parts();
        let alone = card.epsilon(0.0).unwrap().upper;
        let both = card.after(&"laplace(scale=2)".parse().unwrap()).unwrap();
        let found = both.epsilon(0.0).unwrap().upper;
        assert!((alone - 1.0).abs() < 1e-3 && (found - 1.5).abs() < 1e-3, "{found}");
    }
}
