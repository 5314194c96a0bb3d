//! Asks for epsilon: `cargo run --release --example ask -- EXPR DELTA [RELATION] [WIDTH]`.
use std::time::Instant;
use throng_account::{Accuracy, MechanismSpec, Neighbours, PrivacyLoss};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let spec: MechanismSpec = arguments[1].parse()?;
    let delta: f64 = arguments[2].parse()?;
    let under: Neighbours = arguments.get(3).map_or(Ok(Neighbours::AddRemove), |a| a.parse())?;
    let width = arguments.get(4).map_or(Ok(1e-4), |w| w.parse())?;
    let start = Instant::now();
    let loss = PrivacyLoss::of_spec(&spec, under, Accuracy { width })?;
    let epsilon = loss.epsilon(delta)?;
    println!("{spec}: epsilon {epsilon} width {:e} in {:?}", epsilon.width(), start.elapsed());
    Ok(())
}
