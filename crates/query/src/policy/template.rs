//! A first policy for a file, from its name and schema alone: no value is looked at.

use std::fmt::Write as _;

use datafusion::arrow::datatypes::{DataType, Field, Schema};

use super::{Format, check};

/// Names of columns that usually say whose a row is, likeliest first.
const USUAL: &[&str] = &[
    "user_id",
    "userid",
    "user",
    "person_id",
    "patient_id",
    "customer_id",
    "client_id",
    "member_id",
    "subject_id",
    "respondent_id",
    "employee_id",
    "student_id",
    "household_id",
    "account_id",
    "device_id",
    "uid",
    "email",
    "ssn",
];

/// A commented policy.
pub(super) fn template(name: &str, path: &str, schema: &Schema) -> String {
    let format = Format::of_path(path);
    let mut text = String::from(HEAD);
    // Writing to a String does not fail.
    let _ = writeln!(text, "[tables.{}]", key(name));
    let _ = writeln!(text, "path = {}", quoted(path));
    if format.is_none() {
        let _ = writeln!(text, "# format = \"parquet\"         # parquet | csv | arrow");
    }
    text.push_str(&unit_lines(schema));
    text.push_str(LIMITS);
    let _ = writeln!(text, "\n[tables.{}.columns]", key(name));
    text.push_str(COLUMNS);
    for field in schema.fields() {
        text.push_str(&column_line(field, format == Some(Format::Csv)));
    }
    text
}

/// A name for the table of a file that SQL takes without quotes.
pub(super) fn name_for(path: &str) -> String {
    let stem = path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or("");
    let stem = stem.split('.').find(|part| !part.is_empty()).unwrap_or("");
    let lower = stem.to_lowercase();
    let fits = |c: char| (c.is_alphabetic() && !c.is_uppercase()) || c.is_ascii_digit();
    let plain: String = lower.chars().map(|c| if fits(c) { c } else { '_' }).take(60).collect();
    let plain = plain.trim_matches('_').to_string();
    if plain.is_empty() {
        return "data".to_string();
    }
    [plain.clone(), format!("t_{plain}"), format!("{plain}_table")]
        .into_iter()
        .find(|name| check::table_name(name).is_ok())
        .unwrap_or_else(|| "data".to_string())
}

const HEAD: &str = r#"# What may be asked of these tables, and how much may be learned. `throng explain` shows what a
# query would cost; nothing is read before it is paid for.

[budget]                      # one budget for all tables and analysts
epsilon = 3                   # the privacy loss of everything ever released; 1 to 10 is usual
delta = 1e-6                  # well below one over the number of units
# currency = "approximate"    # approximate | zcdp | gdp | pure: what epsilon and delta are kept in
# neighbours = "add-remove"   # add-remove | replace | zero-out

# [budget.analysts]           # quotas inside it; "*" is everyone who is not named
# alice = { epsilon = 1, delta = 1e-7 }

[query]                       # what one query costs unless it says otherwise
epsilon = 0.3
delta = 1e-7
# confidence = 0.95           # of the error bars

[ledger]
path = "throng.ledger"        # keep it: it knows what is spent

"#;

const LIMITS: &str = r#"max_groups = "auto"           # groups of one query that a unit counts in; a number, or chosen privately
max_rows = "auto"             # rows of a unit in each of them
"#;

const COLUMNS: &str = r#"# Bounds come from what a column means, never from a look at the data: values beyond are clamped.
# Keys that everybody knows may be listed; other groups are shown only if many units are in them.
"#;

fn unit_lines(schema: &Schema) -> String {
    match guess(schema) {
        Some(column) => format!(
            "unit = {}   # CONFIRM: guessed from the name. Whose data is protected? \
             {{ row = true }}: each row is another's\n",
            quoted(column)
        ),
        None => {
            "# unit = \"...\"   # FILL IN: the column that says whose a row is, or { row = true } \
                 if each row is another's\n"
                .to_string()
        }
    }
}

/// The column whose name says most clearly that it names people.
fn guess(schema: &Schema) -> Option<&str> {
    let columns = || schema.fields().iter().filter(|field| may_name(field.data_type()));
    let named = |wanted: &str| columns().find(|field| field.name().eq_ignore_ascii_case(wanted));
    let ends = |end: &str| columns().find(|field| field.name().to_lowercase().ends_with(end));
    let found = USUAL.iter().find_map(|name| named(name));
    found.or_else(|| ends("_id")).or_else(|| named("id")).map(|field| field.name().as_str())
}

fn may_name(kind: &DataType) -> bool {
    kind.is_integer() || kind.is_decimal() || is_text(kind)
}

fn is_text(kind: &DataType) -> bool {
    if let DataType::Dictionary(_, value) = kind {
        return is_text(value);
    }
    matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

fn column_line(field: &Field, csv: bool) -> String {
    let (name, kind) = (key(field.name()), field.data_type());
    if csv {
        return format!(
            "# {name} = {{ type = \"text\" }}   # text | integer | number | boolean | date | \
             timestamp; numbers also: lower = 0, upper = 100\n"
        );
    }
    if kind.is_integer() || kind.is_floating() || kind.is_decimal() {
        return format!(
            "# {name} = {{ lower = 0, upper = 100 }}   # {kind}; or {{ bounds = \"auto\" }}\n"
        );
    }
    if is_text(kind) {
        return format!(
            "# {name} = {{ keys = [\"...\"] }}   # text; only if the keys are public\n"
        );
    }
    format!("# {name}   # {}\n", quoted(&kind.to_string()))
}

/// A name as a key of TOML.
fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(bare) { name.to_string() } else { quoted(name) }
}

/// A text of TOML, on one line whatever is in it.
fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;
    use crate::policy::{Policy, Privacy, UnitRule};

    fn schema(fields: &[(&str, DataType)]) -> Schema {
        let field = |(name, kind): &(&str, DataType)| Field::new(*name, kind.clone(), true);
        Schema::new(fields.iter().map(field).collect::<Vec<_>>())
    }

    #[test]
    fn a_template_is_a_policy_with_a_guessed_unit() {
        let schema = schema(&[
            ("id", DataType::Int64),
            ("User_ID", DataType::Utf8),
            ("income", DataType::Float64),
            ("ts", DataType::Date32),
        ]);
        let text = Policy::template("events", "data/events.parquet", &schema);
        let policy = Policy::parse(&text, Path::new("throng.toml")).unwrap();
        assert_eq!(policy.warnings, Vec::<String>::new());
        let Privacy::Private { unit, .. } = &policy.tables[0].privacy else { panic!() };
        assert_eq!(*unit, UnitRule::Column { column: "User_ID".into(), name: None });
        assert!(text.contains("CONFIRM"));
        assert!(text.contains("# income = { lower = 0, upper = 100 }"), "{text}");
        // What is suggested in comments is right too.
        let filled = text.replace("# income", "income").replace("# User_ID", "User_ID");
        assert!(Policy::parse(&filled, Path::new("throng.toml")).is_ok());
    }

    #[test]
    fn without_a_name_that_helps_the_owner_must_decide() {
        let schema = schema(&[("weight", DataType::Float64)]);
        let text = Policy::template("t", "t.parquet", &schema);
        let error = Policy::parse(&text, Path::new("throng.toml")).unwrap_err().to_string();
        assert!(error.contains("unit is missing"), "{error}");
        let filled = text.replace("# unit = \"...\"", "unit = \"weight\"");
        assert!(Policy::parse(&filled, Path::new("throng.toml")).is_ok());
    }

    #[test]
    fn csv_columns_are_offered_types() {
        let schema = schema(&[("user_id", DataType::Utf8), ("age", DataType::Utf8)]);
        let text = Policy::template("t", "t.csv", &schema).replace("# age", "age");
        let policy = Policy::parse(&text, Path::new("throng.toml")).unwrap();
        assert!(policy.tables[0].column("age").unwrap().kind.is_some());
    }

    #[test]
    fn names_for_files() {
        for (path, name) in [
            ("events.parquet", "events"),
            ("/data/My Events-2026.csv", "my_events_2026"),
            ("2026.csv", "t_2026"),
            ("order.csv", "t_order"),
            ("dir/events/", "events"),
            ("kjøp.csv", "kjøp"),
            ("", "data"),
            ("../..", "data"),
            ("***", "data"),
        ] {
            assert_eq!(name_for(path), name, "{path}");
        }
    }

    proptest! {
        #[test]
        fn any_schema_gives_a_policy(
            columns in proptest::collection::btree_set(any::<String>(), 0..8),
            path in "[^\u{0}]{1,20}",
        ) {
            let mut fields: Vec<_> = columns
                .iter()
                .map(|name| Field::new(name, DataType::Float64, true))
                .collect();
            fields.retain(|field| field.name() != "user_id");
            fields.push(Field::new("user_id", DataType::Int64, true));
            let path = format!("x{}.parquet", path.replace("://", ""));
            let text = Policy::template(&name_for(&path), &path, &Schema::new(fields));
            let policy = Policy::parse(&text, Path::new("throng.toml")).unwrap();
            prop_assert_eq!(&policy.tables[0].paths, &vec![path]);
        }
    }
}
