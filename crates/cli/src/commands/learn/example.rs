//! `throng learn example`: a made-up table to try models on.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::failure::Failure;
use crate::output;

const EXAMPLES: &str = "\
Examples:
  throng learn example loans
  throng learn example other --rows 1000";

/// Write a made-up table of loans with files of bounds, to try models on.
///
/// Nobody's data: rows are computed from a fixed rule. train.csv and test.csv have the same columns;
/// bounds.toml learns whether a loan was repaid, rate.toml learns its interest rate.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Options {
    /// The folder to make.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,

    /// How many rows to train on.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    rows: u32,
}

const BOUNDS: &str = "\
# What is declared about the table: never computed from it.
[columns]
age = [18, 80]
income = [0, 120]       # thousands a year
debt = [0, 60]          # thousands
work = [\"employed\", \"self-employed\", \"student\", \"retired\"]
home = [\"owner\", \"tenant\"]
";

const REPAID: &str = "
[label]
column = \"repaid\"
classes = [\"no\", \"yes\"]
";

const RATE: &str = "
[label]
column = \"rate\"
bounds = [0, 20]        # percent
";

/// Writes the files.
pub(super) fn run(options: &Options) -> Result<(), Failure> {
    std::fs::create_dir_all(&options.folder)?;
    let write = |name: &str, text: String| std::fs::write(options.folder.join(name), text);
    write("train.csv", table(1, options.rows))?;
    write("test.csv", table(2, options.rows.div_ceil(4)))?;
    write("bounds.toml", format!("{BOUNDS}{REPAID}"))?;
    write("rate.toml", format!("{BOUNDS}{RATE}"))?;
    say(&options.folder);
    Ok(())
}

fn say(folder: &Path) {
    let folder = folder.display();
    output::talk(&format!(
        "wrote {folder}/train.csv, test.csv, bounds.toml, rate.toml\n\
         next: throng learn fit logistic --data {folder}/train.csv --bounds {folder}/bounds.toml \
         --epsilon 1 --delta 1e-5 -o {folder}/model.json\n"
    ));
}

/// Numbers in [0, 1) by a fixed rule (a linear congruence with the constants of Knuth's MMIX); this is
/// no noise and protects nobody.
struct Rule(u64);

impl Rule {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let high = u32::try_from(self.0 >> 33).unwrap_or(0);
        f64::from(high) / f64::from(1_u32 << 31)
    }

    /// About normal, of deviation 1: the sum of twelve.
    fn bell(&mut self) -> f64 {
        (0..12).map(|_| self.next()).sum::<f64>() - 6.0
    }

    fn pick<'a>(&mut self, among: &[&'a str]) -> &'a str {
        let draw = self.next();
        let share = 1.0 / f64::from(u32::try_from(among.len()).unwrap_or(1));
        let place = among.iter().scan(0.0, |sum, name| {
            *sum += share;
            Some((*sum, *name))
        });
        place.into_iter().find(|(sum, _)| draw < *sum).map_or("", |(_, name)| name)
    }
}

fn table(seed: u64, rows: u32) -> String {
    let mut rule = Rule(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut text = "age,income,debt,work,home,rate,repaid\n".to_owned();
    for _ in 0..rows {
        let age = 18.0 + 62.0 * rule.next();
        let work = rule.pick(&["employed", "self-employed", "student", "retired"]);
        let home = rule.pick(&["owner", "tenant"]);
        let base = match work {
            "student" => 12.0,
            "retired" => 30.0,
            "self-employed" => 55.0,
            _ => 48.0,
        };
        let income = (base + 15.0 * rule.bell()).clamp(0.0, 120.0);
        let debt = (8.0 + 0.25 * income + 10.0 * rule.bell()).clamp(0.0, 60.0);
        let safe = 0.06 * income - 0.11 * debt + if home == "owner" { 1.2 } else { 0.0 };
        let rate = (7.0 - 0.8 * safe + rule.bell()).clamp(0.0, 20.0);
        let repaid = if safe + rule.bell() > 0.3 { "yes" } else { "no" };
        let _ = writeln!(text, "{age:.0},{income:.1},{debt:.1},{work},{home},{rate:.2},{repaid}");
    }
    text
}
