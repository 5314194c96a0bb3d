//! How private something shall be.

use clap::Args;
use throng_account::Target;
use throng_learn::Privacy;
use throng_mechanism::Neighbours;

use crate::arguments;
use crate::failure::Failure;
use crate::goal::Goals;
use crate::number::Number;

/// How private, and for which neighbours.
#[derive(Debug, Args)]
pub(super) struct Wanted {
    #[command(flatten)]
    goals: Goals,

    /// What it means that two tables differ in one record.
    #[arg(long, value_name = "RELATION", default_value = "add-remove", value_parser = arguments::neighbours())]
    neighbours: Neighbours,
}

const WAYS: &str = "give --epsilon, --epsilon with --delta, --gdp, --zcdp, --fpr with --tpr, or \
                    --advantage";

impl Wanted {
    /// The one target asked for; epsilon alone is pure privacy.
    pub(super) fn privacy(&self) -> Result<Privacy, Failure> {
        if self.goals.is_empty() {
            return Err(Failure::usage("it is not said how private the release shall be", WAYS));
        }
        let target = match self.goals.pure() {
            Some(epsilon) => Target::Epsilon { epsilon: epsilon.down(), delta: 0.0 },
            None => self.goals.goal()?.target,
        };
        if let Target::Epsilon { epsilon, delta } = target
            && !(epsilon > 0.0 && delta < 1.0)
        {
            return Err(Failure::usage("epsilon must be above 0, and delta below 1", WAYS));
        }
        Ok(Privacy::new(target, self.neighbours)?)
    }

    /// The delta that was asked for, if one was.
    pub(super) fn delta(&self) -> Option<&Number> {
        self.goals.delta.as_ref()
    }
}

/// A target in two, of which the first is a share; together they reach it.
///
/// # Guarantee
/// Epsilons and deltas of releases add, each chosen after the last (basic composition); so do the rhos,
/// and the squares of the mus. Each part is rounded down.
pub(super) fn divided(whole: &Privacy, share: f64) -> Result<(Privacy, Privacy), Failure> {
    let part = |x: f64| (share * x).next_down().max(0.0);
    let rest = |x: f64| (x - part(x)).next_down().max(0.0);
    let (first, second) = match *whole.target() {
        Target::Epsilon { epsilon, delta } => (
            Target::Epsilon { epsilon: part(epsilon), delta: part(delta) },
            Target::Epsilon { epsilon: rest(epsilon), delta: rest(delta) },
        ),
        Target::Zcdp { rho } => (Target::Zcdp { rho: part(rho) }, Target::Zcdp { rho: rest(rho) }),
        Target::Gdp { mu } => {
            // A root is rounded by less than this, so are the squares.
            const HAIR: f64 = 1.0 - 1e-12;
            let part = mu * share.sqrt() * HAIR;
            let rest = mu * (1.0 - share).sqrt() * HAIR;
            (Target::Gdp { mu: part }, Target::Gdp { mu: rest })
        }
        Target::Detection { .. } | Target::Advantage { .. } => {
            return Err(Failure::refused(
                "what an attacker gains has no shares",
                "say it as --epsilon, --gdp or --zcdp, or declare all bounds",
            ));
        }
    };
    let under = whole.neighbours();
    Ok((Privacy::new(first, under)?, Privacy::new(second, under)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_together_are_not_more_than_the_whole() {
        for share in [0.1, 0.3, 0.5, 0.999] {
            for x in [1e-5, 0.1, 1.0, 3.7] {
                let of = |target| Privacy::new(target, Neighbours::AddRemove).unwrap();
                let (a, b) = divided(&of(Target::Zcdp { rho: x }), share).unwrap();
                let (Target::Zcdp { rho: a }, Target::Zcdp { rho: b }) = (*a.target(), *b.target())
                else {
                    panic!("rhos")
                };
                assert!(a + b <= x && a + b > 0.999_999 * x);
                let (a, b) = divided(&of(Target::Gdp { mu: x }), share).unwrap();
                let (Target::Gdp { mu: a }, Target::Gdp { mu: b }) = (*a.target(), *b.target())
                else {
                    panic!("mus")
                };
                assert!(a * a + b * b <= x * x && a * a + b * b > 0.999_999 * x * x);
            }
        }
        let attacker = Target::Advantage { advantage: 0.1 };
        let attacker = Privacy::new(attacker, Neighbours::AddRemove).unwrap();
        assert!(divided(&attacker, 0.5).is_err());
    }
}
