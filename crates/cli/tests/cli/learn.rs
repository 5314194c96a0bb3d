//! Models through the command: fitted, saved, asked, judged, paid for.

mod pay;
mod rows;
mod search;

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use crate::{fresh, stderr, stdout, throng};

/// The command in a folder.
fn run_in(folder: &Path, arguments: &str) -> Output {
    throng().args(arguments.split(' ')).current_dir(folder).output().unwrap()
}

fn done(folder: &Path, arguments: &str) -> String {
    let output = run_in(folder, arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments}: {}", stderr(&output));
    stdout(&output)
}

fn failed(folder: &Path, arguments: &str, code: i32) -> String {
    let output = run_in(folder, arguments);
    assert_eq!(output.status.code(), Some(code), "{arguments}: {}", stderr(&output));
    assert!(stderr(&output).contains("hint:"), "{}", stderr(&output));
    stderr(&output)
}

/// A folder with the made-up loans.
fn loans(name: &str) -> PathBuf {
    let folder = fresh(name);
    done(&folder, "learn example loans --rows 4000");
    folder
}

const FIT: &str =
    "learn fit logistic --data loans/train.csv --bounds loans/bounds.toml --epsilon 2 --delta 1e-5";

#[test]
fn a_model_is_fitted_kept_and_asked_in_both_formats() {
    let folder = loans("learn-formats");
    for ending in ["json", "safetensors"] {
        done(&folder, &format!("{FIT} -o model.{ending}"));
        let json = done(&folder, &format!("learn inspect model.{ending} --json"));
        let card: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(card["kind"], "logistic");
        let upper = card["epsilon"]["upper"].as_f64().unwrap();
        assert!(upper <= 2.0 && upper > 1.99, "{upper}");
        let said = done(&folder, &format!("learn predict model.{ending} --data loans/test.csv"));
        assert_eq!(said.lines().count(), 1001);
        assert!(said.lines().skip(1).all(|line| ["yes", "no"].contains(&line)));
        let score = done(
            &folder,
            &format!("learn evaluate model.{ending} --data loans/test.csv --public --json"),
        );
        let score: Value = serde_json::from_str(&score).unwrap();
        assert!(score["accuracy"].as_f64().unwrap() > 0.75, "{score}");
    }
    let likely =
        done(&folder, "learn predict model.json --data loans/test.csv --probabilities --json");
    let rows: Vec<Value> = serde_json::from_str(&likely).unwrap();
    let sum = rows[0]["yes"].as_f64().unwrap() + rows[0]["no"].as_f64().unwrap();
    assert!((sum - 1.0).abs() < 1e-9);
}

#[test]
fn a_number_is_learnt_and_judged_privately() {
    let folder = loans("learn-number");
    let fit =
        "learn fit linear --data loans/train.csv --bounds loans/rate.toml --gdp 1 -o rate.json";
    done(&folder, fit);
    let exact = done(&folder, "learn evaluate rate.json --data loans/test.csv --public --json");
    let exact: Value = serde_json::from_str(&exact).unwrap();
    assert!(exact["R_squared"].as_f64().unwrap() > 0.5, "{exact}");
    let noisy = done(&folder, "learn evaluate rate.json --data loans/test.csv --epsilon 5 --json");
    let noisy: Value = serde_json::from_str(&noisy).unwrap();
    let error = &noisy["mean_squared_error"];
    let truth = exact["mean_squared_error"].as_f64().unwrap();
    // Wrong with a chance of 1e-9 at most, since bars hold with a chance of 0.95 and are doubled twice.
    let (low, high) = (error["low"].as_f64().unwrap(), error["high"].as_f64().unwrap());
    let slack = 4.0 * (high - low);
    assert!(low - slack <= truth && truth <= high + slack, "{noisy} {exact}");
    assert!(noisy["guarantee"]["epsilon"]["upper"].as_f64().unwrap() <= 5.0);
}

#[test]
fn tables_may_be_json_lines_too_and_cells_of_any_kind() {
    let folder = loans("learn-json");
    let rows = r#"{"age": 40, "income": "55.5", "debt": null, "work": "student", "home": 3, "repaid": "yes"}
{"age": "old", "income": 1e999, "debt": 3, "work": "nobody", "home": "owner", "repaid": "maybe"}
no object
{"repaid": "no"}
"#;
    std::fs::write(folder.join("odd.jsonl"), rows).unwrap();
    let csv = std::fs::read_to_string(folder.join("loans/train.csv")).unwrap();
    let header = csv.lines().next().unwrap();
    std::fs::write(folder.join("odd.csv"), format!("{header}\n\nNaN,inf,-inf\n,,,,,,,,\n"))
        .unwrap();
    std::fs::write(folder.join("empty.csv"), format!("{header}\n")).unwrap();
    for data in ["odd.jsonl", "odd.csv", "empty.csv"] {
        for model in ["logistic", "naive-bayes"] {
            let fit = format!(
                "learn fit {model} --data {data} --bounds loans/bounds.toml --epsilon 1 --delta 1e-5 -o odd.json"
            );
            done(&folder, &fit);
            done(&folder, "learn predict odd.json --data odd.jsonl");
        }
    }
}

#[test]
fn every_model_fits_the_example() {
    let folder = loans("learn-all");
    let models: Vec<Value> = serde_json::from_str(&done(&folder, "learn models --json")).unwrap();
    assert!(models.len() >= 12, "{}", models.len());
    rows::images(&folder, 4, 400);
    std::fs::write(folder.join("age.toml"), "[columns]\nage = [18, 80]\n").unwrap();
    std::fs::write(folder.join("home.toml"), "[columns]\nhome = [\"owner\", \"tenant\"]\n")
        .unwrap();
    for model in models {
        let (name, task) = (model["name"].as_str().unwrap(), model["learns"].as_str().unwrap());
        let bounds = match (name, task) {
            ("image-classifier", _) => "range.toml",
            ("normal-mean" | "gamma-poisson", _) => "age.toml",
            ("beta-bernoulli" | "dirichlet-categorical", _) => "home.toml",
            (_, "a number") => "loans/rate.toml",
            _ => "loans/bounds.toml",
        };
        let more = match name {
            "k-means" => " --set clusters=3",
            "network" | "network-regression" => " --set steps=5 --set records=10000",
            "histogram" => " --set bins=3",
            "image-classifier" => " --set height=4 --set width=4 --set epochs=2",
            _ => "",
        };
        let data = if name == "image-classifier" { "images.csv" } else { "loans/train.csv" };
        let fit = format!(
            "learn fit {name} --data {data} --bounds {bounds} --epsilon 2 --delta 1e-5 -o {name}.json{more}"
        );
        done(&folder, &fit);
        let card = done(&folder, &format!("learn inspect {name}.json --json"));
        let card: Value = serde_json::from_str(&card).unwrap();
        // A tree is a forest of one.
        assert_eq!(card["kind"].as_str(), Some(name.replace("tree", "forest").as_str()));
        assert!(card["epsilon"]["upper"].as_f64().unwrap() <= 2.0, "{name}");
        if !["a distribution"].contains(&task) {
            let data = if name == "image-classifier" { data } else { "loans/test.csv" };
            done(&folder, &format!("learn predict {name}.json --data {data}"));
        }
    }
}

#[test]
fn a_ledger_is_charged_once_for_a_fit_and_refuses_what_it_does_not_cover() {
    let folder = loans("learn-ledger");
    let fit = |epsilon: &str, output: &str| {
        format!(
            "learn fit naive-bayes --data loans/train.csv --bounds loans/bounds.toml --epsilon {epsilon} \
             --delta 1e-6 --ledger books --budget 1,1e-5 --yes -o {output}"
        )
    };
    done(&folder, &fit("0.6", "one.json"));
    let again = run_in(&folder, &fit("0.6", "two.json"));
    assert!(stderr(&again).contains("free of charge"), "{}", stderr(&again));
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    assert_eq!(read("one.json"), read("two.json"));
    let spent = failed(&folder, &fit("0.61", "three.json"), 4);
    assert!(spent.contains("does not cover"), "{spent}");
    assert!(!folder.join("three.json").exists());
    done(&folder, &fit("0.3", "four.json"));
    let books = done(&folder, "ledger history --ledger books --json");
    assert_eq!(books.matches("learn fit naive-bayes").count(), 2, "{books}");
    // Without a terminal nothing is spent unless it is said.
    let silent = fit("0.05", "five.json").replace(" --yes", "");
    assert!(failed(&folder, &silent, 2).contains("--yes"));
}

#[test]
fn mistakes_are_told_before_anything_is_read_or_spent() {
    let folder = loans("learn-mistakes");
    let fit = |more: &str| format!("learn fit {more} --data loans/train.csv");
    let usual = "--bounds loans/bounds.toml --epsilon 1 --delta 1e-5";
    assert!(failed(&folder, &format!("{} {usual}", fit("oracle")), 2).contains("logistic"));
    assert!(
        failed(&folder, &format!("{} {usual} --set size=3", fit("logistic")), 2).contains("size")
    );
    assert!(failed(&folder, &format!("{} {usual}", fit("linear")), 2).contains("bounds"));
    assert!(failed(&folder, &format!("{} {usual}", fit("k-means")), 2).contains("clusters"));
    assert!(
        failed(&folder, &fit("logistic --bounds nowhere.toml --epsilon 1"), 2).contains("nowhere")
    );
    assert!(
        failed(&folder, &fit("logistic --bounds loans/bounds.toml --epsilon -1"), 2)
            .contains("epsilon")
    );
    assert!(
        failed(&folder, &fit("logistic --bounds loans/bounds.toml --epsilon 1"), 3)
            .contains("delta")
    );
    assert!(
        failed(&folder, &fit("logistic --bounds loans/bounds.toml"), 2).contains("how private")
    );
    for (name, text) in [
        ("reversed", "[columns]\nage = [80, 18]\n"),
        ("none", "[columns]\n"),
        ("odd", "[columns]\nage = 3\n"),
        (
            "one-class",
            "[columns]\nage = [1, 2]\n[label]\ncolumn = \"repaid\"\nclasses = [\"yes\"]\n",
        ),
        ("twice", "[columns]\nage = [1, 2]\n[label]\ncolumn = \"age\"\nbounds = [1, 2]\n"),
        (
            "both",
            "[columns]\nage = [1, 2]\n[label]\ncolumn = \"y\"\nbounds = [1, 2]\nclasses = [1, 2]\n",
        ),
        ("infinite", "[columns]\nage = [0, inf]\n"),
        ("broken", "[columns\n"),
    ] {
        std::fs::write(folder.join("bounds.toml"), text).unwrap();
        let call = fit("logistic --bounds bounds.toml --epsilon 1 --delta 1e-5");
        let told = failed(&folder, &call, 2);
        assert!(told.contains("bounds.toml"), "{name}: {told}");
    }
    std::fs::write(
        folder.join("other.toml"),
        "[columns]\nheight = [0, 1]\n[label]\ncolumn=\"repaid\"\nclasses=[\"no\",\"yes\"]\n",
    )
    .unwrap();
    let call = fit("logistic --bounds other.toml --epsilon 1 --delta 1e-5");
    assert!(failed(&folder, &call, 2).contains("height"));
    for (name, text) in
        [("text", "hello"), ("empty", ""), ("list", "{}"), ("future", r#"{"throng": 9}"#)]
    {
        std::fs::write(folder.join(name), text).unwrap();
        failed(&folder, &format!("learn inspect {name}"), 2);
    }
}

#[test]
fn explaining_reads_nothing_and_says_what_a_fit_would_guarantee() {
    let folder = loans("learn-explain");
    let call = FIT.replace("loans/train.csv", "nowhere.csv");
    let said = done(&folder, &format!("{call} --explain"));
    assert!(said.contains("gaussian") && said.contains("epsilon at delta 1e-5"), "{said}");
}

#[test]
fn bounds_can_be_bought() {
    let folder = loans("learn-bounds");
    let call = "learn bounds --data loans/train.csv --columns age,income --epsilon 1 -o found.toml";
    done(&folder, call);
    let found = std::fs::read_to_string(folder.join("found.toml")).unwrap();
    assert!(found.contains("\"age\" = [16.0, 128.0]"), "{found}");
    let label = "\n[label]\ncolumn = \"repaid\"\nclasses = [\"no\", \"yes\"]\n";
    std::fs::write(folder.join("found.toml"), format!("{found}{label}")).unwrap();
    done(
        &folder,
        "learn fit logistic --data loans/train.csv --bounds found.toml --epsilon 1 --delta 1e-5 -o m.json",
    );
}
