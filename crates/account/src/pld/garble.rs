//! How a finite pair is put on a grid from below: by merging outcomes.

use throng_numeric::Enclosure;
use throng_numeric::rounding::{add_down, div_down, mul_down, mul_up, sub_down};

use super::grid::{Grid, Law, Span};
use crate::AccountError;
use crate::pair::discrete::DiscretePair;

/// A pair on a grid, from below.
///
/// # Guarantee
/// The finite part is below that of the pair in the order of [`super::grid`], and so is the
/// infinite mass.
///
/// *Proof.* Loss and chance of every atom are taken at their lower ends (moved down, taken
/// from). Walk down from the largest loss. If l is the loss reached and g the point at or below
/// it, take everything left of loss >= g, and then, by decreasing loss, as much of what is below
/// g as keeps the ratio of the whole portion at e^g or more: a portion of chances (p_i, p_i
/// e^-l_i) has that ratio if and only if
///
/// > Σ_{l_i >= g} p_i (1 - e^(g - l_i)) >= Σ_{l_i < g} p_i (e^(g - l_i) - 1).
///
/// Merging the portion into one outcome is below; its loss is at least g, so putting its chance
/// at g is below again. The left side is rounded down and the right side up. An atom may be
/// shared between portions; what is left of it is rounded down. Where nothing is left to merge
/// with, mass has only been moved down; below the span it is dropped.
///
/// # Errors
/// If a loss in the span has no index.
pub(super) fn garble(pair: &DiscretePair, grid: &Grid, span: Span) -> Result<Law, AccountError> {
    let mut law = Law::empty(span, pair.p_only.lower());
    let bottom = grid.at(span.first);
    let mut rest = atoms(pair, grid, span);
    while let Some(&(loss, _)) = rest.last() {
        if loss < bottom {
            break;
        }
        let index = grid.floor(loss)?;
        let portion = Portion::above(&mut rest, grid.at(index)).with_below(&mut rest);
        law.change(index, |mass| add_down(mass, portion.mass));
    }
    Ok(law.trimmed())
}

/// Losses and chances from below, by increasing loss. What lies beyond the span is moved down to
/// half a step above its last point: then, in a dense pair, every portion reaches about half a
/// step either way.
fn atoms(pair: &DiscretePair, grid: &Grid, span: Span) -> Vec<(f64, f64)> {
    let top = grid.at(span.last) + 0.5 * grid.step();
    let mut atoms: Vec<(f64, f64)> = pair
        .atoms
        .iter()
        .map(|atom| (atom.loss.lower().min(top), atom.p.lower()))
        .filter(|(_, p)| *p > 0.0)
        .collect();
    atoms.sort_by(|a, b| a.0.total_cmp(&b.0));
    atoms
}

/// What is merged at one point.
struct Portion {
    point: f64,
    mass: f64,
    /// At most what is left of the surplus, the left side less the right side.
    surplus: f64,
}

impl Portion {
    /// All that is left from the point on.
    fn above(rest: &mut Vec<(f64, f64)>, point: f64) -> Self {
        let mut portion = Self { point, mass: 0.0, surplus: 0.0 };
        while let Some((loss, p)) = rest.pop_if(|(loss, _)| *loss >= point) {
            let share = portion.growth(loss).upper();
            portion.mass = add_down(portion.mass, p);
            portion.surplus = add_down(portion.surplus, mul_down(p, (-share).max(0.0)));
        }
        portion
    }

    /// With as much from below the point as the surplus allows.
    fn with_below(mut self, rest: &mut Vec<(f64, f64)>) -> Self {
        while self.surplus > 0.0
            && let Some((loss, p)) = rest.last_mut()
        {
            let growth = self.growth(*loss).upper();
            let cost = mul_up(*p, growth);
            if cost > self.surplus {
                let part = div_down(self.surplus, growth).clamp(0.0, *p);
                *p = sub_down(*p, part);
                self.mass = add_down(self.mass, part);
                break;
            }
            self.mass = add_down(self.mass, *p);
            self.surplus = sub_down(self.surplus, cost);
            rest.pop();
        }
        self
    }

    /// e^(point - loss) - 1, or everything if the loss is not finite.
    fn growth(&self, loss: f64) -> Enclosure {
        match (Enclosure::point(self.point), Enclosure::point(loss)) {
            (Ok(point), Ok(loss)) => (point - loss).expm1(),
            _ => Enclosure::REAL,
        }
    }
}
