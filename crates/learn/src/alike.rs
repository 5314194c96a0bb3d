//! Whether what a row gives depends on that row alone.
//!
//! A clipped gradient has a bounded norm, but the sums of neighbours are near each other only if all
//! *other* records contribute the same to both. What a record contributes goes through a product of
//! a table and weights, for which a library chooses instructions by machine, by shape, and perhaps by
//! the place of a row: a last digit that depends on the place would move every record that a
//! removed one made room for. So tables are multiplied in blocks of one shape or a few, filled
//! up with zeros; and that a row of such a block gives the same bits in every place, in every shape, with
//! any rows around it, is looked at on this machine, before data is touched.

use throng_mechanism::MechanismError;

/// What is computed for rows side by side.
pub(crate) trait Block {
    /// All that is computed for one row.
    type Row: PartialEq;

    /// How many rows.
    fn rows(&self) -> usize;

    /// How many of the first rows may be computed without the others; all of them always may.
    fn heights(&self) -> Vec<usize> {
        Vec::new()
    }

    /// Computes the first rows, so many: each is made of made-up numbers that depend on its salt alone.
    fn compute(&mut self, height: usize, salt: &dyn Fn(usize) -> usize);

    /// What was computed for the row in a place.
    fn row(&self, place: usize) -> Self::Row;
}

/// # Errors
/// If a row gives one thing here and another there.
pub(crate) fn check_block(block: &mut impl Block) -> Result<(), MechanismError> {
    let rows = block.rows();
    // Once all rows alike, then the same row in a few places among others.
    block.compute(rows, &|_| 0);
    let reference = block.row(0);
    let mut alike = (1..rows).all(|place| block.row(place) == reference);
    for phase in 0..4 {
        let kept = |place: usize| place % 4 == phase;
        block.compute(rows, &|place| if kept(place) { 0 } else { place + 1 });
        alike &= (0..rows).filter(|place| kept(*place)).all(|place| block.row(place) == reference);
    }
    for height in block.heights() {
        block.compute(height, &|place| if place % 3 == 0 { 0 } else { place + 1 });
        alike &= (0..height).step_by(3).all(|place| block.row(place) == reference);
    }
    if alike {
        return Ok(());
    }
    Err(MechanismError::Refused {
        what: "matrix products on this machine depend on the place of a row".to_owned(),
        hint: "fit on another machine; please report this one".to_owned(),
    })
}

/// The same for a table of `rows` × `columns` that `product` gives `outputs` for each row of.
///
/// # Errors
/// As for [`check_block`].
pub(crate) fn check<T: Copy + Default + From<i16> + PartialEq>(
    rows: usize,
    columns: usize,
    outputs: usize,
    product: impl Fn(&[T], &mut [T]),
) -> Result<(), MechanismError> {
    let found = vec![T::default(); rows * outputs];
    check_block(&mut Product { rows, columns, outputs, product, found })
}

struct Product<T, P> {
    rows: usize,
    columns: usize,
    outputs: usize,
    product: P,
    found: Vec<T>,
}

impl<T, P> Block for Product<T, P>
where
    T: Copy + Default + From<i16> + PartialEq,
    P: Fn(&[T], &mut [T]),
{
    type Row = Vec<T>;

    fn rows(&self) -> usize {
        self.rows
    }

    fn compute(&mut self, _: usize, salt: &dyn Fn(usize) -> usize) {
        let row = |place: usize| {
            let salt = salt(place);
            (0..self.columns).map(move |at| T::from(made_up(at, salt)))
        };
        let table: Vec<T> = (0..self.rows).flat_map(row).collect();
        (self.product)(&table, &mut self.found);
    }

    fn row(&self, place: usize) -> Vec<T> {
        let own = self.found.get(place * self.outputs..(place + 1) * self.outputs);
        own.map_or_else(Vec::new, <[T]>::to_vec)
    }
}

/// A number from -1000 to 1000 without a pattern.
pub(crate) fn made_up(at: usize, salt: usize) -> i16 {
    let mixed = (at + 31 * salt + 1).wrapping_mul(2_654_435_761) >> 7;
    i16::try_from(mixed % 2001).unwrap_or(0) - 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums (a + b) + c with large b = -c, or a + (b + c): the first loses digits of a, for certain.
    fn summed(late: impl Fn(usize) -> bool) -> Result<(), MechanismError> {
        check::<f64>(16, 2, 1, |table, out| {
            for (place, (row, out)) in table.chunks_exact(2).zip(out).enumerate() {
                let (a, [b, c]) = (row[0] + 0.125, [1e16, -1e16]);
                *out = if late(place) { a + (b + c) } else { (a + b) + c };
            }
        })
    }

    #[test]
    fn an_order_that_depends_on_the_place_is_noticed() {
        assert!(summed(|_| false).is_ok());
        assert!(summed(|_| true).is_ok());
        for place in 0..16 {
            assert!(summed(|at| at == place).is_err());
        }
    }

    #[test]
    fn what_depends_on_the_neighbour_is_noticed() {
        let found = check::<f32>(8, 2, 1, |table, out| {
            for (place, out) in out.iter_mut().enumerate() {
                *out = table[2 * place] + 1e-3 * table[(2 * place + 2) % 16];
            }
        });
        assert!(found.is_err());
    }
}
