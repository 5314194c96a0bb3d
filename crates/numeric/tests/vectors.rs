//! The special functions against `vectors/special.csv`, which mpmath computed.

use throng_numeric::widths::Function;
use throng_numeric::{Enclosure, NumericError, Rational, beta, gamma, normal, trigonometric};

/// The vectors carry 30 digits: they are right to this, relatively.
const SLACK: &str = "1e-28";

/// The function a row names, and our enclosure of it.
fn evaluate(name: &str, args: &[Enclosure]) -> Option<(Function, Result<Enclosure, NumericError>)> {
    Some(match (name, args) {
        ("exp", &[x]) => (Function::Exp, Ok(x.exp())),
        ("expm1", &[x]) => (Function::Expm1, Ok(x.expm1())),
        ("ln", &[x]) => (Function::Ln, x.ln()),
        ("ln_1p", &[x]) => (Function::Ln1p, x.ln_1p()),
        ("cos", &[x]) => (Function::Cos, Ok(trigonometric::cos_sin(x.lower()).0)),
        ("sin", &[x]) => (Function::Sin, Ok(trigonometric::cos_sin(x.lower()).1)),
        ("erf", &[x]) => (Function::Erf, Ok(normal::erf(x))),
        ("erfc", &[x]) => (Function::Erfc, Ok(normal::erfc(x))),
        ("erfcx", &[x]) => (Function::Erfcx, Ok(normal::erfcx(x))),
        ("normal_cdf", &[x]) => (Function::NormalCdf, Ok(normal::cdf(x))),
        ("normal_density", &[x]) => (Function::NormalDensity, Ok(normal::density(x))),
        ("normal_ln_cdf", &[x]) => (Function::NormalLnCdf, Ok(normal::ln_cdf(x))),
        ("normal_quantile", &[p]) => (Function::NormalQuantile, normal::quantile(p)),
        ("ln_gamma", &[x]) => (Function::LnGamma, gamma::ln_gamma(x)),
        ("gamma_lower", &[a, x]) => (Function::GammaLower, gamma::regularised_lower(a, x)),
        ("gamma_upper", &[a, x]) => (Function::GammaUpper, gamma::regularised_upper(a, x)),
        ("beta", &[a, b, x]) => (Function::Beta, beta::regularised(a, b, x)),
        ("beta_complement", &[a, b, x]) => (Function::BetaComplement, beta::complement(a, b, x)),
        _ => return None,
    })
}

/// Whether the enclosure meets the interval of values that round to the 30 digits given.
fn meets(enclosure: Enclosure, value: &Rational) -> Result<bool, Box<dyn std::error::Error>> {
    let slack = value.abs() * SLACK.parse::<Rational>()?;
    let (least, most) = (value.clone() - slack.clone(), value.clone() + slack);
    Ok(Rational::from_f64(enclosure.lower())? <= most
        && Rational::from_f64(enclosure.upper())? >= least)
}

#[test]
fn enclosures_hold_the_vectors() -> Result<(), Box<dyn std::error::Error>> {
    let text = include_str!("../../../vectors/special.csv");
    let mut rows = 0;
    for line in text.lines().skip(2) {
        let fields: Vec<&str> = line.split(',').collect();
        assert!(fields.len() == 3, "{line}");
        let args = fields[1]
            .split(' ')
            .map(|x| Ok(Enclosure::point(x.parse()?)?))
            .collect::<Result<Vec<_>, Box<dyn std::error::Error>>>()?;
        let found = evaluate(fields[0], &args);
        assert!(found.is_some(), "no function for {line}");
        let Some((function, enclosure)) = found else { continue };
        let enclosure = enclosure?;
        assert!(meets(enclosure, &fields[2].parse()?)?, "{line} is not in {enclosure}");
        assert!(function.allowance().admits(enclosure), "{line}: {enclosure} is too wide");
        rows += 1;
    }
    assert!(rows > 350, "only {rows} vectors");
    Ok(())
}
