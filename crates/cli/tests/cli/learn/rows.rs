//! Tables in all formats, with odd records and odd columns.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryArray, Date32Array, DictionaryArray, Float64Array, Int64Array, RecordBatch,
    StringArray,
};
use arrow::datatypes::Int32Type;
use arrow::ipc::writer::FileWriter;
use parquet::arrow::ArrowWriter;
use serde_json::Value;

use super::{done, failed, loans};
use crate::{feed, fresh, stderr, stdout};

/// A folder with a model of the rate of loans.
fn rates(name: &str) -> std::path::PathBuf {
    let folder = loans(name);
    done(
        &folder,
        "learn fit linear --data loans/train.csv --bounds loans/rate.toml --gdp 1 -o rate.json",
    );
    folder
}

fn predicted(folder: &Path, data: &str) -> Vec<f64> {
    let said = done(folder, &format!("learn predict rate.json --data {data} --json"));
    let rows: Vec<Value> = serde_json::from_str(&said).unwrap();
    rows.iter().map(|row| row["prediction"].as_f64().unwrap()).collect()
}

const GOOD: [&str; 3] = [
    r#"{"age": 40, "income": 55.5, "debt": 3, "work": "student", "home": "owner"}"#,
    r#"{"age": 30, "income": 90, "debt": 13, "work": "employed", "home": "tenant"}"#,
    r#"{"age": 70, "income": 20, "debt": 33, "work": "retired", "home": "tenant"}"#,
];

#[test]
fn an_odd_record_in_an_array_leaves_the_others_alone() {
    let folder = rates("learn-rows-odd");
    std::fs::write(folder.join("good.json"), format!("[{}]", GOOD.join(","))).unwrap();
    let good = predicted(&folder, "good.json");
    assert!(good[0] != good[1] && good[1] != good[2]);
    let deep = format!("{}{}", "[".repeat(300), "]".repeat(300));
    let odd: [&[u8]; 6] = [
        br#"{"age": 1e999, "income": 3}"#,
        br#"{"age": "\ud800"}"#,
        deep.as_bytes(),
        b"{\"work\": \"\xff\xfe\"}",
        b"null",
        b"[]",
    ];
    for record in odd {
        for place in 0..=3 {
            let mut records: Vec<&[u8]> = GOOD.iter().map(|record| record.as_bytes()).collect();
            records.insert(place, record);
            let array = [b" \n[".as_slice(), &records.join(b",\n".as_slice()), b"]\n"].concat();
            std::fs::write(folder.join("odd.json"), array).unwrap();
            std::fs::write(folder.join("odd.jsonl"), records.join(b"\n".as_slice())).unwrap();
            for data in ["odd.json", "odd.jsonl"] {
                let mut found = predicted(&folder, data);
                found.remove(place);
                assert_eq!(found, good, "{data} {place} {}", String::from_utf8_lossy(record));
            }
        }
    }
    for broken in ["[{\"age\": 3}", "[{\"age\": 3} {}]", "[{}] {}", "["] {
        std::fs::write(folder.join("broken.json"), broken).unwrap();
        let told = failed(&folder, "learn predict rate.json --data broken.json", 2);
        assert!(told.contains("array"), "{told}");
    }
    // That no record has a column is no mistake that could be told of: it would tell of the records.
    std::fs::write(folder.join("none.json"), "[{\"x\": 1}]").unwrap();
    assert_eq!(predicted(&folder, "none.json").len(), 1);
}

/// The three good records, and one without cells, column by column.
fn columns() -> Vec<(&'static str, ArrayRef)> {
    let work: DictionaryArray<Int32Type> =
        [Some("student"), Some("employed"), Some("retired"), None].into_iter().collect();
    let home: BinaryArray =
        [b"owner".as_slice(), b"tenant", b"tenant", b"\xff"].into_iter().map(Some).collect();
    vec![
        ("ignored", Arc::new(Date32Array::from(vec![1, 2, 3, 4])) as ArrayRef),
        ("home", Arc::new(home) as ArrayRef),
        ("age", Arc::new(Int64Array::from(vec![Some(40), Some(30), Some(70), None])) as ArrayRef),
        ("income", Arc::new(StringArray::from(vec!["55.5", "90", "20", "-"])) as ArrayRef),
        ("debt", Arc::new(Float64Array::from(vec![3.0, 13.0, 33.0, f64::NAN])) as ArrayRef),
        ("work", Arc::new(work) as ArrayRef),
    ]
}

fn write_typed(folder: &Path, columns: Vec<(&str, ArrayRef)>) {
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, column)| (name, column, true)),
    )
    .unwrap();
    let file = File::create(folder.join("rows.parquet")).unwrap();
    let mut parquet = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    parquet.write(&batch).unwrap();
    parquet.close().unwrap();
    let file = File::create(folder.join("rows.arrow")).unwrap();
    let mut arrow = FileWriter::try_new(file, &batch.schema()).unwrap();
    arrow.write(&batch).unwrap();
    arrow.finish().unwrap();
}

#[test]
fn a_table_says_the_same_in_every_format() {
    let folder = rates("learn-rows-formats");
    let write = |name: &str, text: String| std::fs::write(folder.join(name), text).unwrap();
    write("rows.json", format!("[{},{{}}]", GOOD.join(",")));
    write("rows.jsonl", format!("{}\n{{}}\n", GOOD.join("\n")));
    let csv = "home,age,income,debt,work\nowner,40,55.5,3,student\ntenant,30,90,13,employed\n\
               tenant,70,20,33,retired\n,,,,\n";
    write("rows.csv", csv.to_owned());
    write("rows.tsv", csv.replace(',', "\t"));
    write_typed(&folder, columns());
    let wanted = predicted(&folder, "rows.json");
    assert_eq!(wanted.len(), 4);
    for data in ["rows.jsonl", "rows.csv", "rows.tsv", "rows.parquet", "rows.arrow"] {
        assert_eq!(predicted(&folder, data), wanted, "{data}");
    }
    let model = folder.join("rate.json");
    let call = ["learn", "predict", model.to_str().unwrap(), "--data", "-", "--json"];
    let output = feed(&call, csv.as_bytes());
    let rows: Vec<Value> = serde_json::from_str(&stdout(&output)).unwrap();
    let found: Vec<_> = rows.iter().map(|row| row["prediction"].as_f64().unwrap()).collect();
    assert_eq!(found, wanted, "{}", stderr(&output));
}

#[test]
fn a_column_of_another_type_is_refused_by_its_type() {
    let folder = rates("learn-rows-types");
    let mut odd = columns();
    odd[2].1 = Arc::new(Date32Array::from(vec![20_000, 20_001, i32::MAX, i32::MIN]));
    write_typed(&folder, odd);
    for data in ["rows.parquet", "rows.arrow"] {
        let told = failed(&folder, &format!("learn predict rate.json --data {data}"), 2);
        assert!(told.contains("`age`") && told.contains("Date32"), "{told}");
        assert!(!told.contains("2024") && !told.contains("2147483647"), "{told}");
    }
    let without = columns().into_iter().filter(|(name, _)| *name != "age").collect();
    write_typed(&folder, without);
    for data in ["rows.parquet", "rows.arrow"] {
        let told = failed(&folder, &format!("learn predict rate.json --data {data}"), 2);
        assert!(told.contains("no column `age`") && told.contains("income"), "{told}");
    }
    for data in ["cut.parquet", "cut.arrow"] {
        std::fs::write(folder.join(data), "PAR1").unwrap();
        failed(&folder, &format!("learn predict rate.json --data {data}"), 2);
    }
}

/// Images of so many pixels a side, light in the left or in the right half.
pub(super) fn images(folder: &Path, side: usize, rows: usize) {
    let pixels: Vec<String> = (0..side * side).map(|place| format!("p{place}")).collect();
    let mut text = format!("{},side\n", pixels.join(","));
    for row in 0..rows {
        let left = row % 2 == 0;
        let light = |place: usize| (place % side < side / 2) == left;
        let pixel = |place: usize| if light(place) { 150 + (row * place) % 100 } else { row % 50 };
        let pixels: Vec<String> = (0..side * side).map(|p| pixel(p).to_string()).collect();
        text.push_str(&format!("{},{}\n", pixels.join(","), if left { "left" } else { "right" }));
    }
    std::fs::write(folder.join("images.csv"), text).unwrap();
    let label = "[label]\ncolumn = \"side\"\nclasses = [\"left\", \"right\"]\n";
    let last = side * side;
    let range = format!("[columns]\n\"p[0..{last}]\" = [0, 255]\n{label}");
    std::fs::write(folder.join("range.toml"), range).unwrap();
    let each: String = pixels.iter().map(|name| format!("{name} = [0, 255]\n")).collect();
    std::fs::write(folder.join("each.toml"), format!("[columns]\n{each}{label}")).unwrap();
}

#[test]
fn columns_stay_in_the_order_in_which_they_are_declared() {
    let folder = fresh("learn-rows-order");
    images(&folder, 4, 200);
    for bounds in ["range.toml", "each.toml"] {
        done(
            &folder,
            &format!(
                "learn fit naive-bayes --data images.csv --bounds {bounds} --epsilon 2 --delta 1e-5 -o m.json"
            ),
        );
        let card: Value =
            serde_json::from_str(&done(&folder, "learn inspect m.json --json")).unwrap();
        let columns = card["table"]["columns"].as_array().unwrap();
        let found: Vec<&str> = columns.iter().map(|one| one["name"].as_str().unwrap()).collect();
        let wanted: Vec<String> = (0..16).map(|place| format!("p{place}")).collect();
        assert_eq!(found, wanted, "{bounds}");
    }
    for wrong in ["p[3..3]", "p[5..2]", "p[a..b]", "p[0..99999999]", "p[-1..3]"] {
        let text = format!("[columns]\n\"{wrong}\" = [0, 1]\n");
        std::fs::write(folder.join("wrong.toml"), text).unwrap();
        let call = "learn fit pca --data images.csv --bounds wrong.toml --epsilon 1 --delta 1e-5";
        let told = failed(&folder, call, 2);
        assert!(told.contains("range"), "{told}");
    }
}
