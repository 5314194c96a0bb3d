//! Measured lines, and whether they keep their targets.

use std::process::ExitCode;

use cpu_time::ThreadTime;

const ROUNDS: usize = 7;

/// The least CPU seconds of each work, over rounds in which all take turns: whoever else uses the
/// machine disturbs them alike.
pub fn fastest<const N: usize>(mut works: [&mut dyn FnMut(); N]) -> [f64; N] {
    let mut least = [f64::INFINITY; N];
    for _ in 0..ROUNDS {
        for (least, work) in least.iter_mut().zip(&mut works) {
            let start = ThreadTime::now();
            work();
            *least = least.min(start.elapsed().as_secs_f64());
        }
    }
    least
}

/// One comparison.
pub struct Line<'a> {
    pub work: &'a str,
    pub against: &'a str,
    /// How many rows, steps or numbers.
    pub items: usize,
    /// Seconds.
    pub ours: f64,
    pub theirs: f64,
    /// The largest ratio of ours to theirs that is good enough.
    pub most: Option<f64>,
}

/// A table as it grows.
pub struct Table {
    met: bool,
}

impl Table {
    pub fn start() -> Self {
        println!("| work | ns | M/s | against | ns | ratio | target |");
        println!("|---|---|---|---|---|---|---|");
        Self { met: true }
    }

    pub fn push(&mut self, line: &Line) {
        let per_item = |seconds: f64| seconds * 1e9 / line.items as f64;
        let ratio = line.ours / line.theirs;
        let met = line.most.is_none_or(|most| ratio <= most);
        self.met &= met;
        let target = line.most.map_or(String::new(), |most| {
            format!("<= {most:.2}: {}", if met { "met" } else { "**missed**" })
        });
        println!(
            "| {} | {:.3} | {:.1} | {} | {:.3} | {} | {target} |",
            line.work,
            per_item(line.ours),
            1e3 / per_item(line.ours),
            line.against,
            per_item(line.theirs),
            short(ratio),
        );
    }

    pub fn end(self) -> ExitCode {
        println!();
        println!("targets: {}", if self.met { "all met" } else { "MISSED" });
        if self.met { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// A ratio as people read it.
fn short(ratio: f64) -> String {
    if ratio < 0.1 { format!("1/{:.0}", 1.0 / ratio) } else { format!("{ratio:.2}") }
}
