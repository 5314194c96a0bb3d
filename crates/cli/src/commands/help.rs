//! `throng help`: a guide, the help of a command, the language of expressions.

use clap::{Args, CommandFactory};
use throng_account::spec::vocabulary;

use crate::arguments::Throng;
use crate::failure::Failure;
use crate::output;
use crate::table::Table;

/// Explain a command, or how expressions are written.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// A command, or `expressions`.
    #[arg(value_name = "TOPIC")]
    topic: Option<String>,
}

const GUIDE: &str = "\
Throng answers SQL about private tables within a budget, and says what every mechanism guarantees,
as brackets `lower .. upper` that hold.

  I own data. What may be told?
    throng init --example demo
    throng init demo/visits.parquet --output mine.toml

  I want to ask something.
    throng explain --policy demo/throng.toml 'SELECT clinic, count(*) AS n FROM visits GROUP BY clinic'
    throng query --policy demo/throng.toml --yes 'SELECT clinic, count(*) AS n FROM visits GROUP BY clinic'

  What was asked, and what is left?
    throng ledger show --policy demo/throng.toml

  What does it guarantee?
    throng account 'gaussian(sigma=1)' --delta 1e-5
    throng account '14062 * sampled(gaussian(sigma=0.8), rate=256/60000)' --delta 1e-5

  How much noise do I need?
    throng calibrate 'gaussian(sigma=?)' --epsilon 1 --delta 1e-5

  What does the whole curve look like?
    throng curve 'gaussian(sigma=1)' 'gaussian(sigma=2)'

  How do I release a table?
    printf 'day,visits\\nmon,120\\n' | throng noise --column visits --keep day --epsilon 1
    printf 'ward\\nA\\nB\\n' | throng histogram --column ward --keys A,B,C --epsilon 1
    seq 100 | throng quantile --no-header --column 1 --bounds 0,200 --epsilon 1

  How do I fit a model?
    throng learn example loans
    throng learn fit logistic --data loans/train.csv --bounds loans/bounds.toml --epsilon 1 --delta 1e-5 -o loans.json
    throng learn evaluate loans.json --data loans/test.csv --public

  Does a mechanism keep what it claims?
    seq 5000 | tee zero.csv > one.csv
    throng audit --claim 'pure(epsilon=1)' --world0 zero.csv --world1 one.csv

  What can I write in an expression?
    throng help expressions

  What does a command take?
    throng help account        (the same as throng account --help)

Data goes to stdout, talk to stderr; --json is for programs.
Exit codes: 0 done, 1 a bug of ours, 2 wrong usage or input, 3 refused: no sound answer, or a claim
is violated, 4 the budget does not cover it.
";

const LANGUAGE: &str = "\
An expression says which mechanisms run on the same data.

  gaussian(sigma=1)                           one mechanism
  gaussian(1)                                 the same, by position
  100 * gaussian(sigma=20)                    a hundred times
  gaussian(sigma=2) + laplace(scale=3)        one after the other
  sampled(gaussian(sigma=2), rate=1/50)       on a random sample of the data
  group(gaussian(sigma=2), size=3)            for three people together
  gaussian(sigma=?)                           a hole for `throng calibrate`

Numbers are exact: 3, 0.8, 1e-6, 256/60000. `sensitivity` is one unit's contribution, 1 if not
given; under `--neighbours replace` the value moves by twice as much. What a guarantee is stated for
(pure, gdp, ...) is the relation in force.

";

/// Prints the guide or a topic.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    match options.topic.as_deref() {
        None => output::answer(GUIDE),
        Some("expressions" | "expression") => output::answer(&expressions()),
        Some(command) => of_command(command),
    }
}

/// The language, with every mechanism the accountant knows.
fn expressions() -> String {
    let mut table = Table::new(["mechanism", "meaning"]);
    for entry in vocabulary() {
        table.row([&entry.to_string(), entry.meaning]);
    }
    format!("{LANGUAGE}{}", table.render(output::paint()))
}

fn of_command(name: &str) -> Result<(), Failure> {
    let mut throng = Throng::command();
    throng.build();
    let Some(command) = throng.find_subcommand_mut(name) else {
        return Err(Failure::usage(
            format!("there is no help on {name}"),
            "ask for a command (init, query, explain, ledger, account, calibrate, curve, learn, \
             audit, noise, histogram, quantile, completions, man) or `expressions`",
        ));
    };
    let help = command.render_long_help();
    let text = if output::paint().is_on() { help.ansi().to_string() } else { help.to_string() };
    output::answer(&text)
}
