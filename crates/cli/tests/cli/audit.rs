//! `throng audit`.

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use crate::{fresh, run, stderr, stdout, xml};

/// Two files of outcomes in a folder of this test's own.
struct Worlds {
    folder: PathBuf,
    paths: [PathBuf; 2],
}

impl Worlds {
    fn new(name: &str, ending: &str, contents: [&[u8]; 2]) -> Self {
        let folder = fresh(&format!("audit-{name}"));
        let paths = ["zero", "one"].map(|world| folder.join(format!("{world}.{ending}")));
        for (path, content) in paths.iter().zip(contents) {
            std::fs::write(path, content).unwrap();
        }
        Self { folder, paths }
    }

    fn texts(name: &str, contents: [&str; 2]) -> Self {
        Self::new(name, "csv", contents.map(str::as_bytes))
    }

    fn audit(&self, claim: &str, more: &[&str]) -> Output {
        let [zero, one] = &self.paths;
        let worlds = ["--world0", path(zero), "--world1", path(one)];
        run(&[&["audit", "--claim", claim], &worlds[..], more].concat())
    }

    fn json(&self, claim: &str, more: &[&str]) -> Value {
        answer(&self.audit(claim, &[more, &["--json"]].concat()))
    }
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The JSON of a verdict, and that the exit code says the same.
fn answer(output: &Output) -> Value {
    let answer: Value = serde_json::from_str(&stdout(output)).unwrap_or_else(|_| {
        panic!("no JSON: {} {}", stdout(output), stderr(output));
    });
    let code = if answer["verdict"] == "violated" { 3 } else { 0 };
    assert_eq!(output.status.code(), Some(code), "{answer} {}", stderr(output));
    answer
}

/// What is said where there is no verdict.
fn refused(output: &Output) -> String {
    let talk = stderr(output);
    assert_eq!(output.status.code(), Some(2), "{talk}");
    assert!(output.stdout.is_empty(), "{}", stdout(output));
    assert!(talk.contains("error: ") && talk.contains("hint: "), "{talk}");
    assert!(!talk.contains("bug"), "{talk}");
    talk
}

/// Lines, each `period` numbers in turn.
fn cycle(lines: usize, period: usize) -> String {
    (0..lines).map(|i| format!("{}\n", i % period)).collect()
}

/// The same worlds, and worlds that share nothing.
const SAME: &str = "pure(epsilon=1)";

#[test]
fn the_contract() {
    let apart = Worlds::texts("contract", [&"0\n".repeat(2000), &"1\n".repeat(2000)]);
    let broken = apart.json(SAME, &[]);
    assert_eq!(broken["verdict"], "violated");
    assert_eq!(broken["false_alarm"], 0.001);
    assert_eq!(broken["delta"], 0.0);
    assert_eq!(broken["samples"], 4000);
    assert!(broken["epsilon_lower"].as_f64().unwrap() > 3.0, "{broken}");
    assert!(broken["mu_lower"].as_f64().unwrap() > 1.0, "{broken}");
    assert!(broken["p_value"].as_f64().unwrap() <= 0.001, "{broken}");
    assert!(broken["witness"]["text"].is_string(), "{broken}");
    assert_eq!(broken["neighbours"], "add-remove");
    let same = cycle(2000, 5);
    let held = Worlds::texts("contract-same", [&same, &same]).json(SAME, &["--confidence", "0.99"]);
    assert_eq!(held["verdict"], "not-violated");
    assert_eq!(held["false_alarm"], 0.01);
    assert_eq!(held["epsilon_lower"], 0.0);
}

#[test]
fn delta_is_that_of_the_claim() {
    let same = cycle(500, 5);
    let worlds = Worlds::texts("delta", [&same, &same]);
    let delta = |claim: &str, more: &[&str]| worlds.json(claim, more)["delta"].as_f64().unwrap();
    assert_eq!(delta("pure(epsilon=1)", &[]), 0.0);
    assert_eq!(delta("laplace(scale=1)", &[]), 0.0);
    assert_eq!(delta("approx_dp(epsilon=1, delta=1e-3)", &[]), 1e-3);
    assert_eq!(delta("gdp(mu=1)", &[]), 1e-5);
    assert_eq!(delta("gdp(mu=1)", &["--delta", "0.25"]), 0.25);
}

#[test]
fn people_read_a_verdict_and_a_witness() {
    let apart = Worlds::texts("people", [&"no\n".repeat(1000), &"yes\n".repeat(1000)]);
    let output = apart.audit(SAME, &[]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.starts_with("violated: "), "{text}");
    for part in ["pure(eps=1)", "0.001", "epsilon at delta 0", "witness: ", "world", "allows"] {
        assert!(text.contains(part), "{part} not in {text}");
    }
    assert!(!text.contains('\x1b'));
    let same = cycle(1000, 3);
    let text = stdout(&Worlds::texts("people-same", [&same, &same]).audit(SAME, &[]));
    assert!(text.starts_with("not violated: ") && text.contains("no proof"), "{text}");
}

#[test]
fn every_format_tells_the_same() {
    let numbers = |offset: usize| (0..3000).map(move |i| (i % 7 + offset).to_string());
    let lines = |offset| numbers(offset).map(|x| x + "\n").collect::<String>();
    let array = |offset| format!("[{}]", numbers(offset).collect::<Vec<_>>().join(","));
    let object = |offset| format!("{{\"outcomes\": {}}}", array(offset));
    let cases = [
        ("csv", lines(0), lines(3)),
        ("txt", lines(0), lines(3)),
        ("jsonl", lines(0), lines(3)),
        ("json", array(0), array(3)),
        ("json", object(0), object(3)),
        ("json", lines(0), lines(3)),
        ("csv", format!("x\n{}", lines(0)), format!("x\n{}", lines(3))),
        ("csv", lines(0).replace('\n', "\r\n"), lines(3)),
    ];
    let mut first = None;
    for (i, (ending, zero, one)) in cases.iter().enumerate() {
        let worlds = Worlds::new(&format!("format{i}"), ending, [zero.as_bytes(), one.as_bytes()]);
        let found = worlds.json(SAME, &[]);
        assert_eq!(found["samples"], 6000, "{i}: {found}");
        let expected = first.get_or_insert_with(|| found.clone());
        assert_eq!(&found, expected, "{i}");
    }
    assert_eq!(first.unwrap()["verdict"], "violated");
}

#[test]
fn vectors_texts_and_sets() {
    let vectors = ["1,2\n\n3\n".repeat(700), "1,2\n4\n3\n".repeat(700)];
    let worlds = Worlds::texts("vectors", [&vectors[0], &vectors[1]]);
    assert_eq!(worlds.json(SAME, &[])["verdict"], "violated");
    let texts = ["\"a, b\"\nc\n".repeat(700), "\"a, b\"\n\"a, b\"\n".repeat(700)];
    let worlds = Worlds::texts("texts", [&texts[0], &texts[1]]);
    assert_eq!(worlds.json(SAME, &[])["verdict"], "violated");
    let sets = ["{\"set\":[1,2]}\n".repeat(700), "{\"set\":[3]}\n".repeat(700)];
    let worlds = Worlds::new("sets", "jsonl", [sets[0].as_bytes(), sets[1].as_bytes()]);
    assert_eq!(worlds.json(SAME, &[])["verdict"], "violated");
    // The order of a set does not count.
    let sets = ["{\"set\":[1,2]}\n3\n".repeat(700), "{\"set\":[2,1]}\n3\n".repeat(700)];
    let worlds = Worlds::new("order", "jsonl", [sets[0].as_bytes(), sets[1].as_bytes()]);
    assert_eq!(worlds.json(SAME, &[])["verdict"], "not-violated");
}

#[test]
fn the_last_bit_of_a_float_counts() {
    let (low, high) = ("0.1\n".repeat(1000), "0.10000000000000002\n".repeat(1000));
    for ending in ["csv", "jsonl"] {
        let worlds =
            Worlds::new(&format!("bits-{ending}"), ending, [low.as_bytes(), high.as_bytes()]);
        assert_eq!(worlds.json(SAME, &[])["verdict"], "violated", "{ending}");
    }
}

/// What else is in a file does not change what an outcome is.
#[test]
fn a_whole_number_is_the_same_beside_a_broken_one() {
    let odd = [cycle(1000, 3), format!("{}0.5\n", cycle(999, 3))];
    for ending in ["csv", "jsonl"] {
        let name = format!("beside-{ending}");
        let worlds = Worlds::new(&name, ending, [odd[0].as_bytes(), odd[1].as_bytes()]);
        assert_eq!(worlds.json(SAME, &[])["verdict"], "not-violated", "{ending}");
    }
    // Nor in which batch of a program it comes.
    let script = r#"while IFS=:,} read -r a world b n c; do
        if [ $world = 1 ]; then echo 0.5; n=$((n - 1)); fi
        yes '1
2' | head -n $n
    done"#;
    let held = answer(&live(SAME, &["--json", "--runs", "5000"], script));
    assert_eq!(held["verdict"], "not-violated");
}

#[test]
fn bad_files_give_no_verdict() {
    let good = cycle(1000, 4);
    let with = |name: &str, bad: &[u8]| {
        refused(&Worlds::new(name, "csv", [good.as_bytes(), bad]).audit(SAME, &[]))
    };
    assert!(with("empty", b"").contains("no outcomes"));
    assert!(with("utf8", b"1\n\xff\n").contains("line 2 is not UTF-8"));
    assert!(with("unequal", "1\n".repeat(500).as_bytes()).contains("--unequal"));
    assert!(with("nan", "nan\n".repeat(1000).as_bytes()).contains("--nan"));
    with("few", b"1\n2\n");
    let constant = "5\n".repeat(1000);
    refused(&Worlds::texts("constant", [&constant, &constant]).audit(SAME, &[]));
    for (ending, content) in [
        ("jsonl", "1\nx\n"),
        ("json", "[1,"),
        ("arrow", "nothing"),
        ("parquet", "nothing"),
        ("json", ""),
    ] {
        let worlds = Worlds::new("garbage", ending, [content.as_bytes(), content.as_bytes()]);
        refused(&worlds.audit(SAME, &[]));
    }
    let nowhere = ["--world0", "no/such/file", "--world1", "no/such/file"];
    let talk = refused(&run(&[&["audit", "--claim", SAME], &nowhere[..]].concat()));
    assert!(talk.contains("no/such/file"), "{talk}");
}

#[test]
fn unequal_and_nan_can_be_allowed() {
    let (zero, one) = (cycle(1000, 4), cycle(1500, 4));
    let unequal = Worlds::texts("allow-unequal", [&zero, &one]);
    assert_eq!(unequal.json(SAME, &["--unequal"])["verdict"], "not-violated");
    let nan = "nan\n1\n".repeat(500);
    let nan = Worlds::texts("allow-nan", [&nan, &nan]);
    assert_eq!(nan.json(SAME, &["--nan"])["verdict"], "not-violated");
}

#[test]
fn a_witness_is_counted_again() {
    let (zero, one) = ("0\n".repeat(1000), "1\n".repeat(1000));
    let worlds = Worlds::texts("witness", [&zero, &one]);
    let file = worlds.folder.join("witness.json");
    let saved = worlds.json(SAME, &["--save-witness", path(&file)]);
    let again = worlds.json(SAME, &["--witness", path(&file)]);
    assert_eq!(again["verdict"], "violated");
    assert_eq!(again["witness"]["text"], saved["witness"]["text"]);
    assert_eq!(again["explored"], 0);
    std::fs::write(&file, "{}").unwrap();
    refused(&worlds.audit(SAME, &["--witness", path(&file)]));
}

#[test]
fn pictures_and_reports() {
    let worlds = Worlds::texts("pictures", [&cycle(1000, 2), &"1\n".repeat(1000)]);
    let file = |name: &str| worlds.folder.join(name);
    let names = ["audit.svg", "audit.png", "audit.md", "audit.html"].map(file);
    let [svg, png, md, html] = &names;
    for (picture, report) in [(svg, md), (png, html)] {
        let output = worlds.audit(SAME, &["-o", path(picture), "--report", path(report)]);
        assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    }
    let text = |path: &PathBuf| std::fs::read_to_string(path).unwrap();
    xml::elements(&text(svg));
    for part in ["claimed: ", "certified attacker", "witness", "class=\"mark\""] {
        assert!(text(svg).contains(part), "{part}");
    }
    assert!(std::fs::read(png).unwrap().starts_with(b"\x89PNG"));
    for part in ["# Audit of pure(eps=1)", "Violated.", "--witness", "## What this does not say"] {
        assert!(text(md).contains(part), "{part} not in {}", text(md));
    }
    let page = text(html);
    assert!(page.contains("<svg") && page.contains("<table>") && !page.contains("http-equiv"));
    assert!(!page.contains("<script") && !page.contains("<link"), "the page needs nothing else");
    refused(&worlds.audit(SAME, &["-o", "audit.gif"]));
    refused(&worlds.audit(SAME, &["--report", "audit.doc"]));
    refused(&worlds.audit(SAME, &["-o", "no/such/folder/audit.svg"]));
}

fn live(claim: &str, more: &[&str], script: &str) -> Output {
    run(&[&["audit", "--claim", claim], more, &["--", "sh", "-c", script]].concat())
}

/// Prints its world, n times.
const TELLTALE: &str = r#"while IFS= read -r request; do
    world=${request#*\"world\":}; world=${world%%,*}
    n=${request#*\"n\":}; n=${n%%[,\}]*}
    yes "$world" | head -n "$n"
done"#;

/// The same in both worlds.
const SILENT: &str = r#"while IFS= read -r request; do
    n=${request#*\"n\":}; n=${n%%[,\}]*}
    yes '7
8' | head -n "$n"
done"#;

#[test]
fn programs_are_audited() {
    let broken = answer(&live(SAME, &["--json"], TELLTALE));
    assert_eq!(broken["verdict"], "violated");
    assert!(broken["samples"].as_u64().unwrap() < 100_000, "{broken}");
    let held = answer(&live(SAME, &["--json", "--runs", "2000"], SILENT));
    assert_eq!(held["verdict"], "not-violated");
    assert_eq!(held["samples"], 4000);
    let bounded = answer(&live(SAME, &["--json", "--most", "3000"], SILENT));
    assert!(bounded["samples"].as_u64().unwrap() <= 6000, "{bounded}");
}

#[test]
fn programs_that_fail_give_no_verdict() {
    let failed = |more: &[&str], script: &str| refused(&live(SAME, more, script));
    assert!(failed(&[], "echo oh no >&2; exit 3").contains("oh no"));
    assert!(failed(&[], "echo garbage").contains("garbage"));
    assert!(failed(&["--timeout", "0.2"], "exec sleep 100").contains("0.2 s"));
    assert!(failed(&[], "while read r; do echo NaN; done").contains("\"NaN\""));
    assert!(failed(&["--runs", "100"], &SILENT.replace("\n8", "")).contains("the same"));
    let none = run(&["audit", "--claim", SAME, "--", "no-such-program-at-all"]);
    assert!(refused(&none).contains("no-such-program-at-all"));
}

#[test]
fn the_worst_pair_is_found() {
    let script = r#"while IFS= read -r request; do
        world=${request#*\"world\":}; world=${world%%,*}
        n=${request#*\"n\":}; n=${n%%[,\}]*}
        pair=${request#*\"pair\":}; pair=${pair%%\}*}
        if [ "$pair" = 2 ]; then yes "$world"; else yes 7; fi | head -n "$n"
    done"#;
    let found = answer(&live(SAME, &["--json", "--pairs", "4", "--most", "4000"], script));
    assert_eq!(found["verdict"], "violated");
    assert_eq!(found["pair"], 2);
}

#[test]
fn canaries_in_one_run() {
    let folder = fresh("audit-canaries");
    let file = folder.join("scores.csv");
    let audit = |rows: &str, more: &[&str]| {
        std::fs::write(&file, rows).unwrap();
        run(&[&["audit", "--claim", SAME, "--canaries", path(&file)], more].concat())
    };
    let rows: String = (0..200).map(|i| format!("{},{}\n", i % 2, i % 2)).collect();
    let broken = answer(&audit(&format!("score,included\n{rows}"), &["--json"]));
    assert_eq!(broken["verdict"], "violated");
    assert_eq!((&broken["samples"], &broken["included"]), (&200.into(), &100.into()));
    assert_eq!(broken["guesses"][0]["right"], 200);
    assert!(broken["epsilon_lower"].as_f64().unwrap() > 3.0, "{broken}");
    let picture = folder.join("roc.svg");
    let more = ["--guesses", "50,100", "-o", path(&picture)];
    let output = audit(&format!("included,who,score\n{}", rows.replace(',', ",x,")), &more);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    xml::elements(&std::fs::read_to_string(&picture).unwrap());
    let blind: String = (0..200).map(|i| format!("{},{}\n", i / 2, i % 2)).collect();
    let held = answer(&audit(&format!("score,included\n{blind}"), &["--json"]));
    assert_eq!(held["verdict"], "not-violated");
    let bad = [
        "",
        "score\n1\n",
        "score,included\n",
        "score,included\nx,1\n",
        "score,included\nnan,1\n",
        "score,included\n1,2\n",
        "score,included\n\u{e9},1\n",
        &format!("score,included\n{}", "1,1\n".repeat(100)),
    ];
    for rows in bad {
        refused(&audit(rows, &[]));
    }
    refused(&audit(&format!("score,included\n{rows}"), &["--guesses", "201"]));
}

#[test]
fn wrong_calls() {
    let calls: [&[&str]; 8] = [
        &["--claim", SAME],
        &["--claim", SAME, "--world0", "a.csv"],
        &["--world0", "a.csv", "--world1", "b.csv"],
        &["--claim", "nonsense(1)", "--", "true"],
        &["--claim", SAME, "--confidence", "1", "--", "true"],
        &["--claim", SAME, "--unit-in", "2", "--", "true"],
        &["--claim", SAME, "--runs", "10", "--most", "20", "--", "true"],
        &["--claim", SAME, "--world0", "a", "--world1", "b", "--", "true"],
    ];
    for call in calls {
        refused(&run(&[&["audit"], call].concat()));
    }
}

#[test]
fn exhibits_are_refuted_and_their_twins_are_not() {
    let listed = run(&["audit", "--exhibits"]);
    assert!(listed.status.success());
    assert!(String::from_utf8(listed.stdout).unwrap().contains("truncated-geometric"));
    let broken = run(&["audit", "--exhibit", "truncated-geometric", "--json"]);
    assert_eq!(broken.status.code(), Some(3));
    assert_eq!(answer(&broken)["verdict"], "violated");
    // The relation is that of the exhibit, not of the call.
    let replaced = run(&["audit", "--exhibit", "whole-units-on-cents", "--json"]);
    assert_eq!(answer(&replaced)["neighbours"], "replace");
    let mended = run(&["audit", "--exhibit", "truncated-geometric", "--mended", "--json"]);
    assert_eq!(mended.status.code(), Some(0));
    let unknown = run(&["audit", "--exhibit", "no-such-thing"]);
    assert!(refused(&unknown).contains("--exhibits"));
}

#[test]
fn mechanisms_are_acted_out() {
    let own = run(&["audit", "--simulate", "20 * laplace(scale=10)", "--runs", "4000", "--json"]);
    assert_eq!(own.status.code(), Some(0));
    let other = ["audit", "--simulate", "gaussian(sigma=1)", "--claim", "gdp(mu=0.7)", "--json"];
    let other = run(&other);
    assert_eq!(other.status.code(), Some(3));
    assert!(answer(&other)["mu_lower"].as_f64().unwrap() >= 0.7);
    assert!(refused(&run(&["audit", "--simulate", "zcdp(rho=1)"])).contains("act out"));
}
