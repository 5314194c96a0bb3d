//! The numbers of a plot, for programs.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};
use throng_account::Neighbours;

use super::{Curve, Kind, Point};
use crate::failure::Failure;
use crate::json::Real;

/// One row per point: the curve's name, the place, both ends.
pub(crate) fn csv(kind: Kind, curves: &[Curve]) -> String {
    let to = if kind == Kind::Loss { ",to" } else { "" };
    let mut text = format!("curve,{}{to},lower,upper\n", kind.abscissa());
    for curve in curves {
        let name = quoted(&curve.label);
        for point in &curve.points {
            let to = point.to.map(|to| format!(",{to}")).unwrap_or_default();
            let _ = writeln!(text, "{name},{}{to},{},{}", point.x, point.lower, point.upper);
        }
    }
    text
}

/// A field of a CSV row; quoted where it must be.
fn quoted(field: &str) -> String {
    if field.contains(['"', ',', '\n', '\r']) {
        return format!("\"{}\"", field.replace('"', "\"\""));
    }
    field.to_owned()
}

/// The curves as JSON.
pub(crate) fn json(
    kind: Kind,
    neighbours: Neighbours,
    curves: &[Curve],
) -> Result<Vec<u8>, Failure> {
    let mut list = Vec::new();
    for curve in curves {
        let points: Result<Vec<Value>, Failure> =
            curve.points.iter().map(|point| row(kind, point)).collect();
        list.push(json!({ "label": curve.label, "spec": curve.spec, "points": points? }));
    }
    let whole =
        json!({ "kind": kind.name(), "neighbours": neighbours.to_string(), "curves": list });
    let mut text = serde_json::to_vec_pretty(&whole)?;
    text.push(b'\n');
    Ok(text)
}

fn row(kind: Kind, point: &Point) -> Result<Value, Failure> {
    let mut row = Map::new();
    let mut put = |name: &str, value: f64| {
        row.insert(name.to_owned(), serde_json::to_value(Real(value))?);
        Ok::<_, Failure>(())
    };
    put(kind.abscissa(), point.x)?;
    if let Some(to) = point.to {
        put("to", to)?;
    }
    put("lower", point.lower)?;
    put("upper", point.upper)?;
    Ok(Value::Object(row))
}
