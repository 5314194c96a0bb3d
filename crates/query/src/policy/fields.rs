//! The words of a policy: every field that is read, by section.

pub(super) const ROOT: &[&str] = &["budget", "query", "ledger", "engine", "tables"];
pub(super) const BUDGET: &[&str] =
    &["epsilon", "delta", "rho", "mu", "currency", "neighbours", "analysts"];
pub(super) const QUOTA: &[&str] = &["epsilon", "delta", "rho", "mu"];
pub(super) const QUERY: &[&str] =
    &["epsilon", "delta", "rho", "mu", "confidence", "bounds_share", "noise"];
pub(super) const LEDGER: &[&str] = &["path"];
pub(super) const ENGINE: &[&str] = &["kind", "threads", "memory"];
pub(super) const TABLE: &[&str] =
    &["path", "format", "unit", "public", "max_groups", "max_rows", "columns"];
pub(super) const UNIT: &[&str] = &["row", "column", "name", "table", "key"];
pub(super) const COLUMN: &[&str] =
    &["type", "lower", "upper", "bounds", "unit_sum", "max_matches", "keys"];
