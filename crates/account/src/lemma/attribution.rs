//! Accuracy means correlation with the data: the lemma behind fingerprinting.

use throng_numeric::{Integer, Rational};

use crate::AccountError;

/// Both sides of the correlation-variance identity, for an estimator f of the mean that depends on
/// the number of ones only.
///
/// Draw P uniformly from [0, 1] and X_1, ..., X_n independently with chance P of being 1. Then
///
/// ```text
/// E[(f - P) Σ (X_i - P)] + E_P[(E_X[f - X̄])²] >= 1/12,
/// ```
///
/// with equality iff g(P) = E[f|P] is ½ throughout. The square is *outside* the mean over X, and f
/// is a function on {0, 1}^n. An accurate f (small second term) must correlate with its inputs,
/// which privacy forbids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribution {
    /// E[(f - P) Σ (X_i - P)].
    pub correlation: Rational,
    /// E_P[(E_X[f - X̄])²].
    pub error: Rational,
}

/// The most inputs for which the sums are computed.
const MOST_INPUTS: usize = 200;

impl Attribution {
    /// Both terms for f(s), s = 0, ..., n the number of ones, exactly.
    ///
    /// The law of s is uniform on 0..=n, E[P; s] = (s+1)/((n+1)(n+2)), and products of binomial
    /// weights integrate to beta functions.
    ///
    /// # Errors
    /// If there are fewer than 2 or more than 201 values, or one is outside [0, 1].
    pub fn of(f: &[Rational]) -> Result<Self, AccountError> {
        let inputs = f.len().saturating_sub(1);
        if inputs == 0 || inputs > MOST_INPUTS {
            return Err(AccountError::invalid("the inputs", inputs, "from 1 to 200"));
        }
        if let Some(bad) = f.iter().find(|x| x.is_negative() || **x > Rational::ONE) {
            return Err(AccountError::invalid("a value of f", bad, "in [0, 1]"));
        }
        let count = |n: usize| Rational::from(u64::try_from(n).unwrap_or(u64::MAX));
        let (n, uniform) = (count(inputs), Rational::ONE.checked_div(&count(inputs + 1))?);
        let (mut correlation, mut cross) = (Rational::ZERO, Rational::ZERO);
        for (s, value) in f.iter().enumerate() {
            let with_p = (&count(s + 1) * &uniform).checked_div(&count(inputs + 2))?;
            let centred = &(&count(s) * &uniform) - &(&n * &with_p);
            correlation = &correlation + &(value * &centred);
            cross = &cross + &(value * &with_p);
        }
        // E_X X̄ = P, so the second term is ∫ (g - p)² = ∫ g² - 2 ∫ g p + 1/3.
        let third = Rational::new(1, 3_u8)?;
        let error = &(&square_of_mean(f, inputs)? - &(&cross + &cross)) + &third;
        Ok(Self { correlation, error })
    }
}

/// ∫ g² = Σ f_s f_t C(n,s) C(n,t) / (C(2n, s+t) (2n+1)).
fn square_of_mean(f: &[Rational], n: usize) -> Result<Rational, AccountError> {
    let (one, two) = (binomials(n), binomials(2 * n));
    let mut total = Rational::ZERO;
    for (s, (fs, cs)) in f.iter().zip(&one).enumerate() {
        for ((ft, ct), both) in f.iter().zip(&one).zip(two.iter().skip(s)) {
            let weight = Rational::from(cs * ct).checked_div(&Rational::from(both.clone()))?;
            total = &total + &(&(fs * ft) * &weight);
        }
    }
    let length = Rational::from(u64::try_from(2 * n + 1).unwrap_or(u64::MAX));
    Ok(total.checked_div(&length)?)
}

/// C(n, 0), ..., C(n, n).
fn binomials(n: usize) -> Vec<Integer> {
    let mut row = vec![Integer::ONE];
    let mut value = Integer::ONE;
    for k in 1..=n {
        value = value * Integer::from(n - k + 1) / Integer::from(k);
        row.push(value.clone());
    }
    row
}
