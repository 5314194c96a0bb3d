//! `throng audit`: try to break a claim.

mod answer;
mod built_in;
mod canaries;
mod draw;
mod files;
mod live;
mod page;
mod show;
mod witness;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgGroup, Args};
use throng_account::filter::cost;
use throng_account::spec::Leaf;
use throng_account::{MechanismSpec, Neighbours};
use throng_audit::exhibits::Exhibit;
use throng_audit::{Claim, Orientation, Report, Verdict, World, audit};

use crate::failure::Failure;
use crate::number::{self, Number};
use crate::{arguments, expression, output};
use answer::Answer;

const EXAMPLES: &str = "\
Examples:
  seq 5000 | tee zero.csv > one.csv
  throng audit --claim 'pure(epsilon=1)' --world0 zero.csv --world1 one.csv
  throng audit --claim 'gdp(mu=1)' --world0 zero.csv --world1 one.csv --confidence 0.99 --json
  throng audit --claim 'laplace(scale=1)' --runs 2000 -o audit.svg -- sh -c \\
    'while IFS=:,} read -r a world b n c; do seq $n; done'
  throng audit --exhibit laplace-low-bits
  throng audit --simulate '100 * gaussian(sigma=10)' --claim 'gdp(mu=0.9)'
  printf 'score,included\\n0.7,1\\n0.2,0\\n' > canaries.csv
  throng audit --claim 'gdp(mu=1)' --canaries canaries.csv

The command behind `--` reads lines such as {\"world\":0,\"n\":1000} and prints n outcomes each, one
JSON value a line. docs/reference/audit.md describes files, protocol and JSON.
Exit codes: 0 not violated, 3 violated, 2 no verdict.";

/// Try to break a claimed guarantee: hold what a mechanism did on two neighbouring inputs against it.
///
/// The outcomes come from two files, one outcome a line; or from a program behind `--`, which is
/// run in both worlds until the claim is refuted; or they are the scores of canaries after one
/// training run; or one of the broken mechanisms that come with Throng is shown at work. One part
/// of them chooses an event, the others count it. The verdict
/// "violated" is wrong with a chance of at most 1 - confidence, whatever the mechanism; "not
/// violated" is no proof of the claim.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(group(ArgGroup::new("live").args(["command", "exhibit", "simulate"])))]
pub(crate) struct Options {
    /// What is claimed: an expression; `-` reads it from stdin, `@file` from a file.
    #[arg(long, value_name = "EXPR", required_unless_present_any = ["exhibit", "exhibits", "simulate"])]
    claim: Option<String>,

    /// Audit a broken mechanism of the zoo; its claim is its author's.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["world0", "canaries", "witness", "save_witness", "neighbours"])]
    exhibit: Option<String>,

    /// Of an exhibit, its correct twin.
    #[arg(long, requires = "exhibit")]
    mended: bool,

    /// List the broken mechanisms of the zoo.
    #[arg(long, exclusive = true)]
    exhibits: bool,

    /// Act out the mechanism of an expression; without --claim, hold it against its own curve.
    #[arg(long, value_name = "EXPR", conflicts_with_all = ["world0", "canaries", "exhibit", "witness"])]
    simulate: Option<String>,

    /// Outcomes on the one input: text or CSV, json, jsonl, arrow, parquet.
    #[arg(long, value_name = "FILE", requires = "world1", conflicts_with_all = ["command", "canaries"])]
    world0: Option<PathBuf>,

    /// Outcomes on the neighbouring input.
    #[arg(long, value_name = "FILE", requires = "world0")]
    world1: Option<PathBuf>,

    /// A CSV file of canaries: a column `score` and a column `included` (0 or 1).
    #[arg(long, value_name = "FILE", conflicts_with_all = ["command", "witness", "save_witness"])]
    canaries: Option<PathBuf>,

    /// How many canaries to guess; all if not given. Of several numbers the best counts, at the
    /// price of a union bound.
    #[arg(long, value_name = "R", value_delimiter = ',', requires = "canaries", value_parser = clap::value_parser!(u32).range(1..))]
    guesses: Vec<u32>,

    /// One minus the largest chance of a false alarm.
    #[arg(long, value_name = "C", default_value = "0.999", value_parser = number::open_probability, allow_hyphen_values = true)]
    confidence: Number,

    /// At which delta to bound epsilon; if not given: that of the claim, or 1e-5.
    #[arg(long, value_name = "D", value_parser = number::probability, allow_hyphen_values = true)]
    delta: Option<Number>,

    /// What it means that the two inputs differ in one unit.
    #[arg(long, value_name = "RELATION", default_value = "add-remove", value_parser = arguments::neighbours())]
    neighbours: Neighbours,

    /// In which world the unit is; if given, each direction is held to its own curve.
    #[arg(long, value_name = "WORLD", value_parser = ["0", "1"])]
    unit_in: Option<String>,

    /// Run the command this often in each world; no more, no less.
    #[arg(long, value_name = "N", requires = "live", conflicts_with = "most", value_parser = clap::value_parser!(u64).range(2..))]
    runs: Option<u64>,

    /// Stop as soon as the claim is refuted, or after so many runs in each world; 1000000 if not
    /// given.
    #[arg(long, value_name = "N", requires = "live", value_parser = clap::value_parser!(u64).range(2..))]
    most: Option<u64>,

    /// How many seconds one answer of the command may take.
    #[arg(long, value_name = "SECONDS", default_value = "60", requires = "command", value_parser = number::positive)]
    timeout: Number,

    /// The command has so many pairs of inputs, and finds `"pair":k` in requests: look for the worst.
    #[arg(long, value_name = "K", requires = "command", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pairs: Option<u32>,

    /// NaN is an outcome like others.
    #[arg(long)]
    nan: bool,

    /// Round numbers to multiples of this first: what the target gives away beyond its low bits.
    #[arg(long, value_name = "STEP", value_parser = number::positive)]
    grid: Option<Number>,

    /// The worlds may have different numbers of outcomes.
    #[arg(long)]
    unequal: bool,

    /// Count an event that was saved before, in fresh outcomes.
    #[arg(long, value_name = "FILE")]
    witness: Option<PathBuf>,

    /// Save the event, for --witness.
    #[arg(long, value_name = "FILE")]
    save_witness: Option<PathBuf>,

    /// Draw claim, attacker and witness; the ending says how: svg or png.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Write a report; the ending says how: md or html.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    /// Print JSON.
    #[arg(long)]
    json: bool,

    /// The program to audit, and its arguments.
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// The delta at which epsilon is bounded if neither call nor claim says.
const USUAL_DELTA: &str = "1e-5";

/// Finds where outcomes come from, audits them, shows what was found.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    // Everything that can be wrong with the call is found before the long work.
    if options.exhibits {
        return built_in::list();
    }
    options.check_endings()?;
    let exhibit = options.exhibit.as_deref().map(built_in::named).transpose()?;
    let spec = expression::spec(options.claim_text(exhibit.as_ref()))?;
    let under = exhibit.as_ref().map_or(options.neighbours, |exhibit| exhibit.neighbours);
    let delta = options.delta(&spec, under)?;
    let claim = Claim::of_spec(&spec, under, options.orientation())?;
    if let Some(path) = &options.canaries {
        return canaries::run(options, &claim, &delta, path);
    }
    let asked = options.asked(&delta);
    let (report, pair) = match (&exhibit, &options.simulate) {
        (Some(exhibit), _) => {
            (built_in::audit_exhibit(options, exhibit, &claim, &asked).map_err(named)?, None)
        }
        (None, Some(text)) => {
            (built_in::audit_simulation(options, text, &claim, &asked).map_err(named)?, None)
        }
        (None, None) => options.audited(&claim, &asked).map_err(named)?,
    };
    let answer = Answer::new(options, under, &delta, pair, report);
    options.hand_over(&answer)?;
    verdict(answer.verdict)
}

/// Names the option behind a hint of the auditor, who knows no options.
fn named(failure: Failure) -> Failure {
    match failure {
        Failure::Told { code, message, excerpt, mut hint } => {
            for (word, option) in [("NaN is an outcome", "--nan"), ("may be unequal", "--unequal")]
            {
                if hint.contains(word) {
                    hint = format!("{hint} ({option})");
                }
            }
            Failure::Told { code, message, excerpt, hint }
        }
        other @ (Failure::Options(_) | Failure::PipeClosed | Failure::Violated) => other,
    }
}

/// The exit code that goes with a verdict.
fn verdict(verdict: Verdict) -> Result<(), Failure> {
    match verdict {
        Verdict::NotViolated => Ok(()),
        Verdict::Violated => Err(Failure::Violated),
    }
}

impl Options {
    /// The claim that is given, or that goes with what is audited.
    fn claim_text<'a>(&'a self, exhibit: Option<&'a Exhibit>) -> &'a str {
        let of_exhibit = exhibit.map(|exhibit| exhibit.claim);
        self.claim.as_deref().or(of_exhibit).or(self.simulate.as_deref()).unwrap_or("-")
    }

    /// The report, and the pair it is about if pairs were searched.
    fn audited(
        &self,
        claim: &Claim,
        asked: &audit::Options,
    ) -> Result<(Report, Option<usize>), Failure> {
        if !self.command.is_empty() {
            return live::audited(self, claim, asked);
        }
        let (Some(zero), Some(one)) = (&self.world0, &self.world1) else {
            return Err(Failure::usage(
                "it is not said what to audit",
                "give --world0 and --world1, or --canaries, --exhibit, --simulate, or a command after `--`",
            ));
        };
        let [zero, one] = files::read([zero, one])?;
        let worlds = [&zero, &one];
        let report = match witness::given(self)? {
            Some(known) => audit::confirm(claim, &known.event, known.likelier_in, worlds, asked)?,
            None => audit::recorded(claim, worlds, asked)?,
        };
        Ok((report, None))
    }

    /// Prints the answer and writes the files asked for.
    fn hand_over(&self, answer: &Answer) -> Result<(), Failure> {
        if let Some(path) = &self.save_witness {
            witness::save(answer, path)?;
        }
        if let Some(path) = &self.output {
            draw::write(answer, path)?;
        }
        if let Some(path) = &self.report {
            page::write(answer, path)?;
        }
        if self.json { output::json(answer) } else { show::show(answer, self) }
    }

    fn asked(&self, delta: &Number) -> audit::Options {
        audit::Options {
            // Rounded to the side on which less is claimed.
            confidence: self.confidence.up().min(1f64.next_down()),
            delta: delta.up(),
            nan_is_an_outcome: self.nan,
            unequal: self.unequal,
            grid: self.grid.as_ref().map(Number::nearest),
            bounds: true,
        }
    }

    fn orientation(&self) -> Orientation {
        match self.unit_in.as_deref() {
            Some("0") => Orientation::UnitIn(World::Zero),
            Some(_) => Orientation::UnitIn(World::One),
            None => Orientation::Either,
        }
    }

    /// The delta asked for; else 0 for a pure claim; else that of the claim; else the usual one.
    fn delta(&self, claim: &MechanismSpec, under: Neighbours) -> Result<Number, Failure> {
        if let Some(delta) = &self.delta {
            return Ok(delta.clone());
        }
        let text = if cost::pure(claim, under).is_ok() {
            "0".to_owned()
        } else if let MechanismSpec::Leaf(Leaf::ApproxDp { delta, .. }) = claim {
            delta.to_string()
        } else {
            USUAL_DELTA.to_owned()
        };
        number::probability(&text).map_err(Failure::bug)
    }

    fn check_endings(&self) -> Result<(), Failure> {
        if let Some(path) = &self.output {
            draw::Format::of(path)?;
        }
        if let Some(path) = &self.report {
            page::Format::of(path)?;
        }
        Ok(())
    }
}

/// The ending of a file's name, in lower case.
fn ending(path: &std::path::Path) -> String {
    path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// Writes a file, or says why not.
fn write(path: &std::path::Path, data: &[u8]) -> Result<(), Failure> {
    std::fs::write(path, data).map_err(|error| {
        let hint = "check that the folder exists and can be written to";
        Failure::usage(format!("{} cannot be written: {error}", path.display()), hint)
    })
}
