//! Exact numbering of the values of a column.

use std::sync::Arc;

use datafusion::arrow::array::{
    AnyDictionaryArray, Array, ArrayRef, AsArray, BinaryArray, FixedSizeBinaryArray,
    GenericByteViewArray, LargeBinaryArray, LargeStringArray, StringArray, UInt32Array,
    new_empty_array, new_null_array,
};
use datafusion::arrow::compute::{cast, concat, take};
use datafusion::arrow::datatypes::{ByteViewType, DataType};
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::row::{RowConverter, SortField};

use super::column::{self, value_type};
use super::hash::HashKey;
use super::index::Index;
use crate::QueryError;

/// The code of a value that is not listed.
pub(super) const UNLISTED: u32 = u32::MAX;

/// Distinct values of one column, numbered in the order of appearance. NULL is a value; 0 and -0
/// are one, and all NaN are one.
///
/// # Guarantee
/// Equal codes if and only if equal values: hashes only say where to look, values decide.
pub(super) struct Dictionary {
    kind: DataType,
    hash: HashKey,
    index: Index,
    hashes: Vec<u64>,
    values: Values,
    converter: Option<RowConverter>,
    null: Option<u32>,
    /// The values as arrays, by code, if they will be asked for.
    kept: Option<Vec<ArrayRef>>,
    /// Whether values not seen yet are refused a code.
    closed: bool,
    views: Option<ViewMemo>,
}

/// Codes of string views met lately. A view is 16 bytes: all of a short string, or where a long one
/// lies in its array; equal views of one array are equal strings, and equal short ones of any.
struct ViewMemo {
    /// The view, the array it is of (0 for any), its code.
    met: Vec<(u128, u32, u32)>,
    array: u32,
}

impl ViewMemo {
    const BITS: u32 = 12;
    /// The longest string that is all in its view.
    const SHORT: u128 = 12;

    fn new() -> Self {
        // No view of array u32::MAX is ever looked up.
        Self { met: vec![(0, u32::MAX, 0); 1 << Self::BITS], array: 0 }
    }

    /// A new array begins: what is known of long strings is void. After 2^32 arrays so is all.
    fn begin(&mut self) {
        self.array += 1;
        if self.array == u32::MAX {
            *self = Self::new();
            self.array = 1;
        }
    }

    /// The view of a short string that lies in these bytes: its length, then its bytes, then zeros.
    #[inline]
    fn of(bytes: &[u8], start: usize, end: usize) -> Option<u128> {
        let len = end - start;
        if len > 12 {
            return None;
        }
        let word = match bytes.get(start..).and_then(|rest| rest.first_chunk::<16>()) {
            Some(chunk) => u128::from_le_bytes(*chunk),
            None => {
                let mut word = [0_u8; 16];
                word[..len].copy_from_slice(&bytes[start..end]);
                u128::from_le_bytes(word)
            }
        };
        let own = word & !(u128::MAX << (8 * len));
        Some(own << 32 | len as u128)
    }

    #[inline]
    fn slot(&self, hash: HashKey, view: u128) -> (usize, u32) {
        let short = view & u128::from(u32::MAX) <= Self::SHORT;
        let place = usize::try_from(hash.view(view) >> (64 - Self::BITS)).unwrap_or(0);
        (place, if short { 0 } else { self.array })
    }
}

/// What values are compared by.
enum Values {
    /// Numbers of at most 64 bits.
    Words(Vec<u64>),
    /// Strings, and rows of whatever else there is in the engine's row format.
    Bytes(Arena),
}

/// Byte strings end to end.
#[derive(Default)]
struct Arena {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Arena {
    #[inline]
    fn get(&self, i: u32) -> &[u8] {
        let i = i as usize;
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.bytes[start..self.ends[i]]
    }

    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.ends.push(self.bytes.len());
    }
}

impl Dictionary {
    /// Nothing seen yet; `keep` if the values will be asked for.
    ///
    /// # Errors
    /// If values of this type cannot be told apart.
    pub(super) fn new(kind: &DataType, hash: HashKey, keep: bool) -> Result<Self, QueryError> {
        let kind = value_type(kind).clone();
        let words = column::is_word(&kind);
        let converter = if words || is_bytes(&kind) {
            None
        } else {
            let fields = vec![SortField::new(kind.clone())];
            Some(RowConverter::new(fields).map_err(|_| {
                QueryError::invalid(format!("values of type {kind} cannot be told apart"), "")
            })?)
        };
        let values =
            if words { Values::Words(Vec::new()) } else { Values::Bytes(Arena::default()) };
        let (hashes, kept) = (Vec::new(), keep.then(Vec::new));
        Ok(Self {
            kind,
            hash,
            index: Index::new(),
            hashes,
            values,
            converter,
            null: None,
            kept,
            closed: false,
            views: None,
        })
    }

    /// From now on what has no code gets [`UNLISTED`].
    pub(super) fn close(&mut self) {
        self.closed = true;
    }

    /// The number of values seen.
    pub(super) fn len(&self) -> usize {
        self.hashes.len()
    }

    /// The keyed hash of each value's content, by code.
    pub(super) fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// All values as one array, by code, of the plain type.
    pub(super) fn array(&self) -> Result<ArrayRef, QueryError> {
        let parts: Vec<&dyn Array> =
            self.kept.iter().flatten().map(|part| part.as_ref() as &dyn Array).collect();
        if parts.is_empty() {
            return Ok(new_empty_array(&self.kind));
        }
        concat(&parts)
            .or_else(|_| concat_large(&parts))
            .map_err(|_| QueryError::engine("gathering keys"))
    }

    /// Appends the codes of all values of an array.
    ///
    /// # Errors
    /// If the array is not of the column's type.
    pub(super) fn encode(
        &mut self,
        array: &ArrayRef,
        codes: &mut Vec<u32>,
    ) -> Result<(), QueryError> {
        if let Some(dictionary) = array.as_any_dictionary_opt() {
            return self.encode_dictionary(dictionary, codes);
        }
        let before = self.hashes.len();
        // Views of text are told apart as they are.
        let views = self.kind == DataType::Utf8 && *array.data_type() == DataType::Utf8View;
        let array = if views { Arc::clone(array) } else { column::plain(array, &self.kind)? };
        let mut fresh = Vec::new();
        self.encode_plain(&array, codes, &mut fresh)?;
        if self.hashes.len() > before {
            self.keep(&array, fresh)?;
        }
        Ok(())
    }

    /// The values once, then one look-up per row.
    fn encode_dictionary(
        &mut self,
        array: &dyn AnyDictionaryArray,
        codes: &mut Vec<u32>,
    ) -> Result<(), QueryError> {
        let mut known = Vec::with_capacity(array.values().len());
        self.encode(array.values(), &mut known)?;
        let nulls = array.keys().null_count() > 0;
        let null = if nulls { self.null_code()? } else { UNLISTED };
        if known.is_empty() {
            codes.extend(std::iter::repeat_n(null, array.len()));
            return Ok(());
        }
        let keys = array.normalized_keys().into_iter().enumerate();
        codes.extend(keys.map(|(row, key)| {
            let null_here = nulls && array.keys().is_null(row);
            if null_here { null } else { known.get(key).copied().unwrap_or(null) }
        }));
        Ok(())
    }

    fn encode_plain(
        &mut self,
        array: &ArrayRef,
        codes: &mut Vec<u32>,
        fresh: &mut Vec<u32>,
    ) -> Result<(), QueryError> {
        codes.reserve(array.len());
        if matches!(self.values, Values::Words(_)) {
            let words = column::words(array)?;
            return self.encode_each(array, codes, fresh, |i| words[i], Self::word);
        }
        if let Some(converter) = &self.converter {
            let rows = converter
                .convert_columns(std::slice::from_ref(array))
                .map_err(|_| QueryError::engine("reading keys"))?;
            return self.encode_each(
                array,
                codes,
                fresh,
                |i| rows.row(i),
                |d, row| d.bytes(row.as_ref()),
            );
        }
        macro_rules! bytes_of {
            ($($kind:ident),*) => {$(
                if let Some(array) = array.as_any().downcast_ref::<$kind>() {
                    return self.encode_each(array, codes, fresh, |i| array.value(i), |d, value| {
                        d.bytes(value.as_ref())
                    });
                }
            )*};
        }
        if let Some(array) = array.as_string_view_opt() {
            return self.encode_views(array, codes, fresh);
        }
        if let Some(array) = array.as_binary_view_opt() {
            return self.encode_views(array, codes, fresh);
        }
        if let Some(array) = array.as_any().downcast_ref::<StringArray>() {
            return self.encode_strings(array, codes, fresh);
        }
        bytes_of!(LargeStringArray, BinaryArray, LargeBinaryArray, FixedSizeBinaryArray);
        Err(QueryError::engine("reading keys"))
    }

    fn encode_views<T: ByteViewType>(
        &mut self,
        array: &GenericByteViewArray<T>,
        codes: &mut Vec<u32>,
        fresh: &mut Vec<u32>,
    ) -> Result<(), QueryError> {
        let mut memo = self.views.take().unwrap_or_else(ViewMemo::new);
        memo.begin();
        let views = array.views();
        self.encode_each(
            array,
            codes,
            fresh,
            |row| row,
            |d, row| {
                let (place, of) = memo.slot(d.hash, views[row]);
                let (view, array_of, code) = memo.met[place];
                if view == views[row] && array_of == of {
                    return Ok(code);
                }
                let code = d.bytes(array.value(row).as_ref())?;
                memo.met[place] = (views[row], of, code);
                Ok(code)
            },
        )?;
        self.views = Some(memo);
        Ok(())
    }

    /// Short strings are looked up as views, which is one comparison.
    fn encode_strings(
        &mut self,
        array: &StringArray,
        codes: &mut Vec<u32>,
        fresh: &mut Vec<u32>,
    ) -> Result<(), QueryError> {
        let mut memo = self.views.take().unwrap_or_else(ViewMemo::new);
        let (bytes, offsets) = (array.values().as_slice(), array.value_offsets());
        let end = |i: usize| usize::try_from(offsets[i]).unwrap_or(0);
        if array.null_count() == 0 {
            self.encode_present(bytes, offsets, &mut memo, codes, fresh)?;
            self.views = Some(memo);
            return Ok(());
        }
        self.encode_each(
            array,
            codes,
            fresh,
            |row| (end(row), end(row + 1)),
            |d, (start, end)| {
                let Some(view) = ViewMemo::of(bytes, start, end) else {
                    return d.bytes(&bytes[start..end]);
                };
                let (place, _) = memo.slot(d.hash, view);
                let (met, of, code) = memo.met[place];
                if met == view && of == 0 {
                    return Ok(code);
                }
                let code = d.bytes(&bytes[start..end])?;
                memo.met[place] = (view, 0, code);
                Ok(code)
            },
        )?;
        self.views = Some(memo);
        Ok(())
    }

    /// The same where nothing is NULL, which is where most of the time goes.
    fn encode_present(
        &mut self,
        bytes: &[u8],
        offsets: &[i32],
        memo: &mut ViewMemo,
        codes: &mut Vec<u32>,
        fresh: &mut Vec<u32>,
    ) -> Result<(), QueryError> {
        let hash = self.hash;
        for (row, [start, end]) in offsets.array_windows().enumerate() {
            let start = usize::try_from(*start).unwrap_or(0);
            let end = usize::try_from(*end).unwrap_or(0);
            let view = ViewMemo::of(bytes, start, end);
            let place = view.map_or(0, |view| memo.slot(hash, view).0);
            let (met, of, code) = memo.met[place];
            if view == Some(met) && of == 0 {
                codes.push(code);
                continue;
            }
            let seen = self.hashes.len();
            let code = self.bytes(&bytes[start..end])?;
            codes.push(code);
            if let Some(view) = view {
                memo.met[place] = (view, 0, code);
            }
            if self.hashes.len() > seen {
                fresh.push(number(row)?);
            }
        }
        Ok(())
    }

    /// One code per row, and the rows where a value is seen first.
    fn encode_each<V>(
        &mut self,
        array: &dyn Array,
        codes: &mut Vec<u32>,
        fresh: &mut Vec<u32>,
        value: impl Fn(usize) -> V,
        mut code: impl FnMut(&mut Self, V) -> Result<u32, QueryError>,
    ) -> Result<(), QueryError> {
        let nulls = array.logical_nulls().filter(|nulls| nulls.null_count() > 0);
        let null = if nulls.is_some() { self.null_code()? } else { UNLISTED };
        for row in 0..array.len() {
            if nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
                codes.push(null);
                continue;
            }
            let seen = self.hashes.len();
            codes.push(code(self, value(row))?);
            if self.hashes.len() > seen {
                fresh.push(number(row)?);
            }
        }
        Ok(())
    }

    #[inline]
    fn word(&mut self, word: u64) -> Result<u32, QueryError> {
        let Values::Words(words) = &self.values else { return Ok(UNLISTED) };
        let hash = self.hash.word(word);
        match self.index.find(hash, |i| words[i as usize] == word) {
            Some(code) => Ok(code),
            None => self.fresh(hash, Some(word), &[]),
        }
    }

    #[inline]
    fn bytes(&mut self, bytes: &[u8]) -> Result<u32, QueryError> {
        let Values::Bytes(arena) = &self.values else { return Ok(UNLISTED) };
        let hash = self.hash.bytes(bytes);
        match self.index.find(hash, |i| arena.get(i) == bytes) {
            Some(code) => Ok(code),
            None => self.fresh(hash, None, bytes),
        }
    }

    /// The code of a value that is not in the table.
    #[cold]
    fn fresh(&mut self, hash: u64, word: Option<u64>, bytes: &[u8]) -> Result<u32, QueryError> {
        if self.closed {
            return Ok(UNLISTED);
        }
        let code = self.next_code(hash)?;
        match &mut self.values {
            Values::Words(words) => words.push(word.unwrap_or(0)),
            Values::Bytes(arena) => arena.push(bytes),
        }
        let hashes = &self.hashes;
        self.index.enter(hash, code, |i| hashes[i as usize]);
        Ok(code)
    }

    fn next_code(&mut self, hash: u64) -> Result<u32, QueryError> {
        let code = number(self.hashes.len())?;
        if code >= Index::MOST {
            return Err(too_many());
        }
        self.hashes.push(hash);
        Ok(code)
    }

    /// The code of NULL, which is not in the table.
    fn null_code(&mut self) -> Result<u32, QueryError> {
        if let Some(code) = self.null {
            return Ok(code);
        }
        if self.closed {
            return Ok(UNLISTED);
        }
        let code = self.next_code(self.hash.null())?;
        match &mut self.values {
            Values::Words(words) => words.push(0),
            Values::Bytes(arena) => arena.push(&[]),
        }
        if let Some(kept) = &mut self.kept {
            kept.push(new_null_array(&self.kind, 1));
        }
        self.null = Some(code);
        Ok(code)
    }

    /// Keeps the values at these rows, in the order of their codes, and nothing else of the array.
    fn keep(&mut self, array: &ArrayRef, rows: Vec<u32>) -> Result<(), QueryError> {
        let Some(kept) = &mut self.kept else { return Ok(()) };
        if rows.is_empty() {
            return Ok(());
        }
        let taken = take(array, &UInt32Array::from(rows), None)
            .map_err(|_| QueryError::engine("gathering keys"))?;
        kept.push(column::compact(column::plain(&taken, &self.kind)?));
        Ok(())
    }

    /// Adds all values of another dictionary of the same column; what its codes are here.
    pub(super) fn absorb(&mut self, other: &Self) -> Result<Vec<u32>, QueryError> {
        let before = self.hashes.len();
        let mut fresh = Vec::new();
        let mut codes = Vec::with_capacity(other.len());
        if other.null.is_some() {
            self.null_code()?;
        }
        for code in 0..number(other.len())? {
            let seen = self.hashes.len();
            codes.push(if other.null == Some(code) {
                self.null_code()?
            } else {
                match &other.values {
                    Values::Words(words) => self.word(words[code as usize])?,
                    Values::Bytes(arena) => self.bytes(arena.get(code))?,
                }
            });
            if self.hashes.len() > seen {
                fresh.push(code);
            }
        }
        if self.hashes.len() > before && self.kept.is_some() {
            self.keep(&other.array()?, fresh)?;
        }
        Ok(codes)
    }
}

/// Whether values of a type are byte strings.
fn is_bytes(kind: &DataType) -> bool {
    matches!(
        kind,
        DataType::Utf8
            | DataType::LargeUtf8
            | DataType::Utf8View
            | DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::FixedSizeBinary(_)
    )
}

/// A position as a number of 32 bits.
fn number(i: usize) -> Result<u32, QueryError> {
    u32::try_from(i).map_err(|_| too_many())
}

/// What is said when numbers run out, long after any memory would.
pub(super) fn too_many() -> QueryError {
    QueryError::engine("numbering more than 10^9 values")
}
/// Texts of more than 2 GiB together need wider offsets; whether there are as many must not be told
/// by an error.
#[expect(clippy::wildcard_enum_match_arm, reason = "other types have no offsets to widen")]
fn concat_large(parts: &[&dyn Array]) -> Result<ArrayRef, ArrowError> {
    let wide = parts.iter().map(|part| match part.data_type() {
        DataType::Utf8 | DataType::Utf8View => cast(*part, &DataType::LargeUtf8),
        DataType::Binary | DataType::BinaryView => cast(*part, &DataType::LargeBinary),
        kind => cast(*part, kind),
    });
    let wide = wide.collect::<Result<Vec<_>, _>>()?;
    concat(&wide.iter().map(AsRef::as_ref).collect::<Vec<_>>())
}
