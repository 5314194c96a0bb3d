//! A mechanism of Throng, or of anybody who implements its trait, as a target.

use throng_account::filter::Budget as Amount;
use throng_mechanism::{Mechanism, Permit, Sensitive};
use throng_numeric::Rational;
use throng_sample::Entropy;

use crate::error::unless_given_up;
use crate::{AuditError, Outcome, Outcomes, Target, World};

/// A mechanism on two neighbouring inputs, which are made up for the audit: nobody pays for its runs.
///
/// ```
/// use throng_audit::{Claim, Effort, OfMechanism, Options, Orientation, Outcome, Verdict, audit};
/// use throng_mechanism::count::{Count, Records};
/// use throng_mechanism::{Mechanism, Neighbours};
/// use throng_sample::OsEntropy;
/// let count = Count::pure(Records::default(), &"1/2".parse()?, Neighbours::AddRemove)?;
/// let worlds = [vec!["ann", "bob"], vec!["ann", "bob", "cid"]];
/// let mut target = OfMechanism::new(&count, worlds, OsEntropy, |noisy| {
///     Outcome::Number(noisy.value(0))
/// });
/// let claim = Claim::of_spec(&count.spec(), Neighbours::AddRemove, Orientation::Either)?;
/// let effort = Effort::Runs(1_000);
/// let report = audit::live(&claim, &mut target, &Options::default(), effort, &mut |_| {})?;
/// assert_eq!(report.verdict, Verdict::NotViolated);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct OfMechanism<'a, M: Mechanism, D, E, F> {
    mechanism: &'a M,
    worlds: [Sensitive<D>; 2],
    entropy: E,
    read: F,
}

impl<'a, M, D, E, F> OfMechanism<'a, M, D, E, F>
where
    M: Mechanism,
    D: std::borrow::Borrow<M::Input>,
    E: Entropy,
    F: FnMut(&M::Output) -> Outcome,
{
    /// A mechanism, its inputs in both worlds, where its noise comes from, and how an answer is read.
    pub fn new(mechanism: &'a M, worlds: [D; 2], entropy: E, read: F) -> Self {
        let [zero, one] = worlds;
        Self { mechanism, worlds: [Sensitive::new(zero), Sensitive::new(one)], entropy, read }
    }
}

impl<M, D, E, F> Target for OfMechanism<'_, M, D, E, F>
where
    M: Mechanism,
    D: std::borrow::Borrow<M::Input>,
    E: Entropy,
    F: FnMut(&M::Output) -> Outcome,
{
    fn run(&mut self, world: World, n: usize, outcomes: &mut Outcomes) -> Result<(), AuditError> {
        let input = &self.worlds[world.index()];
        let (spec, under) = (self.mechanism.spec(), self.mechanism.neighbours());
        for _ in 0..n {
            unless_given_up()?;
            let nothing = Amount::Pure { epsilon: Rational::ZERO };
            #[expect(
                clippy::disallowed_methods,
                reason = "made-up data: there is nobody to protect"
            )]
            let permit = Permit::issue(spec.clone(), under, nothing);
            let release = self.mechanism.run_on(input, permit, &mut self.entropy)?;
            outcomes.push((self.read)(release.value()));
        }
        Ok(())
    }
}
