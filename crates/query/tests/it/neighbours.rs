//! Every neighbour of small hostile tables, for queries made by a grammar: what one unit changes in
//! the exact numbers behind a release is at most what the noise is made for.
//!
//! Each query is planned and priced once. It then runs on a table and on all its neighbours with the
//! same randomness, so that the same groups and rows of the other units survive, and the numbers that
//! enter each primitive are compared.
//!
//! That this test can fail is part of it: for every kind of part, the same comparison with less
//! claimed must fail somewhere. Some units of the neighbours are as large and as far out as it takes.

mod check;
mod grammar;
mod world;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use throng_account::Neighbours;
use throng_account::filter::Budget as Amount;
use throng_mechanism::{Mechanism, Permit, Sensitive};
use throng_numeric::Rational;
use throng_query::catalog::Catalog;
use throng_query::policy::Policy;
use throng_query::question::Question;
use throng_query::release::exact::{self, Exact};
use throng_query::release::{Cost, Design, NoiseChoice, Request, Source};
use throng_query::sql::Batch;
use throng_sample::SeededEntropy;

use check::Tightness;
use grammar::Dice;
use world::{Engine, Memory, World};

/// How many queries each test accepts.
const QUERIES: usize = 260;

/// The same where tables are held in memory: each world is opened anew, and planned for.
const HELD: usize = 50;

/// How the units of a test differ.
#[derive(Clone, Copy)]
struct Setting {
    under: &'static str,
    limits: &'static str,
    noise: NoiseChoice,
    /// Whether the tables are held in memory, as a program hands them over.
    held: bool,
}

const COLUMNS: &str = r#"
city = { type = "text", max_matches = 2 }
kind = { type = "text", keys = ["a", "b", "ü", ""] }
age = { type = "integer", lower = 0, upper = 120 }
income = { type = "number", lower = 0, upper = 200000, unit_sum = 250000 }
score = { type = "number", bounds = "auto" }
note = { type = "text" }
ok = { type = "boolean" }
day = { type = "timestamp" }
"#;

fn policy(setting: Setting, directory: &Path) -> Policy {
    let Setting { under, limits, .. } = setting;
    let by_row = COLUMNS.replace(", unit_sum = 250000", "");
    let text = format!(
        "[budget]\nepsilon = 1000\ndelta = 1e-3\nneighbours = \"{under}\"\n\
         [engine]\nthreads = 1\n\
         [tables.events]\npath = \"events.csv\"\n{limits}\n\
         unit = {{ column = \"user_id\", name = \"person\" }}\n\
         [tables.events.columns]\nuser_id = {{ type = \"integer\" }}{COLUMNS}\
         [tables.visits]\npath = \"visits.csv\"\n{limits}\n\
         unit = {{ column = \"user_id\", name = \"person\" }}\n\
         [tables.visits.columns]\nuser_id = {{ type = \"integer\" }}{COLUMNS}\
         [tables.ballots]\npath = \"ballots.csv\"\nunit = {{ row = true }}\n\
         [tables.ballots.columns]{by_row}\
         [tables.cities]\npath = \"cities.csv\"\npublic = true\n\
         [tables.cities.columns]\ncity = {{ type = \"text\", max_matches = 2 }}\nregion = {{ type = \"text\" }}\n\
         population = {{ type = \"integer\", lower = 0, upper = 1000 }}\n"
    );
    Policy::parse(&text, &directory.join("throng.toml")).unwrap()
}

fn opened(setting: Setting, name: &str) -> (Policy, Catalog) {
    let directory: PathBuf =
        std::env::temp_dir().join(format!("throng-neighbours-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let columns = "city,kind,age,income,score,note,ok,day\n";
    for table in ["events", "visits"] {
        std::fs::write(directory.join(format!("{table}.csv")), format!("user_id,{columns}"))
            .unwrap();
    }
    std::fs::write(directory.join("ballots.csv"), columns).unwrap();
    std::fs::write(directory.join("cities.csv"), "city,region,population\n").unwrap();
    let policy = policy(setting, &directory);
    let catalog = Catalog::open(&policy).unwrap();
    std::fs::remove_dir_all(&directory).unwrap();
    if setting.held {
        return world::held(policy, &catalog);
    }
    (policy, catalog)
}

fn request(noise: NoiseChoice, dice: &mut Dice) -> Request {
    let rational = |text: &str| text.parse::<Rational>().unwrap();
    let delta = rational("1e-6");
    let cost = match noise {
        NoiseChoice::Laplace => Cost::Epsilon { epsilon: rational("1"), delta },
        NoiseChoice::Auto | NoiseChoice::Gaussian => Cost::Zcdp { rho: rational("1/2"), delta },
    };
    let bounds_share = rational(dice.pick(&["1/10", "0"]));
    Request { cost, confidence: 0.95, noise, weights: Vec::new(), bounds_share }
}

/// What earlier answers have released: now and then something about everything.
#[expect(clippy::cast_possible_truncation, reason = "a small number")]
fn fact(name: &str, known: bool, dice: u64) -> Option<String> {
    if !known {
        return None;
    }
    match name.split(':').next() {
        Some("contribution") => Some((1024 + dice % 4096).to_string()),
        Some("bounds") => {
            Some(String::from(["-1 1", "0 1000", "-3/8 5", "2 2"][dice as usize % 4]))
        }
        _ => None,
    }
}

type Ran = Result<Vec<Exact>, String>;

/// One run: what was seen, or the text of the error.
fn run(design: &Design, engine: &Arc<Engine>, world: &World, seed: u64) -> Ran {
    drop(exact::taken());
    #[expect(clippy::disallowed_methods, reason = "a test pays with nothing")]
    let permit =
        Permit::issue(design.spec(), design.neighbours(), Amount::Pure { epsilon: Rational::ONE });
    let private: &Sensitive<dyn Source> = &Sensitive::new(Memory::new(engine, world));
    let answers = design.run(private, permit, &mut SeededEntropy::new(seed));
    answers.map(|_| exact::taken()).map_err(|error| error.to_string())
}

/// What a test has done.
#[derive(Default)]
struct Tried {
    refused: usize,
    reasons: BTreeMap<String, usize>,
    accepted: usize,
    sources: BTreeMap<usize, usize>,
    compared: usize,
    skipped: usize,
    moved: usize,
    tightness: Tightness,
    wrong: Vec<String>,
}

impl Tried {
    fn compare(&mut self, sql: &str, here: &Ran, there: &Ran, under: Neighbours) {
        let factor = if under == Neighbours::Replace { 2 } else { 1 };
        match check::compare(here, there, factor, &mut self.tightness) {
            Ok(found) => {
                self.compared += found.compared;
                self.skipped += found.skipped;
                self.moved += found.moved;
            }
            Err(error) => self.wrong.push(format!("{sql}\n  {error}")),
        }
    }
}

fn try_one(
    tried: &mut Tried,
    dice: &mut Dice,
    setting: Setting,
    (policy, catalog): (&Policy, &Catalog),
    engine: &Arc<Engine>,
) {
    let (sql, sources) = grammar::batch(dice);
    let request = request(setting.noise, dice);
    let (known, roll) = (dice.chance(70), dice.next());
    let designed = Batch::plan(&sql, policy, catalog).and_then(|batch| {
        let questions: Vec<Question> =
            batch.statements.into_iter().flat_map(|statement| statement.questions).collect();
        Design::new(&questions, &request, &|name| fact(name, known, roll))
    });
    let design = match designed {
        Ok(design) => design,
        Err(error) => {
            tried.refused += 1;
            let text: String = error.to_string().chars().take(120).collect();
            *tried.reasons.entry(format!("{text} <- {sql}")).or_default() += 1;
            return;
        }
    };
    tried.accepted += 1;
    for source in sources {
        *tried.sources.entry(source).or_default() += 1;
    }
    let world = World::random(dice);
    let seed = dice.next();
    engine.forget();
    let here = run(&design, engine, &world, seed);
    if let Err(error) = &here {
        tried.wrong.push(format!("{sql}\n  fails: {error}"));
        return;
    }
    let near = world.neighbours(policy.neighbours, sql.contains("ballots"), dice);
    let there: Vec<Ran> =
        near.worlds.iter().map(|other| run(&design, engine, other, seed)).collect();
    for one in &there {
        tried.compare(&sql, &here, one, policy.neighbours);
    }
    for (one, other) in near.pairs {
        tried.compare(&sql, &there[one], &there[other], policy.neighbours);
    }
    if let (0, Some(other)) = (tried.accepted % 16, near.worlds.first()) {
        // A plan that has run before runs as a new one.
        engine.forget();
        let again = run(&design, engine, other, seed);
        assert_eq!(format!("{again:?}"), format!("{:?}", there[0]), "{sql}");
    }
}

fn check(name: &str, seed: u64, setting: Setting) {
    let (policy, catalog) = opened(setting, name);
    let engine = Arc::new(Engine::new(&catalog, setting.held.then(|| policy.clone())));
    let queries = if setting.held { HELD } else { QUERIES };
    let mut dice = Dice::new(seed);
    let mut tried = Tried::default();
    while tried.accepted < queries && tried.refused < queries {
        try_one(&mut tried, &mut dice, setting, (&policy, &catalog), &engine);
    }
    let Tried { refused, reasons, accepted, sources, compared, skipped, moved, .. } = tried;
    let Tried { tightness, wrong, .. } = tried;
    let first = |texts: &[String]| texts.iter().take(8).cloned().collect::<Vec<_>>().join("\n");
    println!(
        "{accepted} accepted, {refused} refused, {compared} compared, {moved} moved, {skipped} skipped; {sources:?}\n{tightness}"
    );
    if std::env::var_os("THRONG_SHOW").is_some() {
        println!("{reasons:#?}");
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), first(&wrong));
    let reasons: Vec<String> = reasons.into_keys().collect();
    assert!(accepted >= queries, "{refused} refused:\n{}", first(&reasons));
    assert!(compared > 10 * accepted, "{compared}");
    assert!(moved > accepted, "only {moved} parts moved at all");
    assert!(20 * skipped < compared, "{skipped} of {compared} could not be compared");
    if setting.held {
        return;
    }
    let kinds = grammar::SOURCES - usize::from(setting.limits == AUTO);
    assert_eq!(sources.len(), kinds, "{sources:?}");
    let mut loose = tightness.loose();
    // With open limits a clipped sum is claimed for more groups than most units have.
    loose.retain(|(kind, _)| setting.limits != AUTO || *kind != "clipped sum");
    assert!(loose.is_empty(), "less could be claimed without notice: {loose:?}\n{tightness}");
}

const FEW: &str = "max_groups = 2\nmax_rows = 3";
const AUTO: &str = "max_groups = \"auto\"\nmax_rows = \"auto\"";

macro_rules! neighbours {
    ($($name:ident: $seed:literal, $under:literal, $limits:expr, $noise:ident;)*) => {
        $(#[test]
        fn $name() {
            let noise = NoiseChoice::$noise;
            let held = stringify!($name).starts_with("held_");
            check(stringify!($name), $seed, Setting { under: $under, limits: $limits, noise, held });
        })*
    };
}

neighbours! {
    added_or_removed_gaussian: 1, "add-remove", FEW, Gaussian;
    added_or_removed_laplace: 2, "add-remove", FEW, Laplace;
    replaced_gaussian: 3, "replace", FEW, Gaussian;
    replaced_laplace: 4, "replace", FEW, Laplace;
    open_limits_gaussian: 5, "add-remove", AUTO, Gaussian;
    open_limits_laplace: 6, "add-remove", AUTO, Laplace;
    open_limits_replaced: 7, "replace", AUTO, Gaussian;
    zeroed_out_gaussian: 9, "zero-out", FEW, Gaussian;
    zeroed_out_laplace: 10, "zero-out", FEW, Laplace;
    held_in_memory_gaussian: 11, "add-remove", FEW, Gaussian;
    held_in_memory_replaced: 12, "replace", AUTO, Laplace;
    one_row_in_one_group: 8, "add-remove", "max_groups = 1\nmax_rows = 1", Gaussian;
}
