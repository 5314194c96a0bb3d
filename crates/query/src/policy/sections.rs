//! From the text of a policy to the policy.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use throng_account::Neighbours;
use toml::de::DeTable;

use super::place::Source;
use super::read::{Fields, Node};
use super::{Amount, Defaults, EngineChoice, Policy, amounts, check, fields, tables};
use crate::QueryError;
use crate::release::NoiseChoice;

/// Reads and checks a whole policy.
pub(super) fn policy(text: &str, path: &Path) -> Result<Policy, QueryError> {
    let source = Source::new(text, path);
    let parsed = DeTable::parse(text).map_err(|e| {
        let span = e.span().unwrap_or(0..0);
        source.error(&span, &format!("not TOML: {}", e.message()), "")
    })?;
    let root = Fields::root(&source, &parsed);
    root.only(fields::ROOT)?;
    let (budget, analysts, neighbours) = budget(&root)?;
    let mut policy = Policy {
        tables: tables::tables(&root)?,
        neighbours,
        budget,
        analysts,
        ledger: PathBuf::new(),
        engine: engine(&root)?,
        defaults: defaults(&root)?,
        source: path.to_path_buf(),
        warnings: Vec::new(),
    };
    policy.ledger = policy.directory().join(ledger(&root)?);
    policy.warnings = check::warnings(&policy);
    Ok(policy)
}

type Budgets = (Amount, BTreeMap<String, Amount>, Neighbours);

fn budget(root: &Fields<'_>) -> Result<Budgets, QueryError> {
    let section =
        root.need("budget", "add [budget] with epsilon = 1 and delta = 1e-6")?.fields()?;
    section.only(fields::BUDGET)?;
    let money = amounts::money(&section)?;
    let capacity = amounts::capacity(&section, money)?;
    let mut analysts = BTreeMap::new();
    if let Some(quotas) = section.get("analysts") {
        for (analyst, span, node) in quotas.fields()?.entries() {
            if analyst.trim().is_empty() {
                return Err(section.error_at(&span, "an analyst has an empty name", ""));
            }
            let quota = node.fields()?;
            quota.only(fields::QUOTA)?;
            analysts.insert(analyst.to_string(), amounts::quota(&quota, money)?);
        }
    }
    Ok((capacity, analysts, neighbours(&section)?))
}

fn neighbours(section: &Fields<'_>) -> Result<Neighbours, QueryError> {
    section.get("neighbours").map_or(Ok(Neighbours::AddRemove), |node| {
        node.choice(&[
            ("add-remove", Neighbours::AddRemove),
            ("replace", Neighbours::Replace),
            ("zero-out", Neighbours::ZeroOut),
        ])
    })
}

fn defaults(root: &Fields<'_>) -> Result<Defaults, QueryError> {
    let mut defaults = Defaults::default();
    let Some(node) = root.get("query") else { return Ok(defaults) };
    let section = node.fields()?;
    section.only(fields::QUERY)?;
    defaults.cost = amounts::cost(&section)?;
    if let Some(node) = section.get("confidence") {
        defaults.confidence = amounts::inside_unit(&node)?.to_f64_nearest();
        if defaults.confidence >= 1.0 {
            return Err(node.error("is too close to 1", "0.95 is usual"));
        }
    }
    if let Some(node) = section.get("bounds_share") {
        defaults.bounds_share = amounts::inside_unit(&node)?;
    }
    if let Some(node) = section.get("noise") {
        defaults.noise = node.choice(&[
            ("auto", NoiseChoice::Auto),
            ("laplace", NoiseChoice::Laplace),
            ("gaussian", NoiseChoice::Gaussian),
        ])?;
    }
    Ok(defaults)
}

fn ledger(root: &Fields<'_>) -> Result<PathBuf, QueryError> {
    let Some(node) = root.get("ledger") else { return Ok(PathBuf::from("throng.ledger")) };
    let section = node.fields()?;
    section.only(fields::LEDGER)?;
    let path = section.need("path", "write path = \"throng.ledger\"")?.name()?;
    Ok(PathBuf::from(path))
}

fn engine(root: &Fields<'_>) -> Result<EngineChoice, QueryError> {
    let Some(node) = root.get("engine") else {
        return Ok(EngineChoice::DataFusion { threads: None, memory: None });
    };
    let section = node.fields()?;
    section.only(fields::ENGINE)?;
    if let Some(kind) = section.get("kind") {
        kind.choice(&[("datafusion", ())])?;
    }
    let threads = section.get("threads").map(|node| threads(&node)).transpose()?;
    let memory = section.get("memory").map(|node| memory(&node)).transpose()?;
    Ok(EngineChoice::DataFusion { threads, memory })
}

fn threads(node: &Node<'_>) -> Result<usize, QueryError> {
    let threads = usize::try_from(node.whole()?).ok().filter(|n| (1..=1024).contains(n));
    threads.ok_or_else(|| node.error("must be between 1 and 1024", ""))
}

/// A number of bytes, or `1 GiB`.
fn memory(node: &Node<'_>) -> Result<u64, QueryError> {
    let bytes = match node.words() {
        Some(words) => size(words)
            .ok_or_else(|| node.error("is not an amount of memory", "write \"1 GiB\" or bytes"))?,
        None => node.whole()?,
    };
    if bytes < 1 << 20 {
        return Err(node.error("is too little to work with", "at least 1 MiB; \"1 GiB\" is usual"));
    }
    Ok(bytes)
}

fn size(words: &str) -> Option<u64> {
    let words = words.trim();
    let digits = words.find(|c: char| !c.is_ascii_digit()).unwrap_or(words.len());
    let (number, unit) = words.split_at(digits);
    let scale: u64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        "tb" => 1_000_000_000_000,
        "kib" => 1 << 10,
        "mib" => 1 << 20,
        "gib" => 1 << 30,
        "tib" => 1 << 40,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(scale)
}
