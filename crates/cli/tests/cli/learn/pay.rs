//! What is paid, what the books say, and what is tried before.

use std::fs::File;
use std::path::Path;
use std::time::SystemTime;

use serde_json::Value;

use super::{FIT, done, failed, loans, run_in};
use crate::{feed, stderr};

/// The questions in the export of a ledger.
fn questions(folder: &Path, ledger: &str) -> Vec<String> {
    let text = done(folder, &format!("ledger export --ledger {ledger}"));
    let question = |line: &str| -> Option<String> {
        let record: Value = serde_json::from_str(line).unwrap();
        if record["kind"] == "charge" { find(&record, "question") } else { None }
    };
    text.lines().filter_map(question).collect()
}

/// The text of a member, wherever it is.
fn find(value: &Value, name: &str) -> Option<String> {
    match value {
        Value::Object(members) => members
            .get(name)
            .and_then(Value::as_str)
            .map(str::to_owned)
            .or_else(|| members.values().find_map(|member| find(member, name))),
        Value::Array(members) => members.iter().find_map(|member| find(member, name)),
        _ => None,
    }
}

fn fit(ledger: &str, more: &str) -> String {
    format!(
        "learn fit naive-bayes --data loans/train.csv --bounds loans/bounds.toml --epsilon 0.5 --delta 1e-6 \
         --ledger {ledger} --budget 4,1e-5 --yes -o paid.json{more}"
    )
}

#[test]
fn the_books_say_nothing_of_what_is_in_a_record() {
    let folder = loans("learn-pay-source");
    let path = folder.join("loans/train.csv");
    let then = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    let dated = || File::options().append(true).open(&path).unwrap().set_modified(then).unwrap();
    dated();
    done(&folder, &fit("one", ""));
    // One record is another; the file is as old as it was.
    let text = std::fs::read_to_string(&path).unwrap();
    let (rest, last) = text.trim_end().rsplit_once('\n').unwrap();
    let other: String = last.chars().map(|c| if c.is_ascii_digit() { '7' } else { c }).collect();
    assert_ne!(last, other);
    std::fs::write(&path, format!("{rest}\n{other}\n")).unwrap();
    dated();
    done(&folder, &fit("two", ""));
    let (one, two) = (questions(&folder, "one"), questions(&folder, "two"));
    assert_eq!(one.len(), 1);
    assert_eq!(one, two);
    // The record is gone: the file is shorter, and as old.
    std::fs::write(&path, format!("{rest}\n")).unwrap();
    dated();
    done(&folder, &fit("shorter", ""));
    assert_eq!(one, questions(&folder, "shorter"));
    // Another time is another version of the data.
    File::options().append(true).open(&path).unwrap().set_modified(SystemTime::now()).unwrap();
    done(&folder, &fit("three", ""));
    assert_ne!(questions(&folder, "three"), one);
}

#[test]
fn what_comes_from_stdin_is_new_every_time() {
    let folder = loans("learn-pay-stdin");
    let data = std::fs::read(folder.join("loans/train.csv")).unwrap();
    let (bounds, ledger) = (folder.join("loans/bounds.toml"), folder.join("books"));
    let call = |yes: &str| {
        let arguments = format!(
            "learn fit naive-bayes --data - --bounds {} --epsilon 0.5 --delta 1e-6 --ledger {} \
             --budget 1.2,1e-5 {yes}",
            bounds.display(),
            ledger.display()
        );
        feed(&arguments.split(' ').collect::<Vec<_>>(), &data)
    };
    for _ in 0..2 {
        let output = call("--yes");
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(!stderr(&output).contains("free"), "{}", stderr(&output));
    }
    assert_eq!(call("--yes").status.code(), Some(4));
    let found = questions(&folder, "books");
    assert_eq!(found.len(), 2);
    assert_ne!(found[0], found[1]);
}

#[test]
fn tests_and_bounds_are_paid_from_a_ledger_once() {
    let folder = loans("learn-pay-once");
    done(&folder, &format!("{FIT} -o model.json"));
    let books = "--ledger books --budget 1,1e-5 --yes";
    let calls = [
        format!("learn evaluate model.json --data loans/test.csv --epsilon 0.4 {books} --json"),
        format!(
            "learn bounds --data loans/train.csv --columns age,debt --epsilon 0.4 {books} --json"
        ),
    ];
    for call in &calls {
        let first = done(&folder, call);
        let again = run_in(&folder, call);
        assert!(stderr(&again).contains("free of charge"), "{}", stderr(&again));
        assert_eq!(first, crate::stdout(&again), "{call}");
    }
    for call in &calls {
        let more = call.replace("0.4", "0.5");
        assert!(failed(&folder, &more, 4).contains("does not cover"));
    }
    let history = done(&folder, "ledger history --ledger books");
    assert!(history.contains("learn evaluate") && history.contains("learn bounds age, debt"));
}

#[test]
fn guarantees_without_a_delta_are_priced_at_a_tenth_of_the_ledgers() {
    let folder = loans("learn-pay-gdp");
    for target in ["--gdp 0.1", "--zcdp 0.005", "--fpr 0.01 --tpr 0.015", "--advantage 0.05"] {
        let call = format!(
            "learn fit linear --data loans/train.csv --bounds loans/rate.toml {target} --ledger books \
             --budget 8,1e-5 --yes -o m.json"
        );
        let output = run_in(&folder, &call);
        assert_eq!(output.status.code(), Some(0), "{call}: {}", stderr(&output));
        assert!(stderr(&output).contains("delta 1e-6"), "{}", stderr(&output));
    }
    // Pure epsilon needs none.
    let pure = "learn fit linear --data loans/train.csv --bounds loans/rate.toml --epsilon 1 --ledger books \
                --yes -o m.json";
    assert!(!stderr(&run_in(&folder, pure)).contains("priced at"));
}

#[test]
fn what_cannot_work_is_told_before_it_is_paid() {
    let folder = loans("learn-pay-before");
    let into = |place: &str| fit("books", "").replace("-o paid.json", &format!("-o {place}"));
    for place in ["nowhere/paid.json", "loans"] {
        let told = failed(&folder, &into(place), 2);
        assert!(told.contains("cannot be written") && told.contains("nothing was spent"), "{told}");
        assert!(!folder.join("books").exists());
    }
    // The file of bounds declares a label, but k-means learns none.
    done(
        &folder,
        "learn fit k-means --data loans/train.csv --bounds loans/bounds.toml --gdp 1 --set clusters=3 -o k.json",
    );
    let call = "learn evaluate k.json --data loans/test.csv --epsilon 1 --ledger books --budget 4,1e-5 --yes";
    assert!(failed(&folder, call, 2).contains("k-means"));
    assert!(!folder.join("books").exists());
    let zeroed = format!("{FIT} --neighbours zero-out");
    assert!(failed(&folder, &zeroed, 3).contains("zeroed out"));
}

#[test]
fn bounds_are_bought_with_a_share_and_the_card_states_both() {
    let folder = loans("learn-pay-share");
    let text = std::fs::read_to_string(folder.join("loans/bounds.toml")).unwrap();
    let text = text.replace("income = [0, 120]", "income = \"buy\"");
    std::fs::write(folder.join("buy.toml"), text).unwrap();
    for target in ["--epsilon 2 --delta 1e-5", "--gdp 0.6", "--zcdp 0.2"] {
        let call = format!(
            "learn fit logistic --data loans/train.csv --bounds buy.toml {target} -o m.json"
        );
        assert!(failed(&folder, &call, 2).contains("--buy-bounds"));
        done(&folder, &format!("{call} --buy-bounds 0.1"));
        let card: Value =
            serde_json::from_str(&done(&folder, "learn inspect m.json --json")).unwrap();
        assert!(card["epsilon"]["upper"].as_f64().unwrap() <= 4.0, "{card}");
        let income = &card["table"]["columns"][1];
        assert_eq!(income["name"], "income");
        assert_eq!(income["bounds"][1], 128.0);
        // Both are on the card: what was said beforehand is what is stated.
        let said = done(&folder, &format!("{call} --buy-bounds 0.1 --explain --json"));
        let said: Value = serde_json::from_str(&said).unwrap();
        assert_eq!(said["guarantee"]["spec"], card["mechanism"]);
        if target.contains("delta") {
            assert!(said["guarantee"]["epsilon"]["upper"].as_f64().unwrap() <= 2.0);
        }
    }
    let attacker = "learn fit logistic --data loans/train.csv --bounds buy.toml --advantage 0.2 \
                    --buy-bounds 0.1 -o m.json";
    assert!(failed(&folder, attacker, 3).contains("share"));
    assert!(failed(&folder, &format!("{FIT} --buy-bounds 0.1"), 2).contains("no bounds to buy"));
}
