//! The JSON form by example.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test")]

use throng_account::MechanismSpec;
use throng_account::spec::SpecDocument;

fn read(json: &str) -> String {
    let spec: MechanismSpec = serde_json::from_str(json).unwrap_or_else(|e| panic!("{json}: {e}"));
    spec.to_string()
}

fn message(json: &str) -> String {
    serde_json::from_str::<MechanismSpec>(json).expect_err(json).to_string()
}

#[test]
fn documents_look_like_this() {
    let spec: MechanismSpec =
        "14062 * sampled(gaussian(0.8), 256/60000) + nonprivate".parse().unwrap();
    let json = serde_json::to_string(&SpecDocument::new(spec.clone())).unwrap();
    let expected = concat!(
        r#"{"version":1,"spec":{"composed":[{"repeated":{"inner":{"sampled":{"#,
        r#""inner":{"gaussian":{"sigma":"0.8"}},"rate":"8/1875"}},"times":14062}},"#,
        r#"{"nonprivate":{}}]}}"#
    );
    assert_eq!(json, expected);
    assert_eq!(serde_json::from_str::<SpecDocument>(&json).unwrap().spec, spec);
}

#[test]
fn different_ways_to_say_the_same() {
    for (json, text) in [
        (r#"{"gaussian":{"sigma":"4/5","sensitivity":1}}"#, "gaussian(sigma=0.8)"),
        (r#"{"gaussian":{"standard_deviation":2}}"#, "gaussian(sigma=2)"),
        (r#"{"rr":{"eps":"1"}}"#, "pure(eps=1)"),
        (r#""nonprivate""#, "nonprivate"),
        (r#"{"renyi":{"table":[["2",1]]}}"#, "renyi([(2, 1)])"),
        (
            r#"{"quantised":{"inner":{"pure":{"eps":1}},"cuts":[-1,"0.5"]}}"#,
            "quantised(pure(eps=1), cuts=[-1, 0.5])",
        ),
        (
            r#"{"mixed":[["1/3",{"pure":{"eps":1}}],["2/3","nonprivate"]]}"#,
            "mixed([(1/3, pure(eps=1)), (2/3, nonprivate)])",
        ),
        (
            r#"{"shuffled":{"users":"1000","inner":{"krr":{"k":2,"eps":"1"}}}}"#,
            "shuffled(kary_response(k=2, eps=1), users=1000)",
        ),
    ] {
        assert_eq!(read(json), text);
    }
}

#[test]
fn what_is_wrong_is_said() {
    for (json, part) in [
        (
            r#"{"gaussian":{"sigma":0.8}}"#,
            "the number 0.8 is not exact; write it as a string, such as \"0.8\"",
        ),
        (r#"{"pure":{"eps":18446744073709551616}}"#, "write it as a string"),
        (
            r#"{"gaussian":{"sigma":1,"scal":2}}"#,
            "gaussian has no argument \"scal\"; it takes sigma, sensitivity=1",
        ),
        (r#"{"gaussian":{"sigma":1,"sigma":2}}"#, "given twice"),
        (r#"{"gaussian":{"sigma":"-1"}}"#, "gaussian.sigma is -1, but must be at least 0"),
        (
            r#"{"gaussian":{"sigma":"x"}}"#,
            "a number is a string such as \"0.8\" or \"8/1875\", found \"x\"",
        ),
        (r#"{"gaussian":{}}"#, "gaussian needs sigma"),
        (r#"{"gaussian":[1]}"#, "gaussian has an object of arguments, found a list"),
        (r#"{"gausian":{"sigma":1}}"#, "did you mean gaussian?"),
        (r#"{"pure":{"eps":1},"tv":{"delta":0}}"#, "an object of one key, its name, found 2 keys"),
        (r#"{"renyi":[["2"]]}"#, "a pair is a list of two, found a list of 1"),
        (
            r#"{"renyi":{"table":"2"}}"#,
            "table of renyi is the number 2, but must be a list of pairs",
        ),
        (r#"{"composed":[]}"#, "composed is empty, but must be at least one mechanism"),
        (r#"{"composed":[3]}"#, "parts of composed holds the number 3"),
        (
            r#"{"krr":{"k":"5/2","eps":1}}"#,
            "k of kary_response is the number 2.5, but must be a whole number",
        ),
        ("3", "a mechanism is an object of one key, its name, found the number 3"),
        ("null", "expected a mechanism, or a number"),
    ] {
        let message = message(json);
        assert!(message.contains(part), "{json}: {message}");
    }
    let deep = "[".repeat(100_000);
    assert!(serde_json::from_str::<MechanismSpec>(&deep).is_err());
}

#[test]
fn only_version_1_is_read() {
    let document = |rest: &str| {
        let json = format!(r#"{{"spec":"nonprivate"{rest}}}"#);
        serde_json::from_str::<SpecDocument>(&json).map_err(|error| error.to_string())
    };
    assert!(document(r#","version":1"#).is_ok());
    assert!(document(r#","version":2"#).unwrap_err().contains("version is 2, but must be 1"));
    assert!(document("").unwrap_err().contains("missing field `version`"));
    assert!(document(r#","version":1,"more":2"#).unwrap_err().contains("unknown field `more`"));
}
