//! Fits in parts, searches, attackers' targets, and what is told of them.

use serde_json::Value;

use super::{FIT, done, failed, loans};

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_fit_tells_in_json_what_it_did_and_what_it_promises() {
    let folder = loans("learn-told");
    let told = json(&done(&folder, &format!("{FIT} --set steps=7 --json -o m.json")));
    assert_eq!(told["kind"], "logistic");
    assert_eq!(told["options"]["steps"], 7);
    assert!(told["options"]["method"].is_string() || told["options"]["method"].is_object());
    assert_eq!(told["receipt"], Value::Null);
    assert_eq!(told["model"], "m.json");
    let upper = told["guarantee"]["epsilon"]["upper"].as_f64().unwrap();
    assert!(upper <= 2.0 && upper > 1.99, "{upper}");
    let card = json(&done(&folder, "learn inspect m.json --json"));
    assert_eq!(card["mechanism"], told["guarantee"]["spec"]);
    let explained = json(&done(&folder, &format!("{FIT} --set steps=7 --json --explain")));
    assert_eq!(explained["guarantee"], told["guarantee"]);
    assert_eq!(explained["options"], told["options"]);
    assert!(failed(&folder, &format!("{FIT} --json"), 2).contains("--output"));
    let paid = format!("{FIT} --json -o p.json --ledger books --budget 3,1e-4 --yes");
    let receipt = json(&done(&folder, &paid))["receipt"].clone();
    assert!(receipt.as_str().unwrap().starts_with("1-"), "{receipt}");
}

#[test]
fn an_attacker_finds_no_more_than_was_asked_for() {
    let folder = loans("learn-attacker");
    let call = FIT.replace("--epsilon 2 --delta 1e-5", "--fpr 0.01 --tpr 0.02");
    done(&folder, &format!("{call} -o m.json"));
    let card = json(&done(&folder, "learn inspect m.json --json"));
    let spec = card["mechanism"].as_str().unwrap();
    let loss = throng_account::PrivacyLoss::of_spec(
        &spec.parse().unwrap(),
        throng_account::Neighbours::AddRemove,
        throng_account::Accuracy::default(),
    )
    .unwrap();
    let found = 1.0 - loss.miss_rate(0.01).unwrap().lower;
    assert!(found <= 0.02 && found > 0.0199, "{found}");
    let advantage = FIT.replace("--epsilon 2 --delta 1e-5", "--advantage 0.1");
    done(&folder, &format!("{advantage} -o m.json"));
    assert!(failed(&folder, &FIT.replace("--delta 1e-5", "--gdp 1"), 2).contains("needs"));
    assert!(
        failed(&folder, &FIT.replace("--epsilon 2 --delta 1e-5", "--fpr 0.1"), 2).contains("--tpr")
    );
    assert!(failed(&folder, &FIT.replace("--epsilon 2", "--epsilon 0"), 2).contains("above 0"));
}

#[test]
fn models_are_looked_at_in_numbers() {
    let folder = loans("learn-summary");
    let fit = |model: &str, bounds: &str, more: &str| {
        let call = format!(
            "learn fit {model} --data loans/train.csv --bounds {bounds} --gdp 1 -o {model}.json{more}"
        );
        done(&folder, &call);
        let told = json(&done(&folder, &format!("learn inspect {model}.json --json")));
        let people = done(&folder, &format!("learn inspect {model}.json"));
        (told["summary"].as_array().unwrap().clone(), people)
    };
    // Without categories, whose columns sum to 1 and leave their coefficients open.
    let numbers = "[columns]\nage = [18, 80]\nincome = [0, 120]\ndebt = [0, 60]\n\
                   [label]\ncolumn = \"rate\"\nbounds = [0, 20]\n";
    std::fs::write(folder.join("numbers.toml"), numbers).unwrap();
    let (linear, people) = fit("linear", "numbers.toml", "");
    assert!(people.contains("standard error") && people.contains("intercept"), "{people}");
    let debt = linear.iter().find(|row| row["name"] == "debt").unwrap();
    // The rule that made the loans: 0.8 * 0.11 percent more for a thousand more of debt.
    let (low, high) = (debt["low"].as_f64().unwrap(), debt["high"].as_f64().unwrap());
    assert!(low < high && debt["standard error"].as_f64().unwrap() > 0.0, "{debt}");
    assert!((0.5 * (low + high) - 0.088).abs() < 0.05, "{debt}");
    let (centres, people) = fit("k-means", "loans/bounds.toml", " --set clusters=3");
    assert_eq!(centres.len(), 3);
    assert!(people.contains("centre 2") && people.contains("income"), "{people}");
    let ages = "[columns]\nage = [18, 80]\n";
    std::fs::write(folder.join("age.toml"), ages).unwrap();
    let (mean, _) = fit("normal-mean", "age.toml", "");
    let found = mean[0]["mean"].as_f64().unwrap();
    assert!((45.0..53.0).contains(&found), "{found}");
    assert!(mean[0]["low"].as_f64().unwrap() < found && found < mean[0]["high"].as_f64().unwrap());
    std::fs::write(folder.join("home.toml"), "[columns]\nhome = [\"owner\", \"tenant\"]\n")
        .unwrap();
    let (levels, _) = fit("dirichlet-categorical", "home.toml", "");
    assert_eq!(levels[0]["name"], "owner");
    let (logistic, _) = fit("logistic", "loans/bounds.toml", "");
    let income = logistic.iter().find(|row| row["name"] == "income").unwrap();
    assert!(income["yes"].as_f64().unwrap() > 0.0, "{income}");
}

#[test]
fn a_training_goes_on_from_a_checkpoint_and_pays_part_by_part() {
    let folder = loans("learn-segments");
    let fit = "learn fit network --data loans/train.csv --bounds loans/bounds.toml --epsilon 2 --delta 1e-6 \
               --set records=10000 --set steps=6 --ledger books --budget 20,1e-5 --yes";
    done(&folder, &format!("{fit} --segments 3 --checkpoint half.json -o whole.json"));
    let books = done(&folder, "ledger history --ledger books");
    for steps in ["steps 1 to 2", "steps 3 to 4", "steps 5 to 6"] {
        assert_eq!(books.matches(steps).count(), 1, "{books}");
    }
    let card = json(&done(&folder, "learn inspect whole.json --json --delta 1e-6"));
    let upper = card["epsilon"]["upper"].as_f64().unwrap();
    assert!(upper <= 2.0 && upper > 1.9, "{upper}");
    // Nothing is left to do, nothing is paid.
    let resumed = format!("{fit} --checkpoint end.json --resume half.json -o again.json");
    done(&folder, &resumed);
    assert_eq!(done(&folder, "ledger history --ledger books"), books);
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    assert_eq!(read("whole.json"), read("again.json"));
    // A plan is chosen once: what was seen of it is no reason to go on for longer, at no cost.
    let longer = resumed.replace("steps=6", "steps=8").replace("again", "longer");
    failed(&folder, &longer, 2);
    assert_eq!(done(&folder, "ledger history --ledger books"), books);
    let other = fit.replace("network", "logistic").replace("--set records=10000 ", "");
    let told = failed(&folder, &format!("{other} --segments 2 --checkpoint c.json -o m.json"), 2);
    assert!(told.contains("only a network"), "{told}");
    std::fs::write(folder.join("odd.json"), "{}").unwrap();
    failed(&folder, &format!("{fit} --checkpoint c.json --resume odd.json -o m.json"), 2);
}

#[test]
fn a_search_states_and_pays_what_the_search_costs() {
    let folder = loans("learn-search");
    let search = "learn search logistic --data loans/train.csv --bounds loans/bounds.toml --epsilon 0.5 \
                  --delta 1e-6 --try steps=[5,20] --try pace=[0.5,1] --runs 2 -o best.json";
    let explained = json(&done(&folder, &format!("{search} --explain --json")));
    assert_eq!(explained["settings"].as_array().unwrap().len(), 4);
    let upper = explained["guarantee"]["epsilon"]["upper"].as_f64().unwrap();
    assert!(upper > 0.5 && upper < 5.0, "{upper}");
    let public = format!("{search} --public loans/test.csv --json");
    let found = json(&done(&folder, &public));
    let score = found["score"].as_f64().unwrap();
    assert!((0.0..=1.0).contains(&score), "{found}");
    assert!([5, 20].contains(&found["setting"]["steps"].as_u64().unwrap()), "{found}");
    let card = json(&done(&folder, "learn inspect best.json --json"));
    assert_eq!(card["mechanism"], found["guarantee"]["spec"]);
    let paid = format!("{search} --ledger books --budget 5,1e-5 --yes");
    done(&folder, &paid);
    let first = std::fs::read(folder.join("best.json")).unwrap();
    done(&folder, &paid);
    assert_eq!(first, std::fs::read(folder.join("best.json")).unwrap());
    let books = done(&folder, "ledger history --ledger books");
    assert_eq!(books.matches("learn search logistic").count(), 1, "{books}");
    let wrong = search.replace("--try steps=[5,20]", "--try size=[1,2]");
    assert!(failed(&folder, &wrong, 2).contains("size"));
    let none = search.replace("logistic", "pca").replace("--try pace=[0.5,1]", "");
    failed(
        &folder,
        &none.replace("  ", " ").replace("--try steps=[5,20]", "--try components=[1,2]"),
        2,
    );
    let many = format!("{search} --try norm=[{}]", vec!["1"; 2000].join(","));
    assert!(failed(&folder, &many, 2).contains("settings"));
}
