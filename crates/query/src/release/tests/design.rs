use super::fixture::*;
use crate::question::{Domain, Limit, Unit};
use crate::release::{Design, Family, NoiseChoice};

#[test]
fn timing() {
    for (name, question) in [
        ("q1 fixed", question(user(), vec![city(Domain::Private)], three(), fixed(3, 10))),
        ("q1 auto", question(user(), vec![city(Domain::Private)], three(), (Limit::Auto, Limit::Auto))),
        ("q2", question(user(), vec![city(public(50))], three(), fixed(3, 10))),
        ("row", question(Unit::Row, vec![city(Domain::Private)], three(), fixed(3, 10))),
    ] {
        for noise in [NoiseChoice::Gaussian, NoiseChoice::Laplace, NoiseChoice::Auto] {
            let mut request = request("1", "1e-6");
            request.noise = noise;
            let start = std::time::Instant::now();
            let design = Design::new(&[question.clone()], &request, &no_facts).unwrap();
            eprintln!("{name} {noise:?} {:?}: {:?}\n{}", design.family(), start.elapsed(), design.described());
        }
    }
    let _ = Family::Gaussian;
}
