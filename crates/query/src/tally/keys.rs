//! Groups: tuples of key values, numbered exactly.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions, UInt32Array};
use datafusion::arrow::compute::{SortOptions, cast, take};
use datafusion::arrow::datatypes::{Field, Schema};
use datafusion::arrow::row::{RowConverter, SortField};
use datafusion::common::ScalarValue;

use super::column::value_type;
use super::dictionary::{Dictionary, UNLISTED, too_many};
use super::hash::HashKey;
use super::index::Index;
use crate::QueryError;
use crate::question::{Domain, Key};

/// The most groups that lists of public keys may make.
const MOST_PUBLIC: usize = 1 << 24;

/// Numbers the groups that rows belong to.
///
/// Each column has its dictionary; the number of a tuple is found by pairing: the first code with
/// the second, the number of that pair with the third code, and so on.
pub(super) struct Keys {
    keys: Vec<Key>,
    hash: HashKey,
    columns: Vec<Dictionary>,
    pairings: Vec<Pairing>,
}

/// Numbers pairs of numbers.
struct Pairing {
    pairs: Vec<(u32, u32)>,
    index: Index,
}

impl Pairing {
    fn number(&mut self, hash: HashKey, pair: (u32, u32)) -> Result<u32, QueryError> {
        let at = |(left, right): (u32, u32)| hash.pair(left.into(), right);
        let pairs = &self.pairs;
        if let Some(found) = self.index.find(at(pair), |i| pairs[i as usize] == pair) {
            return Ok(found);
        }
        let next = u32::try_from(pairs.len()).ok().filter(|n| *n < Index::MOST);
        let next = next.ok_or_else(too_many)?;
        self.index.enter(at(pair), next, |i| at(pairs[i as usize]));
        self.pairs.push(pair);
        Ok(next)
    }
}

impl Keys {
    /// No groups yet; if all keys are public, all groups there can be, in the order of the lists.
    ///
    /// # Errors
    /// If a listed value is not of its column, or the lists make more than 2^24 groups.
    pub(super) fn new(keys: &[Key], hash: HashKey) -> Result<Self, QueryError> {
        let columns = keys.iter().map(|key| column(key, hash)).collect::<Result<Vec<_>, _>>()?;
        let pairings = columns.iter().skip(1);
        let pairings =
            pairings.map(|_| Pairing { pairs: Vec::new(), index: Index::new() }).collect();
        let mut all = Self { keys: keys.to_vec(), hash, columns, pairings };
        if all.is_public() {
            all.list()?;
        }
        Ok(all)
    }

    /// Whether all keys are public.
    pub(super) fn is_public(&self) -> bool {
        self.keys.iter().all(|key| matches!(key.domain, Domain::Public(_)))
    }

    fn list(&mut self) -> Result<(), QueryError> {
        let sizes: Vec<usize> = self.columns.iter().map(Dictionary::len).collect();
        let groups = sizes.iter().try_fold(1_usize, |all, size| all.checked_mul(*size));
        if groups.is_none_or(|groups| groups > MOST_PUBLIC) {
            return Err(QueryError::invalid(
                "the lists of public keys make more than 2^24 groups",
                "list fewer keys, or group by fewer columns",
            ));
        }
        let sizes = sizes.iter().map(|size| u32::try_from(*size).unwrap_or(u32::MAX));
        let mut lefts: Vec<u32> = sizes.clone().next().map_or_else(Vec::new, |n| (0..n).collect());
        for (pairing, size) in self.pairings.iter_mut().zip(sizes.skip(1)) {
            let tuples = lefts.iter().flat_map(|left| (0..size).map(move |right| (*left, right)));
            let numbers = tuples.map(|pair| pairing.number(self.hash, pair));
            lefts = numbers.collect::<Result<_, _>>()?;
        }
        Ok(())
    }

    /// The number of groups seen, or listed.
    pub(super) fn len(&self) -> usize {
        match (self.columns.as_slice(), self.pairings.last()) {
            ([], _) => 1,
            (_, Some(last)) => last.pairs.len(),
            ([first, ..], None) => first.len(),
        }
    }

    /// The group of each row; [`UNLISTED`] if it is to be dropped.
    ///
    /// # Errors
    /// If the columns are not of the types of the keys.
    pub(super) fn encode(
        &mut self,
        arrays: &[ArrayRef],
        rows: usize,
    ) -> Result<Vec<u32>, QueryError> {
        let mut groups = Vec::with_capacity(rows);
        let Some((first, others)) = self.columns.split_first_mut() else {
            groups.resize(rows, 0);
            return Ok(groups);
        };
        let missing = || QueryError::engine("reading keys");
        let (array, arrays) = arrays.split_first().ok_or_else(missing)?;
        first.encode(array, &mut groups)?;
        let mut codes = Vec::new();
        for ((column, pairing), array) in others.iter_mut().zip(&mut self.pairings).zip(arrays) {
            codes.clear();
            column.encode(array, &mut codes)?;
            pair(self.hash, pairing, &mut groups, &codes)?;
        }
        Ok(groups)
    }

    /// Adds all groups of other keys of the same layout; what their numbers are here.
    pub(super) fn absorb(&mut self, other: &Self) -> Result<Vec<u32>, QueryError> {
        let mut columns = self.columns.iter_mut().zip(&other.columns);
        let Some((first, theirs)) = columns.next() else { return Ok(vec![0]) };
        let mut numbers = first.absorb(theirs)?;
        let pairings = self.pairings.iter_mut().zip(&other.pairings);
        for ((column, theirs), (pairing, pairs)) in columns.zip(pairings) {
            let codes = column.absorb(theirs)?;
            let (mut lefts, rights): (Vec<u32>, Vec<u32>) = pairs
                .pairs
                .iter()
                .map(|(left, right)| (numbers[*left as usize], codes[*right as usize]))
                .unzip();
            pair(self.hash, pairing, &mut lefts, &rights)?;
            numbers = lefts;
        }
        Ok(numbers)
    }

    /// The groups, in order and ready to be shown.
    pub(super) fn finish(self) -> Result<Groups, QueryError> {
        let codes = self.codes();
        let mut hashes = vec![0; self.len()];
        let mut arrays = Vec::with_capacity(self.columns.len());
        let mut ranks = Vec::with_capacity(self.columns.len());
        for (column, codes) in self.columns.iter().zip(&codes) {
            let contents = column.hashes();
            for (hash, code) in hashes.iter_mut().zip(codes) {
                *hash = self.hash.join(*hash, contents[*code as usize]);
            }
            let array = column.array()?;
            ranks.push(ranked(&array)?);
            arrays.push(array);
        }
        let tuple = |group: u32| {
            codes
                .iter()
                .zip(&ranks)
                .map(move |(codes, ranks)| ranks[codes[group as usize] as usize])
        };
        let mut sorted: Vec<u32> = (0..u32::try_from(self.len()).unwrap_or(0)).collect();
        sorted.sort_unstable_by(|a, b| tuple(*a).cmp(tuple(*b)));
        let places = inverse(&sorted);
        let public = self.is_public();
        Ok(Groups { keys: self.keys, arrays, codes, hashes, sorted, places, public })
    }

    /// For each column, the code of each group.
    fn codes(&self) -> Vec<Vec<u32>> {
        let mut numbers: Vec<u32> = (0..u32::try_from(self.len()).unwrap_or(0)).collect();
        let mut codes = Vec::new();
        for pairing in self.pairings.iter().rev() {
            let pairs = numbers.iter().map(|number| pairing.pairs[*number as usize]);
            let (lefts, rights): (Vec<u32>, Vec<u32>) = pairs.unzip();
            codes.push(rights);
            numbers = lefts;
        }
        if !self.columns.is_empty() {
            codes.push(numbers);
        }
        codes.reverse();
        codes
    }
}

/// The dictionary of one key; closed if its values are listed.
fn column(key: &Key, hash: HashKey) -> Result<Dictionary, QueryError> {
    let mut column = Dictionary::new(&key.kind, hash, true)?;
    if let Domain::Public(values) = &key.domain {
        let wrong = |_| {
            QueryError::invalid(
                format!("a public key of `{}` is not of type {}", key.name, key.kind),
                "write keys as the column has them",
            )
        };
        let plain = value_type(&key.kind);
        for value in values {
            let value = value.cast_to(plain).and_then(|value: ScalarValue| value.to_array());
            column.encode(&value.map_err(wrong)?, &mut Vec::new())?;
        }
        column.close();
    }
    Ok(column)
}

/// Replaces each left number by that of the pair.
fn pair(
    hash: HashKey,
    pairing: &mut Pairing,
    lefts: &mut [u32],
    rights: &[u32],
) -> Result<(), QueryError> {
    for (left, right) in lefts.iter_mut().zip(rights) {
        let dropped = *left == UNLISTED || *right == UNLISTED;
        *left = if dropped { UNLISTED } else { pairing.number(hash, (*left, *right))? };
    }
    Ok(())
}

/// The place of each value in sorted order, NULL last.
fn ranked(array: &ArrayRef) -> Result<Vec<u32>, QueryError> {
    let options = SortOptions { descending: false, nulls_first: false };
    let field = SortField::new_with_options(array.data_type().clone(), options);
    let rows = RowConverter::new(vec![field])
        .and_then(|converter| converter.convert_columns(std::slice::from_ref(array)))
        .map_err(|_| QueryError::engine("sorting keys"))?;
    let mut sorted: Vec<u32> = (0..u32::try_from(array.len()).unwrap_or(0)).collect();
    sorted.sort_unstable_by(|a, b| rows.row(*a as usize).cmp(&rows.row(*b as usize)));
    Ok(inverse(&sorted))
}

fn inverse(sorted: &[u32]) -> Vec<u32> {
    let mut places = vec![0; sorted.len()];
    for (place, which) in (0_u32..).zip(sorted) {
        places[*which as usize] = place;
    }
    places
}

/// All groups, with their content.
pub(super) struct Groups {
    keys: Vec<Key>,
    arrays: Vec<ArrayRef>,
    codes: Vec<Vec<u32>>,
    hashes: Vec<u64>,
    sorted: Vec<u32>,
    places: Vec<u32>,
    public: bool,
}

impl Groups {
    pub(super) fn len(&self) -> usize {
        self.hashes.len()
    }

    pub(super) fn is_public(&self) -> bool {
        self.public
    }

    /// The keyed hash of a group's key values.
    pub(super) fn hash(&self, group: u32) -> u64 {
        self.hashes[group as usize]
    }

    /// The place of a group among all, by key.
    pub(super) fn place(&self, group: u32) -> u32 {
        self.places[group as usize]
    }

    /// The groups in the order of their keys.
    pub(super) fn sorted(&self) -> &[u32] {
        &self.sorted
    }

    /// The key columns of these groups.
    pub(super) fn batch(&self, groups: &[u32]) -> Result<RecordBatch, QueryError> {
        let doing = "gathering keys";
        if groups.iter().any(|group| *group as usize >= self.len()) {
            return Err(QueryError::engine(doing));
        }
        let mut columns = Vec::with_capacity(self.keys.len());
        for ((key, array), codes) in self.keys.iter().zip(&self.arrays).zip(&self.codes) {
            let codes = groups.iter().map(|group| codes[*group as usize]);
            let codes = UInt32Array::from_iter_values(codes);
            let taken = take(array, &codes, None).and_then(|taken| cast(&taken, &key.kind));
            columns.push(taken.map_err(|_| QueryError::engine(doing))?);
        }
        let fields = self.keys.iter().map(|key| Field::new(&key.name, key.kind.clone(), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let options = RecordBatchOptions::new().with_row_count(Some(groups.len()));
        RecordBatch::try_new_with_options(schema, columns, &options)
            .map_err(|_| QueryError::engine(doing))
    }
}
