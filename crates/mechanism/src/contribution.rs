//! What one unit may contribute, and how data is cut down to it.

use std::marker::PhantomData;

use throng_numeric::Rational;
use throng_sample::shuffle;

use crate::{MechanismError, Neighbours, PerCell, Run, Uncovered};

/// At most this much of one unit is looked at: `keys` different keys (l0), and `rows_per_key`
/// rows for each of them (l∞).
///
/// # Guarantee
/// If data is cut down to these bounds, unit by unit and with randomness of its own for each,
/// then one unit changes at most [`Contributions::per_cell`].
///
/// Why it is right: what survives of one unit does not depend on the other units. So two
/// neighbours can be cut down with the same random choices for all units that they share, and
/// then differ in the survivors of one unit only. The released law is the mixture over those
/// choices, and a mixture of pairs is no easier to tell apart than the worst of them.
///
/// Which rows survive is drawn afresh in every run and does not depend, in law, on the order
/// in which rows are stored: an order often says who came first.
///
/// ```
/// use throng_mechanism::contribution::Contributions;
/// let bounds = Contributions::of(3, 1)?;
/// assert_eq!((bounds.keys(), bounds.rows_per_key()), (3, 1));
/// # Ok::<(), throng_mechanism::MechanismError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Contributions {
    keys: u64,
    rows_per_key: u64,
}

impl Contributions {
    /// One row: each row is a unit of its own, and nothing has to be cut.
    pub const ONE: Self = Self { keys: 1, rows_per_key: 1 };

    /// At most `keys` keys and `rows_per_key` rows for each.
    ///
    /// # Errors
    /// If one of them is 0.
    pub fn of(keys: u64, rows_per_key: u64) -> Result<Self, MechanismError> {
        if keys == 0 {
            return Err(MechanismError::invalid("the keys of a unit", keys, "at least 1"));
        }
        if rows_per_key == 0 {
            return Err(MechanismError::invalid("the rows per key", rows_per_key, "at least 1"));
        }
        Ok(Self { keys, rows_per_key })
    }

    /// How many different keys.
    #[must_use]
    pub const fn keys(&self) -> u64 {
        self.keys
    }

    /// How many rows for each of them.
    #[must_use]
    pub const fn rows_per_key(&self) -> u64 {
        self.rows_per_key
    }

    /// How far one unit moves the counts of rows by key, of `cells` counts in all.
    ///
    /// # Guarantee
    /// A unit's own counts x have at most l0 entries above 0, each at most l∞. Added, removed or
    /// zeroed out, the counts move by x: l0 cells, by at most l∞ each. Replaced, they move by
    /// x - y, which has at most 2 l0 entries; and as neither x nor y is negative, each is at
    /// most l∞ and not twice that.
    ///
    /// # Errors
    /// If there are no cells.
    pub fn per_cell(&self, cells: u64, under: Neighbours) -> Result<PerCell, MechanismError> {
        let touched = match under {
            Neighbours::AddRemove | Neighbours::ZeroOut => self.keys,
            Neighbours::Replace => self.keys.saturating_mul(2),
        };
        PerCell::of(touched.min(cells), Rational::from(self.rows_per_key), under)
    }

    /// The places of the rows (unit, key) that survive, in rising order.
    ///
    /// # Guarantee
    /// Of each unit: `keys` of its keys, every set of that many with the same chance, or all if
    /// it has fewer; of each of those, `rows_per_key` of its rows, drawn likewise. The draws for
    /// different units are independent.
    ///
    /// Time: that of sorting the rows.
    ///
    /// # Errors
    /// If the entropy source fails.
    pub fn survivors<U: Ord, K: Ord>(
        &self,
        rows: &[(U, K)],
        run: &mut Run<'_>,
    ) -> Result<Vec<usize>, MechanismError> {
        self.survivors_among((0..rows.len()).collect(), rows, run)
    }

    /// The survivors if a unit has only the rows at these places.
    fn survivors_among<U: Ord, K: Ord>(
        &self,
        mut places: Vec<usize>,
        rows: &[(U, K)],
        run: &mut Run<'_>,
    ) -> Result<Vec<usize>, MechanismError> {
        places.sort_unstable_by(|a, b| rows[*a].cmp(&rows[*b]));
        let mut kept = Vec::with_capacity(places.len());
        for unit in places.chunk_by_mut(|a, b| rows[*a].0 == rows[*b].0) {
            let mut keys: Vec<&mut [usize]> =
                unit.chunk_by_mut(|a, b| rows[*a].1 == rows[*b].1).collect();
            for key in at_most(self.keys, &mut keys, run)? {
                kept.extend(at_most(self.rows_per_key, key, run)?.iter().copied());
            }
        }
        kept.sort_unstable();
        Ok(kept)
    }
}

/// All items, or `most` of them chosen at random.
fn at_most<'a, T>(
    most: u64,
    items: &'a mut [T],
    run: &mut Run<'_>,
) -> Result<&'a mut [T], MechanismError> {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    if items.len() <= most {
        return Ok(items);
    }
    shuffle(items, run.entropy())?;
    Ok(&mut items[..most])
}

/// How data is laid out: what is a row, whose is it, and how much of a unit is looked at.
///
/// Sealed: [`Rows`] and [`ByUnit`].
pub trait Layout<K>: sealed::Sealed {
    /// One row of data.
    type Row;

    /// What is left of one unit.
    fn bounds(&self) -> Contributions;

    /// What error bars leave out because of the bounds.
    fn uncovered(&self) -> Vec<Uncovered>;

    /// Whether each row is a unit.
    fn units_are_rows(&self) -> bool;

    /// The keys of the rows that survive.
    ///
    /// Rows whose key is not `wanted` do not use up the bounds of their unit; they may still be
    /// among the keys, and have to be ignored.
    ///
    /// # Errors
    /// If the entropy source fails.
    fn keys<'a>(
        &self,
        rows: &'a [Self::Row],
        wanted: impl Fn(&K) -> bool,
        run: &mut Run<'_>,
    ) -> Result<impl Iterator<Item = &'a K>, MechanismError>
    where
        K: 'a;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Rows {}
    impl<U> Sealed for super::ByUnit<U> {}
}

/// Data `[K]`: each row is a unit and has one key. One pass, nothing is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rows;

/// Data `[(U, K)]`: a unit has several rows, and is cut down to its bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByUnit<U> {
    bounds: Contributions,
    unit: PhantomData<fn() -> U>,
}

impl<U> ByUnit<U> {
    /// Units of type `U` with these bounds.
    #[must_use]
    pub const fn of(bounds: Contributions) -> Self {
        Self { bounds, unit: PhantomData }
    }
}

impl<K> Layout<K> for Rows {
    type Row = K;

    fn bounds(&self) -> Contributions {
        Contributions::ONE
    }

    fn uncovered(&self) -> Vec<Uncovered> {
        Vec::new()
    }

    fn units_are_rows(&self) -> bool {
        true
    }

    fn keys<'a>(
        &self,
        rows: &'a [K],
        _: impl Fn(&K) -> bool,
        _: &mut Run<'_>,
    ) -> Result<impl Iterator<Item = &'a K>, MechanismError>
    where
        K: 'a,
    {
        Ok(rows.iter())
    }
}

impl<U: Ord, K: Ord> Layout<K> for ByUnit<U> {
    type Row = (U, K);

    fn bounds(&self) -> Contributions {
        self.bounds
    }

    fn uncovered(&self) -> Vec<Uncovered> {
        vec![Uncovered::ContributionBounding]
    }

    fn units_are_rows(&self) -> bool {
        false
    }

    fn keys<'a>(
        &self,
        rows: &'a [(U, K)],
        wanted: impl Fn(&K) -> bool,
        run: &mut Run<'_>,
    ) -> Result<impl Iterator<Item = &'a K>, MechanismError>
    where
        K: 'a,
    {
        let asked = |(place, row): (usize, &(U, K))| wanted(&row.1).then_some(place);
        let places = rows.iter().enumerate().filter_map(asked).collect();
        let kept = self.bounds.survivors_among(places, rows, run)?;
        Ok(kept.into_iter().map(|place| &rows[place].1))
    }
}
