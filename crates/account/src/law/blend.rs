//! One of several mechanisms, chosen by a public coin: transforms average.

use throng_numeric::Enclosure;
use throng_numeric::rounding::mul_down;

use crate::AccountError;
use crate::disc::{Disc, SLACK, U, centre};
use crate::law::atoms::Sum;
use crate::law::product::Product;
use crate::law::{BLOCK, Law, Line, Tilted};

/// M(z) = sum w_k M_k(z).
#[derive(Debug, Clone)]
pub(crate) struct Blend {
    pub(crate) parts: Vec<(Enclosure, Product)>,
}

impl Blend {
    /// The tilted chances w_k M_k(c) / M(c), and ln M(c).
    fn weigh(&self, logs: &[Enclosure]) -> Result<(Vec<Enclosure>, Enclosure), AccountError> {
        let top = logs.iter().map(|k| k.upper()).fold(f64::NEG_INFINITY, f64::max);
        let top = Enclosure::point(top)?;
        let mut sum = Sum::default();
        let terms: Vec<_> =
            self.parts.iter().zip(logs).map(|((w, _), k)| *w * (*k - top).exp()).collect();
        terms.iter().for_each(|t| sum.add(*t));
        let total = sum.enclosure();
        Ok((terms.into_iter().map(|t| t / total).collect(), top + total.ln()?))
    }

    fn logs(&self, c: f64) -> Result<Vec<Enclosure>, AccountError> {
        self.parts.iter().map(|(_, law)| law.log_moment(c)).collect()
    }
}

impl Law for Blend {
    fn cumulants(&self, c: f64) -> [f64; 3] {
        let parts: Vec<_> =
            self.parts.iter().map(|(w, k)| (centre(*w).0, k.cumulants(c))).collect();
        let top = parts.iter().map(|(_, k)| k[0]).fold(f64::NEG_INFINITY, f64::max);
        let (mut m0, mut m1, mut m2) = (0.0, 0.0, 0.0);
        for (w, [k, mean, variance]) in parts {
            let t = w * crate::estimate::exp(k - top);
            m0 += t;
            m1 += t * mean;
            m2 += t * (variance + mean * mean);
        }
        let mean = m1 / m0;
        [top + crate::estimate::ln(m0), mean, (m2 / m0 - mean * mean).max(0.0)]
    }

    fn ceiling(&self) -> f64 {
        self.parts.iter().map(|(_, law)| law.ceiling()).fold(f64::NEG_INFINITY, f64::max)
    }

    fn attained(&self) -> Option<(f64, f64)> {
        let possible = self.parts.iter().filter(|(weight, _)| weight.lower() > 0.0);
        possible
            .filter_map(|(weight, law)| {
                let (loss, chance) = law.attained()?;
                Some((loss, mul_down(weight.lower(), chance)))
            })
            .max_by(|a, b| a.0.total_cmp(&b.0))
    }

    fn log_moment(&self, c: f64) -> Result<Enclosure, AccountError> {
        Ok(self.weigh(&self.logs(c)?)?.1)
    }

    fn tilt(&self, line: Line) -> Result<Box<dyn Tilted>, AccountError> {
        let parts: Vec<_> =
            self.parts.iter().map(|(_, law)| law.tilt(line)).collect::<Result<_, _>>()?;
        let logs: Vec<_> = parts.iter().map(|p| p.log_moment()).collect();
        let (weights, log_moment) = self.weigh(&logs)?;
        Ok(Box::new(TiltedBlend { log_moment, parts: weights.into_iter().zip(parts).collect() }))
    }
}

#[derive(Debug)]
struct TiltedBlend {
    log_moment: Enclosure,
    parts: Vec<(Enclosure, Box<dyn Tilted>)>,
}

impl Tilted for TiltedBlend {
    fn log_moment(&self) -> Enclosure {
        self.log_moment
    }

    fn fill(&self, first: u64, out: &mut [Disc]) {
        out.fill(Disc::ZERO);
        let mut single = [Disc::ZERO; BLOCK];
        for (weight, part) in &self.parts {
            let single = &mut single[..out.len()];
            part.fill(first, single);
            let (w, radius) = centre(*weight);
            for (sum, disc) in out.iter_mut().zip(single) {
                let scaled = disc.scaled(w);
                let error = (scaled.error + (radius + U * w) * disc.modulus()) * SLACK;
                *sum = sum.plus(Disc { error, ..scaled });
            }
        }
    }

    /// |sum w phi_k| <= sum w |phi_k|.
    fn log_decay(&self, u: f64) -> f64 {
        let bound: f64 = self
            .parts
            .iter()
            .map(|(w, part)| {
                Enclosure::point(part.log_decay(u).max(-700.0))
                    .map_or(1.0, |x| w.upper() * x.exp().upper())
            })
            .sum();
        Enclosure::point(bound * SLACK)
            .ok()
            .and_then(|b| b.ln().ok())
            .map_or(0.0, |b| b.upper().min(0.0))
    }

    fn leap(&self, u: f64, log_bound: f64) -> f64 {
        if self.log_decay(u) <= log_bound { f64::INFINITY } else { 0.0 }
    }
}
