//! A mechanism on a random sample.

use throng_account::{MechanismSpec, Neighbours};
use throng_numeric::Rational;
use throng_sample::{Bernoulli, Entropy, Subset, shuffle};

use super::check_records;
use crate::{Mechanism, MechanismError, Run};

/// A mechanism on a Poisson sample: each record is kept with the same chance, independently.
///
/// # Guarantee
/// That of the mechanism, amplified, under [`Neighbours::AddRemove`]: the sample is drawn here, exactly
/// as the description says, and nobody sees it. A mechanism for replace neighbours takes the
/// number of records as public; that of a sample is not, so it is refused.
///
/// The answer is about the sample: a sum over it is `rate` times the sum, on average.
///
/// ```
/// use throng_mechanism::combine::Sampled;
/// use throng_mechanism::count::{Count, Records};
/// use throng_mechanism::{Mechanism, Neighbours};
/// let inner = Count::pure(Records::<&str>::default(), &"1".parse()?, Neighbours::AddRemove)?;
/// let sampled = Sampled::new("1/100".parse()?, inner)?;
/// assert_eq!(sampled.spec().to_string(), "sampled(discrete_laplace(scale=1), rate=0.01)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Sampled<M> {
    inner: M,
    coins: Coins,
    spec: MechanismSpec,
}

impl<T, M> Sampled<M>
where
    T: Clone,
    M: Mechanism<Input = [T]>,
{
    /// Keeps each record with chance `rate`, then runs the mechanism.
    ///
    /// # Errors
    /// If the rate is not in [0, 1], or the mechanism is not for add-remove neighbours or does not
    /// take one record per unit.
    pub fn new(rate: Rational, inner: M) -> Result<Self, MechanismError> {
        check_records(&inner)?;
        match inner.neighbours() {
            Neighbours::AddRemove => {}
            Neighbours::Replace | Neighbours::ZeroOut => {
                return Err(MechanismError::refused(
                    "the number of records in a Poisson sample is private",
                    "make the mechanism for add-remove neighbours, or use batches of fixed size",
                ));
            }
        }
        let coins = Coins::new(&rate)?;
        let spec = MechanismSpec::sampled(rate, inner.spec())?;
        Ok(Self { inner, coins, spec })
    }
}

impl<T, M> Mechanism for Sampled<M>
where
    T: Clone,
    M: Mechanism<Input = [T]>,
{
    type Input = [T];
    type Output = M::Output;

    fn spec(&self) -> MechanismSpec {
        self.spec.clone()
    }

    fn neighbours(&self) -> Neighbours {
        Neighbours::AddRemove
    }

    fn units_are_records(&self) -> bool {
        true
    }

    fn answer(&self, input: &[T], run: &mut Run<'_>) -> Result<M::Output, MechanismError> {
        let sample = self.coins.keep(input, run.entropy())?;
        self.inner.answer(&sample, run)
    }
}

/// Many tosses of one coin, from one word each.
///
/// # Why this is right
/// Let U = (w + U')/2^64 be uniform, w its first 64 bits. With rate 2^64 = whole + rest, rest in
/// [0, 1): U < rate iff w < whole, or w = whole and U' < rest. So all but one w of 2^64 decide,
/// and that one is followed by an independent coin of chance rest.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Coins {
    /// `None` for a rate of 1.
    whole: Option<u64>,
    rest: Bernoulli,
}

/// How many words are fetched at a time.
const WORDS: usize = 1 << 10;

impl Coins {
    fn new(rate: &Rational) -> Result<Self, MechanismError> {
        if rate.is_negative() || *rate > Rational::ONE {
            return Err(MechanismError::invalid("the rate", rate, "in [0, 1]"));
        }
        let scaled = rate * &(Rational::from(1_u64 << 32)).square();
        let whole = scaled.floor();
        let rest = Bernoulli::new(&(scaled - Rational::from(whole.clone())))?;
        Ok(Self { whole: u64::try_from(whole).ok(), rest })
    }

    fn keep<T: Clone>(
        &self,
        records: &[T],
        entropy: &mut dyn Entropy,
    ) -> Result<Vec<T>, MechanismError> {
        let mut bytes = vec![0; 8 * records.len().min(WORDS)];
        let mut kept = Vec::new();
        for batch in records.chunks(WORDS) {
            entropy.fill(&mut bytes)?;
            for (record, word) in batch.iter().zip(bytes.as_chunks::<8>().0) {
                if self.shows(u64::from_le_bytes(*word), entropy)? {
                    kept.push(record.clone());
                }
            }
        }
        Ok(kept)
    }

    fn shows(&self, word: u64, entropy: &mut dyn Entropy) -> Result<bool, MechanismError> {
        match self.whole {
            None => Ok(true),
            Some(whole) if word == whole => Ok(self.rest.draw(entropy)?),
            Some(whole) => Ok(word < whole),
        }
    }
}

/// A mechanism on a uniformly random batch of fixed size.
///
/// # Guarantee
/// That of the mechanism, amplified, under [`Neighbours::Replace`]: the number of records is public,
/// and so is that of the batch.
///
/// # Why the batch is in random order
/// Amplification compares batches with a record and batches with another in its stead. In random
/// order these are one replacement apart, place by place. In the order of the data they are not, as
/// the other stands elsewhere, and a mechanism that minds the order (randomised response does)
/// would tell more than is claimed.
#[derive(Debug, Clone, PartialEq)]
pub struct Batched<M> {
    inner: M,
    subset: Subset,
    population: u64,
    spec: MechanismSpec,
}

impl<T, M> Batched<M>
where
    T: Clone,
    M: Mechanism<Input = [T]>,
{
    /// Draws `batch` of exactly `population` records, then runs the mechanism.
    ///
    /// # Errors
    /// If the batch is 0, above the population or 2^26, or the mechanism is not for replace
    /// neighbours or does not take one record per unit.
    pub fn new(batch: u64, population: u64, inner: M) -> Result<Self, MechanismError> {
        check_records(&inner)?;
        match inner.neighbours() {
            Neighbours::Replace => {}
            Neighbours::AddRemove | Neighbours::ZeroOut => {
                return Err(MechanismError::refused(
                    "batches of fixed size need a number of records that is public",
                    "make the mechanism for replace neighbours, or use a Poisson sample",
                ));
            }
        }
        let subset = Subset::new(population, batch)?;
        let inner_spec = Box::new(inner.spec());
        let spec = MechanismSpec::WithoutReplacement { batch, population, inner: inner_spec };
        Ok(Self { inner, subset, population, spec: spec.validated()? })
    }
}

impl<T, M> Mechanism for Batched<M>
where
    T: Clone,
    M: Mechanism<Input = [T]>,
{
    type Input = [T];
    type Output = M::Output;

    fn spec(&self) -> MechanismSpec {
        self.spec.clone()
    }

    fn neighbours(&self) -> Neighbours {
        Neighbours::Replace
    }

    fn units_are_records(&self) -> bool {
        true
    }

    /// # Errors
    /// If there are not exactly as many records as stated; their number is public.
    fn answer(&self, input: &[T], run: &mut Run<'_>) -> Result<M::Output, MechanismError> {
        let count = u64::try_from(input.len()).unwrap_or(u64::MAX);
        if count != self.population {
            return Err(MechanismError::invalid("the records", count, self.population.to_string()));
        }
        let mut members = self.subset.draw(run.entropy())?;
        shuffle(&mut members, run.entropy())?;
        let member = |index: u64| usize::try_from(index).ok().and_then(|i| input.get(i).cloned());
        let batch: Vec<T> = members.into_iter().filter_map(member).collect();
        self.inner.answer(&batch, run)
    }
}
