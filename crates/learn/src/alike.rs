//! Whether what a row gives depends on that row alone.
//!
//! A clipped gradient has a bounded norm, but the sums of neighbours are near each other only if all
//! *other* records contribute the same to both. What a record contributes goes through a product of
//! a table and weights, for which a library chooses instructions by machine, by shape, and perhaps by
//! the place of a row: a last digit that depends on the place would move every record that a
//! removed one made room for. So tables are multiplied in blocks of one shape, filled up with
//! zeros; and that a row of such a block gives the same bits in every place, with any rows around it, is
//! looked at on this machine, before data is touched.

use throng_mechanism::MechanismError;

/// Multiplies made-up blocks of `rows` × `columns` by `product`, which gives `outputs` for each row.
///
/// # Errors
/// If a row gives one thing here and another there.
pub(crate) fn check<T: Copy + Default + From<i16> + PartialEq>(
    rows: usize,
    columns: usize,
    outputs: usize,
    product: impl Fn(&[T], &mut [T]),
) -> Result<(), MechanismError> {
    let mut found = vec![T::default(); rows * outputs];
    let mut given = |same: &dyn Fn(usize) -> bool| {
        let salt = |place: usize| if same(place) { 0 } else { place + 1 };
        let row = |place: usize| (0..columns).map(move |at| T::from(made_up(at, salt(place))));
        let table: Vec<T> = (0..rows).flat_map(row).collect();
        product(&table, &mut found);
        found.chunks_exact(outputs.max(1)).map(<[T]>::to_vec).collect::<Vec<_>>()
    };
    let all = given(&|_| true);
    let Some(reference) = all.first() else { return Ok(()) };
    let mut alike = all.iter().all(|row| row == reference);
    for phase in 0..4 {
        let same = |place: usize| place % 4 == phase;
        let mixed = given(&same);
        alike &= mixed.iter().enumerate().all(|(place, row)| !same(place) || row == reference);
    }
    if alike {
        return Ok(());
    }
    Err(MechanismError::Refused {
        what: "matrix products on this machine depend on the place of a row".to_owned(),
        hint: "fit on another machine; please report this one".to_owned(),
    })
}

/// A number from -1000 to 1000 without a pattern.
pub(crate) fn made_up(at: usize, salt: usize) -> i16 {
    let mixed = (at + 31 * salt + 1).wrapping_mul(2_654_435_761) >> 7;
    i16::try_from(mixed % 2001).unwrap_or(0) - 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summed(reverse: impl Fn(usize) -> bool) -> Result<(), MechanismError> {
        check::<f64>(16, 99, 1, |table, out| {
            for (place, (row, out)) in table.chunks_exact(99).zip(out).enumerate() {
                let terms = row.iter().map(|x| x / 3.0 + x * x / 7.0);
                *out = if reverse(place) { terms.rev().sum() } else { terms.sum() };
            }
        })
    }

    #[test]
    fn an_order_that_depends_on_the_place_is_noticed() {
        assert!(summed(|_| false).is_ok());
        assert!(summed(|_| true).is_ok());
        assert!(summed(|place| place == 15).is_err());
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
