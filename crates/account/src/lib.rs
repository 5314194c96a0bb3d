//! The accountant: every privacy notion in one currency, certified on both sides.

pub mod bracket;
pub mod conversion;
mod disc;
mod error;
mod estimate;
mod inversion;
mod law;
pub mod pair;
pub mod spec;

pub use bracket::Bracket;
pub use error::AccountError;
pub use spec::{Leaf, MechanismSpec, Neighbours};

#[cfg(test)]
mod probe {
    use std::sync::Arc;
    use throng_numeric::{Enclosure, Rational};
    use crate::law::product::Product;
    use crate::law::shifted::{Mixture, Shifted};
    use crate::inversion::*;

    fn e(s: &str) -> Enclosure { Enclosure::of_rational(&s.parse::<Rational>().unwrap()) }

    #[test]
    fn dpsgd() {
        for (sigma, q, t) in [("5/4","256/60000",14062u64),("1/2","0.001",1_000_000)] {
            let q = e(q);
            let mix = Mixture::new(vec![(Enclosure::ONE - q, Enclosure::ZERO),(q, e(sigma))]);
            for law in [Shifted{above: mix.clone(), below: Mixture::still()}, Shifted{above: Mixture::still(), below: mix}] {
                let product = Product{factors: vec![(Arc::new(law), t)]};
                for d in [1e-5f64, 1e-10, 1e-20] {
                    let start = std::time::Instant::now();
                    let s = saddle_for_delta(&product, d.ln());
                    let t1 = start.elapsed();
                    let contour = Contour::new(&product, None, s, Finish{tolerance: 1e-6}).unwrap();
                    let t2 = start.elapsed();
                    let x = contour.delta(s.epsilon).unwrap();
                    let t3 = start.elapsed();
                    println!("{sigma} d={d} {s:?} -> {x} rel {:e} eta? saddle {t1:?} contour {:?} eval {:?}", x.width()/x.upper(), t2-t1, t3-t2);
                }
            }
        }
    }
}
