use serde::{Deserialize, Serialize};

use crate::math::{count, nearest, wide};
use crate::{Interval, LearnError};

/// Into which bins the values of a column fall, as declared.
///
/// | value | bin of numbers | bin of levels |
/// |---|---|---|
/// | within | the one that holds it; an inner edge belongs to the bin above | its own |
/// | below, above, ±∞ | the first, the last | none |
/// | NaN | that of the middle of the bounds | none |
/// | not whole | | none |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct Bins(Kind);

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    Equal { within: Interval, count: u32 },
    Edges(Vec<f64>),
    Levels(u32),
}

/// How bins look in JSON.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Stored {
    Equal { within: Interval, count: u32 },
    Edges(Vec<f64>),
    Levels(u32),
}

/// So many bins a column may have, 2^20.
const MOST: u32 = 1 << 20;

impl Bins {
    /// Bins of equal width.
    ///
    /// # Errors
    /// If there are none, or more than 2^20.
    pub fn equal(within: Interval, count: u32) -> Result<Self, LearnError> {
        Ok(Self(Kind::Equal { within, count: few("the number of bins", count)? }))
    }

    /// Bins between given edges.
    ///
    /// # Errors
    /// If there are fewer than two edges or more than 2^20, if they do not rise, or if they are not
    /// finite.
    pub fn between(edges: Vec<f64>) -> Result<Self, LearnError> {
        let rising = edges.windows(2).all(|pair| matches!(pair, [a, b] if a < b));
        let (first, last) = (edges.first().copied(), edges.last().copied());
        let finite = first.zip(last).is_some_and(|(a, b)| (b - a).is_finite());
        few(
            "the number of bins",
            u32::try_from(edges.len().saturating_sub(1)).unwrap_or(MOST + 1),
        )?;
        if rising && finite {
            return Ok(Self(Kind::Edges(edges)));
        }
        Err(LearnError::invalid("the edges of bins", "another list", "finite and rising"))
    }

    /// One bin for each level 0, 1, ..., count - 1 of a category.
    ///
    /// # Errors
    /// If there are none, or more than 2^20.
    pub fn levels(count: u32) -> Result<Self, LearnError> {
        Ok(Self(Kind::Levels(few("the number of levels", count)?)))
    }

    /// How many bins.
    #[must_use]
    pub fn count(&self) -> usize {
        match &self.0 {
            Kind::Equal { count, .. } | Kind::Levels(count) => {
                usize::try_from(*count).unwrap_or(usize::MAX)
            }
            Kind::Edges(edges) => edges.len() - 1,
        }
    }

    /// Whether the bins are levels of a category.
    #[must_use]
    pub const fn is_category(&self) -> bool {
        matches!(self.0, Kind::Levels(_))
    }

    /// The bin of a value, by the table above.
    #[must_use]
    pub fn place(&self, x: f64) -> Option<u32> {
        match &self.0 {
            Kind::Equal { within, count } => Some(equal(*within, *count, x)),
            Kind::Edges(edges) => {
                let (first, last) = (*edges.first()?, *edges.last()?);
                let x = if x.is_nan() { first + (last - first) / 2.0 } else { x };
                let inner = edges.get(1..edges.len() - 1)?;
                u32::try_from(inner.partition_point(|edge| *edge <= x)).ok()
            }
            Kind::Levels(count) => {
                let level = x.trunc();
                (level == x && 0.0 <= x && x < f64::from(*count)).then(|| whole(level))
            }
        }
    }

    /// Counts each value in its bin, by the table above; `counts` has one entry for each bin.
    pub(crate) fn tally(&self, values: &[f64], counts: &mut [i64]) {
        if let Kind::Equal { within, count: bins } = self.0 {
            // First the places, many to an instruction, then the counts, which are one by one: in several
            // tables in turn if they are small, so that one need not wait for another.
            let mut places = [0; 512];
            let tables = if counts.len() <= FEW { TURNS } else { 1 };
            let mut turns = vec![0_i64; tables * counts.len()];
            for values in values.chunks(places.len()) {
                equal_places(within, bins, values, &mut places);
                tally_in_turn(&places[..values.len()], counts.len(), &mut turns);
            }
            for turn in turns.chunks_exact(counts.len().max(1)) {
                counts.iter_mut().zip(turn).for_each(|(count, more)| *count += more);
            }
        } else {
            for place in values.iter().filter_map(|x| self.place(*x)) {
                let at = usize::try_from(place).unwrap_or(usize::MAX);
                counts.get_mut(at).into_iter().for_each(|count| *count += 1);
            }
        }
    }

    /// The ends of a bin; of a level, the level itself twice.
    #[must_use]
    pub fn ends(&self, bin: usize) -> Option<(f64, f64)> {
        let bin = Some(bin).filter(|bin| *bin < self.count())?;
        match &self.0 {
            Kind::Equal { within, count: bins } => {
                let bins = f64::from(*bins);
                let at = |k: f64| within.lower() + within.width() * (k / bins);
                Some((at(count(bin)), at(count(bin + 1)).min(within.upper())))
            }
            Kind::Edges(edges) => Some((*edges.get(bin)?, *edges.get(bin + 1)?)),
            Kind::Levels(_) => Some((count(bin), count(bin))),
        }
    }
}

/// The place among so many bins of equal width, at least 1 and at most 2^20.
fn equal(within: Interval, bins: u32, x: f64) -> u32 {
    let mut place = [0];
    equal_places(within, bins, &[x], &mut place);
    place[0]
}

/// The places of values: the whole part of the way through the interval times the bins, and the last bin at its
/// end. There are at least as many places.
///
/// The way is (x - lower)/(upper - lower) for x clamped to the interval, as [`Interval::fraction`] has it:
/// rounding is monotone, so the quotient of two differences, of which the first is not larger, is at most 1.
/// A whole number below 2^32, added to 2^52, stands in the last bits.
fn equal_places(within: Interval, bins: u32, values: &[f64], places: &mut [u32]) {
    const SHIFT: f64 = 4_503_599_627_370_496.0;
    let (lower, upper, width) = (within.lower(), within.upper(), within.width());
    let (middle, count, last) = (within.clamp(f64::NAN), f64::from(bins), bins - 1);
    wide!({
        for (place, x) in places.iter_mut().zip(values) {
            let x = if x.is_nan() { middle } else { *x };
            let x = if x > lower { x } else { lower };
            let x = if x < upper { x } else { upper };
            let way = ((x - lower) / width) * count;
            #[expect(clippy::cast_possible_truncation, reason = "the last bits are meant")]
            let whole = (way.trunc() + SHIFT).to_bits() as u32;
            *place = whole.min(last);
        }
    });
}

/// Up to so many bins are counted in turn, in so many tables.
const FEW: usize = 1 << 10;
const TURNS: usize = 4;

/// Counts places below `bins` in tables of so many counts, in turn.
fn tally_in_turn(places: &[u32], bins: usize, tables: &mut [i64]) {
    let at = |place: u32| usize::try_from(place).unwrap_or(usize::MAX);
    let (first, others) = tables.split_at_mut(bins);
    let (fours, rest) = places.as_chunks::<TURNS>();
    if others.len() == (TURNS - 1) * bins {
        let (second, others) = others.split_at_mut(bins);
        let (third, fourth) = others.split_at_mut(bins);
        for [a, b, c, d] in fours {
            first[at(*a)] += 1;
            second[at(*b)] += 1;
            third[at(*c)] += 1;
            fourth[at(*d)] += 1;
        }
    } else {
        fours.iter().flatten().for_each(|place| first[at(*place)] += 1);
    }
    rest.iter().for_each(|place| first[at(*place)] += 1);
}

/// A number that is whole and in 0..2^32 already.
fn whole(x: f64) -> u32 {
    u32::try_from(nearest(x)).unwrap_or(0)
}

fn few(name: &str, count: u32) -> Result<u32, LearnError> {
    if (1..=MOST).contains(&count) {
        return Ok(count);
    }
    Err(LearnError::invalid(name, count, "from 1 to 2^20"))
}

impl TryFrom<Stored> for Bins {
    type Error = LearnError;

    fn try_from(stored: Stored) -> Result<Self, LearnError> {
        match stored {
            Stored::Equal { within, count } => Self::equal(within, count),
            Stored::Edges(edges) => Self::between(edges),
            Stored::Levels(count) => Self::levels(count),
        }
    }
}

impl From<Bins> for Stored {
    fn from(bins: Bins) -> Self {
        match bins.0 {
            Kind::Equal { within, count } => Self::Equal { within, count },
            Kind::Edges(edges) => Self::Edges(edges),
            Kind::Levels(count) => Self::Levels(count),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(bins: &Bins, values: &[f64]) -> Vec<Option<u32>> {
        values.iter().map(|x| bins.place(*x)).collect()
    }

    #[test]
    fn every_number_has_a_bin_and_only_declared_levels_do() {
        let hostile = [f64::NEG_INFINITY, -1.0, 0.0, 0.25, 9.999, 10.0, f64::INFINITY, f64::NAN];
        let equal = Bins::equal(Interval::new(0.0, 10.0).unwrap(), 4).unwrap();
        assert_eq!(places(&equal, &hostile), [0, 0, 0, 0, 3, 3, 3, 2].map(Some));
        let edges = Bins::between(vec![0.0, 0.25, 6.0, 10.0]).unwrap();
        assert_eq!(places(&edges, &hostile), [0, 0, 0, 1, 2, 2, 2, 1].map(Some));
        let levels = Bins::levels(2).unwrap();
        let found = places(&levels, &[-0.0, 1.0, 2.0, 0.5, -1.0, f64::NAN, f64::INFINITY]);
        assert_eq!(found, [Some(0), Some(1), None, None, None, None, None]);
    }

    #[test]
    fn a_tally_counts_every_value_in_its_place() {
        let equal =
            |lower, upper, bins| Bins::equal(Interval::new(lower, upper).unwrap(), bins).unwrap();
        let all = [
            equal(0.0, 1.0, 10),
            equal(-7.3, 11.9, 97),
            equal(17.0, 90.0, 1),
            equal(0.1, 0.7, 1 << 20),
            equal(-1e300, 1e300, 1000),
            Bins::between(vec![-1.0, 0.3, 8.0]).unwrap(),
            Bins::levels(5).unwrap(),
        ];
        for bins in all {
            let hostile = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.0, 1e-320, 3.0];
            let mut values = hostile.to_vec();
            for bin in (0..bins.count()).step_by(bins.count() / 700 + 1) {
                let (low, high) = bins.ends(bin).unwrap();
                for edge in [low, high, f64::midpoint(low, high)] {
                    values.extend([edge.next_down(), edge, edge.next_up()]);
                }
            }
            let (mut tally, mut expected) = (vec![0; bins.count()], vec![0; bins.count()]);
            bins.tally(&values, &mut tally);
            for place in values.iter().filter_map(|x| bins.place(*x)) {
                expected[usize::try_from(place).unwrap()] += 1;
            }
            assert_eq!(tally, expected);
            if let Kind::Equal { within, count } = bins.0 {
                for x in values {
                    // As it is defined: the whole part of the way times the bins.
                    let place = (within.fraction(x) * f64::from(count)).floor();
                    assert_eq!(f64::from(bins.place(x).unwrap()), place.min(f64::from(count - 1)));
                }
            }
        }
    }

    #[test]
    fn a_bin_holds_what_lies_between_its_ends() {
        let equal = Bins::equal(Interval::new(-3.0, 4.0).unwrap(), 7).unwrap();
        let edges = Bins::between(vec![-1.0, 0.5, 8.0]).unwrap();
        for bins in [equal, edges] {
            for bin in 0..bins.count() {
                let (low, high) = bins.ends(bin).unwrap();
                assert_eq!(bins.place(f64::midpoint(low, high)), u32::try_from(bin).ok());
            }
            assert_eq!(bins.ends(bins.count()), None);
        }
    }

    #[test]
    fn bad_bins_are_refused() {
        for edges in
            [vec![], vec![1.0], vec![1.0, 1.0], vec![0.0, f64::NAN], vec![0.0, f64::INFINITY]]
        {
            assert!(Bins::between(edges).is_err());
        }
        assert!(Bins::levels(0).is_err());
        assert!(Bins::equal(Interval::new(0.0, 1.0).unwrap(), 1 << 21).is_err());
        assert!(serde_json::from_str::<Bins>(r#"{"levels":0}"#).is_err());
    }
}
