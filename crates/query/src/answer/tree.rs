//! Sums in a tree, adjusted to agree.
//!
//! Every cell of a roll-up is measured with noise of its own, though in truth it is the sum of its
//! parts. The adjusted cells are those nearest to the measured ones, in squares weighted by
//! 1/variance, among all that add up; of all unbiased linear estimates they have the least variance
//! (Gauss-Markov).
//!
//! # Reference
//! Hay, Rastogi, Miklau, Suciu: Boosting the accuracy of differentially private histograms through
//! consistency (2010), there for equal variances. With general ones the same two passes are exact:
//! upwards each cell takes the mean of its own measurement and the sum of its parts, weighted by
//! 1/variance, which is all that is known about it from below; downwards what the whole has too
//! much is given to the parts in proportion to their variances, which is the conditional mean of
//! the parts given their sum.

/// One measured cell. Cells are in an order where parents come first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cell {
    pub(super) value: f64,
    pub(super) variance: f64,
    pub(super) parent: Option<usize>,
}

/// Adjusts cells so that each that has parts is their sum; if `non_negative`, none is below 0.
///
/// Without that bound, variances become those of the adjusted cells.
pub(super) fn adjust(cells: &mut [Cell], non_negative: bool) {
    let parts = parts_of(cells);
    upwards(cells, &parts);
    if non_negative {
        for cell in cells.iter_mut().filter(|cell| cell.parent.is_none()) {
            cell.value = cell.value.max(0.0);
        }
    }
    for (whole, parts) in parts.iter().enumerate().filter(|(_, parts)| !parts.is_empty()) {
        downwards(cells, whole, parts, non_negative);
    }
}

/// Rounds adjusted cells to whole numbers that still add up: what is left over goes to the parts
/// with the largest remainders.
pub(super) fn round(cells: &mut [Cell]) {
    for cell in cells.iter_mut().filter(|cell| cell.parent.is_none()) {
        cell.value = cell.value.round_ties_even();
    }
    let parts = parts_of(cells);
    for (whole, parts) in parts.iter().enumerate().filter(|(_, parts)| !parts.is_empty()) {
        let Some(total) = cells.get(whole).map(|cell| cell.value) else { continue };
        let mut by_rest: Vec<(f64, usize)> = Vec::new();
        let mut sum = 0.0;
        for &part in parts {
            let Some(cell) = cells.get_mut(part) else { continue };
            by_rest.push((cell.value - cell.value.floor(), part));
            cell.value = cell.value.floor();
            sum += cell.value;
        }
        by_rest.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let order: Vec<usize> = by_rest.into_iter().map(|(_, part)| part).collect();
        share_out(cells, &order, total - sum);
    }
}

/// Gives the first parts one each until nothing is left; takes from the last if there is too much,
/// which sums of floats can cause, first from those that have something.
fn share_out(cells: &mut [Cell], order: &[usize], mut left: f64) {
    for &part in order.iter().chain(order) {
        if let Some(cell) = cells.get_mut(part).filter(|_| left >= 1.0) {
            cell.value += 1.0;
            left -= 1.0;
        }
    }
    for least in [1.0, f64::NEG_INFINITY] {
        for &part in order.iter().rev() {
            if let Some(cell) =
                cells.get_mut(part).filter(|cell| left <= -1.0 && cell.value >= least)
            {
                cell.value -= 1.0;
                left += 1.0;
            }
        }
    }
}

fn parts_of(cells: &[Cell]) -> Vec<Vec<usize>> {
    let mut parts = vec![Vec::new(); cells.len()];
    for (index, cell) in cells.iter().enumerate() {
        if let Some(parts) = cell.parent.and_then(|parent| parts.get_mut(parent)) {
            parts.push(index);
        }
    }
    parts
}

/// What is known of each cell from itself and from below.
fn upwards(cells: &mut [Cell], parts: &[Vec<usize>]) {
    for (whole, parts) in parts.iter().enumerate().rev().filter(|(_, parts)| !parts.is_empty()) {
        let (sum, spread) = summed(cells, parts);
        let Some(cell) = cells.get_mut(whole) else { continue };
        let both = cell.variance + spread;
        if both > 0.0 {
            cell.value = (cell.value * spread + sum * cell.variance) / both;
            cell.variance *= spread / both;
        }
    }
}

fn summed(cells: &[Cell], parts: &[usize]) -> (f64, f64) {
    let parts = parts.iter().filter_map(|&part| cells.get(part));
    parts.fold((0.0, 0.0), |(sum, spread), part| (sum + part.value, spread + part.variance))
}

/// Gives the parts of a whole what it has more than they.
fn downwards(cells: &mut [Cell], whole: usize, parts: &[usize], non_negative: bool) {
    let Some(Cell { value: total, variance: above, .. }) = cells.get(whole).copied() else {
        return;
    };
    let mut free: Vec<usize> = parts.to_vec();
    loop {
        let (sum, spread) = summed(cells, &free);
        let share = |variance: f64| {
            // Exact parts cannot move; if all are, what is missing is spread evenly.
            if spread > 0.0 { variance / spread } else { 1.0 / count(free.len()) }
        };
        let moved = |cell: &Cell| cell.value + (total - sum) * share(cell.variance);
        let below = |part: &usize| cells.get(*part).is_some_and(|cell| moved(cell) < 0.0);
        let (bound, rest): (Vec<usize>, Vec<usize>) = free.iter().partition(|&part| below(part));
        if !non_negative || bound.is_empty() {
            for &part in &free {
                let Some(cell) = cells.get(part).copied() else { continue };
                let share = share(cell.variance);
                let variance = cell.variance * (1.0 - share) + share * share * above;
                let value = moved(&cell);
                if let Some(cell) = cells.get_mut(part) {
                    (cell.value, cell.variance) = (value, variance);
                }
            }
            return;
        }
        // The nearest point with parts that would be negative has them at 0 (projection on a
        // simplex): the others share what is left.
        for &part in &bound {
            if let Some(cell) = cells.get_mut(part) {
                cell.value = 0.0;
            }
        }
        free = rest;
        if free.is_empty() {
            return;
        }
    }
}

fn count(number: usize) -> f64 {
    u32::try_from(number).map_or(f64::from(u32::MAX), f64::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cell(value: f64, variance: f64, parent: Option<usize>) -> Cell {
        Cell { value, variance, parent }
    }

    /// A tree of three levels: 1, 2-3, 2-3 each.
    fn tree() -> impl Strategy<Value = Vec<Cell>> {
        let numbers = prop::collection::vec((-20.0..100.0f64, 0.1..30.0f64), 12);
        (numbers, 1usize..4, 1usize..4).prop_map(|(numbers, first, second)| {
            let mut cells = vec![cell(numbers[0].0 * 4.0, numbers[0].1, None)];
            for branch in 0..2 {
                cells.push(cell(numbers[1 + branch].0, numbers[1 + branch].1, Some(0)));
            }
            for (branch, count) in [(1, first), (2, second)] {
                for leaf in 0..count {
                    let (value, variance) = numbers[3 + 3 * (branch - 1) + leaf];
                    cells.push(cell(value, variance, Some(branch)));
                }
            }
            cells
        })
    }

    fn worst_gap(cells: &[Cell]) -> f64 {
        let parts = parts_of(cells);
        let gaps = parts.iter().enumerate().filter(|(_, parts)| !parts.is_empty());
        gaps.map(|(whole, parts)| (cells[whole].value - summed(cells, parts).0).abs())
            .fold(0.0, f64::max)
    }

    #[expect(clippy::disallowed_methods, reason = "post-processing of released numbers")]
    fn distance(a: &[Cell], b: &[Cell]) -> f64 {
        a.iter().zip(b).map(|(a, b)| (a.value - b.value).powi(2) / a.variance).sum()
    }

    proptest! {
        #[test]
        fn sums_agree_and_nothing_is_nearer(
            cells in tree(),
            steps in prop::collection::vec(-1.0..1.0f64, 9),
        ) {
            let mut adjusted = cells.clone();
            adjust(&mut adjusted, false);
            prop_assert!(worst_gap(&adjusted) < 1e-9);
            // Any other tree that adds up is farther from the measurements.
            let mut other = adjusted.clone();
            for (index, step) in (3..other.len()).zip(&steps) {
                let mut at = Some(index);
                while let Some(here) = at {
                    other[here].value += step;
                    at = other[here].parent;
                }
            }
            prop_assert!(worst_gap(&other) < 1e-9);
            prop_assert!(distance(&cells, &adjusted) <= distance(&cells, &other) + 1e-9);
            for (before, after) in cells.iter().zip(&adjusted) {
                prop_assert!(after.variance <= before.variance * (1.0 + 1e-12));
            }
        }

        #[test]
        fn bounded_and_rounded_sums_agree(cells in tree()) {
            let mut adjusted = cells;
            adjust(&mut adjusted, true);
            prop_assert!(worst_gap(&adjusted) < 1e-9);
            prop_assert!(adjusted.iter().all(|cell| cell.value >= 0.0));
            round(&mut adjusted);
            prop_assert!(worst_gap(&adjusted) < 1e-9);
            prop_assert!(adjusted.iter().all(|cell| cell.value >= 0.0 && cell.value.fract() == 0.0));
        }
    }

    #[test]
    fn equal_variances_give_the_known_answer() {
        // One whole of two parts, all with variance 1: the gap of 3 is shared by all three.
        let mut cells = [cell(13.0, 1.0, None), cell(4.0, 1.0, Some(0)), cell(6.0, 1.0, Some(0))];
        adjust(&mut cells, false);
        let values: Vec<f64> = cells.iter().map(|cell| cell.value).collect();
        for (value, known) in values.iter().zip([12.0, 5.0, 7.0]) {
            assert!((value - known).abs() < 1e-12, "{values:?}");
        }
        for cell in cells {
            assert!((cell.variance - 2.0 / 3.0).abs() < 1e-12);
        }
    }

    #[test]
    fn exact_cells_do_not_fail() {
        let mut cells = [cell(5.0, 0.0, None), cell(1.0, 0.0, Some(0)), cell(1.0, 0.0, Some(0))];
        adjust(&mut cells, true);
        assert!(worst_gap(&cells) < 1e-12);
        adjust(&mut [], true);
    }
}
