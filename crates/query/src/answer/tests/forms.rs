//! Ways to show an answer.

use datafusion::arrow::ipc::reader::FileReader;
use datafusion::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::json;

use super::*;
use crate::answer::{BarOptions, Format};

const SQL: &str = "SELECT city, count(*) AS n, avg(age) AS \"mean age\" FROM t GROUP BY city";

fn sample(keys: &[&str]) -> Table {
    let counts = noisy(&[(1234.0, 1184.0, 1284.0), (56.0, 6.0, 106.0)], true);
    let means = noisy(&[(41.25678, 40.5, 42.9), (30.0, 20.0, f64::NAN)], false);
    asked(SQL, &[answered(vec![("city", cities(keys))], vec![counts, means])]).unwrap()
}

fn plain() -> Table {
    sample(&["Berlin", "Paris"])
}

/// Everything that a terminal, a page or a table could trip over.
fn hostile() -> Table {
    sample(&["\u{1b}[2J\r\n|<script>&\"'`*_,\u{202e}\u{7}", "日本\t\u{200b}é'; DROP TABLE\u{ffff}"])
}

fn written(table: &Table, format: Format, intervals: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    table.write(format, intervals, &mut bytes).unwrap();
    bytes
}

fn text(table: &Table, format: Format, intervals: bool) -> String {
    String::from_utf8(written(table, format, intervals)).unwrap()
}

#[test]
fn tables_are_aligned() {
    assert_eq!(
        text(&plain(), Format::Table, true),
        "city       n   ±  mean age  mean age_low  mean age_high\n\
         ──────  ────  ──  ────────  ────────────  ─────────────\n\
         Berlin  1234  50      41.3          40.5           42.9\n\
         Paris     56  50      30.0          20.0\n"
    );
    assert_eq!(
        text(&plain(), Format::Table, false),
        "city       n  mean age\n──────  ────  ────────\nBerlin  1234      41.3\nParis     56      30.0\n"
    );
}

#[test]
fn markdown_is_a_table() {
    assert_eq!(
        text(&plain(), Format::Markdown, true),
        "| city | n | mean age |\n| --- | ---: | ---: |\n\
         | Berlin | 1234 ± 50 | 41.3 (40.5 … 42.9) |\n| Paris | 56 ± 50 | 30.0 (20.0 … ) |\n"
    );
}

#[test]
fn csv_has_both_ends() {
    assert_eq!(
        text(&plain(), Format::Csv, true),
        "city,n,n_low,n_high,mean age,mean age_low,mean age_high\n\
         Berlin,1234,1184.0,1284.0,41.25678,40.5,42.9\nParis,56,6.0,106.0,30.0,20.0,\n"
    );
    let csv = text(&hostile(), Format::Csv, false);
    assert!(csv.contains("\"\u{1b}[2J\r\n|<script>&\"\"'`*_,\u{202e}\u{7}\",1234,"), "{csv:?}");
}

#[test]
fn json_has_objects_for_values() {
    let known = json!({
        "columns": [
            { "name": "city", "kind": "key", "type": "Utf8" },
            { "name": "n", "kind": "value", "type": "Int64" },
            { "name": "mean age", "kind": "value", "type": "Float64" },
        ],
        "rows": [
            { "city": "Berlin", "n": { "value": 1234, "low": 1184.0, "high": 1284.0 },
              "mean age": { "value": 41.25678, "low": 40.5, "high": 42.9 } },
            { "city": "Paris", "n": { "value": 56, "low": 6.0, "high": 106.0 },
              "mean age": { "value": 30.0, "low": 20.0, "high": null } },
        ],
    });
    assert_eq!(plain().to_json(true), known);
    let bare: serde_json::Value =
        serde_json::from_slice(&written(&hostile(), Format::Json, false)).unwrap();
    assert_eq!(bare["rows"][0]["n"], json!({ "value": 1234 }));
}

#[test]
fn files_read_back() {
    let table = hostile();
    let whole = table.with_ends(true).unwrap();
    let arrow = std::io::Cursor::new(written(&table, Format::Arrow, true));
    let mut reader = FileReader::try_new(arrow, None).unwrap();
    assert_eq!(reader.next().unwrap().unwrap(), whole);
    let bytes = std::env::temp_dir().join(format!("throng-answer-{}.parquet", std::process::id()));
    std::fs::write(&bytes, written(&table, Format::Parquet, true)).unwrap();
    let file = std::fs::File::open(&bytes).unwrap();
    let mut reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
    assert_eq!(reader.next().unwrap().unwrap().columns(), whole.columns());
    std::fs::remove_file(&bytes).unwrap();
}

#[test]
fn hostile_keys_are_harmless() {
    let table = hostile();
    for shown in [
        text(&table, Format::Table, true),
        text(&table, Format::Markdown, true),
        table.bars_text(80, false),
        table.bars_svg(&BarOptions::default()),
    ] {
        assert!(!shown.chars().any(|c| c.is_control() && c != '\n'), "{shown:?}");
        assert!(!shown.contains(['\u{202e}', '\u{200b}']), "{shown:?}");
    }
    assert!(table.bars_text(80, true).is_ascii());
    let markdown = text(&table, Format::Markdown, true);
    assert_eq!(markdown.lines().count(), 4);
    assert!(!markdown.contains("<script>"));
    assert!(!table.bars_svg(&BarOptions::default()).contains("<script>"));
}

#[test]
fn nothing_can_be_shown() {
    let none =
        vec![answered(vec![("city", cities(&[]))], vec![noisy(&[], true), noisy(&[], false)])];
    let empty = asked(SQL, &none).unwrap();
    let columnless =
        Table { columns: Vec::new(), batch: RecordBatch::new_empty(Arc::new(Schema::empty())) };
    for table in [empty, columnless] {
        for format in [Format::Table, Format::Csv, Format::Json, Format::Arrow, Format::Markdown] {
            table.write(format, true, &mut Vec::new()).unwrap();
        }
        balanced(&table.bars_svg(&BarOptions::default()));
        let _ = (table.bars_text(0, true), table.to_json(true));
    }
}

#[test]
fn names_do_not_clash() {
    let sql = "SELECT city, count(*) AS x, avg(age) AS x_low FROM t GROUP BY city";
    let cell = |x: f64| noisy(&[(x, x - 1.0, x + 1.0)], false);
    let answers = [answered(vec![("city", cities(&["A"]))], vec![cell(1.0), cell(2.0)])];
    let csv = text(&asked(sql, &answers).unwrap(), Format::Csv, true);
    assert!(csv.starts_with("city,x,x_low_2,x_high,x_low,x_low_low,x_low_high\n"), "{csv}");
}

#[test]
fn pictures_are_well_formed() {
    let options = BarOptions {
        title: Some("A <b> & \"c\"".to_owned()),
        confidence: Some("95 % confidence".to_owned()),
    };
    for table in [plain(), hostile()] {
        let svg = table.bars_svg(&options);
        balanced(&svg);
        assert_eq!(svg.matches("class=\"bar\"").count(), 4);
        assert_eq!(svg.matches("class=\"whisker\"").count(), 3);
        assert!(svg.contains("<desc") && svg.contains("prefers-color-scheme"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }
}

#[test]
fn extreme_numbers_can_be_drawn() {
    let wild = [(f64::MAX, f64::MIN, f64::MAX), (-5.0, f64::NAN, 5e-324)];
    let columns = vec![noisy(&wild, true), noisy(&wild, false)];
    let table = asked(SQL, &[answered(vec![("city", cities(&["A", "B"]))], columns)]).unwrap();
    let svg = table.bars_svg(&BarOptions::default());
    balanced(&svg);
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    let _ = (table.bars_text(60, false), text(&table, Format::Table, true));
}

#[test]
fn bars_in_letters() {
    let chart = plain().bars_text(44, false);
    let known = "n\n\
                 Berlin  1234  ████████████████████████████▒┤\n\
                 Paris     56  ▒─┤\n";
    assert!(chart.starts_with(known), "{chart}");
    assert!(plain().bars_text(44, true).contains("Berlin  1234  ############################=|"));
}

/// Every tag is closed in its turn, attributes are quoted, and nothing else looks like a mark.
fn balanced(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = svg;
    while let Some(start) = rest.find('<') {
        let end = start + rest[start..].find('>').expect("a tag ends");
        let tag = &rest[start + 1..end];
        assert!(tag.matches('"').count().is_multiple_of(2), "{tag}");
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap();
        assert!(
            ["svg", "g", "title", "desc", "style", "rect", "path", "text"].contains(&name),
            "{name}"
        );
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(name);
        }
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty(), "{open:?}");
    let entities = svg.match_indices('&').map(|(at, _)| &svg[at..]);
    for entity in entities {
        assert!(["&amp;", "&lt;", "&gt;", "&quot;"].iter().any(|e| entity.starts_with(e)));
    }
}
