//! What specs state and what primitives tell, in numbers.

use throng_account::{Leaf, MechanismSpec, Neighbours};
use throng_audit::replay::{Declared, Draws, Event, Norm, Primitive, Trace};
use throng_numeric::Rational;

fn size(x: &Rational) -> f64 {
    x.to_f64_nearest()
}

/// What all noise of a spec costs by the most that its inputs move, without what sampling saves: epsilon,
/// or rho; none where a spec does not speak of noise.
#[allow(clippy::wildcard_enum_match_arm, reason = "all other specs state something else")]
pub fn stated(spec: &MechanismSpec, under: Neighbours, pure: bool) -> Option<f64> {
    // Under replace a spec counts from the middle.
    let times = if under == Neighbours::Replace { 2.0 } else { 1.0 };
    let of_pure = |epsilon: f64| Some(if pure { epsilon } else { epsilon * epsilon / 2.0 });
    match spec {
        MechanismSpec::Leaf(leaf) => match leaf {
            Leaf::Gaussian { sigma, sensitivity }
            | Leaf::DiscreteGaussian { sigma, sensitivity } => {
                let mu = times * size(sensitivity) / size(sigma);
                (!pure).then_some(mu * mu / 2.0)
            }
            Leaf::Laplace { scale, sensitivity } | Leaf::DiscreteLaplace { scale, sensitivity } => {
                of_pure(times * size(sensitivity) / size(scale))
            }
            Leaf::Pure { epsilon } => of_pure(size(epsilon)),
            Leaf::Exponential { epsilon } if pure => Some(size(epsilon)),
            Leaf::Exponential { epsilon } => Some(size(epsilon) * size(epsilon) / 8.0),
            _ => None,
        },
        MechanismSpec::Composed(parts) => parts.iter().map(|part| stated(part, under, pure)).sum(),
        MechanismSpec::Repeated { times, inner } => {
            Some(*times as f64 * stated(inner, under, pure)?)
        }
        MechanismSpec::Sampled { inner, .. } | MechanismSpec::PostProcessed(inner) => {
            stated(inner, under, pure)
        }
        _ => None,
    }
}

/// What all primitives of a run together cost by the distances they declare.
pub fn told(trace: &Trace, pure: bool) -> f64 {
    primitives(trace).map(|primitive| declared_cost(primitive, pure)).sum()
}

pub fn primitives(trace: &Trace) -> impl Iterator<Item = &Primitive> {
    trace.events.iter().filter_map(|event| match event {
        Event::Primitive(primitive) => Some(primitive),
        Event::Branch { .. } | Event::Released(_) | Event::Settled => None,
    })
}

fn declared_cost(primitive: &Primitive, pure: bool) -> f64 {
    let Some(declared) = &primitive.declared else { return f64::INFINITY };
    let rho = |epsilon: f64, part: f64| if pure { epsilon } else { epsilon * epsilon / part };
    match &primitive.draws {
        Draws::Gaussian { sigma } if !pure => {
            square(declared) / (2.0 * sigma.to_f64() * sigma.to_f64())
        }
        Draws::Laplace { scale } => rho(sum(declared) / scale.to_f64(), 2.0),
        Draws::Choice { rate, ranged: true } => {
            rho(rate.to_f64() * declared.distance.to_f64(), 8.0)
        }
        Draws::Gaussian { .. }
        | Draws::Choice { .. }
        | Draws::Comparison { .. }
        | Draws::Other(_) => f64::INFINITY,
    }
}

/// The square of a distance in L2.
fn square(declared: &Declared) -> f64 {
    let each = declared.distance.to_f64();
    match declared.norm {
        Norm::L1 | Norm::L2 | Norm::Span => each * each,
        Norm::Cells(cells) => cells as f64 * each * each,
    }
}

/// A distance in L1.
fn sum(declared: &Declared) -> f64 {
    let each = declared.distance.to_f64();
    match declared.norm {
        Norm::L1 | Norm::Span => each,
        Norm::Cells(cells) => cells as f64 * each,
        Norm::L2 => f64::INFINITY,
    }
}

/// How close inputs of noise came to the distance it was made for, at most: that of the primitive which has
/// come least close.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Closest(Vec<f64>);

impl Closest {
    pub fn of([zero, one]: [&Trace; 2]) -> Self {
        let pairs = primitives(zero).zip(primitives(one));
        Self(pairs.map(|(a, b)| closeness(a, b)).collect())
    }

    pub fn max(self, other: Self) -> Self {
        if self.0.len() != other.0.len() {
            return if self.0.is_empty() { other } else { self };
        }
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a.max(*b)).collect())
    }

    /// Of the primitive that has come least close.
    pub fn least(&self) -> f64 {
        self.0.iter().copied().fold(f64::INFINITY, f64::min)
    }
}

fn closeness(a: &Primitive, b: &Primitive) -> f64 {
    let Some(declared) = &a.declared else { return 0.0 };
    if a.inputs.is_empty() {
        // Answers before it left nothing to look at.
        return f64::INFINITY;
    }
    let moved = a.inputs.iter().zip(&b.inputs).map(|(x, y)| (x.to_f64() - y.to_f64()).abs());
    match (&a.draws, declared.norm) {
        (Draws::Gaussian { .. }, _) => {
            (moved.map(|x| x * x).sum::<f64>() / square(declared)).sqrt()
        }
        (Draws::Laplace { .. }, _) => moved.sum::<f64>() / sum(declared),
        _ => moved.fold(0.0, f64::max) / declared.distance.to_f64(),
    }
}
