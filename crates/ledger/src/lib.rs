//! Durable budgets.

/// Placeholder until the ledger is merged.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// Placeholder.
    #[error("io")]
    Io,
}
