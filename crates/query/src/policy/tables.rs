//! The tables of a policy.

use std::collections::{BTreeMap, BTreeSet};

use super::read::{Fields, Node, shown};
use super::units::{self, Lost};
use super::{ColumnRule, Format, Kind, Privacy, Table, UnitRule, Value, check, fields};
use crate::QueryError;
use crate::question::{Limit, Limits, Range};
use throng_numeric::Rational;

/// Reads all tables, then checks that each private row finds its unit.
pub(super) fn tables(root: &Fields<'_>) -> Result<Vec<Table>, QueryError> {
    let hint = "add [tables.events] with path = \"events.parquet\" and unit = \"user_id\"";
    let section = root.need("tables", hint)?.fields()?;
    let mut tables = Vec::new();
    let mut places = Vec::new();
    for (name, span, node) in section.entries() {
        check::table_name(name).map_err(|(what, hint)| section.error_at(&span, &what, &hint))?;
        let section = node.fields()?;
        tables.push(table(name, &section)?);
        places.push(section);
    }
    if tables.is_empty() {
        return Err(section.error("there is no table", hint));
    }
    for (table, place) in tables.iter().zip(&places) {
        units::path(&tables, &table.name).map_err(|lost| nowhere(&tables, place, &lost))?;
    }
    tables.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(tables)
}

fn nowhere(tables: &[Table], place: &Fields<'_>, lost: &Lost) -> QueryError {
    let error = |what: &str, hint: &str| match place.get("unit") {
        Some(node) => node.error(what, hint),
        None => place.error(what, hint),
    };
    match lost {
        Lost::Missing(name) => {
            let known = tables.iter().map(|table| table.name.as_str());
            let hint = super::place::suggestion(name, known);
            error(&format!("there is no table {}", shown(name)), &hint)
        }
        Lost::Cycle(names) => error(
            &format!("the path to the unit runs in a circle: {}", names.join(" -> ")),
            "one table of the path has to have a unit column of its own",
        ),
        Lost::Public(name) => error(
            &format!("the path to the unit ends in {name}, which is public and has no unit"),
            &format!("give {name} a unit, or let the path end in a private table"),
        ),
        Lost::Row(name) => error(
            &format!("the path to the unit ends in {name}, where each row is a unit of its own"),
            &format!("name the column of {name} that tells its rows apart as its unit"),
        ),
    }
}

fn table(name: &str, section: &Fields<'_>) -> Result<Table, QueryError> {
    section.only(fields::TABLE)?;
    let paths = paths(section)?;
    let format = format(section, &paths)?;
    let mut columns = BTreeMap::new();
    if let Some(node) = section.get("columns") {
        for (column, _, node) in node.fields()?.entries() {
            columns.insert(column.to_string(), rule(name, column, format, &node)?);
        }
    }
    let privacy = privacy(section)?;
    bounded_sums(section, &privacy)?;
    Ok(Table { name: name.to_string(), paths, format, columns, privacy })
}

fn paths(section: &Fields<'_>) -> Result<Vec<String>, QueryError> {
    let node =
        section.need("path", "name a file, a directory or a glob: path = \"events/*.parquet\"")?;
    let nodes = if node.words().is_some() { vec![node] } else { node.list()? };
    let Some(first) = nodes.first() else {
        return Err(section.error("path is an empty list", "name at least one file"));
    };
    let remote = nodes.iter().find(|node| node.words().is_some_and(|path| path.contains("://")));
    if let Some(node) = remote {
        return Err(node.error("only local files can be read", "copy the file here first"));
    }
    first.name()?;
    nodes.iter().map(|node| Ok(node.name()?.to_string())).collect()
}

fn format(section: &Fields<'_>, paths: &[String]) -> Result<Format, QueryError> {
    if let Some(node) = section.get("format") {
        return node.choice(&[
            ("parquet", Format::Parquet),
            ("csv", Format::Csv),
            ("arrow", Format::Arrow),
        ]);
    }
    let hint = "add format = \"parquet\", \"csv\" or \"arrow\"";
    let mut found = paths.iter().map(|path| Format::of_path(path));
    let first = found.next().flatten();
    match first {
        Some(format) if found.all(|other| other == first) => Ok(format),
        _ => Err(section.error("the format is not clear from the names of the files", hint)),
    }
}

fn privacy(section: &Fields<'_>) -> Result<Privacy, QueryError> {
    let public = section.get("public").map(|node| node.boolean()).transpose()?.unwrap_or(false);
    if public {
        for field in ["unit", "max_groups", "max_rows"] {
            if let Some(node) = section.get(field) {
                let hint = "leave it out, or leave out public = true";
                return Err(node.error("a public table is not protected", hint));
            }
        }
        return Ok(Privacy::Public);
    }
    let hint = "say whose data it is: unit = \"user_id\"; unit = { row = true } if each row is \
                someone else's; public = true if there is nothing to protect";
    let unit = unit(&section.need("unit", hint)?)?;
    if unit == UnitRule::Row {
        for field in ["max_groups", "max_rows"] {
            if let Some(node) = section.get(field) {
                return Err(node.error("each row is a unit: there is nothing to bound", ""));
            }
        }
        let limits = Limits { groups: Limit::Fixed(1), rows: Limit::Fixed(1) };
        return Ok(Privacy::Private { unit, limits });
    }
    let limits =
        Limits { groups: limit(section, "max_groups")?, rows: limit(section, "max_rows")? };
    Ok(Privacy::Private { unit, limits })
}

fn unit(node: &Node<'_>) -> Result<UnitRule, QueryError> {
    if !node.is_table() {
        return Ok(UnitRule::Column { column: node.name()?.to_string(), name: None });
    }
    let section = node.fields()?;
    section.only(fields::UNIT)?;
    let text = |field: &str| -> Result<Option<String>, QueryError> {
        section.get(field).map(|node| Ok(node.name()?.to_string())).transpose()
    };
    let row = section.get("row").map(|node| node.boolean()).transpose()?.unwrap_or(false);
    match (row, text("column")?, text("name")?, text("table")?, text("key")?) {
        (true, None, None, None, None) => Ok(UnitRule::Row),
        (false, Some(column), name, None, None) => Ok(UnitRule::Column { column, name }),
        (false, Some(column), None, Some(table), Some(key)) => {
            Ok(UnitRule::Through { column, table, key })
        }
        _ => Err(node.error(
            "does not say whose a row is",
            "one of: \"user_id\"; { row = true }; { column = \"user_id\", name = \"user\" }; \
             { column = \"order_id\", table = \"orders\", key = \"id\" }",
        )),
    }
}

fn limit(section: &Fields<'_>, field: &str) -> Result<Limit, QueryError> {
    let Some(node) = section.get(field) else { return Ok(Limit::Auto) };
    if node.words().is_some() {
        return node.choice(&[("auto", Limit::Auto)]);
    }
    match node.whole()? {
        0 => Err(node.error("must be at least 1", "\"auto\" lets it be chosen privately")),
        most if most > check::MOST_CONTRIBUTIONS => {
            Err(node.error("is too large", "\"auto\" lets it be chosen privately"))
        }
        most => Ok(Limit::Fixed(most)),
    }
}

fn at_least_one(node: &Node<'_>) -> Result<u64, QueryError> {
    match node.whole()? {
        0 => Err(node.error("must be at least 1", "")),
        most if most > check::MOST_CONTRIBUTIONS => Err(node.error("is too large", "")),
        most => Ok(most),
    }
}

/// Only units of several rows have sums to be bounded.
fn bounded_sums(section: &Fields<'_>, privacy: &Privacy) -> Result<(), QueryError> {
    let hint = match privacy {
        Privacy::Public => "leave it out: a public table is not protected",
        Privacy::Private { unit: UnitRule::Row, .. } => {
            "each row is a unit: lower and upper bound what it adds"
        }
        Privacy::Private { .. } => return Ok(()),
    };
    let Some(columns) = section.get("columns") else { return Ok(()) };
    for (_, _, column) in columns.fields()?.entries() {
        if let Some(node) = column.fields()?.get("unit_sum") {
            return Err(node.error("there is no unit with a sum of its own", hint));
        }
    }
    Ok(())
}

fn rule(
    table: &str,
    column: &str,
    format: Format,
    node: &Node<'_>,
) -> Result<ColumnRule, QueryError> {
    let section = node.fields()?;
    section.only(fields::COLUMN)?;
    let (range, unit_sum) = (range(table, column, &section)?, unit_sum(&section)?);
    if let (Some(Range::Declared { lower, upper }), Some(most), Some(node)) =
        (&range, &unit_sum, section.get("unit_sum"))
        && lower.abs().max(upper.abs()) > *most
    {
        let hint = "a sum can be as large as one value: narrow lower and upper, or raise it";
        return Err(node.error("is less than a single value may be", hint));
    }
    // A value alone is a sum as well.
    let alone = |most: &Rational| Range::Declared { lower: -most.clone(), upper: most.clone() };
    Ok(ColumnRule {
        range: range.or_else(|| unit_sum.as_ref().map(alone)),
        unit_sum,
        max_matches: section.get("max_matches").map(|node| at_least_one(&node)).transpose()?,
        keys: section.get("keys").map(|node| keys(&node)).transpose()?,
        kind: section.get("type").map(|node| kind(&node, format)).transpose()?,
    })
}

fn range(table: &str, column: &str, section: &Fields<'_>) -> Result<Option<Range>, QueryError> {
    match (section.get("bounds"), section.get("lower"), section.get("upper")) {
        (None, None, None) => Ok(None),
        (Some(node), None, None) => {
            node.choice(&[("auto", ())])?;
            Ok(Some(Range::Auto { column: format!("{table}.{column}") }))
        }
        (None, Some(lower), Some(upper)) => {
            let (least, most) = (lower.number()?, upper.number()?);
            if least >= most {
                return Err(lower.error("lower must be below upper", ""));
            }
            Ok(Some(Range::Declared { lower: least, upper: most }))
        }
        (None, Some(_), None) => Err(section.error("upper is missing", "or bounds = \"auto\"")),
        (None, None, Some(_)) => Err(section.error("lower is missing", "or bounds = \"auto\"")),
        (Some(node), _, _) => {
            Err(node.error("bounds = \"auto\" goes without lower and upper", "keep one of the two"))
        }
    }
}

fn unit_sum(section: &Fields<'_>) -> Result<Option<Rational>, QueryError> {
    let Some(node) = section.get("unit_sum") else { return Ok(None) };
    let most = node.number()?;
    if !most.is_positive() {
        return Err(node.error("must be above 0", "the largest sum of one unit in one group"));
    }
    Ok(Some(most))
}

fn keys(node: &Node<'_>) -> Result<Vec<Value>, QueryError> {
    let items = node.list()?;
    if items.is_empty() {
        return Err(node.error("an empty list of keys", "leave it out if keys are not public"));
    }
    let mut seen = BTreeSet::new();
    let mut keys: Vec<Value> = Vec::with_capacity(items.len());
    for item in &items {
        let key = item.key()?;
        if keys.first().is_some_and(|first| !same_kind(first, &key)) {
            return Err(item.error("the keys of a column have one type", ""));
        }
        if !seen.insert(key.to_string()) {
            return Err(
                item.error(&format!("the key {} is listed twice", shown(&key.to_string())), "")
            );
        }
        keys.push(key);
    }
    Ok(keys)
}

fn same_kind(a: &Value, b: &Value) -> bool {
    std::mem::discriminant(a) == std::mem::discriminant(b)
}

fn kind(node: &Node<'_>, format: Format) -> Result<Kind, QueryError> {
    let kind = node.choice(&[
        ("text", Kind::Text),
        ("integer", Kind::Integer),
        ("number", Kind::Number),
        ("boolean", Kind::Boolean),
        ("date", Kind::Date),
        ("timestamp", Kind::Timestamp),
    ])?;
    match format {
        Format::Csv => Ok(kind),
        Format::Parquet | Format::Arrow | Format::Memory => {
            Err(node.error("only columns of CSV files need a type", "leave it out"))
        }
    }
}
