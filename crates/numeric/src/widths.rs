//! How wide an enclosure may be: one table for every function of this crate.
//!
//! A width is promised for *point* arguments in the stated domain. It is relative to the larger
//! end; the absolute part covers the subnormal range and the zeros of a function. Outside the
//! domain an enclosure is still true, only its width is not promised.
//!
//! `crates/oracle` compares every function with MPFR: that the true value lies inside, always,
//! and that the width keeps to this table.

use crate::Enclosure;
use crate::wide::exp2i;

/// A function whose results are enclosures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the variants are named after the functions they stand for")]
pub enum Function {
    Add,
    Sub,
    Mul,
    Div,
    Sqrt,
    Square,
    Powi,
    Exp,
    Expm1,
    Ln,
    Ln1p,
    Cos,
    Sin,
    LogSumExp,
    LogAddExp,
    LogSubExp,
    Erf,
    Erfc,
    Erfcx,
    NormalCdf,
    NormalSurvival,
    NormalLnCdf,
    NormalDensity,
    NormalQuantile,
    LnGamma,
    GammaLower,
    GammaUpper,
    LnGammaLower,
    LnGammaUpper,
    Beta,
    BetaComplement,
    LnBeta,
    LnBetaComplement,
    PoissonCdf,
    PoissonSurvival,
    LnPoissonCdf,
    LnPoissonSurvival,
    BinomialCdf,
    BinomialSurvival,
    LnBinomialCdf,
    LnBinomialSurvival,
}

/// The largest promised width of an enclosure, and where it is promised.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Allowance {
    /// In units of the magnitude of the result.
    pub relative: f64,
    /// In absolute terms.
    pub absolute: f64,
    /// Where it is promised, in words.
    pub domain: &'static str,
}

/// What the incomplete integrals may cost.
const GAMMA_ULPS: f64 = 8.0;

/// Two neighbouring subnormal numbers are this far apart.
const LEAST: f64 = f64::from_bits(1);

/// A few ulps: an ulp is between 2^-53 and 2^-52 of the number.
const fn ulps(count: f64, domain: &'static str) -> Allowance {
    Allowance { relative: count * exp2i(-52), absolute: count * LEAST, domain }
}

/// A few ulps, or an absolute width next to a zero of the function.
const fn ulps_or(count: f64, absolute: f64, domain: &'static str) -> Allowance {
    Allowance { relative: count * exp2i(-52), absolute, domain }
}

impl Function {
    /// Every function.
    pub const ALL: [Self; 41] = [
        Self::Add,
        Self::Sub,
        Self::Mul,
        Self::Div,
        Self::Sqrt,
        Self::Square,
        Self::Powi,
        Self::Exp,
        Self::Expm1,
        Self::Ln,
        Self::Ln1p,
        Self::Cos,
        Self::Sin,
        Self::LogSumExp,
        Self::LogAddExp,
        Self::LogSubExp,
        Self::Erf,
        Self::Erfc,
        Self::Erfcx,
        Self::NormalCdf,
        Self::NormalSurvival,
        Self::NormalLnCdf,
        Self::NormalDensity,
        Self::NormalQuantile,
        Self::LnGamma,
        Self::GammaLower,
        Self::GammaUpper,
        Self::LnGammaLower,
        Self::LnGammaUpper,
        Self::Beta,
        Self::BetaComplement,
        Self::LnBeta,
        Self::LnBetaComplement,
        Self::PoissonCdf,
        Self::PoissonSurvival,
        Self::LnPoissonCdf,
        Self::LnPoissonSurvival,
        Self::BinomialCdf,
        Self::BinomialSurvival,
        Self::LnBinomialCdf,
        Self::LnBinomialSurvival,
    ];

    /// The row of the table.
    ///
    /// ```
    /// use throng_numeric::{Enclosure, normal, widths::Function};
    /// let p = normal::cdf(Enclosure::point(-30.0)?);
    /// assert!(Function::NormalCdf.allowance().admits(p));
    /// # Ok::<(), throng_numeric::NumericError>(())
    /// ```
    #[must_use]
    pub const fn allowance(self) -> Allowance {
        match self {
            Self::Add | Self::Sub => ulps(1.0, "results that do not overflow"),
            Self::Mul | Self::Div | Self::Square | Self::Sqrt => {
                ulps(2.0, "results that do not overflow")
            }
            Self::Powi => ulps(400.0, "|n| at most 100, results that do not under- or overflow"),
            Self::Exp | Self::Expm1 => ulps(2.0, "results that do not overflow"),
            Self::Ln => ulps(2.0, "all x > 0"),
            Self::Ln1p => ulps(2.0, "all x > -1"),
            Self::Cos | Self::Sin => ulps_or(2.0, exp2i(-71), "|x| at most 2^30"),
            Self::LogSumExp | Self::LogAddExp => ulps_or(2.0, exp2i(-60), "finite terms"),
            Self::LogSubExp => ulps_or(2.0, exp2i(-60), "finite x > y"),
            Self::Erf | Self::Erfc => ulps(2.0, "all x"),
            Self::Erfcx => ulps(2.0, "x > -26.6, where it does not overflow"),
            Self::NormalCdf | Self::NormalSurvival | Self::NormalDensity => ulps(2.0, "all x"),
            Self::NormalLnCdf => ulps(4.0, "|x| < 1e150"),
            Self::NormalQuantile => ulps(2.0, "0 < p < 1"),
            Self::LnGamma => ulps(4.0, "x > 0 up to 1e300"),
            Self::GammaLower | Self::GammaUpper => {
                ulps(GAMMA_ULPS, "1e-100 < a < 1e10, 1e-300 < x < 1e15")
            }
            Self::LnGammaLower | Self::LnGammaUpper => {
                ulps_or(GAMMA_ULPS, exp2i(-54), "1e-100 < a < 1e10, 1e-300 < x < 1e15")
            }
            Self::Beta | Self::BetaComplement => {
                ulps(GAMMA_ULPS, "a, b from 0.1 to 1e10, or from 1e-100 with x, 1 - x > 0.001")
            }
            Self::LnBeta | Self::LnBetaComplement => ulps_or(
                GAMMA_ULPS,
                exp2i(-54),
                "a, b from 0.1 to 1e10, or from 1e-100 with x, 1 - x > 0.001",
            ),
            Self::PoissonCdf | Self::PoissonSurvival => ulps(GAMMA_ULPS, "k, mean < 1e10"),
            Self::LnPoissonCdf | Self::LnPoissonSurvival => {
                ulps_or(GAMMA_ULPS, exp2i(-54), "k, mean < 1e10")
            }
            Self::BinomialCdf | Self::BinomialSurvival => ulps(GAMMA_ULPS, "n < 1e10"),
            Self::LnBinomialCdf | Self::LnBinomialSurvival => {
                ulps_or(GAMMA_ULPS, exp2i(-54), "n < 1e10")
            }
        }
    }
}

impl Allowance {
    /// Whether an enclosure is as narrow as promised.
    #[must_use]
    pub fn admits(self, enclosure: Enclosure) -> bool {
        let magnitude = enclosure.lower().abs().max(enclosure.upper().abs());
        enclosure.width() <= self.relative * magnitude + self.absolute
    }
}
