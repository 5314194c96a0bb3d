//! Where expressions come from: the command line, stdin (`-`), a file (`@file`).

use std::fs;
use std::io::{self, Read};

use throng_account::MechanismSpec;
use throng_account::spec::{SpecDocument, Template};

use crate::failure::Failure;

const WHERE: &str = "give an expression, `-` to read stdin or `@file` to read a file";

/// The text behind an argument.
fn read(argument: &str) -> Result<String, Failure> {
    let text = if argument == "-" {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text).map_err(|error| unreadable("stdin", &error))?;
        text
    } else if let Some(path) = argument.strip_prefix('@') {
        fs::read_to_string(path).map_err(|error| unreadable(path, &error))?
    } else {
        argument.to_owned()
    };
    let text = text.trim();
    if text.is_empty() {
        return Err(Failure::usage("the expression is empty", WHERE));
    }
    Ok(text.to_owned())
}

fn unreadable(what: &str, error: &io::Error) -> Failure {
    Failure::usage(format!("{what} cannot be read: {error}"), WHERE)
}

/// The mechanism behind an argument, written as an expression or as JSON.
pub(crate) fn spec(argument: &str) -> Result<MechanismSpec, Failure> {
    let text = read(argument)?;
    if text.starts_with(['{', '"', '[']) {
        return from_json(&text).map_err(|error| {
            Failure::usage(format!("the JSON is not a mechanism: {error}"), WHERE)
        });
    }
    text.parse().map_err(|error| Failure::of_expression(&text, error))
}

/// A document with a version, or a bare mechanism.
fn from_json(text: &str) -> Result<MechanismSpec, serde_json::Error> {
    let value: serde_json::Value = serde_json::from_str(text)?;
    if value.get("version").is_some() {
        return Ok(serde_json::from_str::<SpecDocument>(text)?.spec);
    }
    serde_json::from_str(text)
}

/// The mechanism with a hole behind an argument.
pub(crate) fn template(argument: &str) -> Result<Template, Failure> {
    let text = read(argument)?;
    Template::parse(&text).map_err(|error| Failure::of_expression(&text, error))
}
