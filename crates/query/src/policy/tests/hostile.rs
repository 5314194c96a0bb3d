//! Texts that nobody writes by accident.

use proptest::prelude::*;

use super::*;

#[test]
fn nothing_and_nonsense() {
    for text in
        ["", "\0", "[", "= 1", "budget = 1", "[budget]", "[[tables]]", "\u{feff}", "a.b.c = 1"]
    {
        assert!(error(text).starts_with("dir/throng.toml"), "{text:?}");
    }
}

#[test]
fn duplicates_are_refused() {
    assert!(error("[budget]\nepsilon = 1\nepsilon = 2\n").contains(":3:"));
    assert!(error("[budget]\nepsilon = 1\n[budget]\n").contains("duplicate"));
}

#[test]
fn deep_nesting_is_refused_without_a_fall() {
    let deep = format!("{BUDGET}x = {}1{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(parse(&deep).is_err());
    let tables = format!("{}x{} = 1", "{x = ".repeat(10_000), "}".repeat(10_000));
    assert!(parse(&format!("a = {tables}")).is_err());
    assert!(parse(&format!("{} = 1", vec!["a"; 50_000].join("."))).is_err());
}

#[test]
fn many_columns_and_keys() {
    let mut lines = String::from("unit = \"u\"\n[tables.t.columns]\n");
    for i in 0..100_000 {
        lines.push_str(&format!("c{i} = {{ lower = {i}, upper = {} }}\n", i + 1));
    }
    let keys: Vec<String> = (0..100_000).map(|i| format!("\"k{i}\"")).collect();
    lines.push_str(&format!("city = {{ keys = [{}] }}\n", keys.join(",")));
    let policy = parse(&one(&lines)).unwrap();
    assert_eq!(policy.tables[0].columns.len(), 100_001);
    assert_eq!(policy.tables[0].column("city").unwrap().keys.as_ref().unwrap().len(), 100_000);
}

#[test]
fn long_and_strange_names_do_not_fill_the_screen() {
    let name = "\u{1b}[31m".to_string() + &"é".repeat(100_000);
    let name = name.replace('\u{1b}', "\\u001b");
    let error = error(&format!("{BUDGET}\"{name}\" = 1\n"));
    assert!(error.len() < 1000 && !error.contains('\u{1b}'), "{error}");
}

#[test]
fn unicode_is_counted_in_characters() {
    let text =
        one("unit = \"brukernøkkel\"\ncolumns = { 'årslønn 💰' = { lower = 2, upper = 1 } }");
    assert!(error(&text).contains(":7:37: "), "{}", error(&text));
}

#[test]
fn files_that_are_no_policies() {
    let directory = std::env::temp_dir().join(format!("throng-policy-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let path = directory.join("throng.toml");
    assert!(Policy::load(&path).unwrap_err().to_string().contains("throng init"));
    std::fs::write(&path, [0xff, 0xfe, 0x00]).unwrap();
    assert!(Policy::load(&path).unwrap_err().to_string().contains("not UTF-8"));
    assert!(Policy::load(&directory).is_err());
    std::fs::write(&path, one("unit = \"u\"")).unwrap();
    assert_eq!(Policy::load(&path).unwrap().directory(), directory);
    std::fs::remove_dir_all(&directory).unwrap();
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in any::<String>()) {
        let _ = parse(&text);
        let _ = parse(&one(&text));
    }

    #[test]
    fn words_in_any_order_do_not_make_it_panic(
        words in proptest::collection::vec(prop::sample::select(vec![
            "[budget]", "[tables.t]", "[tables.t.columns]", "[query]", "\n", "=", "epsilon", "delta",
            "unit", "path", "\"a.csv\"", "1", "1e-6", "{", "}", "[", "]", ",", "columns", "keys",
            "lower", "upper", "x", "row", "true", "column", "table", "key", "2026-01-01", "-inf",
        ]), 0..40),
    ) {
        let _ = parse(&words.join(" "));
    }

    #[test]
    fn numbers_are_read_exactly(whole in any::<i64>(), places in 0_usize..18) {
        let text = format!("{whole}.{}1", "0".repeat(places));
        let lines = format!("unit = \"u\"\ncolumns = {{ x = {{ lower = {text}, upper = 1e30 }} }}");
        let policy = parse(&one(&lines)).unwrap();
        let rule = policy.tables[0].column("x").unwrap().range.clone();
        let expected = Range::Declared { lower: rational(&text), upper: rational("1e30") };
        prop_assert_eq!(rule, Some(expected));
    }
}
