//! Tables on disk, opened by a policy and read by the engine.

use std::fs::File;
use std::sync::atomic::{AtomicU32, Ordering};

use datafusion::arrow::array::{
    ArrayRef, DictionaryArray, Float64Array, Int32Array, Int64Array, LargeBinaryArray,
    LargeStringArray, RecordBatch, StringArray, StringViewArray, new_empty_array,
};
use datafusion::arrow::datatypes::{DataType, Field, Int32Type, Schema};
use datafusion::arrow::ipc::writer::FileWriter;
use datafusion::parquet::arrow::ArrowWriter;

use super::*;
use crate::policy::{Amount, Held, InMemory, UnitRule};
use crate::question::Limit;
use throng_account::Neighbours;

/// A directory that goes away with the test.
struct Place(PathBuf);

impl Place {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("throng-catalog-{}-{count}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    fn parquet(&self, name: &str, batch: &RecordBatch) -> PathBuf {
        let path = self.write(name, "");
        let file = File::create(&path).unwrap();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
        writer.write(batch).unwrap();
        writer.close().unwrap();
        path
    }

    fn arrow(&self, name: &str, batch: &RecordBatch) {
        let file = File::create(self.write(name, "")).unwrap();
        let mut writer = FileWriter::try_new(file, &batch.schema()).unwrap();
        writer.write(batch).unwrap();
        writer.finish().unwrap();
    }

    fn policy(&self, tables: &str) -> Policy {
        let text = format!("[budget]\nepsilon = 1\ndelta = 1e-6\n{tables}");
        Policy::parse(&text, &self.0.join("throng.toml")).unwrap()
    }

    fn open(&self, tables: &str) -> Result<Catalog, QueryError> {
        Catalog::open(&self.policy(tables))
    }

    fn error(&self, tables: &str) -> String {
        self.open(tables).unwrap_err().to_string()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn batch(users: &[i64]) -> RecordBatch {
    let names: Vec<_> = users.iter().map(|user| format!("city {user}")).collect();
    let income = users.iter().map(|_| Some(1.5)).collect::<Float64Array>();
    RecordBatch::try_from_iter(vec![
        ("user_id", Arc::new(Int64Array::from(users.to_vec())) as ArrayRef),
        ("city", Arc::new(StringArray::from(names))),
        ("income", Arc::new(income)),
    ])
    .unwrap()
}

/// What a query gives, as the engine prints it.
fn ask(catalog: &Catalog, sql: &str) -> Vec<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let context = catalog.context().unwrap();
    let batches = runtime.block_on(async { context.sql(sql).await.unwrap().collect().await });
    let table = datafusion::arrow::util::pretty::pretty_format_batches(&batches.unwrap()).unwrap();
    let text = table.to_string();
    let lines = text.lines().filter(|line| !line.starts_with('+')).skip(1);
    lines.map(|line| line.trim_matches(['|', ' ']).to_string()).collect()
}

fn table(path: &str) -> String {
    format!("[tables.t]\npath = \"{path}\"\nunit = \"user_id\"\n")
}

#[test]
fn files_directories_and_globs_are_read() {
    let place = Place::new();
    place.parquet("d/a.parquet", &batch(&[1, 2]));
    place.parquet("d/b.parquet", &batch(&[3]));
    place.parquet("d/.hidden.parquet", &batch(&[4]));
    place.parquet("d/_temporary.parquet", &batch(&[4]));
    place.parquet("d/deeper/c.parquet", &batch(&[5]));
    place.write("d/notes.txt", "not data");
    for (path, users) in [
        ("\"d/a.parquet\"", 3),
        ("\"d\"", 6),
        ("\"d/\"", 6),
        ("\"d/*.parquet\"", 10),
        ("\"./d/[a-b].parquet\"", 6),
        ("\"*/?.parquet\"", 6),
        ("\"d/*/c.parquet\"", 5),
        ("[\"d\", \"d/a.parquet\", \"d/../d/a.parquet\"]", 6),
        ("[\"d/deeper\", \"d/a.parquet\"]", 8),
    ] {
        let format = "unit = \"user_id\"\nformat = \"parquet\"";
        let catalog = place.open(&format!("[tables.t]\npath = {path}\n{format}\n")).unwrap();
        let sum = ask(&catalog, "SELECT sum(user_id) FROM t");
        assert_eq!(sum, [users.to_string()], "{path}");
        assert!(catalog.files("t").unwrap().bytes > 0);
    }
}

#[test]
fn all_formats_give_the_same_table() {
    let place = Place::new();
    place.parquet("a.parquet", &batch(&[1, 2]));
    place.arrow("a.arrow", &batch(&[1, 2]));
    place.write("a.csv", "user_id,city,income\n1,city 1,1.5\n2,city 2,1.5\n");
    let mut answers = Vec::new();
    for (name, extra) in [
        ("a.parquet", ""),
        ("a.arrow", ""),
        ("a.csv", "columns = { user_id = { type = \"integer\" }, income = { type = \"number\" } }"),
    ] {
        let catalog = place.open(&format!("{}{extra}\n", table(name))).unwrap();
        let rows = ask(&catalog, "SELECT city, user_id, income FROM t WHERE income > 1 ORDER BY 1");
        answers.push((rows, catalog.schema("t").unwrap()));
    }
    assert_eq!(answers[0].0.len(), 2);
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
}

#[test]
fn csv_without_declared_types_is_text() {
    let place = Place::new();
    place.write("a.csv", "user_id,n\n1,10\n2,x\n");
    let catalog = place.open(&table("a.csv")).unwrap();
    assert!(catalog.schema("t").unwrap().fields().iter().all(|f| *f.data_type() == DataType::Utf8));
    assert_eq!(ask(&catalog, "SELECT count(*) FROM t"), ["2"]);
    let typed = format!("{}columns = {{ n = {{ type = \"integer\" }} }}\n", table("a.csv"));
    let catalog = place.open(&typed).unwrap();
    assert_eq!(
        ask(&catalog, "SELECT sum(n), count(n), count(*) FROM t"),
        ["10       | 1          | 2"]
    );
    assert_eq!(ask(&catalog, "SELECT n FROM t LIMIT 1"), ["10"]);
}

#[test]
fn strange_file_names_are_files() {
    let place = Place::new();
    for name in ["a b.parquet", "ø%20.parquet", "x#?.parquet", "[1]*.parquet", "a'b&c=d.parquet"] {
        place.parquet(name, &batch(&[7]));
        let catalog = place.open(&table(name)).unwrap();
        assert_eq!(ask(&catalog, "SELECT sum(user_id) FROM t"), ["7"], "{name}");
    }
}

#[test]
fn text_is_one_type_however_it_was_written() {
    let place = Place::new();
    let kinds: [(&str, ArrayRef); 4] = [
        ("plain", Arc::new(StringArray::from(vec!["x"]))),
        ("large", Arc::new(LargeStringArray::from(vec!["x"]))),
        ("view", Arc::new(StringViewArray::from(vec!["x"]))),
        ("dictionary", Arc::new(DictionaryArray::<Int32Type>::from_iter(["x"]))),
    ];
    for (name, array) in kinds {
        let batch = RecordBatch::try_from_iter(vec![("user_id", array)]).unwrap();
        place.parquet(&format!("p/{name}.parquet"), &batch);
        place.arrow(&format!("{name}.arrow"), &batch);
        let catalog = place.open(&table(&format!("{name}.arrow"))).unwrap();
        assert_eq!(ask(&catalog, "SELECT user_id FROM t WHERE user_id = 'x'"), ["x"], "{name}");
    }
    let catalog = place.open(&format!("{}format = \"parquet\"\n", table("p"))).unwrap();
    assert_eq!(*catalog.schema("t").unwrap().field(0).data_type(), DataType::Utf8);
    let counted = ask(&catalog, "SELECT user_id, count(*) FROM t GROUP BY user_id");
    assert_eq!(counted, ["x       | 4"]);
}

#[test]
fn what_cannot_be_opened_says_why() {
    let place = Place::new();
    place.parquet("a.parquet", &batch(&[1]));
    place.write("bad.parquet", "PAR1 no, not at all PAR1");
    place.write("empty.parquet", "");
    place.write("bad.arrow", "ARROW1");
    place.write("empty.csv", "");
    place.write("twice.csv", "user_id,user_id\n");
    place.write("unnamed.csv", "user_id,\n");
    place.write("latin.csv", b"user_id,caf\xe9\n");
    place.write("mixed/a.csv", "user_id,a\n");
    place.write("mixed/b.csv", "user_id,b\n");
    place.write("wide/a.csv", "user_id\n");
    place.write("wide/b.csv", "user_id,b\n");
    std::fs::create_dir(place.0.join("nothing")).unwrap();
    for (name, format, part) in [
        ("missing.parquet", "parquet", "not found"),
        ("nothing", "parquet", "there is no parquet file at nothing"),
        ("none/*.parquet", "parquet", "there is no parquet file"),
        ("**/a.parquet", "parquet", "** is not supported"),
        ("bad.parquet", "parquet", "is not a parquet file"),
        ("empty.parquet", "parquet", "is not a parquet file"),
        ("a.parquet", "arrow", "is not a arrow file"),
        ("bad.arrow", "arrow", "is not a arrow file"),
        ("empty.csv", "csv", "no header"),
        ("latin.csv", "csv", "no header of UTF-8"),
        ("twice.csv", "csv", "column user_id cannot be told apart"),
        ("unnamed.csv", "csv", "without a name"),
        ("mixed", "csv", "differ: column a (Utf8) and column b (Utf8)"),
        ("wide", "csv", "1 and 2 columns"),
    ] {
        let error = place.error(&format!("{}format = \"{format}\"\n", table(name)));
        assert!(error.contains(part), "{name}: {error}");
        assert!(error.contains("table t"), "{name}: {error}");
    }
}

#[test]
fn the_policy_is_held_against_the_schema() {
    let place = Place::new();
    place.parquet("a.parquet", &batch(&[1]));
    for (lines, part) in [
        ("unit = \"user\"", "no column user\nhint: did you mean user_id?"),
        ("unit = \"income\"", "cannot name units"),
        (
            "unit = \"user_id\"\ncolumns = { incme = { lower = 0, upper = 1 } }",
            "did you mean income?",
        ),
        (
            "unit = \"user_id\"\ncolumns = { city = { lower = 0, upper = 1 } }",
            "has bounds but is Utf8",
        ),
        ("unit = \"user_id\"\ncolumns = { city = { keys = [1] } }", "is not of type Utf8"),
        ("unit = \"user_id\"\ncolumns = { user_id = { keys = [\"1\"] } }", "is not of type Int64"),
        (
            "unit = \"user_id\"\ncolumns = { income = { keys = [1.0, 1.00000000000000000001] } }",
            "listed twice",
        ),
    ] {
        let error = place.error(&format!("[tables.t]\npath = \"a.parquet\"\n{lines}\n"));
        assert!(error.contains(part), "{lines}: {error}");
    }
    let keys =
        format!("{}columns = {{ city = {{ keys = [\"b\", \"a\"] }} }}\n", table("a.parquet"));
    let catalog = place.open(&keys).unwrap();
    let expected = [ScalarValue::from("b"), ScalarValue::from("a")];
    assert_eq!(catalog.keys("t", "city"), Some(expected.as_slice()));
    assert_eq!(catalog.keys("t", "income"), None);
    assert!(catalog.schema("nowhere").unwrap_err().to_string().contains("the policy has: t"));
}

#[test]
fn units_across_tables_have_one_type() {
    let place = Place::new();
    place.parquet("a.parquet", &batch(&[1]));
    place.write("b.csv", "ref,owner\n1,2\n");
    let a = "[tables.a]\npath = \"a.parquet\"\nunit = { column = \"user_id\", name = \"u\" }\n";
    let b = |unit: &str| format!("{a}[tables.b]\npath = \"b.csv\"\nunit = {unit}\n");
    let through = |key: &str| format!("{{ column = \"ref\", table = \"a\", key = \"{key}\" }}");
    let error = place.error(&b(&through("user_id")));
    assert!(error.contains("ref is Utf8, but a.user_id is Int64"), "{error}");
    assert!(place.error(&b(&through("usr_id"))).contains("did you mean user_id?"));
    place.open(&b(&through("city"))).unwrap();
    let error = place.error(&b("{ column = \"owner\", name = \"u\" }"));
    assert!(error.contains("have the same units (u)"), "{error}");
    let typed = "columns = { owner = { type = \"integer\" } }\n";
    place.open(&format!("{}{typed}", b("{ column = \"owner\", name = \"u\" }"))).unwrap();
}

#[test]
fn a_file_is_not_public_and_private() {
    let place = Place::new();
    place.parquet("a.parquet", &batch(&[1]));
    let both = format!("{}[tables.p]\npath = \"./a.parquet\"\npublic = true\n", table("a.parquet"));
    assert!(place.error(&both).contains("one public and one private"));
}

#[test]
fn fingerprints_follow_the_files() {
    let place = Place::new();
    place.parquet("d/a.parquet", &batch(&[1]));
    let policy = place.policy(&table("d/*.parquet"));
    let before = Catalog::open(&policy).unwrap();
    let same = Catalog::open(&policy).unwrap();
    assert_eq!(before.fingerprint("t").unwrap(), same.fingerprint("t").unwrap());
    before.unchanged(&policy, "t").unwrap();
    let path = place.parquet("d/b.parquet", &batch(&[2]));
    assert!(before.unchanged(&policy, "t").unwrap_err().to_string().contains("changed"));
    let more = Catalog::open(&policy).unwrap();
    assert_ne!(before.fingerprint("t").unwrap(), more.fingerprint("t").unwrap());
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(10);
    File::options().write(true).open(&path).unwrap().set_modified(later).unwrap();
    assert!(more.unchanged(&policy, "t").is_err());
    std::fs::remove_file(&path).unwrap();
    before.unchanged(&policy, "t").unwrap();
    assert!(more.unchanged(&policy, "t").is_err());
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_devices_are_not_read() {
    let place = Place::new();
    place.parquet("real/a.parquet", &batch(&[9]));
    std::os::unix::fs::symlink("real", place.0.join("link")).unwrap();
    std::os::unix::fs::symlink("real/a.parquet", place.0.join("one.parquet")).unwrap();
    std::os::unix::fs::symlink("/dev/null", place.0.join("null.parquet")).unwrap();
    std::os::unix::fs::symlink("loop.parquet", place.0.join("loop.parquet")).unwrap();
    for path in ["link", "one.parquet", "link/a.parquet"] {
        let catalog = place.open(&format!("{}format = \"parquet\"\n", table(path))).unwrap();
        assert_eq!(ask(&catalog, "SELECT sum(user_id) FROM t"), ["9"], "{path}");
    }
    assert!(place.error(&table("null.parquet")).contains("not a regular file"));
    assert!(place.open(&table("loop.parquet")).is_err());
}

#[test]
fn statistics_do_not_steer_the_engine() {
    let place = Place::new();
    place.parquet("a.parquet", &batch(&[1, 2, 3]));
    let text = format!("[engine]\nthreads = 3\nmemory = \"64 MiB\"\n{}", table("a.parquet"));
    let catalog = place.open(&text).unwrap();
    let config = catalog.session_config();
    assert!(!config.collect_statistics() && config.target_partitions() == 3);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let context = catalog.context().unwrap();
    // With statistics the engine would answer from the footer.
    let plan = runtime.block_on(async {
        let frame = context.sql("SELECT count(*) FROM t").await.unwrap();
        frame.create_physical_plan().await.unwrap()
    });
    let shown = datafusion::physical_plan::displayable(plan.as_ref()).indent(true).to_string();
    assert!(shown.contains("DataSourceExec"), "{shown}");
}

/// How many bytes a query reads.
fn scanned(catalog: &Catalog, sql: &str) -> usize {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let context = catalog.context().unwrap();
    let mut plan = runtime.block_on(async {
        let plan = context.sql(sql).await.unwrap().create_physical_plan().await.unwrap();
        let task = context.task_ctx();
        datafusion::physical_plan::collect(Arc::clone(&plan), task).await.unwrap();
        plan
    });
    while let Some(child) = plan.children().first().copied().cloned() {
        plan = child;
    }
    plan.metrics().unwrap().sum_by_name("bytes_scanned").unwrap().as_usize()
}

#[test]
fn what_is_in_a_file_does_not_decide_how_much_is_read() {
    let place = Place::new();
    let users: Vec<i64> = (0..1000).collect();
    let batch = batch(&users);
    let properties = datafusion::parquet::file::properties::WriterProperties::builder()
        .set_max_row_group_row_count(Some(100))
        .set_bloom_filter_enabled(true)
        .build();
    let file = File::create(place.write("a.parquet", "")).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let catalog = place.open(&table("a.parquet")).unwrap();
    let bytes = |filter: &str| {
        scanned(&catalog, &format!("SELECT city, sum(income) FROM t WHERE {filter} GROUP BY 1"))
    };
    let all = bytes("user_id >= 0");
    assert!(all > 1000);
    for filter in ["user_id = 5", "user_id = 5000", "user_id < 0 AND city = 'nowhere'"] {
        assert_eq!(bytes(filter), all, "{filter}");
    }
}

#[test]
fn wide_tables_are_opened() {
    let place = Place::new();
    let names: Vec<_> = (0..20_000).map(|i| format!("c{i}")).collect();
    place.write("wide.csv", format!("user_id,{}\n1,2,3\n", names.join(",")));
    let catalog = place.open(&table("wide.csv")).unwrap();
    assert_eq!(catalog.schema("t").unwrap().fields().len(), 20_001);
    assert_eq!(ask(&catalog, "SELECT c0, c1, c19999 FROM t"), ["2  | 3"]);
}

#[test]
fn a_file_gives_the_schema_of_a_template() {
    let place = Place::new();
    let path = place.parquet("My Events.parquet", &batch(&[1]));
    let path = path.to_str().unwrap();
    let schema = schema_of(path).unwrap();
    let text = Policy::template(&Policy::name_for(path), path, &schema);
    let policy = Policy::parse(&text, &place.0.join("throng.toml")).unwrap();
    let catalog = Catalog::open(&policy).unwrap();
    assert_eq!(catalog.names().collect::<Vec<_>>(), ["my_events"]);
    assert!(schema_of("what.docx").is_err() && schema_of("missing.csv").is_err());
}

/// A policy of one table in memory, and that table.
fn held(batches: Vec<RecordBatch>, schema: SchemaRef) -> (Policy, Frames) {
    let frame = Frame::new(Arc::clone(&schema), batches).unwrap();
    let policy = Policy::in_memory(InMemory {
        tables: vec![Held {
            name: "t".into(),
            unit: Some(UnitRule::Column { column: "user_id".into(), name: None }),
            schema,
        }],
        bounds: Vec::new(),
        keys: Vec::new(),
        max_groups: Limit::Auto,
        max_rows: Limit::Auto,
        neighbours: Neighbours::AddRemove,
        budget: Amount::Pure { epsilon: "1".parse().unwrap() },
        ledger: PathBuf::new(),
    });
    (policy.unwrap(), Frames::from([("t".to_owned(), frame)]))
}

fn open_held(batches: Vec<RecordBatch>) -> Result<Catalog, QueryError> {
    let schema = batches[0].schema();
    let (policy, frames) = held(batches, schema);
    Catalog::open_with(&policy, &frames)
}

fn column(values: ArrayRef) -> RecordBatch {
    RecordBatch::try_from_iter(vec![("user_id", values)]).unwrap()
}

#[test]
fn frames_are_one_table_however_text_is_kept() {
    let views = StringViewArray::from(vec!["x", "y", "a text that is longer than a view"]);
    let large = LargeStringArray::from(vec!["x", "y", "a text that is longer than a view"]);
    let keys = Int32Array::from(vec![Some(0), None, Some(2), Some(0)]);
    let listed =
        |values: ArrayRef| -> ArrayRef { Arc::new(DictionaryArray::new(keys.clone(), values)) };
    let long = "a text that is longer than a view";
    let texts = vec![Some("x"), None, Some(long), Some("x")];
    let kinds: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from(texts.clone())),
        Arc::new(LargeStringArray::from(texts.clone())),
        Arc::new(StringViewArray::from(texts)),
        listed(Arc::new(views)),
        listed(Arc::new(large)),
    ];
    for values in kinds {
        let kind = values.data_type().clone();
        let (whole, nothing) = (column(values), column(new_empty_array(&kind)));
        let batches = vec![whole.slice(1, 2), nothing, whole.slice(0, 1), whole.slice(3, 1)];
        let catalog = open_held(batches).unwrap();
        assert_eq!(*catalog.schema("t").unwrap().field(0).data_type(), DataType::Utf8, "{kind}");
        let counted = "SELECT count(*), count(user_id), min(user_id) FROM t";
        assert_eq!(ask(&catalog, counted), [format!("4        | 3                | {long}")]);
        assert_eq!(ask(&catalog, "SELECT count(*) FROM t WHERE user_id = 'x'"), ["2"], "{kind}");
    }
    // Nobody, and a dictionary without a value.
    let empty: ArrayRef = Arc::new(StringArray::from(Vec::<&str>::new()));
    let nobody = DictionaryArray::new(Int32Array::from(vec![None, None]), empty);
    let catalog = open_held(vec![column(Arc::new(nobody))]).unwrap();
    let counted = ask(&catalog, "SELECT count(*), count(user_id) FROM t");
    assert_eq!(counted, ["2        | 0"]);
}

#[test]
fn bytes_are_kept_and_numbers_of_dictionaries_are_numbers() {
    let bytes: ArrayRef = Arc::new(LargeBinaryArray::from_vec(vec![b"\xff", b""]));
    let catalog = open_held(vec![column(bytes)]).unwrap();
    assert_eq!(*catalog.schema("t").unwrap().field(0).data_type(), DataType::Binary);
    assert_eq!(ask(&catalog, "SELECT count(*) FROM t WHERE user_id = x'ff'"), ["1"]);
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![7, 9]));
    let keys = Int32Array::from(vec![Some(1), None, Some(1)]);
    let catalog = open_held(vec![column(Arc::new(DictionaryArray::new(keys, numbers)))]).unwrap();
    assert_eq!(ask(&catalog, "SELECT sum(user_id) FROM t"), ["18"]);
}

#[test]
fn no_text_is_too_long() {
    // Together too much for one batch, and one value that is too much for itself.
    let most = plain::VALUE_BYTES;
    let texts: Vec<String> = (0..9).map(|i| "ü".repeat(most / 2 + 2 * (i % 2))).collect();
    let lengths = "SELECT count(*), max(octet_length(user_id)), min(octet_length(user_id)) FROM t";
    for large in [true, false] {
        let texts = texts.iter().map(String::as_str);
        let values: ArrayRef = match large {
            true => Arc::new(LargeStringArray::from_iter_values(texts)),
            false => Arc::new(StringViewArray::from_iter_values(texts)),
        };
        let catalog = open_held(vec![column(values)]).unwrap();
        let cells = ask(&catalog, lengths).remove(0);
        let cells: Vec<&str> = cells.split('|').map(str::trim).collect();
        let most = most.to_string();
        assert_eq!(cells, ["9", most.as_str(), most.as_str()]);
    }
}

/// What the engine plans for a query.
#[expect(deprecated, reason = "what an engine would still look at")]
fn planned(catalog: &Catalog, sql: &str) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let context = catalog.context().unwrap();
    let plan = runtime
        .block_on(async { context.sql(sql).await.unwrap().create_physical_plan().await.unwrap() });
    let display = datafusion::physical_plan::displayable(plan.as_ref());
    format!("{}\n{:?}", display.indent(true), plan.partition_statistics(None))
}

#[test]
fn nothing_about_rows_in_memory_reaches_a_plan() {
    let tables = [vec![], vec![1], vec![7; 100], (0..30_000).collect::<Vec<i64>>()];
    let catalogs = tables.iter().map(|users| {
        let rows = batch(users);
        let half = rows.num_rows() / 2;
        let pieces = vec![rows.slice(0, half), rows.slice(half, rows.num_rows() - half)];
        open_held(pieces).unwrap()
    });
    let catalogs: Vec<Catalog> = catalogs.collect();
    for sql in [
        "SELECT count(*) FROM t",
        "SELECT min(income), max(user_id) FROM t",
        "SELECT city, sum(income) FROM t GROUP BY city",
        "SELECT a.city FROM t a JOIN t b ON a.user_id = b.user_id",
        "SELECT user_id FROM t WHERE income > 1 ORDER BY user_id",
    ] {
        let plans: Vec<String> = catalogs.iter().map(|catalog| planned(catalog, sql)).collect();
        assert!(plans.iter().all(|plan| *plan == plans[0]), "{sql}: {plans:#?}");
        assert!(plans[0].contains("StreamingTableExec"), "{}", plans[0]);
    }
    let versions: Vec<String> =
        catalogs.iter().map(|catalog| catalog.fingerprint("t").unwrap()).collect();
    assert!(versions.array_windows().all(|[a, b]| a != b), "{versions:?}");
    for catalog in &catalogs {
        assert!(catalog.provider("t").unwrap().statistics().is_none());
        assert_eq!(catalog.files("t").unwrap().bytes, 0);
        assert!(catalog.rows("t").unwrap().is_none());
        assert!(!format!("{catalog:?}").contains("city 7"));
    }
    // The same rows, opened again, are another version.
    let (policy, frames) = held(vec![batch(&[1])], batch(&[1]).schema());
    let version = || Catalog::open_with(&policy, &frames).unwrap().fingerprint("t").unwrap();
    assert_ne!(version(), version());
}

#[test]
fn frames_that_do_not_fit_say_why() {
    let numbers: ArrayRef = Arc::new(Float64Array::from(vec![1.5]));
    let error = |batches| open_held(batches).unwrap_err().to_string();
    let said = error(vec![column(numbers)]);
    assert!(said.contains("column user_id (Float64) cannot name units"), "{said}");
    let (policy, _) = held(vec![batch(&[1])], batch(&[1]).schema());
    let said = Catalog::open_with(&policy, &Frames::new()).unwrap_err().to_string();
    assert!(said.contains("table t is held in memory, and is not given"), "{said}");
    let inner = DictionaryArray::<Int32Type>::from_iter(["x"]);
    let nested = DictionaryArray::new(Int32Array::from(vec![0]), Arc::new(inner));
    let said = error(vec![column(Arc::new(nested))]);
    assert!(said.contains("column user_id is") && said.contains("cannot read"), "{said}");
    let other = column(Arc::new(Int64Array::from(vec![1])));
    let said = Frame::new(batch(&[1]).schema(), vec![other]).unwrap_err().to_string();
    assert!(said.contains("different columns"), "{said}");
    let twice = Schema::new(vec![
        Field::new("user_id", DataType::Int64, true),
        Field::new("user_id", DataType::Int64, true),
    ]);
    let (policy, frames) = held(Vec::new(), Arc::new(twice));
    let said = Catalog::open_with(&policy, &frames).unwrap_err().to_string();
    assert!(said.contains("cannot be told apart"), "{said}");
}
