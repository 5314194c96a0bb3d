//! Units: values of the unit column as words, exactly.

use datafusion::arrow::array::{Array, ArrayRef};
use datafusion::arrow::buffer::NullBuffer;
use datafusion::arrow::datatypes::DataType;

use super::column;
use super::dictionary::Dictionary;
use super::hash::HashKey;
use crate::QueryError;

/// Turns unit values into words: numbers are their own, anything else gets the next number.
pub(super) enum Units {
    /// Numbers of at most 64 bits.
    Words { kind: DataType, hash: HashKey },
    /// Anything else.
    Numbered(Box<Dictionary>),
}

impl Units {
    /// # Errors
    /// If values of this type cannot be told apart.
    pub(super) fn new(kind: &DataType, hash: HashKey) -> Result<Self, QueryError> {
        let kind = column::value_type(kind).clone();
        if column::is_word(&kind) {
            return Ok(Self::Words { kind, hash });
        }
        Ok(Self::Numbered(Box::new(Dictionary::new(&kind, hash, false)?)))
    }

    /// A word for each row (0 where it is NULL), and where it is NULL.
    ///
    /// # Errors
    /// If the column is not of the unit's type.
    pub(super) fn encode(
        &mut self,
        array: &ArrayRef,
    ) -> Result<(Vec<u64>, Option<NullBuffer>), QueryError> {
        let nulls = array.logical_nulls().filter(|nulls| nulls.null_count() > 0);
        let mut words = match self {
            Self::Words { kind, .. } => column::words(&column::plain(array, kind)?)?,
            Self::Numbered(dictionary) => {
                let mut codes = Vec::new();
                dictionary.encode(array, &mut codes)?;
                codes.into_iter().map(u64::from).collect()
            }
        };
        if let Some(nulls) = &nulls {
            for (row, word) in words.iter_mut().enumerate() {
                *word *= u64::from(nulls.is_valid(row));
            }
        }
        Ok((words, nulls))
    }

    /// The keyed hash of the value behind a word.
    pub(super) fn seed(&self, word: u64) -> u64 {
        match self {
            Self::Words { hash, .. } => hash.word(word),
            Self::Numbered(dictionary) => {
                let code = usize::try_from(word).unwrap_or(usize::MAX);
                dictionary.hashes().get(code).copied().unwrap_or(0)
            }
        }
    }

    /// Adds all units of others of the same kind; what their numbers are here, where they have
    /// any.
    pub(super) fn absorb(&mut self, other: &Self) -> Result<Option<Vec<u32>>, QueryError> {
        match (self, other) {
            (Self::Numbered(ours), Self::Numbered(theirs)) => Ok(Some(ours.absorb(theirs)?)),
            (Self::Words { .. } | Self::Numbered(_), _) => Ok(None),
        }
    }
}
